import ArticleAPI

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Keeps credentials in a file that only its owner can read (mode 0600).
public struct FileCredentialStore: CredentialStore {
    private static let limitBytes = 64 << 10
    public let path: String

    /// - Parameter path: in a folder that exists.
    public init(path: String) { self.path = path }

    /// Refuses a file that others may read: it would be no secret.
    public func load() throws(CredentialStoreError) -> Credentials? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("cannot be opened")
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw failure("cannot be looked at") }
        guard status.st_mode & 0o077 == 0 else {
            throw CredentialStoreError("\(path): others may read it (chmod 600)")
        }
        var bytes = [UInt8](repeating: 0, count: Self.limitBytes)
        let count = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
        guard count >= 0 else { throw failure("cannot be read") }
        do throws(ResponseMapperError) {
            return try Credentials(mapping: Array(bytes.prefix(count)))
        } catch { throw CredentialStoreError("\(path): these are no credentials") }
    }

    /// Writes beside the file and then takes its place, so that there is always a whole one.
    public func save(_ credentials: Credentials) throws(CredentialStoreError) {
        let draft = "\(path).\(getpid()).\(UInt32.random(in: 0 ... .max))"
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure("cannot be written") }
        let bytes = credentials.json()
        let count = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        let isWhole = count == bytes.count && fsync(file) == 0
        close(file)
        guard isWhole, rename(draft, path) == 0 else {
            let error = failure("cannot be written")
            unlink(draft)
            throw error
        }
    }

    public func remove() throws(CredentialStoreError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw failure("cannot be removed") }
    }

    private func failure(_ what: String) -> CredentialStoreError {
        CredentialStoreError("\(path): \(what): \(String(cString: strerror(errno)))")
    }
}
