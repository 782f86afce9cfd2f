import ArticleAPI
import ArticleClient

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Keeps a key for a backend, so that the client commands send it.
struct LoginCommand: Command {
    static let name = "login"
    static let summary = "Keeps an API key for a backend; reads it from standard input."
    static let usage = "[--server URL] [--ca FILE]"
    static let example = "broadsheet login --server https://articles.example.org <key.txt"
    static let options = [
        Session.serverOption, Session.authoritiesOption, CommonOptions.config,
    ]

    let server: BaseURL
    private let transport: SocketTransport

    init(_ settings: Settings) throws(CommandFailure) {
        try settings.refuseOperands()
        server = try Session.server(settings)
        transport = try Session.transport(settings)
    }

    func run() async throws(CommandFailure) {
        let key = try Console.readSecret("API key for \(server): ")
        guard !key.isEmpty else { throw CommandFailure(.usage, "no key came on standard input") }
        try await check(key)
        let store = try KeyFile(server)
        do throws(CredentialStoreError) {
            try store.save(Credentials(token: key))
        } catch { throw CommandFailure(.cannotCreate, "\(error)") }
        Console.tell("logged in to \(server)\n")
    }

    /// A key that the backend does not know is not kept.
    private func check(_ key: String) async throws(CommandFailure) {
        let backend = BackendService(
            configuration: BackendConfiguration(baseURL: server), transport: transport,
            auth: BackendAuth(token: key), cache: nil)
        do throws(BackendError) {
            _ = try await backend.send(FetchArticlesRequest(limit: 1))
        } catch { throw CommandFailure(error) }
    }
}

/// Forgets the key for a backend.
struct LogoutCommand: Command {
    static let name = "logout"
    static let summary = "Forgets the API key for a backend."
    static let usage = "[--server URL]"
    static let example = "broadsheet logout --server https://articles.example.org"
    static let options = [Session.serverOption, CommonOptions.config]

    let server: BaseURL

    init(_ settings: Settings) throws(CommandFailure) {
        try settings.refuseOperands()
        server = try Session.server(settings)
    }

    func run() async throws(CommandFailure) {
        let store = try KeyFile(server)
        do throws(CredentialStoreError) {
            try store.remove()
        } catch { throw CommandFailure(.ioError, "\(error)") }
        Console.tell("logged out of \(server)\n")
    }
}
