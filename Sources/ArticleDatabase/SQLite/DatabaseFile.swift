import ArticleStore
import BroadsheetPlatform
import Glibc

/// Exclusive ownership of a database file for the lifetime of this object: no other process (and no
/// other store in this one) can acquire it.
///
/// There are two locks (`flock(2)`). The one on `<database>.lock` protects the name, even if a
/// different file is moved there. The one on the file itself protects its other names, and the case
/// that the lock file is deleted. Neither conflicts with SQLite's own locks, which are POSIX record
/// locks. But closing any descriptor of a file releases all record locks of the process on it
/// (`fcntl(2)`), so the file's descriptor stays open as long as ownership is held. The lock file is
/// not deleted on release, as two processes could then lock two files of the same name. Its content
/// is the database's last change when that was noted (`RecordedChange`).
final class DatabaseFile: Sendable {
    /// The path with symbolic links resolved, so that two names of one file share one lock.
    let path: String
    /// -1 for readers if there is no lock file.
    private let lock: Int32
    private let file: Int32

    /// - Parameters:
    ///   - mayCreate: true to create a missing file, readable only by its owner; SQLite would use
    ///     the umask.
    ///   - isForReading: allows the file to be on a read-only file system.
    init(
        path given: String, mayCreate: Bool, isForReading: Bool = false
    ) throws(StoreOpeningError) {
        path = try Self.resolve(given, mayCreate: mayCreate)
        let folder = try Self.folder(of: path)
        lock = try Self.openLock(path, in: folder, isForReading: isForReading)
        do throws(StoreOpeningError) {
            if lock >= 0 { try Self.take(lock, of: path) }
            let opened = try Self.openFile(path, in: folder, mayCreate: mayCreate)
            // On failure, this descriptor is left open: if the owner is a store in this process,
            // closing it would release SQLite's locks.
            try Self.take(opened, of: path)
            // Initialized last: `deinit` runs if an error is thrown after that, and would close the
            // descriptor that must stay open, and the lock twice.
            file = opened
        } catch {
            if lock >= 0 {
                flock(lock, LOCK_UN)
                Glibc.close(lock)
            }
            throw error
        }
    }

    deinit {
        // A child that was just forked also has the descriptors until it executes its program: if
        // they were only closed, it would hold the locks for that moment.
        for descriptor in [file, lock] where descriptor >= 0 {
            flock(descriptor, LOCK_UN)
            Glibc.close(descriptor)
        }
    }

    /// Those whose descriptors stay open until the process ends.
    private static let unclosed = Lock<[DatabaseFile]>([])

    /// Gives up ownership while connections of this process still read: the descriptors stay open,
    /// as closing one would release the locks of these connections.
    func releaseUnclosed() {
        for descriptor in [file, lock] where descriptor >= 0 { flock(descriptor, LOCK_UN) }
        Self.unclosed.withLock { $0.append(self) }
    }

    private static func folder(of path: String) throws(StoreOpeningError) -> Folder {
        do throws(FileError) {
            return try Folder(FileSystem.folder(of: path))
        } catch { throw StoreOpeningError(error) }
    }

    /// Readers do not create a lock file: without one, the database is not being served, and a
    /// server that starts fails to get the lock on the file itself.
    private static func openLock(
        _ path: String, in folder: borrowing Folder, isForReading: Bool
    ) throws(StoreOpeningError) -> Int32 {
        let file = FileSystem.name(of: path)
        let name = file + ".lock"
        do throws(FileError) {
            guard !isForReading else { return try folder.open(name)?.release() ?? -1 }
            // It belongs to the owner of the database, as SQLite's own files do.
            let owner = try folder.owner(of: file) ?? folder.owner
            return try folder.openOrCreate(name, for: owner).release()
        } catch {
            if isForReading, error.code == EACCES { return -1 }
            throw StoreOpeningError(error)
        }
    }

    /// If root creates a file here, it gets the owner of the folder, as the server that will open
    /// it runs as another user.
    private static func openFile(
        _ path: String, in folder: borrowing Folder, mayCreate: Bool
    ) throws(StoreOpeningError) -> Int32 {
        let name = FileSystem.name(of: path)
        do throws(FileError) {
            if mayCreate, let made = try folder.create(name, for: folder.owner) {
                return made.release()
            }
            if let opened = try folder.open(name) { return opened.release() }
            throw FileError(path, String(cString: strerror(ENOENT)), code: ENOENT)
        } catch { throw StoreOpeningError(error) }
    }

    private static func take(
        _ descriptor: Int32, of path: String
    ) throws(StoreOpeningError) {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            if errno == EWOULDBLOCK { throw .owned(path: path) }
            throw failure(path, "its lock: ")
        }
    }

    private static func failure(_ path: String, _ what: String = "") -> StoreOpeningError {
        StoreOpeningError(
            FileError(path, what + String(cString: strerror(errno)), code: errno))
    }

    /// The last change that was noted.
    var notedChange: RecordedChange? { RecordedChange(readingFrom: lock) }

    func note(_ change: RecordedChange) { change.write(to: lock) }

    /// True if the file has a rollback journal: a transaction before the first use of the
    /// write-ahead log was interrupted.
    var hasJournal: Bool { access(path + "-journal", F_OK) == 0 }

    /// Opens a read-only connection. Without a write-ahead log, the file is complete and cannot
    /// change while it is locked, so no other files are created. Reading a log requires another
    /// file, which has to be created.
    func reader() throws(StoreOpeningError) -> Connection {
        do throws(StoreError) {
            var log = stat()
            let isThere = stat(path + "-wal", &log) == 0
            guard isThere else { return try Connection(path: path, access: .readUnchanging) }
            guard access(folder, W_OK) != 0 else {
                return try Connection(path: path, access: .read)
            }
            guard log.st_size == 0 else {
                throw .unavailable(
                    "its last changes are in \(path)-wal, which cannot be read in a read-only "
                        + "folder; copy both files to a writable one")
            }
            return try Connection(path: path, access: .readUnchanging)
        } catch { throw .failed(path: path, reason: error.reason) }
    }

    var folder: String { FileSystem.folder(of: path) }

    /// Runs the body with the rights of the folder's owner if the file also belongs to that user
    /// (`Folder.withRightsOfOwner`).
    func withRightsOfOwner<Value>(
        _ body: () throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        guard let place = try? Folder(folder), let owner = try? FileOwner(ofOpen: file, path),
            owner.user == place.owner.user
        else { return try body() }
        return try place.withRightsOfOwner(body)
    }

    /// Rejects a file that is not writable, which SQLite would open for reading.
    func checkWritable() throws(StoreOpeningError) {
        guard access(path, W_OK) == 0 else { throw Self.failure(path) }
    }

    /// The type of the file according to its header (https://www.sqlite.org/fileformat.html §1.3),
    /// without modifying anything.
    func inspect() throws(StoreOpeningError) -> Header {
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = pread(file, &bytes, bytes.count, 0)
        guard count >= 0 else { throw Self.failure(path) }
        if count == 0 { return .empty }
        guard count == 100, bytes.starts(with: Array("SQLite format 3\0".utf8)) else {
            return .foreign
        }
        return .database(application: Self.word(bytes, 68), version: Self.word(bytes, 60))
    }

    enum Header: Equatable {
        case empty
        case foreign
        case database(application: Int, version: Int)
    }

    private static func word(_ bytes: [UInt8], _ offset: Int) -> Int {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    private static func resolve(
        _ path: String, mayCreate: Bool
    ) throws(StoreOpeningError) -> String {
        do throws(FileError) {
            let resolved = try ResolvedPath(path)
            let folder = try Folder(FileSystem.folder(of: resolved.path))
            let owner = try folder.owner(of: FileSystem.name(of: resolved.path))
            try resolved.checkLinks(to: owner ?? folder.owner)
            return resolved.path
        } catch {
            guard error.code == ENOENT else { throw StoreOpeningError(error) }
            guard mayCreate else { throw .missing(path: path) }
        }
        let folder: ResolvedPath
        do throws(FileError) {
            folder = try ResolvedPath(FileSystem.folder(of: path))
            try folder.checkLinks(to: Folder(folder.path).owner)
        } catch {
            throw StoreOpeningError(
                FileError(path, "its folder: \(error.reason)", code: error.code))
        }
        return (folder.path == "/" ? "/" : folder.path + "/") + FileSystem.name(of: path)
    }
}

extension StoreOpeningError {
    init(_ error: FileError) {
        switch error.code {
        case EACCES, EPERM: self = .forbidden(path: error.path, reason: error.reason)
        default: self = .failed(path: error.path, reason: error.reason)
        }
    }
}
