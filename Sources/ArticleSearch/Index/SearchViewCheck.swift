import ArticleAPI

/// Compares the documents of a view with the articles that it should have.
package struct SearchViewCheck: Sendable {
    /// Without the documents that were compared.
    private var rest: SearchView

    package init(_ view: SearchView) { rest = view }

    /// - Parameter document: made of an article that is public now.
    /// - Throws: if the index does not have it, has it as it was before, or has it twice.
    package mutating func add(_ document: AnalyzedDocument) throws(SearchIndexError) {
        let id = document.id
        guard let indexed = rest.document(id) else { throw .corrupt("\(id) is not in the index") }
        guard indexed == SegmentDocument(document) else {
            throw .corrupt("\(id) is in the index as it was before")
        }
        rest.remove(id)
        guard rest.document(id) == nil else { throw .corrupt("\(id) is in the index twice") }
    }

    /// - Throws: if the index has a document that was not added.
    package func finish() throws(SearchIndexError) {
        for segment in rest.segments {
            for ordinal in 0..<segment.count where !segment.isDead(ordinal) {
                throw .corrupt(
                    "\(segment.document(at: ordinal).id) is in the index, but not public")
            }
        }
        for document in rest.tail.documents {
            throw .corrupt("\(document.id) is in the index, but not public")
        }
    }
}
