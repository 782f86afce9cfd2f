package import ArticleAPI

/// The newest documents, which are in no segment yet.
package struct UnsealedDocuments: Sendable {
    /// In the order of their ids, each once.
    package private(set) var documents: [AnalyzedDocument] = []

    /// The bytes of their keys.
    private var bytes = 0

    /// The number of documents at which a tail becomes a segment.
    package static let limitDocuments = 256
    /// The number of bytes of keys at which a tail also becomes a segment.
    package static let limitBytes = 8 * 1024 * 1024

    package init() {}

    package var count: Int { documents.count }

    package var isFull: Bool { count >= Self.limitDocuments || bytes >= Self.limitBytes }

    package func document(_ id: Article.ID) -> AnalyzedDocument? {
        let place = place(of: id)
        return place < count && documents[place].id == id ? documents[place] : nil
    }

    /// Adds the document, in place of one with the same id.
    package mutating func insert(_ document: AnalyzedDocument) {
        remove(document.id)
        bytes += document.bytes.count
        documents.insert(document, at: place(of: document.id))
    }

    /// False if it is not there.
    @discardableResult
    package mutating func remove(_ id: Article.ID) -> Bool {
        let place = place(of: id)
        guard place < count, documents[place].id == id else { return false }
        bytes -= documents.remove(at: place).bytes.count
        return true
    }

    /// Returns the index of the id, or the one at which it would be.
    private func place(of id: Article.ID) -> Int {
        var (low, high) = (0, count)
        // Invariant: ids before `low` are less than `id`, those from `high` are not.
        while low < high {
            let middle = (low + high) / 2
            if documents[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension AnalyzedDocument {
    /// The keys of the range. A query does this for each document of the tail.
    func places(in range: TermRange) -> Range<Int> {
        SortedKeys.reading(bytes, ends) { keys in
            let low = keys.place(of: range.low)
            // Most documents have no key of a range.
            guard low < keys.count, keys.precedes(low, range.high) else { return low..<low }
            return low..<keys.place(of: range.high, near: low + 1)
        }
    }
}
