public import ArticleAPI
public import Sockets

/// What keeps articles. Each method is one atomic step; a write that returned is durable.
///
/// Every engine passes the same conformance suite. Visibility is part of each question, so that no
/// answer has to be filtered afterwards; rules about who may ask stand one layer up.
public protocol ArticleStore: ImportDestination, KeyKeeper {
    // MARK: Articles

    /// The article, with its body; a slug may be a former one. Deleted and invisible ones are
    /// `.notFound`.
    func edition(of key: Article.Key, visibleTo audience: Audience) async throws(StoreError)
        -> ArticleVersion

    /// One page of articles in the query's order, bounded in items, bytes and examined rows.
    func articles(_ query: ArticleQuery) async throws(StoreError) -> ArticleSlice

    /// The first moment after `time` at which an article that is published but not due becomes
    /// public; `nil` if there is none.
    func nextPublication(after time: Timestamp) async throws(StoreError) -> Timestamp?

    /// Makes an article of revision 1: `.idTaken`, `.slugTaken`, `.unknownAuthor`,
    /// `.authorDiffers`.
    func createArticle(
        _ id: Article.ID, _ content: ArticleContent, by edit: Edit
    ) async throws(StoreError) -> Article

    /// Gives the article what `change` makes of it, as one more revision; the same content makes
    /// none. What `change` throws comes back as `.rejected`, with nothing changed.
    func updateArticle(
        _ id: Article.ID, expecting expectation: Precondition, by edit: Edit,
        _ change: @escaping @Sendable (Article) throws -> ArticleContent
    ) async throws(StoreError) -> Article

    /// Leaves a tombstone: a revision with the action `deleted`; the slug stays reserved.
    func deleteArticle(
        _ id: Article.ID, expecting expectation: Precondition, by edit: Edit
    ) async throws(StoreError)

    // MARK: Revisions (also of deleted articles)

    /// The history, newest first, of numbers below `number`, at most `limit`.
    func revisions(
        of id: Article.ID, below number: Int?, limit: Int
    ) async throws(StoreError) -> Slice<Revision, Int>

    /// The article as it was at a revision.
    func revision(_ number: Int, of id: Article.ID) async throws(StoreError) -> Article

    /// One more revision with the content of an earlier one; a deleted article lives again.
    func restoreArticle(
        _ id: Article.ID, to number: Int, expecting expectation: Precondition, by edit: Edit
    ) async throws(StoreError) -> Article

    // MARK: HTML

    /// What this renderer made of the bodies of articles, each as of its revision, in their order;
    /// `nil` where nothing of it is kept.
    func bodyHTML(
        of articles: [Article], by renderer: String
    ) async throws(StoreError) -> [BodyHTML?]

    /// Keeps what became of the body of an article as of a revision. It changes no article: it has
    /// no number in the change sequence. `.notFound` without that revision.
    func keepBodyHTML(
        _ html: BodyHTML, of id: Article.ID, revision: Int
    ) async throws(StoreError)

    // MARK: Tags and authors

    /// Tags in the order of their keys, with counts of what the audience sees, never zero.
    func tags(
        after key: String?, limit: Int, visibleTo audience: Audience
    ) async throws(StoreError) -> Slice<Tag.Usage, String>

    /// Authors in the order of their ids; the public sees those with a public article.
    func authors(
        after id: Author.ID?, limit: Int, visibleTo audience: Audience
    ) async throws(StoreError) -> Slice<Author, Author.ID>

    func author(_ id: Author.ID, visibleTo audience: Audience) async throws(StoreError) -> Author

    /// Makes or replaces an author by what `change` makes of the current one. The revision, the id
    /// and the times of the answer are the store's; the same content makes no revision.
    func putAuthor(
        _ id: Author.ID, expecting expectation: Precondition, by edit: Edit,
        _ change: @escaping @Sendable (Author?) throws -> AuthorContent
    ) async throws(StoreError) -> (author: Author, isNew: Bool)

    // MARK: Writes with a key

    /// What became of the write with this scope (`IdempotencyKey`) in the 24 hours before; `nil` if
    /// there was none.
    func keptWrite(
        _ scope: [UInt8], at time: Timestamp
    ) async throws(StoreError) -> IdempotencyRecord?

    /// Keeps with what words a write was rejected, which changed nothing. Of each principal the
    /// last thousand are kept.
    func keepRejection(
        _ words: [UInt8], of key: IdempotencyKey, at time: Timestamp
    ) async throws(StoreError)

    // MARK: Secrets

    /// 32 random bytes kept under a name, made by the first who asks: keys for cursors.
    func secret(named name: String) async throws(StoreError) -> [UInt8]

    // MARK: The change sequence

    /// Changes with numbers above `sequence`, in order, at most `limit`.
    func changes(after sequence: Int64, limit: Int) async throws(StoreError) -> [ChangeRecord]

    /// Tells the observer of every commit from the next one on, as long as someone else keeps it.
    func observeChanges(_ observer: any ChangeObserver)

    // MARK: Everything

    /// Everything but keys and secrets, as of one moment: authors, then articles in the order of
    /// their ids, each followed by its revisions in order. Stops with what `body` throws
    /// (`.rejected`).
    func export(_ body: @escaping @Sendable (ExportRecord) throws -> Void) async throws(StoreError)

    // MARK: Life

    /// The threads on which the store reads. Who has a turn there reads without waiting again, and
    /// may go on with what was read: write it as JSON, hash it.
    var workers: WorkerPool { get }

    /// How many articles live here (tombstones not counted).
    func articleCount() async throws(StoreError) -> Int

    /// Finishes queued writes, flushes and lets the file go. Later calls are `.unavailable`.
    func close() async
}

extension ArticleStore {
    /// The article alone.
    public func article(
        _ key: Article.Key, visibleTo audience: Audience
    ) async throws(StoreError) -> Article {
        try await edition(of: key, visibleTo: audience).article
    }

    /// Makes or replaces an author at a time, by a write without a key.
    public func putAuthor(
        _ id: Author.ID, expecting expectation: Precondition, at time: Timestamp,
        _ change: @escaping @Sendable (Author?) throws -> AuthorContent
    ) async throws(StoreError) -> (author: Author, isNew: Bool) {
        try await putAuthor(
            id, expecting: expectation, by: Edit(at: time, editor: nil), change)
    }
}
