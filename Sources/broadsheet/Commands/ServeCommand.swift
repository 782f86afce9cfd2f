import ArticleAPI
import ArticleServices
import ArticleStore
import FoundationEssentials
import HTTPServer
import Network

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Serves a database until it is told to stop.
struct ServeCommand: Command {
    static let name = "serve"
    static let summary = "Serves the articles of a database file over HTTP."
    static let usage = "[options]"
    static let example = "broadsheet serve --listen 127.0.0.1:8080 --database broadsheet.db"
    static let options = ServeConfiguration.options

    let configuration: ServeConfiguration

    init(_ settings: Settings) throws(CommandFailure) {
        configuration = try ServeConfiguration(settings)
    }

    func run() async throws(CommandFailure) {
        // A log that nobody reads any more must not end the server (signal(7)).
        signal(SIGPIPE, SIG_IGN)
        let shutdown = Shutdown()
        let store = try Database.open(
            configuration.databasePath, mode: .create, configuration: configuration.store)
        do throws(CommandFailure) {
            try await serve(store, until: shutdown)
        } catch {
            await store.close()
            throw error
        }
        await store.close()
    }

    private func serve(_ store: SQLiteStore, until shutdown: Shutdown) async throws(CommandFailure)
    {
        let log = ServerLog(isJSON: configuration.log.isJSON, level: configuration.logLevel)
        if configuration.withSamples { try await fillIfEmpty(store, log) }
        let backend = try await backend(over: store, log)
        var server = ServerConfiguration(
            addresses: configuration.addresses,
            loops: configuration.loops ?? ProcessInfo.processInfo.activeProcessorCount)
        server.maximumConnections = configuration.maximumConnections
        server.limits = configuration.limits
        server.refusals = { Problem.response($0) }
        configuration.transport.apply(to: &server)
        let certificates = try certificates(log)
        server.tls = certificates?.server
        let accessLog = configuration.log.format.map {
            AccessLog(descriptor: STDERR_FILENO, format: $0)
        }
        let logSignals = LogSignals(log, accessLog)
        let meters = MetricsPage.Meters()
        server.observers = [meters.exchanges] + (accessLog.map { [$0] } ?? [])
        server.handshakeObservers = [meters.handshakes] + (accessLog.map { [$0] } ?? [])
        let articles = HTTPServer(server, router: try Self.checked(backend.router))
        let page = MetricsPage(
            server: articles, meters: meters, backend: backend, store: store, startedAt: .now)
        let control = try ControlServer(backend, store)
        let firstKey = FirstKey(store: store, backend: backend, log: log)
        certificates?.start()
        try await run(articles, page, control, firstKey, until: shutdown, log)
        certificates?.stop()
        logSignals.stop()
        accessLog?.flush()
        log.info("stopped")
    }

    /// Takes the bundled samples into a store in which nothing was ever written.
    private func fillIfEmpty(_ store: SQLiteStore, _ log: ServerLog) async throws(CommandFailure) {
        do throws(StoreError) {
            guard try await store.changeSequence() == 0 else { return }
        } catch { throw CommandFailure(error) }
        let importer = Importer(store: store, language: configuration.defaultLanguage) { .now }
        do throws(InterchangeError) {
            log.info("took in \(try await importer.runSamples().created) sample articles")
        } catch { throw CommandFailure(error) }
    }

    private func certificates(_ log: ServerLog) throws(CommandFailure) -> Certificates? {
        let transport = configuration.transport
        guard !transport.certificates.isEmpty else { return nil }
        return try Certificates(
            CertificateFiles(paths: transport.certificates), profile: transport.profile, log)
    }

    private func backend(
        over store: SQLiteStore, _ log: ServerLog
    ) async throws(CommandFailure) -> Backend {
        do throws(StoreError) {
            return try await Backend(
                store: store, operatorKey: configuration.operatorKey,
                defaultLanguage: configuration.defaultLanguage.text,
                cacheBytes: configuration.cacheBytes, now: { .now },
                log: { log.error($0) })
        } catch { throw CommandFailure(error) }
    }

    private func run(
        _ server: HTTPServer, _ page: MetricsPage, _ control: ControlServer,
        _ firstKey: FirstKey,
        until shutdown: Shutdown, _ log: ServerLog
    ) async throws(CommandFailure) {
        let admin = try adminServer(page)
        // The operator's pages come first: when articles are served, they are watched.
        let watched = try admin.map(start) ?? []
        let listening = try start(server)
        control.start(log)
        if configuration.operatorKey == nil { try await firstKey.makeIfNeeded() }
        announce(listening)
        for address in watched { tell("metrics on \(address.url("http"))/metrics") }
        await shutdown.wait()
        log.info("stopping: finishing what is in flight")
        await server.stop(graceSeconds: Double(configuration.graceSeconds))
        await control.stop()
        await admin?.stop(graceSeconds: 0)
    }

    /// The server of the operator's own pages, if one is wanted.
    private func adminServer(_ page: MetricsPage) throws(CommandFailure) -> HTTPServer? {
        guard !configuration.adminAddresses.isEmpty else { return nil }
        var settings = ServerConfiguration(addresses: configuration.adminAddresses)
        settings.maximumConnections = 64
        settings.refusals = { Problem.response($0) }
        return HTTPServer(
            settings,
            router: try Self.checked { () throws(RouterError) in try AdminRoutes.router(page) }
        )
    }

    /// Routes that cannot stand together are a defect.
    private static func checked(
        _ make: () throws(RouterError) -> Router
    ) throws(CommandFailure) -> Router {
        do throws(RouterError) { return try make() } catch {
            throw CommandFailure(.software, "\(error)")
        }
    }

    private func start(_ server: HTTPServer) throws(CommandFailure) -> [SocketAddress] {
        do throws(HTTPServerError) {
            return try server.start()
        } catch {
            throw CommandFailure(error.isAddressInUse ? .unavailable : .systemError, "\(error)")
        }
    }

    /// Tells where the server listens; addresses that redirect come last.
    private func announce(_ addresses: [SocketAddress]) {
        let transport = configuration.transport
        let scheme = transport.certificates.isEmpty ? "http" : "https"
        for address in addresses.dropLast(transport.redirects.count) {
            tell("listening on \(address.url(scheme))")
        }
        for address in addresses.suffix(transport.redirects.count) {
            tell("redirecting from \(address.url("http"))")
        }
    }

    /// A server goes on when nobody reads what it says.
    private func tell(_ line: String) { try? Console.print(line) }
}

extension HTTPServerError {
    fileprivate var isAddressInUse: Bool {
        if case .addressInUse = self { true } else { false }
    }
}

extension SocketAddress {
    /// What a client is given: `http://127.0.0.1:8080`, or `unix:PATH` as it is.
    fileprivate func url(_ scheme: String) -> String {
        let text = description
        return text.hasPrefix("unix:") ? text : "\(scheme)://\(text)"
    }
}
