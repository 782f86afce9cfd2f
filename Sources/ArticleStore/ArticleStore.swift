public import ArticleAPI
public import Platform

/// A store for articles. Each method is one atomic step; a write is durable when it returns.
///
/// Every engine passes the same conformance suite. Visibility is part of each query, so that no
/// result has to be filtered afterwards; authorization is up to the services.
public protocol ArticleStore: ImportDestination, KeyKeeper {
    // MARK: Articles

    /// The article with its body; former slugs are also found. Throws `.notFound` for deleted and
    /// invisible articles.
    func edition(of key: Article.Key, visibleTo audience: Audience) async throws(StoreError)
        -> ArticleVersion

    /// One page of articles in the query's order, limited in items, bytes and examined rows.
    func articles(_ query: ArticleQuery) async throws(StoreError) -> ArticleSlice

    /// The first time after `time` at which a scheduled article becomes public; `nil` if there is
    /// none.
    func nextPublication(after time: Timestamp) async throws(StoreError) -> Timestamp?

    /// Creates an article with revision 1. Throws `.idTaken`, `.slugTaken`, `.unknownAuthor` or
    /// `.authorDiffers`.
    func createArticle(
        _ id: Article.ID, _ content: ArticleContent, by edit: Edit
    ) async throws(StoreError) -> Article

    /// Replaces the article's content by the result of `change` in a new revision; equal content
    /// creates none. Errors thrown by `change` are rethrown as `.rejected`, and nothing is changed.
    func updateArticle(
        _ id: Article.ID, expecting expectation: Precondition, by edit: Edit,
        _ change: @escaping @Sendable (Article) throws -> ArticleContent
    ) async throws(StoreError) -> Article

    /// Deletes an article, leaving a tombstone: a revision with the action `deleted`. The slug
    /// stays reserved.
    func deleteArticle(
        _ id: Article.ID, expecting expectation: Precondition, by edit: Edit
    ) async throws(StoreError)

    // MARK: Revisions (also of deleted articles)

    /// The history, newest first: at most `limit` revisions with numbers below `number`. Actors
    /// have their current names.
    func revisions(
        of id: Article.ID, below number: Int?, limit: Int
    ) async throws(StoreError) -> Slice<Revision, Int>

    /// The article as it was at a revision.
    func revision(_ number: Int, of id: Article.ID) async throws(StoreError) -> Article

    /// Adds a revision with the content of an earlier one; a deleted article is undeleted.
    func restoreArticle(
        _ id: Article.ID, to number: Int, expecting expectation: Precondition, by edit: Edit
    ) async throws(StoreError) -> Article

    // MARK: Rendered bodies

    /// The stored HTML of the articles' bodies at their revisions by this renderer, in the same
    /// order; `nil` if there is none.
    func bodyHTML(
        of articles: [Article], by renderer: String
    ) async throws(StoreError) -> [BodyHTML?]

    /// Stores the rendered body of an article at a revision. This is not a change of the article
    /// and has no number in the change sequence. Throws `.notFound` without that revision.
    func keepBodyHTML(
        _ html: BodyHTML, of id: Article.ID, revision: Int
    ) async throws(StoreError)

    // MARK: Tags and authors

    /// Tags in the order of their keys, with the number of articles visible to the audience, never
    /// zero.
    func tags(
        after key: String?, limit: Int, visibleTo audience: Audience
    ) async throws(StoreError) -> Slice<Tag.Usage, String>

    /// Authors in the order of their ids; the public only sees those with a public article.
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

    // MARK: Idempotent writes

    /// The outcome of the write with this scope (`IdempotencyKey`) in the preceding 24 hours; `nil`
    /// if there was none.
    func idempotencyRecord(
        _ scope: [UInt8], at time: Timestamp
    ) async throws(StoreError) -> IdempotencyRecord?

    /// Stores the response of a rejected write, which changed nothing. Only the last thousand of
    /// each principal are kept.
    func keepRejection(
        _ words: [UInt8], of key: IdempotencyKey, at time: Timestamp
    ) async throws(StoreError)

    // MARK: Secrets

    /// 32 random bytes stored under a name, created on first use: secrets for cursors and
    /// idempotency keys.
    func secret(named name: String) async throws(StoreError) -> [UInt8]

    // MARK: The change sequence

    /// Changes with numbers above `sequence`, in order, at most `limit`.
    func changes(after sequence: Int64, limit: Int) async throws(StoreError) -> [ChangeRecord]

    /// Notifies the observer of every commit from the next one on. The store only holds a weak
    /// reference to it.
    func observeChanges(_ observer: any ChangeObserver)

    // MARK: Export

    /// Passes everything except keys and secrets to `body` from one snapshot: authors, then
    /// articles in the order of their ids, each followed by its revisions in order. Stops if `body`
    /// throws (`.rejected`).
    func export(_ body: @escaping @Sendable (ExportRecord) throws -> Void) async throws(StoreError)

    // MARK: Life cycle

    /// The threads on which the store reads. A task that has a turn there can read again without
    /// waiting, and process the results there: encode them as JSON, hash them.
    var workers: WorkerPool { get }

    /// The number of articles, without tombstones.
    func articleCount() async throws(StoreError) -> Int

    /// Finishes queued writes, flushes and releases the file. Later calls throw `.unavailable`.
    func close() async
}

extension ArticleStore {
    /// The article without its metadata.
    public func article(
        _ key: Article.Key, visibleTo audience: Audience
    ) async throws(StoreError) -> Article {
        try await edition(of: key, visibleTo: audience).article
    }

    /// Creates or replaces an author at a time as the operator, with a write without a key.
    public func putAuthor(
        _ id: Author.ID, expecting expectation: Precondition, at time: Timestamp,
        _ change: @escaping @Sendable (Author?) throws -> AuthorContent
    ) async throws(StoreError) -> (author: Author, isNew: Bool) {
        try await putAuthor(
            id, expecting: expectation, by: Edit(at: time, by: .operator), change)
    }
}

/// Stores the records of API keys.
public protocol KeyKeeper: Sendable {
    /// All keys including revoked ones, oldest first.
    func keys() async throws(StoreError) -> [KeyRecord]
    /// Adds a key. Throws `.tooMany` if there are 1,000 valid keys, `.idTaken` if the public id is
    /// in use.
    func createKey(_ key: KeyRecord) async throws(StoreError)
    /// Revokes a key. Throws `.notFound` if it does not exist; revoking it twice keeps the first
    /// time.
    func revokeKey(_ id: String, at time: Timestamp) async throws(StoreError) -> KeyRecord
}

/// The part of a store that imports need.
public protocol ImportDestination: Sendable {
    /// Imports a batch of articles in one durable step. Each succeeds or fails independently of the
    /// others.
    func importArticles(
        _ items: [ImportItem], by edit: Edit, dryRun: Bool
    ) async throws(StoreError) -> [Result<ImportOutcome, StoreError>]

    /// Restores exported records in order in one durable step, with the same ids, revisions, times
    /// and bytes. A record that already exists and is equal is skipped; one that differs throws
    /// `.conflict`.
    func restore(_ records: [ExportRecord], dryRun: Bool) async throws(StoreError) -> RestoreCounts

    /// The number of the last committed change; 0 in an empty store.
    func changeSequence() async throws(StoreError) -> Int64
}

/// Is notified of changes as they become visible, in commit order. It must be quick, as writers
/// wait for it.
public protocol ChangeObserver: AnyObject, Sendable {
    /// These changes are about to be committed: they are not visible yet.
    func willCommit(_ changes: PendingChanges)

    /// All changes up to this number are visible to new reads. Called before their writers are
    /// resumed.
    func didCommit(through sequence: Int64)

    /// The commit failed: the changes announced by `willCommit` were rolled back, and this number
    /// is the last.
    func didNotCommit(beyond sequence: Int64)
}

/// The changes of a commit that is about to happen.
public struct PendingChanges: Sendable, Hashable {
    /// The number of the last change.
    public var sequence: Int64
    /// The changes in order; `nil` if there are too many to list.
    public var records: [ChangeRecord]?

    public init(sequence: Int64, records: [ChangeRecord]?) {
        self.sequence = sequence
        self.records = records
    }
}
