package import ArticleAPI

/// The keys of a document, ascending, each once, with its impact.
package struct AnalyzedDocument: Sendable {
    package let id: Article.ID
    package let revision: Int
    /// Milliseconds since 1970.
    package let published: Int64
    /// The keys, one after another.
    package let bytes: [UInt8]
    /// The end of each key in `bytes`.
    package let ends: [UInt32]
    /// The impact of each key on the document; 0 for those of filters.
    package let impacts: [UInt8]

    package var count: Int { ends.count }

    /// A document with these keys.
    ///
    /// - Parameters:
    ///   - id: the article's.
    ///   - revision: the article's.
    ///   - published: milliseconds since 1970.
    ///   - terms: each key at most once, in any order.
    package init(
        id: Article.ID, revision: Int, published: Int64, terms: [(key: TermKey, impact: UInt8)]
    ) {
        let terms = terms.sorted { $0.key < $1.key }
        var bytes: [UInt8] = []
        let ends = terms.map { term in
            bytes += term.key.bytes
            return UInt32(bytes.count)
        }
        self.init(
            id: id, revision: revision, published: published, bytes: bytes, ends: ends,
            impacts: terms.map(\.impact))
    }

    /// A document with ascending keys.
    init(
        id: Article.ID, revision: Int, published: Int64, bytes: [UInt8], ends: [UInt32],
        impacts: [UInt8]
    ) {
        self.id = id
        self.revision = revision
        self.published = published
        self.bytes = bytes
        self.ends = ends
        self.impacts = impacts
    }

    /// Returns the range of the key in `bytes`.
    package func bounds(at index: Int) -> Range<Int> {
        Int(index == 0 ? 0 : ends[index - 1])..<Int(ends[index])
    }

    package func key(at index: Int) -> ArraySlice<UInt8> { bytes[bounds(at: index)] }

    package func impact(at index: Int) -> UInt8 { impacts[index] }

    /// The sum of the hashes of all keys and impacts, whatever their order.
    package var digest: UInt64 {
        (0..<count).reduce(0) { $0 &+ Self.digest(of: key(at: $1), impact: impacts[$1]) }
    }

    /// Returns the part of a digest that a key adds: FNV-1a of its bytes and its impact.
    package static func digest(of key: ArraySlice<UInt8>, impact: UInt8) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in key { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return (hash ^ UInt64(impact)) &* 0x100_0000_01b3
    }
}
