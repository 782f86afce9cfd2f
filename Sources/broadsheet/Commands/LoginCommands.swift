import ArticleAPI
import ArticleClient
import BroadsheetCommandLine
import BroadsheetPlatform
import Glibc

/// Stores an API key or the session of a user for a backend, so that the client commands send it.
struct LoginCommand: Command {
    static let name = "login"
    static let summary = "Stores an API key for a backend, or signs in with a password."
    static let usage = "[--name NAME] [--server URL] [--ca FILE]"
    static let example = "broadsheet login --server https://articles.example.org <key.txt"
    static let options = [
        Option("name", "NAME", "Sign in as this user. Without it, an API key is stored."),
        Session.serverOption, Session.authoritiesOption, CommonOptions.config,
    ]

    let name: String?
    let server: BaseURL
    private let transport: SocketTransport

    init(_ settings: Settings) throws(CommandFailure) {
        try settings.rejectOperands()
        name = settings.text("name")
        server = try Session.server(settings)
        transport = try Session.transport(settings)
    }

    func run(in system: SystemEnvironment) async throws(CommandFailure) {
        let store = try KeyFile(server)
        // A file that cannot be read is replaced.
        let former = try? store.load()
        if let name { try await signIn(as: name, store) } else { try await storeKey(store) }
        if let former { await end(former) }
        Console.printStatus("logged in to \(server)\n")
    }

    private func signIn(as name: String, _ store: KeyFile) async throws(CommandFailure) {
        let password = try Console.readSecret("Password of \(name) at \(server): ")
        guard !password.isEmpty else {
            throw CommandFailure(.usage, "standard input contains no password")
        }
        let received = MemoryCredentialStore()
        let backend = BackendService(
            configuration: BackendConfiguration(baseURL: server), transport: transport,
            auth: try Session.auth(received), cache: nil)
        do throws(BackendError) {
            try await backend.signIn(name: name, password: password, device: Self.device)
        } catch { throw CommandFailure(error) }
        do throws(CredentialStoreError) {
            if let credentials = received.load() { try store.save(credentials) }
        } catch {
            // Nobody has its tokens.
            await backend.signOut()
            throw CommandFailure(.cannotCreate, "\(error)")
        }
    }

    /// Ends the session that was stored before, if the backend can be told.
    private func end(_ former: Credentials) async {
        guard let auth = try? BackendAuth(store: MemoryCredentialStore(former)) else { return }
        await BackendService(
            configuration: BackendConfiguration(baseURL: server), transport: transport,
            auth: auth, cache: nil
        ).signOut()
    }

    /// The name of this device in the list of the user's sessions.
    private static var device: String {
        var name = [CChar](repeating: 0, count: 65)
        guard gethostname(&name, name.count - 1) == 0 else { return "broadsheet" }
        let bytes = name.prefix { $0 > 0x20 && $0 < 0x7F }.map { UInt8(bitPattern: $0) }
        let host = String(decoding: bytes, as: UTF8.self)
        return host.isEmpty ? "broadsheet" : "broadsheet on \(host)"
    }

    private func storeKey(_ store: KeyFile) async throws(CommandFailure) {
        let key = try Console.readSecret("API key for \(server): ")
        guard !key.isEmpty else { throw CommandFailure(.usage, "standard input contains no key") }
        try await check(key)
        do throws(CredentialStoreError) {
            try store.save(Credentials(token: key))
        } catch { throw CommandFailure(.cannotCreate, "\(error)") }
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

/// Removes the credentials that `login` stored for a backend, and ends the session there.
struct LogoutCommand: Command {
    static let name = "logout"
    static let summary = "Signs out of a backend: ends the session, or removes the stored key."
    static let usage = "[--server URL] [--ca FILE]"
    static let example = "broadsheet logout --server https://articles.example.org"
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

    func run(in system: SystemEnvironment) async throws(CommandFailure) {
        let store = try KeyFile(server)
        // A file that cannot be read is nevertheless removed.
        if let auth = try? BackendAuth(store: store) {
            let backend = BackendService(
                configuration: BackendConfiguration(baseURL: server), transport: transport,
                auth: auth, cache: nil)
            if await !backend.signOut() {
                Console.printStatus(
                    "\(server) could not be reached; the session remains in the user's list\n")
            }
        }
        do throws(CredentialStoreError) {
            try store.remove()
        } catch { throw CommandFailure(.ioError, "\(error)") }
        Console.printStatus("logged out of \(server)\n")
    }
}
