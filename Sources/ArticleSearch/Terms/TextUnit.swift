/// A run of letters or digits, or one syllable of a script without spaces.
struct TextUnit: Sendable {
    enum Kind: UInt8, Sendable {
        case letters
        /// Digits, with dots between them.
        case number
        /// One letter with what makes it a language: `c++`, `f#`.
        case code
        case syllable

        /// Whether units of this kind that touch are also one word: `utf` and `8`.
        @inline(__always) var isJoinable: Bool { self == .letters || self == .number }
    }

    /// What separates a unit from the one before it.
    enum Gap: UInt8, Sendable {
        case none
        /// One hyphen or one apostrophe.
        case joiner
        /// White space without an empty line.
        case whiteSpace
        case other

        /// Whether two units are in one word.
        @inline(__always) var isInWord: Bool { self == .none || self == .joiner }
        /// Whether a pair of syllables is one also across it.
        @inline(__always) var isOpen: Bool { self == .none || self == .whiteSpace }
    }

    /// Where it is in its text, in UTF-8.
    let start: UInt32
    let end: UInt32
    /// Where its folded bytes are.
    let foldedStart: UInt32
    let foldedEnd: UInt32
    let kind: Kind
    let gap: Gap
    /// True if the unit begins with an upper-case letter.
    let isCapital: Bool

    @inline(__always) var folded: Range<Int> { Int(foldedStart)..<Int(foldedEnd) }
    var range: Range<Int> { Int(start)..<Int(end) }
}
