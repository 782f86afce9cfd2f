public import ArticleAPI

/// Finds, lists, creates and replaces authors.
///
/// Each method is one atomic step, and a write is durable when it returns. Safe to use from any
/// thread; the closure of a write runs on the thread that writes, and must be quick.
///
/// ```swift
/// let saved = try await store.putAuthor(id, expecting: .nothing, at: time) { _ in
///     AuthorContent(name: "Ada Lovelace", about: "", website: nil)
/// }
/// ```
public protocol AuthorRepository: Sendable {
    /// Returns authors in the order of their ids; the public only sees those with a public article,
    /// and the owner of an article also sees its authors.
    func authors(
        after id: Author.ID?, limit: Int, visibleTo audience: Audience
    ) async throws(StoreError) -> Slice<Author, Author.ID>

    func author(_ id: Author.ID, visibleTo audience: Audience) async throws(StoreError) -> Author

    /// Creates or replaces an author with the result of `change`. The store sets revision, id and
    /// times; equal content creates no revision.
    func putAuthor(
        _ id: Author.ID, expecting expectation: Precondition, by edit: Edit,
        _ change: @escaping @Sendable (Author?) throws -> AuthorContent
    ) async throws(StoreError) -> (author: Author, isNew: Bool)
}

extension AuthorRepository {
    /// Creates or replaces an author at a time as the operator, with a write without a key.
    public func putAuthor(
        _ id: Author.ID, expecting expectation: Precondition, at time: Timestamp,
        _ change: @escaping @Sendable (Author?) throws -> AuthorContent
    ) async throws(StoreError) -> (author: Author, isNew: Bool) {
        try await putAuthor(
            id, expecting: expectation, by: Edit(at: time, by: .operator), change)
    }
}

/// The validated content of an author as decided by an editor. See ``AuthorRepository``.
public struct AuthorContent: Sendable, Hashable {
    public var name: String
    public var about: String
    public var website: String?

    public init(name: String, about: String, website: String?) {
        self.name = name
        self.about = about
        self.website = website
    }
}
