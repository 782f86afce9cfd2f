public import BroadsheetPlatform

/// A store for articles. Each method is one atomic step; a write is durable when it returns.
///
/// Every engine passes the same conformance suite. Visibility is part of each query, so that no
/// result has to be filtered afterwards; authorization is up to the services. Safe to use from any
/// thread.
///
/// ```swift
/// func titles(in store: some ArticleStore) async throws -> [String] {
///     let query = ArticleQuery(audience: .everyone)
///     return try await store.articles(query).items.map(\.title)
/// }
/// ```
public protocol ArticleStore: ArticleRepository, RevisionRepository, ArticleListings,
    PublicationRepository, TagRepository, AuthorRepository, KeyRepository, IdempotencyRepository,
    ChangeRepository, WebhookRepository, AccountRepository, CommentRepository, BookmarkRepository,
    ImportDestination, ExportSource, AccountExportSource, SearchRepository, SourceRepository,
    PurgeRepository, RetentionRepository
{
    /// The threads on which the store reads. A task that has a turn there can read again without
    /// waiting, and process the results there: encode them as JSON, hash them.
    var workers: WorkerPool { get }

    /// This process as one of those that share the database.
    var node: any StoreNode { get }

    /// Finishes queued writes, flushes and releases the file. Later calls throw `.unavailable`.
    func close() async
}
