/// A row of a segment.
///
/// A block of keys has one byte, 1 if its first key continues the block before and 0 if not; then,
/// for each key: the number of bytes that it shares with the key before, the number of its other
/// bytes and these, the number of bytes of its documents and these. For each document, there is the
/// number of ordinals that are left out before it, and the impact, a byte. Numbers are LEB128. A
/// key whose documents need more than a block has blocks of its own; so each block can be read
/// alone.
package struct SearchBlock: Sendable, Hashable {
    /// Its place in the segment: from 0 for keys, from `firstDocuments` for documents.
    package let number: Int
    /// The first key, if it begins here; `nil` for a block that continues a key, or has documents.
    package let first: [UInt8]?
    /// At most `limitBytes`.
    package let data: [UInt8]

    package static let limitBytes = 4_000
    /// No key of a document is longer.
    package static let limitKeyBytes = 1_000
    package static let firstDocuments = 1 << 30

    package init(number: Int, first: [UInt8]?, data: [UInt8]) {
        self.number = number
        self.first = first
        self.data = data
    }
}

/// The reason why an index cannot be used. See ``SearchView``.
package enum SearchIndexError: Error, Sendable, Hashable {
    /// Blocks differ from those that were written; the text describes the difference.
    case corrupt(String)
}
