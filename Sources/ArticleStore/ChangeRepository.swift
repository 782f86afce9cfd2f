public import ArticleAPI
public import BroadsheetPlatform

/// The change sequence: all committed changes, numbered in commit order and without gaps.
///
/// Safe to use from any thread.
///
/// ```swift
/// let changes = try await store.changes(after: 0, limit: 100)
/// let subjects = changes.filter { $0.isPublic }.map(\.subject)
/// ```
public protocol ChangeRepository: Sendable {
    /// Changes with numbers above `sequence`, in order, at most `limit`.
    func changes(after sequence: Int64, limit: Int) async throws(StoreError) -> [ChangeRecord]

    /// Returns a page of changes for an audience, limited in items, bytes and examined rows.
    ///
    /// - Throws: `.otherHistory` if the query's position does not belong to this history,
    ///   `.notFound` if the query is for comments and those on the article are not visible, or for
    ///   bookmarks and the user does not exist.
    func changes(_ query: ChangeQuery) async throws(StoreError) -> ChangeSlice

    /// Notifies the observer of every commit from the next one on. The store only holds a weak
    /// reference to it.
    func observeChanges(_ observer: any ChangeObserver)
}

/// A query for the changes for an audience.
///
/// ```swift
/// var query = ChangeQuery(audience: .editors)
/// query.filter.tags = [ArticleTag(named: "Baking").key]
/// var isCurrent = false
/// while !isCurrent {
///     let slice = try await store.changes(query)
///     for case (_, .putArticle(let article, _)) in slice.items {
///         copy[article.id] = article
///     }
///     for case (_, .deleteArticle(let id, _)) in slice.items { copy[id] = nil }
///     query.position = slice.position
///     isCurrent = slice.isLast
/// }
/// ```
public struct ChangeQuery: Sendable, Hashable {
    public var audience: Audience
    /// Concerns articles only.
    public var filter = ArticleFilter()
    public var kinds = SyncKind.content
    /// The article whose comments are among the changes; `nil` if none are.
    public var article: Article.ID?
    /// The reader of comments and owner of bookmarks, which include those of articles that the user
    /// does not see; `nil` for an anonymous reader.
    public var user: User.ID?
    /// The position of the client's copy; `nil` if it has none, which begins the snapshot.
    public var position: ChangePosition?
    /// True to skip everything that has happened: the slice is empty and the last one.
    public var startsNow = false
    /// 1 to 500.
    public var limit = 100
    /// True to include bodies.
    public var withBodies = false

    public init(audience: Audience) { self.audience = audience }

    /// The reader of comments.
    package var viewer: CommentViewer { CommentViewer(audience: audience, user: user) }
}

/// A client's position in the changes of an audience. See ``ChangeQuery``.
public struct ChangePosition: Sendable, Hashable {
    /// The history in which the numbers count.
    public var epoch: Epoch
    /// The client has everything that last changed for the audience at this number or before.
    public var sequence: Int64
    /// The number of the oldest state in the client's copy: subjects that changed after it are in
    /// the copy in a state of this number or later, if at all. Equal to `sequence` once the client
    /// has read the last page.
    public var base: Int64
    /// The audience's last change at the time of the client's read, because of which items that the
    /// client does not have yet may have been skipped.
    public var seen: Int64
    /// Proves that the numbers are of this history: the mark of the commit with the change that was
    /// seen, as a database that was set back uses numbers again; 0 if it has none.
    public var mark: Int64

    public init(epoch: Epoch, sequence: Int64, base: Int64, seen: Int64, mark: Int64) {
        self.epoch = epoch
        self.sequence = sequence
        self.base = base
        self.seen = seen
        self.mark = mark
    }
}

/// A page of changes. See ``ChangeQuery``.
public struct ChangeSlice: Sendable {
    /// The number of each change, and the change with the article, whose body is `nil` unless
    /// requested.
    public var items: [(sequence: Int64, change: SyncChange<Article>)]
    /// The position of the client after these changes.
    public var position: ChangePosition
    /// True if nothing follows.
    public var isLast: Bool

    public init(
        items: [(sequence: Int64, change: SyncChange<Article>)],
        position: ChangePosition, isLast: Bool
    ) {
        self.items = items
        self.position = position
        self.isLast = isLast
    }
}

/// Is notified of changes as they become visible, in commit order.
///
/// Called on the thread that writes, one notification at a time. It must be quick, as writers wait
/// for it. The store does not retain it.
///
/// ```swift
/// final class LastChange: ChangeObserver {
///     let sequence = Atomic<Int64>(0)
///     func didCommit(_ changes: CommitChanges) {
///         sequence.store(changes.sequence, ordering: .relaxed)
///     }
/// }
/// ```
public protocol ChangeObserver: AnyObject, Sendable {
    /// These changes are about to be committed: they are not visible yet. Called while the
    /// transaction is open; services use `AnnouncedChanges`.
    func willCommit(_ changes: CommitChanges)

    /// These changes, and all before them, are visible to new reads. Called before their writers
    /// are resumed.
    func didCommit(_ changes: CommitChanges)

    /// The commit failed: the changes announced by `willCommit` were rolled back, and this number
    /// is the last.
    func didNotCommit(beyond sequence: Int64)
}

extension ChangeObserver {
    public func willCommit(_ changes: CommitChanges) {}
    public func didNotCommit(beyond sequence: Int64) {}
}

/// Collects the changes of commits from before they are visible, until a cache takes them over: so
/// nothing of the cache is executed while a transaction is open. Safe to use from any thread.
///
/// ```swift
/// let announced = AnnouncedChanges()
/// store.observeChanges(announced)
/// ```
public final class AnnouncedChanges: ChangeObserver {
    /// Whatever happened since the last batch was taken, in the order of the properties.
    public struct Batch: Sendable, Hashable {
        /// The last change when a commit failed; what was announced above it was rolled back.
        public var failure: Int64?
        /// The changes that were announced; if some were rolled back since, with a number that is
        /// visible.
        public var changes: CommitChanges?
        /// All changes up to this one are visible.
        public var visible: Int64 = 0
    }

    private let batch = Lock(Batch())
    /// The number of calls so far: if it is the same, there is nothing to take.
    public let count = AtomicCounter()

    /// If there are more changes, they are not listed.
    static let limitChanges = 4_096

    public init() {}

    /// Returns what happened since the last call.
    public func take() -> Batch {
        batch.withLock { batch in
            defer { batch = Batch(visible: batch.visible) }
            return batch
        }
    }

    public func willCommit(_ changes: CommitChanges) {
        batch.withLock { batch in
            defer { count.add() }
            guard let listed = batch.changes?.records?.count, let new = changes.records,
                listed + new.count <= Self.limitChanges
            else {
                let isFirst = batch.changes == nil
                batch.changes = changes
                if !isFirst { batch.changes?.records = nil }
                return
            }
            batch.changes?.sequence = changes.sequence
            batch.changes?.records?.append(contentsOf: new)
        }
    }

    public func didCommit(_ changes: CommitChanges) {
        batch.withLock { batch in
            batch.visible = changes.sequence
            count.add()
        }
    }

    public func didNotCommit(beyond sequence: Int64) {
        batch.withLock { batch in
            batch.failure = sequence
            batch.visible = sequence
            batch.changes?.sequence = sequence
            count.add()
        }
    }
}

/// Wakes a task after commits, once for all that come while it is busy. Safe to use from any
/// thread; one task at a time may wait.
package final class CommitSignal: ChangeObserver {
    private let wakings: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let system: SystemEnvironment
    private let first = Lock<Duration?>(nil)

    package init(_ system: SystemEnvironment) {
        self.system = system
        (wakings, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The uptime of the first commit since the last call of `takeSince`; `nil` if there was none.
    package var since: Duration? { first.withLock { $0 } }

    /// Returns `since`, which is `nil` until the next commit.
    package func takeSince() -> Duration? { first.withLock { $0.take() } }

    /// Waits for a commit or a call of `wake` since the last wait, or for the task's cancellation.
    package func wait() async {
        var wakings = wakings.makeAsyncIterator()
        await wakings.next()
    }

    package func wake() { continuation.yield() }

    package func didCommit(_ changes: CommitChanges) {
        first.withLock { $0 = $0 ?? system.uptime }
        wake()
    }
}

/// The changes of one commit. See ``ChangeObserver``.
public struct CommitChanges: Sendable, Hashable {
    /// The number of the last change.
    public var sequence: Int64
    /// The changes in order; `nil` if there are too many to list.
    public var records: [ChangeRecord]?

    public init(sequence: Int64, records: [ChangeRecord]?) {
        self.sequence = sequence
        self.records = records
    }
}

/// One change in the change sequence. See ``ChangeRepository``.
public struct ChangeRecord: Sendable, Hashable {
    public var sequence: Int64
    public var subject: Subject
    public var revision: Int
    public var isDeletion: Bool
    /// True if anonymous clients may see a difference: not if a draft was edited. Always true for a
    /// past change of an author or a comment, as its visibility at that time is not kept.
    public var isPublic: Bool
    /// The writer of a comment whose new display name changes this and all their other comments.
    /// Only known at the time of the change.
    public var renamedWriter: User.ID?
    /// The user whose bookmark it is. Only known at the time of the change.
    public var bookmarker: User.ID?

    public init(
        sequence: Int64, subject: Subject, revision: Int, isDeletion: Bool, isPublic: Bool,
        renamedWriter: User.ID? = nil, bookmarker: User.ID? = nil
    ) {
        self.sequence = sequence
        self.subject = subject
        self.revision = revision
        self.isDeletion = isDeletion
        self.isPublic = isPublic
        self.renamedWriter = renamedWriter
        self.bookmarker = bookmarker
    }

    /// True if it concerns articles and authors, and not the comments and bookmarks that readers
    /// add to them.
    package var isOfContent: Bool {
        switch subject {
        case .article, .author: true
        case .comment, .bookmark: false
        }
    }

    /// The subject that changed.
    public enum Subject: Sendable, Hashable {
        case article(Article.ID)
        case author(Author.ID)
        case comment(ArticleComment.ID, on: Article.ID)
        /// A user's bookmark of an article.
        case bookmark(Article.ID)
    }
}
