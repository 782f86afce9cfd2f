import ArticleStore
import CSQLite

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
