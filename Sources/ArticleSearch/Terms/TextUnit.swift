/// A run of letters or digits, or one syllable of a script without spaces.
struct TextUnit: Sendable {
    enum Kind: UInt8, Sendable {
        case letters
        /// Digits, with dots between them.
        case number
        /// One letter with the signs that make it a language: `c++`, `f#`.
        case code
        case syllable

        /// True if units of this kind that touch are also one word: `utf` and `8`.
        @inline(__always) var isJoinable: Bool { self == .letters || self == .number }
    }

    /// The separator between a unit and the one before it.
    enum Gap: UInt8, Sendable {
        case none
        /// One hyphen or one apostrophe.
        case joiner
        /// White space without an empty line.
        case whiteSpace
        case other

        /// True if the two units are in one word.
        @inline(__always) var isInWord: Bool { self == .none || self == .joiner }
        /// True if a pair of syllables is one even across it.
        @inline(__always) var isOpen: Bool { self == .none || self == .whiteSpace }
    }

    /// The range of the unit in its text, in UTF-8.
    let start: UInt32
    let end: UInt32
    /// The range of its folded bytes.
    let foldedStart: UInt32
    let foldedEnd: UInt32
    let kind: Kind
    let gap: Gap
    /// True if the unit begins with an upper-case letter.
    let isCapital: Bool

    @inline(__always) var folded: Range<Int> { Int(foldedStart)..<Int(foldedEnd) }
    var range: Range<Int> { Int(start)..<Int(end) }
}
