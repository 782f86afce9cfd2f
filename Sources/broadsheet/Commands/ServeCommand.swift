import ArticleAPI
import ArticleServices
import ArticleStore
import FoundationEssentials
import HTTPServer
import SQLiteStore
import Sockets

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
        do throws(SystemError) { try CoreDumps.forbid() } catch {
            throw CommandFailure(.systemError, "cannot keep secrets out of core dumps: \(error)")
        }
        let memory = MemoryKeeper(cores: ProcessInfo.processInfo.activeProcessorCount)
        defer { withExtendedLifetime(memory) {} }
        let output = ServerOutput(configuration.log)
        defer { output.flush(withinSeconds: 1) }
        let requests = OperatorRequests(output)
        let log = ServerLog(isJSON: configuration.log.isJSON, level: configuration.logLevel) {
            output.errors.write($0)
        }
        let sockets = ListenerSockets()
        do throws(CommandFailure) {
            try ActivatedSockets.take(into: sockets)
            try configuration.transport.check(activated: sockets)
            let tenure = ServerRun(
                sockets: sockets, certificates: try certificates(log), requests: requests,
                successors: SuccessorProcess(log), supervisor: Supervisor(), log: log,
                output: output)
            try await serve(in: tenure)
        } catch {
            sockets.close()
            throw error
        }
        sockets.close()
    }

    /// Serves until the end, or until another process does; anew if that one fails.
    private func serve(in tenure: ServerRun) async throws(CommandFailure) {
        var predecessor = try configuration.takesOver ? meetPredecessor(tenure) : nil
        var connections = try predecessor?.takeFile()
        while true {
            let store = try Database.open(
                configuration.databasePath, mode: .create, configuration: configuration.store,
                migrating: { [predecessor] in predecessor?.tellProgress() })
            // What backups and exports could not remove.
            TemporaryFile.removeAbandoned(store.path)
            predecessor?.tellProgress()
            let end: ServerRun.End
            do throws(CommandFailure) {
                end = try await serve(
                    store, in: tenure, ready: { predecessor?.confirm() },
                    started: { servers in
                        if let connections { servers.adopt(connections) }
                        tenure.sockets.own()
                    })
            } catch {
                await store.close()
                throw error
            }
            await store.close()
            guard case .yielded(let successor, let kept, let servers) = end else { return }
            switch await tenure.yield(store.path, to: successor, with: kept) {
            case .serves, .stopped:
                return await servers.finish(graceSeconds: Double(configuration.graceSeconds))
            case .failed:
                (predecessor, connections) = (nil, kept)
                tenure.sockets.rewind()
            }
        }
    }

    /// Asks the process that serves the file for its sockets, and makes sure that all that can be
    /// told before the file is here is in order: until then the other one serves.
    private func meetPredecessor(_ tenure: ServerRun) throws(CommandFailure) -> Predecessor? {
        let path = configuration.databasePath
        guard let predecessor = try Predecessor.find(ofDatabase: path) else {
            tenure.log.info("nobody serves \(path): nothing to take over")
            return nil
        }
        try predecessor.receiveSockets(into: tenure.sockets)
        let transport = configuration.transport
        for (role, addresses) in [
            (ListenerSockets.Role.articles, configuration.addresses),
            (.proxied, transport.proxied), (.redirect, transport.redirects),
            (.admin, configuration.adminAddresses),
        ] {
            try tenure.sockets.prepare(role, configured: addresses)
        }
        tenure.sockets.rewind()
        return predecessor
    }

    /// - Parameters:
    ///   - ready: is called when nothing can fail any more, before the first request is taken.
    ///   - started: is called when the servers run.
    private func serve(
        _ store: SQLiteStore, in tenure: ServerRun, ready: () -> Void, started: (Servers) -> Void
    ) async throws(CommandFailure) -> ServerRun.End {
        let log = tenure.log
        let sockets = tenure.sockets
        if configuration.withSamples { try await fillIfEmpty(store, log) }
        let backend = try await backend(over: store, log)
        var server = ServerConfiguration(
            addresses: sockets.addresses(.articles, configured: configuration.addresses),
            loops: configuration.loops ?? ProcessInfo.processInfo.activeProcessorCount)
        server.maximumConnections = configuration.maximumConnections
        server.limits = configuration.limits
        server.refusals = { Problem.response($0) }
        server.report = { log.warning($0) }
        configuration.transport.apply(to: &server)
        try configuration.clients.apply(to: &server)
        server.redirects = sockets.addresses(.redirect, configured: server.redirects)
        server.proxiedAddresses = sockets.addresses(
            .proxied, configured: server.proxiedAddresses)
        server.open = sockets.opener(.articles)
        server.openProxied = sockets.opener(.proxied)
        server.openRedirect = sockets.opener(.redirect)
        let certificates = tenure.certificates
        server.tls = certificates?.server
        let output = tenure.output
        let accessLog = configuration.log == .off ? nil : AccessLog(output.errors)
        let logSignals = LogSignals(log, accessLog)
        let meters = MetricsPage.Meters()
        server.observers = [meters.exchanges]
        server.accessLog = accessLog
        server.handshakeObservers = [meters.handshakes] + (accessLog.map { [$0] } ?? [])
        let articles = HTTPServer(server, router: try Self.checked(backend.router))
        let page = MetricsPage(
            server: articles, meters: meters, backend: backend, store: store, startedAt: .now,
            output: output)
        let desk = TakeoverServer(
            sockets, tenure.successors, log, arrived: tenure.requests.handOver)
        let admins = sockets.addresses(.admin, configured: configuration.adminAddresses)
        let servers = Servers(
            articles: articles, admin: try adminServer(page, admins, sockets, log),
            control: try ControlServer(backend, store, sockets, desk, log),
            articleAddresses: server.addresses, proxiedAddresses: server.proxiedAddresses,
            redirects: server.redirects,
            adminAddresses: admins)
        let firstKey = FirstKey(store: store, backend: backend, log: log, output: output)
        certificates?.start()
        let end = try await run(servers, firstKey, in: tenure, ready: ready, started: started)
        certificates?.stop()
        logSignals.stop()
        return end
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
        _ servers: Servers, _ firstKey: FirstKey, in tenure: ServerRun, ready: () -> Void,
        started: (Servers) -> Void
    ) async throws(CommandFailure) -> ServerRun.End {
        let log = tenure.log
        // The operator's pages come first: when articles are served, they are watched.
        let watched =
            try servers.admin.map { (server) throws(CommandFailure) in
                try start(server)
            } ?? []
        let listening = try start(servers.articles, ready: ready)
        servers.control.start(log)
        if configuration.operatorKey == nil { try await firstKey.makeIfNeeded() }
        started(servers)
        let attention = tenure.attend(servers)
        defer { attention.end() }
        let tell = { (line: String) in tenure.output.announcements.write(line + "\n") }
        announce(listening, redirects: servers.redirects.count, tell)
        for address in watched {
            tell("metrics on \(address.url("http"))/metrics")
            if !address.isLoopback { log.warning("whoever reaches \(address) reads the metrics") }
        }
        let request = await tenure.requests.next()
        let graceSeconds = Double(configuration.graceSeconds)
        switch request {
        case .conclude: preconditionFailure("programmer error: no successor has the file")
        case .stop:
            tenure.supervisor.stopping()
            log.info("stopping: finishing what is in flight")
            await servers.stop(graceSeconds: graceSeconds)
            log.info("stopped")
            return .stopped
        case .handOver(let successor):
            tenure.supervisor.reloading()
            log.info("handing over to process \(successor.process)")
            let connections = await servers.handOver(graceSeconds: graceSeconds)
            return .yielded(successor, connections, servers)
        }
    }

    /// The server of the operator's own pages, if one is wanted.
    private func adminServer(
        _ page: MetricsPage, _ addresses: [SocketAddress], _ sockets: ListenerSockets,
        _ log: ServerLog
    ) throws(CommandFailure) -> HTTPServer? {
        guard !addresses.isEmpty else { return nil }
        var settings = ServerConfiguration(addresses: addresses)
        settings.open = sockets.opener(.admin)
        settings.maximumConnections = 64
        settings.report = { log.warning($0) }
        settings.hostNames = configuration.transport.hostNames
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

    private func start(
        _ server: HTTPServer, ready: () -> Void = {}
    ) throws(CommandFailure) -> [SocketAddress] {
        do throws(HTTPServerError) {
            return try server.start(ready: ready)
        } catch {
            throw CommandFailure(error.isAddressInUse ? .unavailable : .systemError, "\(error)")
        }
    }

    /// Tells where the server listens; addresses that redirect come last.
    private func announce(
        _ addresses: [SocketAddress], redirects: Int, _ tell: (String) -> Void
    ) {
        let scheme = configuration.transport.certificates.isEmpty ? "http" : "https"
        for address in addresses.dropLast(redirects) {
            tell("listening on \(address.url(scheme))")
        }
        for address in addresses.suffix(redirects) {
            tell("redirecting from \(address.url("http"))")
        }
    }
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
