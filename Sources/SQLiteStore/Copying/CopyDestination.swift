public import ArticleStore
import Platform

/// An empty file that receives the copy of a database. Once it is open, it may be unlinked.
public final class CopyDestination: Sendable {
    /// A connection that is passed between threads.
    private struct Lent: @unchecked Sendable {
        // It is handed out once, so its receiver has exclusive access.
        let connection: Connection
    }

    private let lent: Lock<Lent?>

    /// - Parameter path: the path of an empty file that is not in use.
    public init(path: String) throws(StoreError) {
        let connection = try Connection(path: path, access: .write)
        // The file is flushed by whoever keeps it; an aborted copy is discarded.
        try connection.execute(
            script: """
                PRAGMA locking_mode = EXCLUSIVE;
                PRAGMA journal_mode = MEMORY;
                PRAGMA synchronous = OFF;
                PRAGMA cache_size = -1024;
                """)
        lent = Lock(Lent(connection: connection))
    }

    /// Hands out the connection for the copy.
    func take() throws(StoreError) -> Connection {
        let taken = lent.withLock { $0.take() }
        guard let taken else { throw .unavailable("the file already contains a copy") }
        return taken.connection
    }
}
