public import ArticleStore
import Sockets

/// An empty file that takes the copy of a database. Once it is open, its name may go.
public final class CopyDestination: Sendable {
    /// A connection on its way between threads.
    private struct Lent: @unchecked Sendable {
        // Whoever took it has it alone: it is given out once.
        let connection: Connection
    }

    private let lent: Lock<Lent?>

    /// - Parameter path: of an empty file that nobody else uses.
    public init(path: String) throws(StoreError) {
        let connection = try Connection(path: path, access: .write)
        // Whoever keeps the file flushes it; a copy that breaks off is thrown away.
        try connection.execute(
            script: """
                PRAGMA locking_mode = EXCLUSIVE;
                PRAGMA journal_mode = MEMORY;
                PRAGMA synchronous = OFF;
                PRAGMA cache_size = -1024;
                """)
        lent = Lock(Lent(connection: connection))
    }

    /// Gives the connection to the one who copies.
    func take() throws(StoreError) -> Connection {
        let taken = lent.withLock { $0.take() }
        guard let taken else { throw .unavailable("the file has taken a copy before") }
        return taken.connection
    }
}
