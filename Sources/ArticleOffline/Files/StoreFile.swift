#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The file of a store, which only its owner can read (mode 0600), with the files that SQLite keeps
/// beside it.
struct StoreFile {
    let path: String

    /// The size of SQLite's pages.
    static let pageBytes = 4_096

    /// The maximum time for which a statement waits for the lock of another process.
    static let busyMilliseconds = 2_000

    /// The files of a database with a write-ahead log.
    private static let suffixes = ["", "-wal", "-shm"]

    /// The identity of the file that a path names.
    struct Identity: Equatable {
        private let device: UInt64
        private let number: UInt64

        fileprivate init(_ status: stat) {
            device = UInt64(truncatingIfNeeded: status.st_dev)
            number = UInt64(status.st_ino)
        }
    }

    /// Makes the file if it is missing. SQLite gives its other files the same mode.
    ///
    /// An existing file is not opened: closing it would release the locks that another store of
    /// this process has on it.
    func prepare() throws(OfflineError) {
        let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if file >= 0 {
            close(file)
            return
        }
        guard errno == EEXIST else { throw failure("cannot be made") }
        var status = stat()
        guard lstat(path, &status) == 0 else { throw failure("cannot be inspected") }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .disk("\(path): is not a regular file")
        }
        guard status.st_uid == geteuid() else {
            throw .disk("\(path): belongs to another user")
        }
        guard status.st_mode & 0o077 == 0 || chmod(path, 0o600) == 0 else {
            throw failure("cannot be made private")
        }
        // A file shorter than a page would be taken for an empty one.
        guard status.st_size == 0 || status.st_size >= Self.pageBytes else {
            throw .damaged("the file ends in its first page")
        }
    }

    /// `nil` if there is no file.
    var identity: Identity? {
        var status = stat()
        return lstat(path, &status) == 0 ? Identity(status) : nil
    }

    /// Removes the file and those beside it.
    func remove() throws(OfflineError) {
        for suffix in Self.suffixes {
            guard unlink("\(path)\(suffix)") == 0 || errno == ENOENT else {
                throw failure("cannot be removed")
            }
        }
    }

    /// The file that is going to take its place.
    var draft: StoreFile { StoreFile(path: "\(path).draft") }

    /// Renames the file and those beside it to `<path>.damaged`, replacing earlier ones, and the
    /// draft, which is complete and closed, to this path.
    func replaceByDraft() throws(OfflineError) {
        try StoreFile(path: "\(path).damaged").remove()
        // The log goes first: it must not be read as that of the new file.
        for suffix in Self.suffixes.reversed() {
            guard rename("\(path)\(suffix)", "\(path).damaged\(suffix)") == 0 || errno == ENOENT
            else { throw failure("cannot be set aside") }
        }
        guard rename(draft.path, path) == 0 else { throw failure("cannot be replaced") }
    }

    /// Puts a draft in place if the process ended before that.
    func finishReplacement() throws(OfflineError) {
        guard identity == nil, draft.identity != nil else { return }
        guard rename(draft.path, path) == 0 else { throw failure("cannot be replaced") }
    }

    private func failure(_ what: String) -> OfflineError {
        .disk("\(path): \(what): \(String(cString: strerror(errno)))")
    }
}
