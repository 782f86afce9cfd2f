/// Which words of the dictionary a mistyped word may have meant: those with the same first letter
/// and one error, or two from eight letters. An error is a letter too many, too few, wrong, or in
/// its neighbour's place.
package enum Spelling {
    /// Fewer letters are not corrected.
    private static let minimum = 3
    /// From so many letters, there may be two errors.
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
        // A letter has at most two bytes here.
        guard abs(word.count - candidate.count) <= 4, word.first == candidate.first,
            let word = letters(word), let candidate = letters(candidate),
            word.first == candidate.first, word != candidate
        else { return nil }
        let limit = word.count >= long ? 2 : 1
        guard abs(word.count - candidate.count) <= limit else { return nil }
        let distance = alignment(word, candidate)
        return distance <= limit ? distance : nil
    }

    /// Whether a folded word is one of those that are corrected: letters of Latin, Greek or
    /// Cyrillic.
    static func isCorrected(_ word: ArraySlice<UInt8>) -> Bool {
        letters(word).map { $0.count >= minimum } ?? false
    }

    /// The letters, each as its bytes; `nil` if there is anything else.
    private static func letters(_ word: some Collection<UInt8>) -> [UInt16]? {
        guard word.count <= TermReader.limitBytes else { return nil }
        var letters: [UInt16] = []
        letters.reserveCapacity(word.count)
        var lead: UInt16 = 0
        for byte in word {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): letters.append(UInt16(byte))
            // The first bytes of U+0080 to U+04FF and U+0500 to U+053F.
            case 0xC2...0xD4: lead = UInt16(byte)
            case 0x80..<0xC0 where lead != 0:
                letters.append(lead << 8 | UInt16(byte))
                lead = 0
            default: return nil
            }
        }
        return letters
    }

    /// The optimal string alignment distance.
    private static func alignment(_ left: [UInt16], _ right: [UInt16]) -> Int {
        var before: [Int] = []
        var last = Array(0...right.count)
        // Invariant: `last` has the distances of the first `row` letters of `left` from each
        // beginning of `right`, and `before` those of one letter fewer.
        for row in left.indices {
            var next = [row + 1]
            next.reserveCapacity(right.count + 1)
            for column in right.indices {
                var best = min(last[column + 1], next[column]) + 1
                best = min(best, last[column] + (left[row] == right[column] ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1],
                    left[row - 1] == right[column]
                {
                    best = min(best, before[column - 1] + 1)
                }
                next.append(best)
            }
            (before, last) = (last, next)
        }
        return last[right.count]
    }
}
