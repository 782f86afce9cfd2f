import ArticleStore
import BroadsheetPlatform
import CBroadsheetSQLite

/// An open SQLite database (`sqlite3_open_v2`); closed when it is released.
///
/// It is used by one thread at a time and is not `Sendable`, like the `Connection` that owns it.
final class SQLiteDatabase {
    enum Access {
        case create, write, read
        /// Without locks and without a log, as the file does not change.
        case readUnchanging

        var isReading: Bool { self == .read || self == .readUnchanging }
    }

    private let handle: OpaquePointer
    /// Called while statements run.
    private var reporter: ProgressReporter?
    /// Frames in the write-ahead log after the last commit of this connection.
    private let frames = UnsafeMutablePointer<Int32>.allocate(capacity: 1)

    /// - Parameter path: a path without symbolic links.
    init(path: String, access: Access) throws(StoreError) {
        do throws(StoreError) { handle = try Self.open(path, access) } catch {
            frames.deallocate()
            throw error
        }
        frames.initialize(to: 0)
        // Only the commit queue checkpoints; a reader must not even when it closes last.
        let hardening = [
            (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
            (SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, access.isReading ? 1 : 0),
        ]
        for (option, flag) in hardening { csqlite_configure(handle, option, Int32(flag)) }
        countFrames()
    }

    /// Opens the file with the rights of its folder's owner, if it also belongs to that user. The
    /// log and its index are then also opened, instead of with the first read.
    private static func open(_ path: String, _ access: Access) throws(StoreError) -> OpaquePointer {
        _ = isSet
        let folder = try folder(of: path)
        let owner = try? folder.owner(of: FileSystem.name(of: path))
        guard owner?.user == folder.owner.user else { return try openFile(path, access) }
        return try folder.withRightsOfOwner { () throws(StoreError) in
            let handle = try openFile(path, access)
            // A failure here recurs with the first read, which reports it.
            sqlite3_exec(handle, "PRAGMA schema_version", nil, nil, nil)
            return handle
        }
    }

    /// Checks the files that SQLite would use, or wait for, whatever they are.
    private static func folder(of path: String) throws(StoreError) -> Folder {
        do throws(FileError) {
            let folder = try Folder(FileSystem.folder(of: path))
            let name = FileSystem.name(of: path)
            for ending in ["", "-wal", "-shm", "-journal"] {
                try folder.owner(of: name + ending)
            }
            return folder
        } catch { throw StoreError(code: SQLITE_CANTOPEN, message: error.description) }
    }

    private static func openFile(
        _ path: String, _ access: Access
    ) throws(StoreError) -> OpaquePointer {
        let flags =
            switch access {
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .write: SQLITE_OPEN_READWRITE
            case .read: SQLITE_OPEN_READONLY
            case .readUnchanging: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            }
        let name = access == .readUnchanging ? unchangingName(path) : path
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(
            name, &handle,
            flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOFOLLOW, nil)
        guard code == SQLITE_OK, let handle else {
            let message = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
            sqlite3_close_v2(handle)
            throw StoreError(code: code, message: message)
        }
        return handle
    }

    /// Disables memory statistics, which would lock a mutex for each allocation (`sqlite3_config`).
    /// Done once, before the library is used.
    private static let isSet = csqlite_leave_memory_uncounted() == SQLITE_OK

    deinit {
        sqlite3_close_v2(handle)
        frames.deallocate()
    }

    /// The file as a URI (https://www.sqlite.org/uri.html).
    private static func unchangingName(_ path: String) -> String {
        let name = path.replacing("%", with: "%25").replacing("?", with: "%3f")
            .replacing("#", with: "%23")
        return "file:\(name)?immutable=1"
    }

    /// True if a transaction is open: some failures end one on their own
    /// (`sqlite3_get_autocommit`).
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    /// Rows changed since the file was opened (`sqlite3_total_changes64`).
    var totalChangedRows: Int64 { sqlite3_total_changes64(handle) }

    /// Rows changed by the last INSERT, UPDATE or DELETE (`sqlite3_changes`).
    var changedRows: Int32 { sqlite3_changes(handle) }

    /// Bytes in use in the write-ahead log, as of this connection's last commit.
    var logBytes: Int { Int(frames.pointee) * (Self.pageBytes + 24) }

    /// The page size of every Broadsheet database, SQLite's default.
    static let pageBytes = 4_096

    func failure(_ code: Int32) -> StoreError {
        StoreError(code: code, message: String(cString: sqlite3_errmsg(handle)))
    }

    /// Runs statements that are not cached: schema, pragmas (`sqlite3_exec`).
    func execute(script: String) throws(StoreError) {
        let code = sqlite3_exec(handle, script, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// A newly compiled statement (`sqlite3_prepare_v3`), to be finalized by `finalize`.
    func prepare(_ sql: StaticString) throws(StoreError) -> OpaquePointer {
        var statement: OpaquePointer?
        let text = UnsafeRawPointer(sql.utf8Start).assumingMemoryBound(to: CChar.self)
        let code = sqlite3_prepare_v3(
            handle, text, Int32(sql.utf8CodeUnitCount), UInt32(SQLITE_PREPARE_PERSISTENT),
            &statement, nil)
        guard code == SQLITE_OK, let statement else { throw failure(code) }
        return statement
    }

    /// A statement that is used for a while, for the owner that finalizes it.
    func prepare(text: String) throws(StoreError) -> OpaquePointer {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, text, -1, 0, &statement, nil)
        guard code == SQLITE_OK, let statement else { throw failure(code) }
        return statement
    }

    func finalize(_ statement: OpaquePointer) { sqlite3_finalize(statement) }

    /// Copies the log's pages to the file (`sqlite3_wal_checkpoint_v2`); `false` if readers still
    /// need a part of it. Truncating waits for readers for up to the busy timeout, and empties the
    /// log file.
    func checkpoint(truncating: Bool) throws(StoreError) -> Bool {
        let mode = truncating ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
        var size: Int32 = 0
        var moved: Int32 = 0
        let code = sqlite3_wal_checkpoint_v2(handle, nil, mode, &size, &moved)
        if code & 0xFF == SQLITE_BUSY { return false }
        guard code == SQLITE_OK else { throw failure(code) }
        if truncating { frames.pointee = 0 }
        return size == moved
    }

    /// Starts copying the database to another connection's (`sqlite3_backup_init`).
    func copy(to destination: SQLiteDatabase) throws(StoreError) -> OpaquePointer {
        guard let copy = sqlite3_backup_init(destination.handle, "main", handle, "main") else {
            throw destination.failure(sqlite3_extended_errcode(destination.handle))
        }
        return copy
    }

    /// Calls the body every few milliseconds while statements run; `nil` stops this
    /// (`sqlite3_progress_handler`).
    func reportProgress(to body: (@Sendable () -> Void)?) {
        reporter = body.map { ProgressReporter(body: $0) }
        let context = reporter.map { Unmanaged.passUnretained($0).toOpaque() }
        sqlite3_progress_handler(
            handle, context == nil ? 0 : ProgressReporter.instructions,
            { context in
                guard let context else { return 0 }
                Unmanaged<ProgressReporter>.fromOpaque(context).takeUnretainedValue().body()
                return 0
            }, context)
    }

    /// Makes a running statement fail, from any thread (`sqlite3_interrupt`).
    var interrupter: SQLiteInterrupter { SQLiteInterrupter(handle: handle) }

    /// Counts the log's frames; this also replaces SQLite's auto-checkpoint.
    func countFrames() {
        sqlite3_wal_hook(
            handle,
            { context, _, _, frames in
                context?.assumingMemoryBound(to: Int32.self).pointee = frames
                return SQLITE_OK
            }, frames)
    }
}

/// Interrupts a connection's statement from another thread while the connection exists.
struct SQLiteInterrupter: @unchecked Sendable {
    // `sqlite3_interrupt` may be called from other threads; the holder ensures that the connection
    // outlives this value.
    fileprivate let handle: OpaquePointer

    func interrupt() { sqlite3_interrupt(handle) }
}

/// The progress callback of a connection.
private final class ProgressReporter {
    let body: @Sendable () -> Void
    static let instructions: Int32 = 100_000

    init(body: @escaping @Sendable () -> Void) { self.body = body }
}
