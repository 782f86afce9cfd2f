import ArticleStore
import Glibc

/// Commits to a PostgreSQL database: one transaction at a time, of all programs that write.
///
/// `@unchecked`: only used on the commit queue's thread.
final class PostgresCommits: CommitEngine, @unchecked Sendable {
    private let open: @Sendable () throws(StoreError) -> PostgresSession
    private var session: PostgresSession?
    private var connection: Connection?
    private var isClosed = false
    /// The id of the open transaction, by which the server knows what became of it.
    private var transaction = ""
    /// The number of commits before the open transaction.
    private var commits: Int64 = 0

    /// How often and how long it waits to learn what became of a commit.
    private static let attempts = 50
    private static let pauseMicroseconds: UInt32 = 200_000

    /// - Parameters:
    ///   - session: the first session, which owns the database.
    ///   - open: opens another session that owns the database, once this one is lost.
    init(
        _ session: sending PostgresSession,
        open: @escaping @Sendable () throws(StoreError) -> PostgresSession
    ) {
        self.session = session
        connection = Connection(.postgres(session))
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
        (commits, transaction) = try current().beginWrite()
        connection.names.move(to: commits)
        return connection
    }

    @discardableResult
    private func reconnect() throws(StoreError) -> Connection {
        guard !isClosed else { throw .unavailable("the store is closed") }
        // The old session must end first: it owns the database.
        connection = nil
        session = nil
        let session = try open()
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
        do throws(StoreError) {
            try session.commitWrite()
            // Names that this transaction looked up stay.
            connection.names.advance(to: commits + 1)
        } catch {
            guard session.isLost else { throw error }
            guard try wasCommitted(orElse: error) else { throw error }
        }
    }

    /// Asks the server whether the transaction was committed whose connection was lost during that.
    private func wasCommitted(orElse failure: StoreError) throws(StoreError) -> Bool {
        for attempt in 0..<Self.attempts {
            if attempt > 0 { usleep(Self.pauseMicroseconds) }
            guard (try? reconnect()) != nil, let session,
                let status = try? session.status(ofTransaction: transaction)
            else { continue }
            switch status {
            case "committed": return true
            case "aborted": return false
            // The server has not noticed yet that the connection is lost.
            default: continue
            }
        }
        throw failure
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
