import ArticleStore
import CSQLite

/// One database being copied into another, some pages at a time (`sqlite3_backup_step`).
///
/// What the source's own connection writes meanwhile goes into the copy as well, so that it never
/// has to begin again; what another one writes is kept out by a read transaction of the source's.
struct PageCopy: ~Copyable {
    private let handle: OpaquePointer
    // Both have to outlive the handle.
    private let source: Connection
    private let destination: Connection

    init(_ handle: OpaquePointer, from source: Connection, to destination: Connection) {
        self.handle = handle
        self.source = source
        self.destination = destination
    }

    /// What is written and was not ended is undone (`sqlite3_backup_finish`).
    deinit { sqlite3_backup_finish(handle) }

    /// How far it was after the last step.
    var progress: CopyProgress {
        let total = Int(sqlite3_backup_pagecount(handle))
        return CopyProgress(pages: total - Int(sqlite3_backup_remaining(handle)), total: total)
    }

    /// Copies so many pages; true when all are copied.
    func step(pages: Int32) throws(StoreError) -> Bool {
        let code = sqlite3_backup_step(handle, pages)
        if code == SQLITE_DONE { return true }
        guard code == SQLITE_OK else {
            throw StoreError(code: code, message: String(cString: sqlite3_errstr(code)))
        }
        return false
    }
}
