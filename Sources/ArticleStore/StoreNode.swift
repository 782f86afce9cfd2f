public import ArticleAPI

/// This process as one of those that share a database.
///
/// A store in a file has one process only, which always sees everything (``SingleNode``). Safe to
/// use from any thread.
///
/// ```swift
/// let isSeen = await store.node.waitUntilCurrent(with: commit)
/// ```
public protocol StoreNode: Sendable {
    /// True if no other process can use the database.
    var isAlone: Bool { get }

    /// The number of the last commit that new reads are sure to see. Commits are numbered in their
    /// order, for all processes.
    var lastCommit: Int64 { get }

    /// True if new reads see everything that was committed until a second ago. Costs little.
    var isCurrent: Bool { get }

    /// The reason why this process cannot follow the others at present; `nil` if it can. For the
    /// log.
    var failure: String? { get }

    /// Waits, for two seconds at most, until that is so and new reads see this commit.
    ///
    /// - Returns: `false` if they still may not see it, or too many wait already.
    func waitUntilCurrent(with commit: Int64) async -> Bool

    /// The number of its present term as the leader, which does work that only one process must do,
    /// such as calling webhooks; `nil` if it does not lead. It has to be read shortly before such
    /// work: a quarter of a second after this was not `nil`, another process may lead.
    var term: Int? { get }

    /// The number of processes that serve the database, including this one if it does; about a
    /// second old.
    var serverCount: Int { get }

    /// Waits until this process is the leader, or the task is cancelled.
    func waitForLeadership() async

    /// Applies changes of access by other processes, until the task is cancelled: each before this
    /// process reports that it has seen the commit. Everything may have changed before the first
    /// call.
    ///
    /// - Parameter apply: Applies the changes; throws if it cannot read the present state, and is
    ///   then called again.
    func followAccess(
        _ apply: @Sendable ([AccessChange]) async throws(StoreError) -> Void
    ) async
}

extension StoreNode {
    public var failure: String? { nil }

    /// True if this process is the leader.
    public var isLeader: Bool { term != nil }
}

extension ArticleStore {
    /// The only process.
    public var node: any StoreNode { SingleNode() }
}

/// The only process that uses a store. See ``StoreNode``.
public struct SingleNode: StoreNode {
    public init() {}

    public var isAlone: Bool { true }
    public var lastCommit: Int64 { 0 }
    public var isCurrent: Bool { true }
    public func waitUntilCurrent(with commit: Int64) async -> Bool { true }
    public var term: Int? { 0 }
    public var serverCount: Int { 1 }
    public func waitForLeadership() async {}
    public func followAccess(
        _ apply: @Sendable ([AccessChange]) async throws(StoreError) -> Void
    ) async {}
}

/// A change of access or visibility. See ``StoreNode``.
public enum AccessChange: Sendable, Hashable {
    /// The key with this public id was created or revoked.
    case key(String)
    /// The session with this public id has ended.
    case session(String, of: User.ID)
    /// The session with this public id has new tokens.
    case renewal(ofSession: String)
    /// The user was deleted, or may do other things than before; the sessions have ended, but for
    /// the kept one.
    case user(User.ID, keeping: String?)
    /// The article may be found by fewer slugs, as revisions were purged, which is no change of it.
    case purge(Article.ID)
    /// Everything may have changed.
    case all
}
