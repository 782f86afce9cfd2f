import ArticleAPI
import ArticleClient
import BroadsheetCommandLine
import Glibc

/// Stores the key or the session of `login` for a backend: one file per backend, which names it, in
/// the user's configuration folder (XDG Base Directory Specification).
struct KeyFile: CredentialStore {
    private let server: String
    private let folder: String
    private static let limitBytes = 64 << 10

    init(_ server: BaseURL) throws(CommandFailure) {
        self.init(server, folder: try Self.defaultFolder())
    }

    init(_ server: BaseURL, folder: String) {
        self.server = server.description
        self.folder = folder
    }

    /// The content of the file.
    private struct Content: JSONModel {
        var server: String?
        var token: String
        var refreshToken: String?
        var account: String?
        var expiresAt: Timestamp?

        var credentials: Credentials {
            Credentials(
                token: token, refreshToken: refreshToken, account: account, expiresAt: expiresAt)
        }

        static let shape = ObjectCodec(
            Self.init(server:token:refreshToken:account:expiresAt:),
            .optional("server", \.server, .text(.line(1...4096))),
            .required("token", \.token, .text(.line(1...4096))),
            .optional("refreshToken", \.refreshToken, .text(.line(1...4096))),
            .optional("account", \.account, .text(.line(1...4096))),
            .optional("expiresAt", \.expiresAt, .timestamp))
    }

    // MARK: Names

    /// A readable name, followed by a digest that distinguishes similar server names.
    var path: String { "\(folder)/\(readableName.prefix(80))-\(digest).json" }

    /// The path of earlier versions, shared by servers that differ only in a `_`, `:` or `/`.
    var earlierPath: String { "\(folder)/\(readableName).json" }

    private var readableName: String {
        String(server.map { Self.isPlain($0) ? $0 : "_" })
    }

    private static func isPlain(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || character == ".")
    }

    /// Collisions are harmless, because the file names its server.
    private var digest: String { StableHash(server.utf8).text }

    /// True if no other server could have the same earlier path.
    private var isEarlierNameUnique: Bool {
        guard let mark = server.firstRange(of: "://") else { return false }
        return server[mark.upperBound...].allSatisfy(Self.isPlain)
    }

    // MARK: Store

    /// Rejects a file that others may read, or that is for another server.
    func load() throws(CredentialStoreError) -> Credentials? {
        if let content = try read(path) {
            guard content.server == server else {
                throw CredentialStoreError("\(path) is not for \(server)")
            }
            return content.credentials
        }
        guard let earlier = try read(earlierPath) else { return nil }
        guard isEarlierNameUnique else {
            throw CredentialStoreError(
                "\(earlierPath) does not name its server: run login again, or logout")
        }
        return earlier.credentials
    }

    func save(_ credentials: Credentials) throws(CredentialStoreError) {
        let content = Content(
            server: server, token: credentials.token, refreshToken: credentials.refreshToken,
            account: credentials.account, expiresAt: credentials.expiresAt)
        do throws(CommandFailure) {
            try Self.makeFolder(folder)
            try Files.writePrivate(String(decoding: content.json(), as: UTF8.self), to: path)
        } catch { throw CredentialStoreError(error.message) }
        unlink(earlierPath)
    }

    func remove() throws(CredentialStoreError) {
        for path in [path, earlierPath] {
            guard unlink(path) == 0 || errno == ENOENT else {
                throw failure(path, "cannot be removed")
            }
        }
    }

    /// `nil` if there is no file.
    private func read(_ path: String) throws(CredentialStoreError) -> Content? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw failure(path, "cannot be opened")
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw failure(path, "cannot be read") }
        guard status.st_mode & 0o077 == 0 else {
            throw CredentialStoreError("\(path) is readable by others; run chmod 600")
        }
        let bytes: [UInt8]
        do throws(CommandFailure) {
            bytes = try Files.read(descriptor: file, path, limitBytes: Self.limitBytes)
        } catch { throw CredentialStoreError(error.message) }
        do throws(ResponseMapperError) {
            return try Content(mapping: bytes)
        } catch { throw CredentialStoreError("\(path) does not contain a key") }
    }

    private func failure(_ path: String, _ what: String) -> CredentialStoreError {
        CredentialStoreError("\(path): \(what): \(String(cString: strerror(errno)))")
    }

    // MARK: Folder

    /// Creates the folder, accessible to its owner only.
    private static func makeFolder(_ folder: String) throws(CommandFailure) {
        var path = ""
        for part in folder.split(separator: "/") {
            path += "/\(part)"
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
                throw Files.failure("cannot create \(path)", .cannotCreate)
            }
        }
    }

    private static func defaultFolder() throws(CommandFailure) -> String {
        if let base = Environment.value("XDG_CONFIG_HOME"), base.hasPrefix("/") {
            return base + "/broadsheet"
        }
        guard let home = Environment.value("HOME"), home.hasPrefix("/") else {
            throw CommandFailure(.configuration, "HOME is not set, so there is no folder for keys")
        }
        return home + "/.config/broadsheet"
    }
}
