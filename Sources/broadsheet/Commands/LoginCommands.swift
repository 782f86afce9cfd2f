import ArticleAPI
import ArticleClient
import Glibc

/// Stores an API key for a backend, so that the client commands send it.
struct LoginCommand: Command {
    static let name = "login"
    static let summary = "Stores an API key for a backend, read from standard input."
    static let usage = "[--server URL] [--ca FILE]"
    static let example = "broadsheet login --server https://articles.example.org <key.txt"
    static let options = [
        Session.serverOption, Session.authoritiesOption, CommonOptions.config,
    ]

    let server: BaseURL
    private let transport: SocketTransport

    init(_ settings: Settings) throws(CommandFailure) {
        try settings.rejectOperands()
        server = try Session.server(settings)
        transport = try Session.transport(settings)
    }

    func run() async throws(CommandFailure) {
        let key = try Console.readSecret("API key for \(server): ")
        guard !key.isEmpty else { throw CommandFailure(.usage, "standard input contains no key") }
        try await check(key)
        let store = try KeyFile(server)
        do throws(CredentialStoreError) {
            try store.save(Credentials(token: key))
        } catch { throw CommandFailure(.cannotCreate, "\(error)") }
        Console.printStatus("logged in to \(server)\n")
    }

    /// Fails if the backend does not accept the key, so that it is not stored.
    private func check(_ key: String) async throws(CommandFailure) {
        let backend = BackendService(
            configuration: BackendConfiguration(baseURL: server), transport: transport,
            auth: BackendAuth(token: key), cache: nil)
        do throws(BackendError) {
            _ = try await backend.send(FetchArticlesRequest(limit: 1))
        } catch { throw CommandFailure(error) }
    }
}

/// Removes the stored API key for a backend.
struct LogoutCommand: Command {
    static let name = "logout"
    static let summary = "Removes the stored API key for a backend."
    static let usage = "[--server URL]"
    static let example = "broadsheet logout --server https://articles.example.org"
    static let options = [Session.serverOption, CommonOptions.config]

    let server: BaseURL

    init(_ settings: Settings) throws(CommandFailure) {
        try settings.rejectOperands()
        server = try Session.server(settings)
    }

    func run() async throws(CommandFailure) {
        let store = try KeyFile(server)
        do throws(CredentialStoreError) {
            try store.remove()
        } catch { throw CommandFailure(.ioError, "\(error)") }
        Console.printStatus("logged out of \(server)\n")
    }
}
