/// The words of the dictionary that a mistyped word may have meant: those with the same first
/// letter and one error, or two from eight letters. An error is an extra, missing or wrong letter,
/// or two neighbouring letters in each other's place.
package enum Spelling {
    /// Fewer letters are not corrected.
    private static let minimum = 3
    /// The number of letters from which there may be two errors.
    private static let long = 8

    /// The keys among which candidates for a folded word are found.
    package static func range(for word: [UInt8]) -> TermRange {
        TermRange(prefix: TermKey(.word, AnalyzedDocument.firstScalar(word[...])))
    }

    /// The number of errors between two words, 1 or 2; `nil` if they are the same, or if `word`
    /// cannot have meant `candidate`.
    ///
    /// - Parameters:
    ///   - word: folded, and correctable.
    ///   - candidate: folded, without a class.
    package static func distance(from word: [UInt8], to candidate: some Collection<UInt8>) -> Int? {
        var near = EditDistanceScanner(word)
        return near?.errors(of: Array(candidate))
    }

    /// Returns the maximum number of errors in a word of this many letters.
    static func limit(_ letters: Int) -> Int { letters >= long ? 2 : 1 }

    /// Returns true if a folded word is one of those that are corrected: letters of Latin, Greek or
    /// Cyrillic.
    static func isCorrected(_ word: ArraySlice<UInt8>) -> Bool {
        letters(word).map { $0.count >= minimum } ?? false
    }

    /// The letters, each as its bytes; `nil` if there is anything else.
    static func letters(_ word: ArraySlice<UInt8>) -> [UInt16]? {
        guard word.count <= TermReader.limitBytes else { return nil }
        var letters: [UInt16] = []
        letters.reserveCapacity(word.count)
        var rest = word
        // Invariant: `letters` are those before `rest`.
        while let first = rest.popFirst() {
            guard let letter = letter(first, first < 0x80 ? nil : rest.popFirst()) else {
                return nil
            }
            letters.append(letter)
        }
        return letters
    }

    /// The letter of one or two bytes; `nil` if they are none.
    @inline(__always)
    static func letter(_ first: UInt8, _ second: UInt8?) -> UInt16? {
        guard let second else {
            return first &- UInt8(ascii: "a") < 26 ? UInt16(first) : nil
        }
        // The first bytes of U+0080 to U+04FF and U+0500 to U+053F.
        guard (0xC2...0xD4).contains(first), second & 0xC0 == 0x80 else { return nil }
        return UInt16(first) << 8 | UInt16(second)
    }
}
