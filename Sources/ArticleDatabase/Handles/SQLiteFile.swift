import ArticleStore
import BroadsheetPlatform
import BroadsheetSQLite
import CBroadsheetSQLite

extension StoreError: SQLiteFailure {}

/// The open file of a store, with its write-ahead log; closed when it is released.
///
/// It is used by one thread at a time and is not `Sendable`, like the `Connection` that owns it.
final class SQLiteFile {
    enum Access {
        case create, write, read
        /// Without locks and without a log, as the file does not change.
        case readUnchanging

        var isReading: Bool { self == .read || self == .readUnchanging }
    }

    let database: SQLiteDatabase<StoreError>
    /// Called while statements run.
    private var reporter: ProgressReporter?
    /// Frames in the write-ahead log after the last commit of this connection.
    private let frames = UnsafeMutablePointer<Int32>.allocate(capacity: 1)

    /// - Parameter path: a path without symbolic links.
    init(path: String, access: Access) throws(StoreError) {
        do throws(StoreError) { database = try Self.open(path, access) } catch {
            frames.deallocate()
            throw error
        }
        frames.initialize(to: 0)
        // Only the commit queue checkpoints; a reader must not even when it closes last.
        let hardening = [
            (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
            (SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, access.isReading ? 1 : 0),
        ]
        for (option, flag) in hardening { csqlite_configure(database.pointer, option, Int32(flag)) }
        countFrames()
    }

    /// Opens the file with the rights of its folder's owner, if it also belongs to that user. The
    /// log and its index are then also opened, instead of with the first read.
    private static func open(
        _ path: String, _ access: Access
    ) throws(StoreError) -> SQLiteDatabase<StoreError> {
        _ = isSet
        let folder = try folder(of: path)
        let owner = try? folder.owner(of: FileSystem.name(of: path))
        guard owner?.user == folder.owner.user else { return try openFile(path, access) }
        return try folder.withRightsOfOwner { () throws(StoreError) in
            let database = try openFile(path, access)
            // A failure here recurs with the first read, which reports it.
            try? database.execute(script: "PRAGMA schema_version")
            return database
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
    ) throws(StoreError) -> SQLiteDatabase<StoreError> {
        let flags =
            switch access {
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .write: SQLITE_OPEN_READWRITE
            case .read: SQLITE_OPEN_READONLY
            case .readUnchanging: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            }
        let name = access == .readUnchanging ? unchangingName(path) : path
        return try SQLiteDatabase(name, flags: flags | SQLITE_OPEN_NOFOLLOW)
    }

    /// Disables memory statistics, which would lock a mutex for each allocation (`sqlite3_config`).
    /// Done once, before the library is used.
    private static let isSet = csqlite_leave_memory_uncounted() == SQLITE_OK

    deinit {
        database.close()
        frames.deallocate()
    }

    /// The file as a URI (https://www.sqlite.org/uri.html).
    private static func unchangingName(_ path: String) -> String {
        let name = path.replacing("%", with: "%25").replacing("?", with: "%3f")
            .replacing("#", with: "%23")
        return "file:\(name)?immutable=1"
    }

    /// Bytes in use in the write-ahead log, as of this connection's last commit.
    var logBytes: Int { Int(frames.pointee) * (Self.pageBytes + 24) }

    /// The page size of every Broadsheet database, SQLite's default.
    static let pageBytes = 4_096

    /// A newly compiled statement, to be finalized by the database.
    func prepare(_ sql: StaticString) throws(StoreError) -> SQLiteHandle {
        try database.prepare(
            UnsafeRawPointer(sql.utf8Start).assumingMemoryBound(to: CChar.self))
    }

    /// Copies the log's pages to the file (`sqlite3_wal_checkpoint_v2`); `false` if readers still
    /// need a part of it. Truncating waits for readers for up to the busy timeout, and empties the
    /// log file.
    func checkpoint(truncating: Bool) throws(StoreError) -> Bool {
        let mode = truncating ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
        var size: Int32 = 0
        var moved: Int32 = 0
        let code = sqlite3_wal_checkpoint_v2(database.pointer, nil, mode, &size, &moved)
        if code & 0xFF == SQLITE_BUSY { return false }
        guard code == SQLITE_OK else { throw database.failure(code) }
        if truncating { frames.pointee = 0 }
        return size == moved
    }

    /// Starts copying the database to another connection's (`sqlite3_backup_init`).
    func copy(to destination: SQLiteFile) throws(StoreError) -> OpaquePointer {
        let other = destination.database
        guard let copy = sqlite3_backup_init(other.pointer, "main", database.pointer, "main")
        else { throw other.failure(sqlite3_extended_errcode(other.pointer)) }
        return copy
    }

    /// Calls the body every few milliseconds while statements run; `nil` stops this
    /// (`sqlite3_progress_handler`).
    func reportProgress(to body: (@Sendable () -> Void)?) {
        reporter = body.map { ProgressReporter(body: $0) }
        let context = reporter.map { Unmanaged.passUnretained($0).toOpaque() }
        sqlite3_progress_handler(
            database.pointer, context == nil ? 0 : ProgressReporter.instructions,
            { context in
                guard let context else { return 0 }
                Unmanaged<ProgressReporter>.fromOpaque(context).takeUnretainedValue().body()
                return 0
            }, context)
    }

    /// Makes a running statement fail, from any thread (`sqlite3_interrupt`).
    var interrupter: SQLiteInterrupter { SQLiteInterrupter(pointer: database.pointer) }

    /// Counts the log's frames; this also replaces SQLite's auto-checkpoint.
    func countFrames() {
        sqlite3_wal_hook(
            database.pointer,
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
    fileprivate let pointer: OpaquePointer?

    func interrupt() { sqlite3_interrupt(pointer) }
}

/// The progress callback of a connection.
private final class ProgressReporter {
    let body: @Sendable () -> Void
    static let instructions: Int32 = 100_000

    init(body: @escaping @Sendable () -> Void) { self.body = body }
}
