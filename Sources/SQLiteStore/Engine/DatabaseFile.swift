import ArticleStore
import Glibc

/// The right to a database file, held for life: no second process (and no second store in this one)
/// gets it.
///
/// Two locks by `flock(2)`: on `<database>.lock`, for the name, which stays the owner's when a
/// different file is moved there; and on the file itself, for its other names, and for when
/// somebody took the lock file for litter. Neither meets SQLite's own locks, which are POSIX
/// record locks; but closing any descriptor of a file drops all of those that a process holds on
/// it (`fcntl(2)`), so that the file's stays open as long as the right is held. The lock file
/// stays when the lock goes: removing it would let two processes lock two files of one name.
final class DatabaseFile: Sendable {
    /// The file itself, with symbolic links resolved: two names of one file share one lock.
    let path: String
    /// -1 for who only reads, where there is no lock file.
    private let lock: Int32
    private let file: Int32

    /// - Parameters:
    ///   - mayCreate: an empty file that only its owner reads is made where there is none; SQLite
    ///     would let the umask decide.
    ///   - isForReading: the file may lie where nothing can be written.
    init(
        path given: String, mayCreate: Bool, isForReading: Bool = false
    ) throws(StoreOpeningError) {
        path = try Self.resolve(given, mayCreate: mayCreate)
        lock = try Self.openLock(path, isForReading: isForReading)
        do throws(StoreOpeningError) {
            if lock >= 0 { try Self.take(lock, of: path) }
            let opened = try Self.openFile(path, mayCreate: mayCreate)
            // SQLite gives the log and its index to the file's owner by itself.
            if lock >= 0 { try FileOwner(ofOpen: opened).give(lock, path + ".lock") }
            // Refused, this descriptor is left open: if the owner is a store of this very process,
            // closing it would drop SQLite's locks.
            try Self.take(opened, of: path)
            // The last of the properties: `deinit` runs for an error behind it, and would close
            // what is left open, and the lock once more.
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
        // A child that was just forked has the descriptors, too, until it runs its program: closing
        // ours alone would leave the locks with it for that moment.
        for descriptor in [file, lock] where descriptor >= 0 {
            flock(descriptor, LOCK_UN)
            Glibc.close(descriptor)
        }
    }

    /// Who only reads leaves no lock file behind: without one nobody serves, and who begins to
    /// meets the lock on the file itself.
    private static func openLock(
        _ path: String, isForReading: Bool
    ) throws(StoreOpeningError) -> Int32 {
        let name = path + ".lock"
        if isForReading { return Glibc.open(name, O_RDONLY | O_CLOEXEC) }
        let lock = Glibc.open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else { throw failure(path, "its lock file: ") }
        return lock
    }

    /// A file that is made here belongs to the folder's owner where root makes it: the server that
    /// will open it is another user.
    private static func openFile(
        _ path: String, mayCreate: Bool
    ) throws(StoreOpeningError) -> Int32 {
        let flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC
        if mayCreate {
            let made = Glibc.open(path, flags | O_CREAT | O_EXCL, 0o600)
            if made >= 0 {
                do throws(StoreOpeningError) {
                    try FileOwner(of: folder(of: path)).give(made, path)
                } catch {
                    unlink(path)
                    Glibc.close(made)
                    throw error
                }
                return made
            }
        }
        // A pipe in its place must not hold this up.
        let opened = Glibc.open(path, flags)
        guard opened >= 0 else { throw failure(path) }
        return opened
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
        .failed(path: path, reason: what + String(cString: strerror(errno)))
    }

    /// Whether a rollback journal lies beside the file: a transaction before the first use of the
    /// write-ahead log was cut short.
    var hasJournal: Bool { access(path + "-journal", F_OK) == 0 }

    /// A connection that only reads. Without a write-ahead log the file has everything, and nobody
    /// changes it while this one has its lock: nothing is made beside it then. A log is read by way
    /// of another file, which has to be made.
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
                    "its last changes are in \(path)-wal, which cannot be taken in where nothing "
                        + "can be written; copy both files to where it can")
            }
            return try Connection(path: path, access: .readUnchanging)
        } catch { throw .failed(path: path, reason: error.reason) }
    }

    var folder: String { Self.folder(of: path) }

    private static func folder(of path: String) -> String {
        let cut = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        return cut.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }

    /// Refuses a file that cannot be written: SQLite would open it all the same, for reading.
    func checkWritable() throws(StoreOpeningError) {
        guard access(path, W_OK) == 0 else { throw Self.failure(path) }
    }

    /// What the first bytes say the file is (https://www.sqlite.org/fileformat.html §1.3); reading
    /// them touches nothing.
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
        if let resolved = realpath(path, nil) {
            defer { free(resolved) }
            return String(cString: resolved)
        }
        guard errno == ENOENT else {
            throw .failed(path: path, reason: String(cString: strerror(errno)))
        }
        guard mayCreate else { throw .missing(path: path) }
        let cut = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = folder(of: path)
        let name = cut.map { String(path[path.index(after: $0)...]) } ?? path
        guard let resolved = realpath(folder, nil) else {
            let reason = String(cString: strerror(errno))
            throw .failed(path: path, reason: "its folder: \(reason)")
        }
        defer { free(resolved) }
        let base = String(cString: resolved)
        return base == "/" ? "/" + name : base + "/" + name
    }
}
