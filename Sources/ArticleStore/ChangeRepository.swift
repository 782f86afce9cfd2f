public import ArticleAPI

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

    /// Notifies the observer of every commit from the next one on. The store only holds a weak
    /// reference to it.
    func observeChanges(_ observer: any ChangeObserver)
}

/// Is notified of changes as they become visible, in commit order.
///
/// Called on the thread that writes, one notification at a time. It must be quick, as writers wait
/// for it. The store does not retain it.
///
/// ```swift
/// final class LastChange: ChangeObserver {
///     let sequence = Atomic<Int64>(0)
///     func willCommit(_ changes: PendingChanges) {}
///     func didCommit(through last: Int64) { sequence.store(last, ordering: .relaxed) }
///     func didNotCommit(beyond last: Int64) {}
/// }
/// ```
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

/// The changes of a commit that is about to happen. A value; use it anywhere. See
/// ``ChangeObserver``.
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

/// One change in the change sequence. A value; use it anywhere. See ``ChangeRepository``.
public struct ChangeRecord: Sendable, Hashable {
    public var sequence: Int64
    public var subject: Subject
    public var revision: Int
    public var isDeletion: Bool
    /// Whether anonymous clients may see a difference: not if a draft was edited.
    public var isPublic: Bool

    public init(
        sequence: Int64, subject: Subject, revision: Int, isDeletion: Bool, isPublic: Bool
    ) {
        self.sequence = sequence
        self.subject = subject
        self.revision = revision
        self.isDeletion = isDeletion
        self.isPublic = isPublic
    }

    /// What changed.
    public enum Subject: Sendable, Hashable {
        case article(Article.ID)
        case author(Author.ID)
    }
}
