import ArticleAPI
public import ArticleAccounts
import ArticleAdminAPI
public import ArticleConnectors
public import ArticleOperations
public import ArticleResources
public import ArticleServiceCore
public import ArticleStore
public import BroadsheetHTTPServer
public import BroadsheetPlatform

/// The services over one store and their routes: everything between the sockets and the database
/// file.
public struct Backend: Sendable {
    public let store: any ArticleStore
    /// Publishes scheduled articles while its `run` is called.
    public let publisher: Publisher
    /// Feeds the change streams while its `run` is called.
    public let streams: ChangeStreams
    public let cleanupTask: CleanupTask
    /// Indexes articles for the search while its `run` is called.
    public let indexer: SearchIndexer
    let access: Authenticator
    let sessions: SessionService
    let users: UserService
    let me: MeService
    let exports: AccountExports
    private let cursors: CursorSealer
    let responses: PublicResponseCache
    private let writes: IdempotentWrites
    private let commits: CommitTokens
    private let markdown: MarkdownRenderer
    package let admin: AdminService
    let articles: ArticleService
    let comments: CommentService
    let bookmarks: BookmarkService
    let changes: ChangeService
    package let search: SearchService
    let feeds: FeedService
    let sources: SourceService
    private let defaultLanguage: String
    let description: DescriptionService
    let hasConsole: Bool
    let statistics = StatisticsService()
    private let isDraining = Lock(false)
    let imports: FileImportService
    let purges: PurgeService
    /// The links with which the operator signs in to the console.
    public let consoleLinks: ConsoleLinks
    private let system: SystemEnvironment
    let log: @Sendable (String) -> Void

    /// Reads keys and secrets from the store.
    ///
    /// - Parameters:
    ///   - file: maintenance of the store's database file.
    ///   - operatorKey: an admin key in addition to those in the store.
    ///   - renderers: those of the process, if it has several backends; `nil` for new ones.
    ///   - defaultLanguage: the language of articles that do not specify one (BCP 47).
    ///   - cacheBytes: the size of the cache for public responses; 0 disables it.
    ///   - streamLimits: the maximum open change streams.
    ///   - comments: the permission to comment, and its limits.
    ///   - accounts: the permission to sign up, and the hashing of passwords; `nil` for the
    ///     defaults.
    ///   - providers: identify people who sign in; `nil` if there are none.
    ///   - hasConsole: true if browsers get the console.
    ///   - feeds: the title of feeds, and the URLs in them.
    ///   - sourcePolicy: the permitted addresses of sources.
    ///   - retention: the limits of the history that is kept.
    ///   - version: the version of the program, for the description of the API.
    ///   - system: the clocks, the sleep and the random numbers of all services.
    ///   - log: receives causes of errors that are not disclosed to clients.
    ///   - progress: receives reports about long work for the operator.
    public init(
        store: any ArticleStore, file: any StoreMaintenance, operatorKey: OperatorKey? = nil,
        renderers: MarkdownRenderers? = nil, defaultLanguage: String = "en",
        cacheBytes: Int = Backend.defaultCacheBytes,
        streamLimits: ChangeStreamLimits = ChangeStreamLimits(),
        comments: CommentRules = CommentRules(), accounts: AccountConfiguration? = nil,
        providers: OpenIDProviders? = nil, hasConsole: Bool = true,
        feeds: FeedSettings = FeedSettings(addresses: PublicURLs(server: "http://localhost")),
        sourcePolicy: SourcePolicy = SourcePolicy(), retention: RetentionRules = RetentionRules(),
        version: String = "0", system: SystemEnvironment, log: @escaping @Sendable (String) -> Void,
        progress: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws(StoreError) {
        let renderers = renderers ?? MarkdownRenderers(system: system)
        (self.store, markdown, self.defaultLanguage) = (store, renderers.articles, defaultLanguage)
        (self.system, self.log, self.hasConsole) = (system, log, hasConsole)
        description = DescriptionService(version: version)
        publisher = try await Publisher(store: store, system: system, log: log, progress: progress)
        cleanupTask = CleanupTask(
            store: store, retention: retention, system: system, log: log, progress: progress)
        cursors = CursorSealer(secret: try await store.secret(named: "cursors"))
        commits = CommitTokens(store, cursors)
        responses = PublicResponseCache(
            cacheBytes: cacheBytes, store: store, gate: commits.gate, system: system)
        indexer = Self.indexer(store, responses, system, progress: progress, failure: log)
        access = try await Self.authenticator(store, operatorKey, system)
        consoleLinks = ConsoleLinks(access.console)
        writes = IdempotentWrites(
            store: store, secret: try await store.secret(named: "idempotency"), system: system)
        // One for all routers, so that its limits apply to all of their requests together.
        admin = AdminService(
            store: store, keys: access.keys, markdown: markdown, file: file, indexer: indexer,
            system: system)
        articles = ArticleService(
            store: store, cursors: cursors, markdown: markdown, defaultLanguage: defaultLanguage,
            commentRules: comments, system: system)
        self.feeds = FeedService(articles: articles, settings: feeds)
        purges = PurgeService(
            Purger(store: store, file: file, isServed: true, system: system), indexer: indexer,
            responses: responses, system: system, log: progress)
        imports = FileImportService(
            store: store, markdown: markdown, at: file.path, language: defaultLanguage,
            system: system)
        let accounts = if let accounts { accounts } else { try Self.defaultAccounts() }
        self.comments = CommentService(
            store: store, cursors: cursors, renderers: renderers, rules: comments, system: system)
        bookmarks = BookmarkService(store: store, cursors: cursors, system: system)
        sources = SourceService(
            store: store, cursors: cursors, policy: sourcePolicy, signal: PollerWakeup(),
            system: system)
        search = SearchService(articles: articles, indexer: indexer)
        changes = ChangeService(articles: articles, tokens: ChangeTokens(cursors: cursors))
        streams = ChangeStreams(
            changes, scheduler: RequestScheduler(workers: store.workers), access: access,
            limits: streamLimits, system: system, log: log)
        let rules = Self.signUpRules(store, accounts, system: system)
        let throttle = accounts.throttle ?? SignInThrottle(system: system)
        let signIn = SignInService(
            store: store, hasher: accounts.hasher, throttle: throttle,
            providers: providers, rules: rules, system: system)
        sessions = SessionService(
            store: store, access: access, signIn: signIn,
            secret: try await store.secret(named: "sessions"), system: system)
        users = UserService(
            store: store, access: access, hasher: accounts.hasher, rules: rules, cursors: cursors,
            system: system)
        me = MeService(
            store: store, access: access, hasher: accounts.hasher, throttle: throttle,
            system: system)
        exports = AccountExports(store: store, spool: Spool(beside: file.path))
    }

    private static func signUpRules(
        _ store: any ArticleStore, _ accounts: AccountConfiguration,
        system: SystemEnvironment
    ) -> SignUpRules {
        SignUpRules(
            store: store, policy: accounts.signUp,
            throttle: SignUpThrottle(perHour: accounts.signUpsPerHour, system: system),
            system: system)
    }

    private static func indexer(
        _ store: any ArticleStore, _ responses: PublicResponseCache, _ system: SystemEnvironment,
        progress: @escaping @Sendable (String) -> Void,
        failure: @escaping @Sendable (String) -> Void
    ) -> SearchIndexer {
        SearchIndexer(
            store: store, node: store.node, system: system,
            notices: SearchIndexer.Notices(progress: progress, failure: failure),
            published: { [responses] in responses.indexChanged() })
    }

    private static func authenticator(
        _ store: any ArticleStore, _ operatorKey: OperatorKey?, _ system: SystemEnvironment
    ) async throws(StoreError) -> Authenticator {
        let (keys, owners) = try await store.keysWithOwners()
        return Authenticator(
            keys: KeyRing(keys, owners: owners, operatorKey: operatorKey, system: system),
            sessions: SessionCache(store, system: system), system: system)
    }

    private static func defaultAccounts() throws(StoreError) -> AccountConfiguration {
        do throws(PasswordHasher.Unavailable) { return try AccountConfiguration() } catch {
            throw .unavailable("libsodium cannot be initialised")
        }
    }

    // These keep nothing between requests.
    var preview: PreviewService { PreviewService(markdown: markdown) }
    var revisions: RevisionService {
        RevisionService(store: store, cursors: cursors, system: system)
    }
    var tags: TagService { TagService(store: store, cursors: cursors) }
    var authors: AuthorService { AuthorService(store: store, cursors: cursors, system: system) }

    /// 64 MiB.
    public static let defaultCacheBytes = 64 << 20

    /// Statistics of the cache of public responses.
    public var cacheStatistics: ResponseCache.Statistics { responses.cache.statistics }

    /// Responses waiting to be compressed, and bodies waiting to be rendered as HTML.
    public var waitingCompressions: Int { responses.cache.waitingCompressions }
    public var waitingRenderings: Int { markdown.waiting + comments.waitingRenderings }

    /// Applies changes of keys, users and sessions by other processes, until the task is cancelled.
    public func followAccess() async {
        let follower = AccessChangeFollower(store: store, access: access) { [responses] id in
            responses.cache.invalidate([.article(id)])
        }
        await follower.run()
    }

    /// Lets the server's rate limits hold for all servers of the database together, until the task
    /// is cancelled.
    public func shareLimits(of server: HTTPServer) async {
        guard !store.node.isAlone else { return }
        while !Task.isCancelled {
            server.shareLimits(among: max(store.node.serverCount, 1))
            // Cancelled: the loop ends.
            await system.sleep(.seconds(1))
        }
    }

    /// Lets `/readyz` respond with 503 from now on, so that balancers send requests elsewhere.
    public func drain() { isDraining.withLock { $0 = true } }

    /// The service that reports if this server can respond to requests.
    public var health: HealthService {
        HealthService(store: store, publisher: publisher, isDraining: isDraining, log: log)
    }

    /// Shows admins these statistics from now on.
    public func report(_ source: any StatisticsSource) { statistics.begin(from: source) }

    /// Accepts a key that was created or changed after the store's keys were read.
    public func admit(_ key: KeyRecord) { access.keys.admit(key) }

    /// Lets a server of the public API use the cached public responses. On the control socket,
    /// where everybody sees everything, they must not be used.
    public func addCache(to configuration: inout ServerConfiguration) {
        configuration.cache = responses.cache
        configuration.readers = access
        configuration.sessionCookie = hasConsole ? ConsoleService.cookie : nil
    }

    /// The API for everybody; requests that administer the backend require an admin's key.
    public func router() throws(RouterError) -> HTTPRouter {
        var routes = routes(access)
        bindPages(to: &routes)
        return try routes.router()
    }

    /// The API for the operator's commands on the control socket: the same with admin rights and
    /// without a key.
    public func controlRouter() throws(RouterError) -> HTTPRouter {
        var routes = routes(nil)
        if hasConsole { routes.on(CreateConsoleLinkRequest.self, consoleLinks.create) }
        return try routes.router()
    }

    private func routes(_ access: Authenticator?) -> Routes {
        var routes = Routes(
            access: access, responses: responses, workers: store.workers, writes: writes,
            commits: commits, system: system, log: log)
        bindRequests(to: &routes)
        return routes
    }

    /// Webhooks of the public's changes, which send while `run` is called.
    ///
    /// - Parameter receivers: at most `Webhooks.limitReceivers`, with different URLs.
    public func webhooks(
        to receivers: [WebhookReceiver], in environment: OutboundEnvironment,
        report: @escaping @Sendable (WebhookNotice) -> Void
    ) async throws(StoreError) -> Webhooks {
        try await Webhooks(receivers, store: store, changes: changes, environment, report: report)
    }

    /// Polls the sources while its `run` is called, under the policy of the backend.
    ///
    /// - Parameters:
    ///   - intervalSeconds: the time between two polls of a source that does not have its own.
    ///   - report: receives failures of polls.
    public func sourcePoller(
        in environment: OutboundEnvironment,
        intervalSeconds: Int = SourcePoller.defaultIntervalSeconds,
        report: @escaping @Sendable (SourceNotice) -> Void
    ) -> SourcePoller {
        SourcePoller(
            store: store, markdown: markdown, defaultLanguage: defaultLanguage,
            signal: sources.signal, policy: sources.policy, environment,
            intervalSeconds: intervalSeconds, report: report)
    }
}
