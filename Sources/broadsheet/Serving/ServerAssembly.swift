import ArticleAPI
import ArticleAccounts
import ArticleConnectors
import ArticleDatabase
import ArticleOperations
import ArticleResources
import ArticleServiceCore
import ArticleServices
import ArticleStore
import BroadsheetCommandLine
import BroadsheetHTTPClient
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets
import FoundationEssentials

/// The parts of a serving process, over one store: they are chosen and connected here. Nothing has
/// been started yet.
struct ServerAssembly {
    let servers: Servers
    let backend: Backend
    let publisher: Publisher
    let streams: ChangeStreams
    let cleanupTask: CleanupTask
    let indexer: SearchIndexer
    let webhooks: Webhooks
    let poller: SourcePoller
    /// `nil` if none are configured.
    let providers: OpenIDProviders?
    let feeds: FeedSettings
    let firstKey: InitialKey
    let consoleLinks: ConsoleLinks
    let statistics: StatisticsRecorder
    let monitor: StateMonitor
    let logSignals: LogSignals

    init(
        _ configuration: ServeConfiguration, over store: any SQLStore, in serverRun: ServerRun
    ) async throws(CommandFailure) {
        let (log, sockets, output) = (serverRun.log, serverRun.sockets, serverRun.output)
        let system = serverRun.system
        store.notices.receive { log.warning($0) }
        providers = Self.providers(configuration, serverRun)
        feeds = configuration.feeds.settings
        let backend = try await Self.backend(
            configuration, over: store, providers, feeds, serverRun)
        self.backend = backend
        publisher = backend.publisher
        streams = backend.streams
        cleanupTask = backend.cleanupTask
        indexer = backend.indexer
        webhooks = try await Self.webhooks(configuration, of: backend, serverRun)
        poller = Self.poller(configuration, of: backend, serverRun)
        let accessLog = configuration.log == .off ? nil : AccessLog(output.errors, system: system)
        logSignals = LogSignals(log, accessLog)
        firstKey = InitialKey(
            store: store, backend: backend, log: log, output: output, system: system)
        consoleLinks = backend.consoleLinks

        let meters = MetricsPage.Meters()
        var settings = try Self.articleSettings(configuration, serverRun)
        settings.tls = serverRun.certificates?.server
        settings.observers = [meters.exchanges]
        settings.handshakeObservers = [meters.handshakes] + (accessLog.map { [$0] } ?? [])
        settings.accessLog = accessLog
        backend.addCache(to: &settings)
        let articles = HTTPServer(settings, router: try Self.checked(backend.router))

        let page = MetricsPage(
            server: articles, meters: meters, backend: backend, webhooks: webhooks,
            poller: poller, store: store, certificates: serverRun.certificates,
            startedAt: system.now, output: output, system: system)
        statistics = StatisticsRecorder(page, serverRun.certificates)
        backend.report(statistics)
        monitor = StateMonitor(store, backend.health, log, system)
        let admins = sockets.addresses(.admin, configured: configuration.adminAddresses)
        let takeovers = TakeoverServer(
            sockets, serverRun.successors, log, arrived: serverRun.handOver)
        let migrations = MigrationServer(
            store, configuration.databasePath, serverRun.successors, log, system)
        servers = Servers(
            articles: articles,
            admin: try Self.adminServer(page, admins, configuration, serverRun),
            control: try ControlServer(backend, store, sockets, takeovers, migrations, log, system),
            articleAddresses: settings.addresses, proxiedAddresses: settings.proxiedAddresses,
            redirects: settings.redirects, adminAddresses: admins)
    }

    private static func backend(
        _ configuration: ServeConfiguration, over store: any SQLStore,
        _ providers: OpenIDProviders?, _ feeds: FeedSettings, _ serverRun: ServerRun
    ) async throws(CommandFailure) -> Backend {
        let log = serverRun.log
        do throws(StoreError) {
            return try await Backend(
                store: store, file: store, operatorKey: configuration.operatorKey,
                defaultLanguage: configuration.defaultLanguage.text,
                cacheBytes: configuration.cacheBytes,
                streamLimits: configuration.clients.streams,
                comments: configuration.comments.rules, accounts: configuration.users.accounts,
                providers: providers, hasConsole: configuration.hasConsole, feeds: feeds,
                sourcePolicy: configuration.sources.policy,
                retention: configuration.retention.rules, version: Version.number,
                system: serverRun.system, log: { log.error($0) }, progress: { log.info($0) })
        } catch { throw CommandFailure(error, at: configuration.databasePath) }
    }

    /// Returns the environment of outbound requests, made of a client of these connections and the
    /// environment of this process.
    private static func outbound(
        _ connections: HTTPClientConfiguration, timeout: Duration = .seconds(10),
        in system: SystemEnvironment
    ) -> OutboundEnvironment {
        OutboundEnvironment(
            agent: "Broadsheet/\(Version.number)", exchange: OutboundClient(connections).exchange,
            timeout: timeout, system: system)
    }

    /// The providers of people who sign in, which are asked for their keys when they are needed.
    private static func providers(
        _ configuration: ServeConfiguration, _ serverRun: ServerRun
    ) -> OpenIDProviders? {
        guard !configuration.openID.providers.isEmpty else { return nil }
        return OpenIDProviders(
            configuration.openID.providers,
            in: outbound(configuration.outbound, in: serverRun.system),
            log: { [log = serverRun.log] in log.warning($0) })
    }

    private static func webhooks(
        _ configuration: ServeConfiguration, of backend: Backend, _ serverRun: ServerRun
    ) async throws(CommandFailure) -> Webhooks {
        let log = serverRun.log
        do throws(StoreError) {
            return try await backend.webhooks(
                to: configuration.webhooks.receivers,
                in: outbound(
                    Webhooks.connections(configuration.outbound), in: serverRun.system)
            ) { notice in
                switch notice.event {
                case .failing: log.warning("\(notice)")
                case .recovered: log.info("\(notice)")
                case .reset: log.error("\(notice)")
                }
            }
        } catch { throw CommandFailure(error, at: configuration.databasePath) }
    }

    private static func poller(
        _ configuration: ServeConfiguration, of backend: Backend, _ serverRun: ServerRun
    ) -> SourcePoller {
        let connections = configuration.sources.policy.connections(configuration.outbound)
        return backend.sourcePoller(
            in: outbound(connections, timeout: .seconds(60), in: serverRun.system),
            intervalSeconds: configuration.sources.intervalSeconds,
            report: { [log = serverRun.log] in log.warning("\($0)") })
    }

    /// The settings of the server of articles that come from the configuration and the sockets.
    private static func articleSettings(
        _ configuration: ServeConfiguration, _ serverRun: ServerRun
    ) throws(CommandFailure) -> ServerConfiguration {
        let (sockets, log) = (serverRun.sockets, serverRun.log)
        var settings = ServerConfiguration(
            addresses: sockets.addresses(.articles, configured: configuration.addresses),
            loops: configuration.loops ?? ProcessInfo.processInfo.activeProcessorCount,
            system: serverRun.system)
        settings.limitConnections = configuration.limitConnections
        settings.limits = configuration.limits
        settings.rejections = { Problem.response($0) }
        settings.report = { log.warning($0) }
        configuration.transport.apply(to: &settings)
        try configuration.clients.apply(to: &settings)
        settings.redirects = sockets.addresses(.redirect, configured: settings.redirects)
        settings.proxiedAddresses = sockets.addresses(
            .proxied, configured: settings.proxiedAddresses)
        settings.open = sockets.opener(.articles)
        settings.openProxied = sockets.opener(.proxied)
        settings.openRedirect = sockets.opener(.redirect)
        return settings
    }

    /// The server of the admin pages, if there are addresses for it.
    private static func adminServer(
        _ page: MetricsPage, _ addresses: [SocketAddress], _ configuration: ServeConfiguration,
        _ serverRun: ServerRun
    ) throws(CommandFailure) -> HTTPServer? {
        guard !addresses.isEmpty else { return nil }
        var settings = ServerConfiguration(addresses: addresses, system: serverRun.system)
        settings.open = serverRun.sockets.opener(.admin)
        settings.limitConnections = 64
        settings.report = { [log = serverRun.log] in log.warning($0) }
        settings.hostNames = configuration.transport.hostNames
        settings.rejections = { Problem.response($0) }
        return HTTPServer(
            settings,
            router: try checked { () throws(RouterError) in try AdminRoutes.router(page) })
    }

    /// Conflicting routes are a defect of this program.
    private static func checked(
        _ make: () throws(RouterError) -> HTTPRouter
    ) throws(CommandFailure) -> HTTPRouter {
        do throws(RouterError) { return try make() } catch {
            throw CommandFailure(.software, "\(error)")
        }
    }
}
