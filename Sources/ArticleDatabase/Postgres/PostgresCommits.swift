import ArticleStore
import BroadsheetPlatform

/// Commits to a PostgreSQL database: one transaction at a time, of all programs that write.
///
/// `@unchecked`: only used on the commit queue's thread.
final class PostgresCommits: CommitEngine, @unchecked Sendable {
    private let open: @Sendable () throws(StoreError) -> PostgresSession
    private var session: PostgresSession?
    private var connection: Connection?
    private var isClosed = false
    private let clock: CommitSequence
    private let node: PostgresNode
    private let system: SystemEnvironment

    /// The maximum time to learn the outcome of a commit: longer than most fail-overs take.
    private static let patience = Duration.seconds(30)
    private static let pause = Duration.milliseconds(200)

    /// - Parameters:
    ///   - session: the first session, which owns the database.
    ///   - open: opens another session that owns the database, once this one is lost.
    init(
        _ session: sending PostgresSession, _ clock: CommitSequence, _ node: PostgresNode,
        _ system: SystemEnvironment,
        open: @escaping @Sendable () throws(StoreError) -> PostgresSession
    ) {
        self.session = session
        connection = Connection(.postgres(session))
        self.clock = clock
        self.node = node
        self.system = system
        self.open = open
    }

    func begin() throws(StoreError) -> Connection {
        if let connection, !connection.isLost {
            do throws(StoreError) { return try begin(on: connection) } catch {
                // The server or the network ended an idle connection: nothing has been done yet.
                guard connection.isLost else {
                    connection.rollBack()
                    throw error
                }
            }
        }
        return try begin(on: reconnect())
    }

    private func begin(on connection: Connection) throws(StoreError) -> Connection {
        let commit = try current().beginWrite()
        connection.names.move(to: commit.number)
        connection.precedingCommit = commit
        return connection
    }

    @discardableResult
    private func reconnect() throws(StoreError) -> Connection {
        guard !isClosed else { throw .unavailable("the store is closed") }
        // The old session must end first: it owns the database.
        connection = nil
        session = nil
        let session = try open()
        // Another server may have become the primary.
        clock.reconnect()
        let connection = Connection(.postgres(session))
        (self.session, self.connection) = (session, connection)
        return connection
    }

    private func current() throws(StoreError) -> PostgresSession {
        guard let session else { throw .unavailable("the store is closed") }
        return session
    }

    func commit(_ connection: Connection) throws(StoreError) {
        let session = try current()
        guard let preceding = connection.precedingCommit else {
            throw .unavailable("no transaction was begun")
        }
        let (number, mark) = (preceding.number + 1, connection.effects.commitMark)
        let notes = CommitPayload(connection.effects).text
        if notes != nil { node.willCommit(number) }
        do throws(StoreError) {
            try session.commitWrite(number, mark: mark, notes: notes)
            // Names that this transaction looked up stay.
            connection.names.advance(to: number)
        } catch {
            do throws(StoreError) {
                guard session.isLost, try wasCommitted(number, mark, orElse: error) else {
                    throw error
                }
            } catch {
                node.didNotCommit(number)
                throw error
            }
        }
    }

    /// Finds out whether a transaction was committed whose connection was lost during that, from
    /// the server that has the database now.
    private func wasCommitted(
        _ number: Int64, _ mark: Int64, orElse failure: StoreError
    ) throws(StoreError) -> Bool {
        let end = system.uptime + Self.patience
        while true {
            do throws(StoreError) {
                try reconnect()
                return try current().hasCommit(number, mark: mark)
            } catch {
                guard system.uptime < end else { throw failure }
                system.blockThread(Self.pause)
            }
        }
    }

    func afterCommit(_ connection: Connection) {}
    func afterFailedCommit(_ connection: Connection) {}
    func restBetweenCommits() {}
    func becomeIdle() {}

    func close() {
        isClosed = true
        connection = nil
        session = nil
    }
}
