import ArticleAPI
import ArticleClient
import BroadsheetCommandLine
import BroadsheetHTTP
import BroadsheetHTTPClient
import BroadsheetPlatform
import BroadsheetSockets

/// The connection of a client command to its backend, and its output format.
struct Session: Sendable {
    static let serverOption = Option(
        "server", "URL", "URL of the backend: http://host:port, https://… or unix:PATH.",
        default: "http://localhost:8080")
    static let authoritiesOption = Option(
        "ca", "FILE", "Certificate authorities (PEM) to trust for HTTPS instead of the system's.")
    static let options = [
        serverOption, authoritiesOption,
        Option(
            "key", "KEY",
            "API key; accepted only as BROADSHEET_KEY. Without it, what login stored is used."),
        Option("json", nil, "Print responses as JSON, even on a terminal."),
        CommonOptions.config,
    ]

    let backend: BackendService
    /// True to print JSON: requested, or standard output is not a terminal.
    let isJSON: Bool

    /// - Parameters:
    ///   - settings: those of `options`.
    ///   - observers: called for every event of the backend's requests.
    init(_ settings: Settings, observers: [BackendObserver] = []) throws(CommandFailure) {
        let url = try Self.server(settings)
        isJSON = try settings.isOn("json") || !Console.outputIsTerminal
        var configuration = BackendConfiguration(baseURL: url)
        configuration.retries.attempts = 2
        backend = BackendService(
            configuration: configuration, transport: try Self.transport(settings),
            auth: try Self.auth(settings, url), cache: nil, observers: observers)
    }

    static func server(_ settings: Settings) throws(CommandFailure) -> BaseURL {
        try settings.parsed("server", expecting: "the URL of a backend") { BaseURL($0) }
            ?? "http://localhost:8080"
    }

    private static func auth(
        _ settings: Settings, _ url: BaseURL
    ) throws(CommandFailure) -> BackendAuth {
        // An empty variable is like none.
        if let value = settings.all("key").last(where: { !$0.text.isEmpty }) {
            guard value.origin == "BROADSHEET_KEY" else {
                throw CommandFailure(.usage, "\(value.origin): use BROADSHEET_KEY for the key")
            }
            return BackendAuth(token: value.text)
        }
        return try auth(try KeyFile(url))
    }

    /// Renews sessions in the store.
    static func auth(_ store: any CredentialStore) throws(CommandFailure) -> BackendAuth {
        do throws(CredentialStoreError) {
            return try BackendAuth(store: store)
        } catch { throw CommandFailure(.noPermission, "\(error)") }
    }

    /// Sends a request; a failure is reported as one line.
    func ask<Request: BackendAPIRequest>(
        _ request: Request
    ) async throws(CommandFailure) -> Request.Item {
        try await reply(to: request).item
    }

    /// The id of an article, by which most requests address it.
    func id(of key: Article.Key) async throws(CommandFailure) -> Article.ID {
        if case .id(let id) = key { return id }
        return try await ask(PartialRequest(FetchArticleRequest(key: key), fields: ["id"])).id
    }

    func reply<Request: BackendAPIRequest>(
        to request: Request
    ) async throws(CommandFailure) -> BackendReply<Request.Item> {
        do throws(BackendError) {
            return try await backend.reply(to: request)
        } catch { throw CommandFailure(error) }
    }
}

extension CommandFailure {
    init(_ error: BackendError) {
        let status: ExitStatus =
            switch error {
            case .offline, .timedOut, .transport: .unavailable
            case .unauthorized, .signInRejected, .signedOut: .noPermission
            case .problem(let problem) where problem.status == HTTPStatus.forbidden.code:
                .noPermission
            case .problem(let problem) where problem.status >= 500: .unavailable
            case .problem: .dataError
            case .mapping: .protocolError
            case .cancelled, .superseded, .notCached: .software
            }
        self.init(status, "\(error)")
    }
}

extension Session {
    /// A socket transport whose TLS trusts the authorities of `--ca`, or else those of the system.
    static func transport(_ settings: Settings) throws(CommandFailure) -> SocketTransport {
        SocketTransport(try clientConfiguration(settings))
    }

    /// The configuration of a client whose TLS trusts the same authorities.
    static func clientConfiguration(
        _ settings: Settings
    ) throws(CommandFailure) -> HTTPClientConfiguration {
        var configuration = HTTPClientConfiguration()
        if let path = settings.text("ca") {
            let authorities = try Files.read(path)
            do throws(TLSConfigurationError) {
                configuration.tls = try TLSClient(
                    authorities: authorities, protocols: HTTPClientConfiguration.protocols)
            } catch { throw CommandFailure(.configuration, "\(path): \(error)") }
        }
        return configuration
    }
}
