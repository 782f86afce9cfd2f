import ArticleAPI

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Stores credentials in a file that only its owner can read (mode 0600).
///
/// The file is always complete: it is replaced in one step, even if several processes save at once.
/// Its methods block.
///
/// ```swift
/// let store = FileCredentialStore(path: path)
/// try store.save(Credentials(token: key))
/// let stored = try store.load()
/// ```
public struct FileCredentialStore: CredentialStore {
    private static let limitBytes = 64 << 10
    public let path: String

    /// - Parameter path: a file in an existing folder. While credentials are written, there is also
    ///   a file `path` with the suffix `.draft`.
    public init(path: String) { self.path = path }

    /// Rejects anything but a regular file, and files that belong to another user or that others
    /// can read, because their content is not secret.
    public func load() throws(CredentialStoreError) -> Credentials? {
        // Opening a FIFO must not block (O_NONBLOCK).
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("cannot be opened", errno)
        }
        defer { close(file) }
        try check(status(of: file), path)
        let bytes = try contents(of: file)
        do throws(ResponseMapperError) {
            return try Credentials(mapping: bytes)
        } catch { throw CredentialStoreError("\(path): does not contain credentials") }
    }

    /// Writes a draft and renames it to the file, so that the file is always complete.
    public func save(_ credentials: Credentials) throws(CredentialStoreError) {
        let file = try lockedDraft()
        // Closing the file releases its lock.
        defer { close(file) }
        guard ftruncate(file, 0) == 0 else { throw failure("cannot be written", errno) }
        try fill(file, with: credentials.json())
        guard fsync(file) == 0, rename(draft, path) == 0 else {
            let error = failure("cannot be written", errno)
            unlink(draft)
            throw error
        }
    }

    public func remove() throws(CredentialStoreError) {
        for path in [draft, path] {
            guard unlink(path) == 0 || errno == ENOENT else {
                throw failure("cannot be removed", errno)
            }
        }
    }

    /// The same path for all writers: a file left by a crash is overwritten.
    private var draft: String { "\(path).draft" }

    /// Opens the draft and locks it until it is closed.
    private func lockedDraft() throws(CredentialStoreError) -> Int32 {
        while true {
            let file = open(
                draft, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
            guard file >= 0 else { throw failure("cannot be written", errno) }
            do throws(CredentialStoreError) {
                let found = try status(of: file)
                try check(found, draft)
                // A hard link would reveal the new content.
                guard found.st_nlink <= 1 else {
                    throw CredentialStoreError("\(draft): has more than one hard link")
                }
                while flock(file, LOCK_EX) != 0 {
                    guard errno == EINTR else { throw failure("cannot be locked", errno) }
                }
                var named = stat()
                // Otherwise the previous holder of the lock has renamed it.
                if lstat(draft, &named) == 0, named.st_ino == found.st_ino,
                    named.st_dev == found.st_dev
                {
                    return file
                }
                close(file)
            } catch {
                close(file)
                throw error
            }
        }
    }

    private func status(of file: Int32) throws(CredentialStoreError) -> stat {
        var status = stat()
        guard fstat(file, &status) == 0 else { throw failure("cannot be inspected", errno) }
        return status
    }

    private func check(_ status: stat, _ path: String) throws(CredentialStoreError) {
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw CredentialStoreError("\(path): is not a regular file")
        }
        guard status.st_uid == geteuid() else {
            throw CredentialStoreError("\(path): belongs to another user")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw CredentialStoreError("\(path): is accessible to other users (chmod 600)")
        }
    }

    private func contents(of file: Int32) throws(CredentialStoreError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.limitBytes)
        var count = 0
        // Invariant: the first `count` bytes are those of the file.
        while count < bytes.count {
            let more = bytes.withUnsafeMutableBytes { buffer in
                read(file, buffer.baseAddress?.advanced(by: count), buffer.count - count)
            }
            if more == 0 { break }
            if more > 0 {
                count += more
            } else if errno != EINTR {
                throw failure("cannot be read", errno)
            }
        }
        return Array(bytes.prefix(count))
    }

    private func fill(_ file: Int32, with bytes: [UInt8]) throws(CredentialStoreError) {
        var count = 0
        // Invariant: the first `count` bytes are in the file.
        while count < bytes.count {
            let more = bytes.withUnsafeBytes { buffer in
                write(file, buffer.baseAddress?.advanced(by: count), buffer.count - count)
            }
            if more >= 0 {
                count += more
            } else if errno != EINTR {
                let error = failure("cannot be written", errno)
                unlink(draft)
                throw error
            }
        }
    }

    private func failure(_ what: String, _ code: Int32) -> CredentialStoreError {
        CredentialStoreError("\(path): \(what): \(String(cString: strerror(code)))")
    }
}
