/// Units that follow one another in a text: a phrase, or the syllables of a word.
struct TextSequence: Sendable, Hashable {
    struct Unit: Sendable, Hashable {
        let folded: [UInt8]
        let isSyllable: Bool
        /// A syllable that has at most white space before it, and then another syllable.
        let isPaired: Bool
    }

    let units: [Unit]
    /// The last unit may also be anything from its own bytes to these, exclusive.
    let lastEnd: [UInt8]?

    /// Returns the first range of the sequence among the units from `start` on.
    func first(in text: SearchText, _ range: Range<Int>, from start: Int) -> Range<Int>? {
        var index = start
        while index + units.count <= range.upperBound {
            if isFound(in: text, at: index) { return index..<index + units.count }
            index += 1
        }
        return nil
    }

    private func isFound(in text: SearchText, at index: Int) -> Bool {
        for (offset, unit) in units.enumerated() {
            let candidate = text.units[index + offset]
            guard (candidate.kind == .syllable) == unit.isSyllable else { return false }
            if unit.isPaired, !candidate.gap.isOpen { return false }
            let folded = text.folded[candidate.folded]
            if let lastEnd, offset == units.count - 1 {
                guard !folded.lexicographicallyPrecedes(unit.folded),
                    folded.lexicographicallyPrecedes(lastEnd)
                else { return false }
            } else if !folded.elementsEqual(unit.folded) {
                return false
            }
        }
        return true
    }
}
