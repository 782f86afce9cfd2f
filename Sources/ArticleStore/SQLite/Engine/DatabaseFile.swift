import Glibc

/// The right to a database file, held for life: no second process (and no second store in this one)
/// gets it.
///
/// The lock is `flock(2)` on `<database>.lock`, not on the database itself: SQLite locks that one
/// with POSIX record locks, and closing any other descriptor of a file drops all of these that a
/// process holds (`fcntl(2)`). The lock file stays when the lock goes: removing it would let two
/// processes lock two files of one name.
final class DatabaseFile: Sendable {
    /// The file itself, with symbolic links resolved: two names of one file share one lock.
    let path: String
    private let lock: Int32

    init(path given: String, mayCreate: Bool) throws(StoreOpeningError) {
        path = try Self.resolve(given, mayCreate: mayCreate)
        lock = Glibc.open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else {
            throw .failed(path: path, reason: "its lock file: " + String(cString: strerror(errno)))
        }
        while flock(lock, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            if code == EINTR { continue }
            Glibc.close(lock)
            if code == EWOULDBLOCK { throw .owned(path: path) }
            throw .failed(path: path, reason: "its lock: " + String(cString: strerror(code)))
        }
    }

    deinit {
        // A child that was just forked has the descriptor, too, until it runs its program: closing
        // ours alone would leave the lock with it for that moment.
        flock(lock, LOCK_UN)
        Glibc.close(lock)
    }

    /// Whether a rollback journal lies beside the file: a transaction before the first use of the
    /// write-ahead log was cut short.
    var hasJournal: Bool { access(path + "-journal", F_OK) == 0 }

    /// Makes an empty file that only its owner reads: SQLite would let the umask decide.
    func createIfMissing() throws(StoreOpeningError) {
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .failed(path: path, reason: String(cString: strerror(errno)))
        }
        Glibc.close(descriptor)
    }

    /// What the first bytes say the file is (https://www.sqlite.org/fileformat.html §1.3); reading
    /// them touches nothing.
    func inspect() throws(StoreOpeningError) -> Header {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return .empty }
            throw .failed(path: path, reason: String(cString: strerror(errno)))
        }
        defer { Glibc.close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count >= 0 else {
            throw .failed(path: path, reason: String(cString: strerror(errno)))
        }
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
        let folder = cut.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
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
