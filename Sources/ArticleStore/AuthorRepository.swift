public import ArticleAPI

/// Finds, lists, creates and replaces authors.
///
/// Each method is one atomic step, and a write is durable when it returns. Safe to use from any
/// thread.
///
/// ```swift
/// let replacement = Author.Replacement(name: "Ada Lovelace")
/// let saved = try await store.putAuthor(id, replacement, expecting: .nothing, by: edit)
/// ```
public protocol AuthorRepository: Sendable {
    /// Returns authors in the order of their ids; the public only sees those with a public article,
    /// and the owner of an article also sees its authors.
    func authors(
        after id: Author.ID?, limit: Int, visibleTo audience: Audience
    ) async throws(StoreError) -> Slice<Author, Author.ID>

    func author(_ id: Author.ID, visibleTo audience: Audience) async throws(StoreError) -> Author

    /// Creates or replaces an author. The store sets revision, id and times; equal content creates
    /// no revision. Throws `.invalid` if the replacement repeats a read-only attribute with another
    /// value.
    func putAuthor(
        _ id: Author.ID, _ replacement: Author.Replacement, expecting expectation: Precondition,
        by edit: Edit
    ) async throws(StoreError) -> (author: Author, isNew: Bool)
}

extension Author.Replacement {
    /// Rejects read-only attributes that differ from the author's.
    package func checkReadOnly(id: Author.ID, against current: Author?) throws(StoreError) {
        var check = ReadOnlyCheck()
        check.add(self.id, id, "/id")
        check.add(createdAt, current?.createdAt, "/createdAt")
        check.add(updatedAt, current?.updatedAt, "/updatedAt")
        check.add(revision, current?.revision, "/revision")
        check.add(version, current?.version, "/version")
        try check.end()
    }
}
