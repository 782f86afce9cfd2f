package import ArticleAPI

/// The keys of a document, ascending, each once, with its impact. A value; use it anywhere.
package struct AnalyzedDocument: Sendable {
    package let id: Article.ID
    package let revision: Int
    /// Milliseconds since 1970.
    package let published: Int64
    /// The keys, one after another.
    package let bytes: [UInt8]
    /// Where each key ends in `bytes`.
    package let ends: [UInt32]
    /// How much each key says about the document; 0 for those of filters.
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
        self.id = id
        self.revision = revision
        self.published = published
        let terms = terms.sorted { $0.key < $1.key }
        var bytes: [UInt8] = []
        ends = terms.map { term in
            bytes += term.key.bytes
            return UInt32(bytes.count)
        }
        self.bytes = bytes
        impacts = terms.map(\.impact)
    }

    /// Where the key is in `bytes`.
    package func bounds(at index: Int) -> Range<Int> {
        Int(index == 0 ? 0 : ends[index - 1])..<Int(ends[index])
    }

    package func key(at index: Int) -> ArraySlice<UInt8> { bytes[bounds(at: index)] }

    package func impact(at index: Int) -> UInt8 { impacts[index] }

    /// The sum of the hashes of all keys and impacts, whatever their order.
    package var digest: UInt64 {
        (0..<count).reduce(0) { $0 &+ Self.digest(of: key(at: $1), impact: impacts[$1]) }
    }

    /// What a key adds to a digest: FNV-1a of its bytes and its impact.
    package static func digest(of key: ArraySlice<UInt8>, impact: UInt8) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in key { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return (hash ^ UInt64(impact)) &* 0x100_0000_01b3
    }
}

extension AnalyzedDocument {
    package init(_ document: SearchDocument) {
        self.init(SearchText(document))
    }

    package init(_ text: SearchText) {
        let document = text.document
        var terms: Set<TermKey> = []
        for word in "\(document.title) \(document.body)".lowercased().split(separator: " ") {
            terms.insert(TermKey(.word, word.utf8))
        }
        self.init(
            id: document.id, revision: document.revision,
            published: document.publishedAt.milliseconds,
            terms: terms.map { (key: $0, impact: 1) })
    }
}
