public import ArticleStore
import BroadsheetPlatform
import CBroadsheetSQLite

/// Copies the writer's database between its commits.
///
/// `@unchecked`: after its creation, it is only used on the commit queue's thread.
final class CopyJob: @unchecked Sendable {
    private let destination: CopyDestination
    private let progress: @Sendable (CopyProgress) -> Void
    private let continuation: CheckedContinuation<StoreError?, Never>
    private var copy: RunningCopy?

    /// A box for the noncopyable value.
    private final class RunningCopy {
        let pages: PageCopy

        init(_ pages: consuming PageCopy) { self.pages = pages }
    }

    /// 256 KiB: the maximum that delays a write.
    private static let stepPages: Int32 = 64

    init(
        _ destination: CopyDestination, _ progress: @escaping @Sendable (CopyProgress) -> Void,
        _ continuation: CheckedContinuation<StoreError?, Never>
    ) {
        self.destination = destination
        self.progress = progress
        self.continuation = continuation
    }

    /// Copies some pages; true if the copy has ended, successfully or not, and the caller was
    /// resumed.
    func step(from connection: Connection) -> Bool {
        do throws(StoreError) {
            let running =
                if let copy { copy } else {
                    RunningCopy(try connection.copy(to: destination.take()))
                }
            copy = running
            let isDone = try running.pages.step(pages: Self.stepPages)
            progress(running.pages.progress)
            if isDone { end(nil) }
            return isDone
        } catch {
            end(error)
            return true
        }
    }

    func end(_ failure: StoreError?) {
        copy = nil
        continuation.resume(returning: failure)
    }
}

/// An empty file that receives the copy of a database. Once it is open, it may be unlinked.
public final class CopyDestination: Sendable {
    /// A connection that is passed between threads.
    private struct TransferredConnection: @unchecked Sendable {
        // It is handed out once, so its receiver has exclusive access.
        let connection: Connection
    }

    private let lent: Lock<TransferredConnection?>

    /// - Parameter path: the path of an empty file that is not in use.
    public init(path: String) throws(StoreError) {
        let connection = try Connection(path: path, access: .write)
        // The caller that keeps the file flushes it; an aborted copy is discarded.
        try connection.execute(
            script: """
                PRAGMA locking_mode = EXCLUSIVE;
                PRAGMA journal_mode = MEMORY;
                PRAGMA synchronous = OFF;
                PRAGMA cache_size = -1024;
                """)
        lent = Lock(TransferredConnection(connection: connection))
    }

    /// Hands out the connection for the copy.
    func take() throws(StoreError) -> Connection {
        let taken = lent.withLock { $0.take() }
        guard let taken else { throw .unavailable("the file already contains a copy") }
        return taken.connection
    }
}

/// An incremental copy of one database to another (`sqlite3_backup_step`).
///
/// Concurrent writes of the source's own connection are also applied to the copy, so that it never
/// restarts; writes of other connections are excluded by a read transaction of the source's.
struct PageCopy: ~Copyable {
    private let handle: OpaquePointer
    // Both must outlive the handle.
    private let source: Connection
    private let destination: Connection

    init(_ handle: OpaquePointer, from source: Connection, to destination: Connection) {
        self.handle = handle
        self.source = source
        self.destination = destination
    }

    /// Rolls back an incomplete copy (`sqlite3_backup_finish`).
    deinit { sqlite3_backup_finish(handle) }

    /// The progress after the last step.
    var progress: CopyProgress {
        let total = Int(sqlite3_backup_pagecount(handle))
        return CopyProgress(pages: total - Int(sqlite3_backup_remaining(handle)), total: total)
    }

    /// Copies this number of pages; true when all are copied.
    func step(pages: Int32) throws(StoreError) -> Bool {
        let code = sqlite3_backup_step(handle, pages)
        if code == SQLITE_DONE { return true }
        guard code == SQLITE_OK else {
            throw StoreError(code: code, message: String(cString: sqlite3_errstr(code)))
        }
        return false
    }
}
