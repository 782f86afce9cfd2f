/// A key of the index's dictionary: its class and a term. Keys are ordered by their bytes.
package struct TermKey: Sendable, Hashable, Comparable {
    /// The origin of a term.
    package enum Class: UInt8, Sendable {
        /// Title, tags and authors, where one letter is enough.
        case heading = 1
        /// All texts.
        case word = 2
        /// A value that filters compare as a whole.
        case filter = 3
    }

    package let bytes: [UInt8]

    package init(_ kind: Class, _ term: some Sequence<UInt8>) { bytes = [kind.rawValue] + term }

    package static func < (left: TermKey, right: TermKey) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}
