import ArticleStore
import BroadsheetPlatform
import Dispatch
import Glibc
import Synchronization

/// Follows the commits of all processes that use the database, in a session and a thread of its
/// own, and tries to become the leader among them.
///
/// The server notifies it of each commit. As a notification may be lost with a connection, it also
/// asks, four times a second: only the replies count as known. While it cannot ask, this process
/// soon stops responding to reads, rather than show something older than a second.
final class RemoteCommitListener: Sendable {
    private let announcer: ChangeAnnouncer
    private let node: PostgresNode
    private let limits: StoreLimits
    private let clock: CommitSequence
    private let mayLead: Bool
    private let isCommitSlow: @Sendable () -> Bool
    private let open: @Sendable () throws(StoreError) -> PostgresSession
    private let queue = DispatchQueue(label: "broadsheet.store.follower")
    private let isClosed = Atomic(false)
    private let onReconnection = Lock<@Sendable (PostgresIdentity?) -> Void> { _ in }
    /// Becomes readable when the follower has to end.
    private let wakeup: WakeupDescriptor
    // Only accessed on `queue` after `init`.
    private nonisolated(unsafe) var place: Position

    /// The state of the follower.
    private struct Position {
        /// `nil` while disconnected, like the connection.
        var session: PostgresSession?
        var connection: Connection?
        /// The last commit of whose notes the observers were told.
        var notes: Int64
        /// The number of times that the history had been cut then.
        var cuts = 0
        /// True if the session is a new one, whose database may have been set back.
        var isNew = false
        /// `hasLock` is true if the session has the leader's lock, `isLeader` if this process
        /// leads.
        var hasLock = false
        var isLeader = false
    }

    private static let interval: Int64 = 250_000_000
    private static let responseMilliseconds: Int64 = 1_000
    private static let pauseMilliseconds: Int32 = 100
    private static let attempts = 200

    /// Begins with the present state.
    ///
    /// - Parameters:
    ///   - isCommitSlow: returns true if a commit of this process takes so long that the cause of
    ///     its wait has to be found.
    ///   - open: opens a session for following.
    init(
        _ announcer: ChangeAnnouncer, _ node: PostgresNode, _ clock: CommitSequence,
        _ limits: StoreLimits, mayLead: Bool, isCommitSlow: @escaping @Sendable () -> Bool,
        open: @escaping @Sendable () throws(StoreError) -> PostgresSession
    ) throws(StoreError) {
        self.announcer = announcer
        self.node = node
        self.limits = limits
        self.clock = clock
        self.mayLead = mayLead
        self.isCommitSlow = isCommitSlow
        self.open = open
        do throws(SystemError) { wakeup = try WakeupDescriptor() } catch {
            throw .unavailable("\(error)")
        }
        let session = try open()
        let connection = Connection(.postgres(session))
        let time = SystemClock.monotonicNanoseconds
        try announcer.start(on: connection, limits)
        place = Position(session: session, connection: connection, notes: announcer.lastCommit)
        _ = try ask(session)
        if place.isLeader {
            node.confirmLeadership(of: try session.serverProcess(), asOf: time)
        }
        node.confirm(through: place.notes, asOf: time)
    }

    /// Sets the closure to call with the server that it reconnected to, if that has all commits
    /// that were announced. It must not wait.
    func whenReconnected(_ body: @escaping @Sendable (PostgresIdentity?) -> Void) {
        onReconnection.withLock { $0 = body }
    }

    /// Follows until it is closed.
    func start() { queue.async { self.run() } }

    /// Ends; the leader's lock is free then.
    func close() {
        isClosed.store(true, ordering: .releasing)
        wakeup.wake()
        queue.sync {
            // The server takes a while to notice that a session has ended.
            _ = try? place.session?.run("SELECT pg_advisory_unlock_all()")
            place = Position(notes: place.notes, cuts: place.cuts)
            node.loseLeadership()
        }
    }

    private func run() {
        while !isClosed.load(ordering: .acquiring) {
            do throws(StoreError) { try follow(connected()) } catch {
                place = Position(notes: place.notes, cuts: place.cuts)
                node.note(failure: error.reason)
                node.loseLeadership()
                _ = wait(on: nil, milliseconds: Self.pauseMilliseconds)
            }
        }
    }

    private func connected() throws(StoreError) -> PostgresSession {
        if let session = place.session { return session }
        let session = try open()
        // Another server may have become the primary.
        clock.reconnect()
        (place.session, place.connection) = (session, Connection(.postgres(session)))
        place.isNew = true
        return session
    }

    /// Asks for new commits, and waits until there is a reason to ask again.
    private func follow(_ session: PostgresSession) throws(StoreError) {
        let time = SystemClock.monotonicNanoseconds
        let commits = try ask(session)
        if try announce(through: commits), try report(through: commits) {
            node.confirm(through: commits, asOf: time)
        }
        if place.isLeader {
            node.confirmLeadership(of: try session.serverProcess(), asOf: time)
        }
        let next = time + Self.interval
        while true {
            // It arrived with the results of other queries, or now.
            guard try session.notifiedCommit() <= announcer.lastCommit else { return }
            let rest = next - SystemClock.monotonicNanoseconds
            guard rest > 0, !isClosed.load(ordering: .acquiring) else { return }
            guard wait(on: session.socket, milliseconds: Int32(rest / 1_000_000) + 1) else {
                return
            }
        }
    }

    /// The condition that a session of this role waits for a synchronous standby: that of this
    /// process, or of another one, which this one's waits for.
    private static let standbyIsAwaited = """
        EXISTS (SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event = 'SyncRep')
        """

    /// The number of commits. Also takes the leader's lock if it is free.
    private func ask(_ session: PostgresSession) throws(StoreError) -> Int64 {
        let asksForLock = mayLead && !place.hasLock
        let lock = asksForLock ? ", pg_try_advisory_lock(\(PostgresLock.leadership))" : ""
        let delay = isCommitSlow() ? Self.standbyIsAwaited : "false"
        let result = try session.run(
            """
            SELECT commits, \(PostgresLock.serverCount), \(delay)\(lock)
            FROM commit_clock WHERE number = 1
            """, withinMilliseconds: Self.responseMilliseconds)
        guard result.rows == 1, let commits = Int64(result.text(0, 0)) else {
            throw .corrupt("the clock of commits is missing")
        }
        node.note(servers: Int(result.text(0, 1)) ?? 1)
        node.note(awaitsStandby: result.text(0, 2) == "t")
        if asksForLock { place.hasLock = result.text(0, 3) == "t" }
        if place.hasLock, !place.isLeader {
            // A commit that the former leader has begun ends first.
            _ = try session.beginWrite()
            _ = try session.run("COMMIT")
            place.isLeader = true
        }
        return commits
    }

    /// Announces the commits up to this one; `false` if that takes longer.
    private func announce(through commits: Int64) throws(StoreError) -> Bool {
        guard let connection = place.connection else { return false }
        for _ in 0..<Self.attempts where place.isNew || announcer.lastCommit < commits {
            if try announcer.follow(on: connection, limits) != nil {
                if place.isNew, announcer.cuts == place.cuts, let session = place.session {
                    onReconnection.withLock { $0 }(PostgresIdentity(of: session))
                }
                place.isNew = false
                continue
            }
            // This process is committing, and announces the commits before that.
            _ = wait(on: nil, milliseconds: 1)
        }
        return announcer.lastCommit >= commits
    }

    /// Reports the changes of access in these commits to their observers.
    private func report(through commits: Int64) throws(StoreError) -> Bool {
        let cuts = announcer.cuts
        guard let connection = place.connection, commits > place.notes || cuts != place.cuts else {
            return true
        }
        let last = place.notes
        var notes: [(commit: Int64, text: String)]?
        if cuts == place.cuts, commits - last < PostgresSession.keptMarks {
            notes = try connection.readTransaction(limits) { (state) throws(StoreError) in
                try state.notes(after: last).filter { $0.commit <= commits }
            }
        }
        guard node.report(notes, through: commits) else { return false }
        (place.notes, place.cuts) = (commits, cuts)
        return true
    }

    /// Waits until the descriptor is readable; `false` if it was not, or the follower has to end.
    private func wait(on socket: Int32?, milliseconds: Int32) -> Bool {
        var waiting = [pollfd(fd: wakeup.raw, events: Int16(POLLIN), revents: 0)]
        if let socket { waiting.append(pollfd(fd: socket, events: Int16(POLLIN), revents: 0)) }
        let count = poll(&waiting, nfds_t(waiting.count), milliseconds)
        return count > 0 && waiting[0].revents == 0
    }
}
