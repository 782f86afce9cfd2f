import ArticleAPI
import ArticleAccounts
import ArticleDatabase
import ArticleServiceCore
import ArticleServices
import ArticleStore
import BroadsheetCommandLine
import BroadsheetHTTP
import BroadsheetHTTPClient
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets

/// The configuration of `serve`.
struct ServeConfiguration: Sendable {
    var addresses: [SocketAddress]
    /// Addresses that serve metrics; empty if there are none.
    var adminAddresses: [SocketAddress]
    /// The access to the Unix sockets among all addresses.
    var socketAccess: [SocketAddress: SocketAccess]
    var databasePath: String
    var loops: Int?
    var limitConnections: Int
    var store: SQLiteConfiguration
    var graceSeconds: Int
    /// The time to go on serving after SIGTERM, while `/readyz` is 503.
    var drainSeconds: Int
    var limits: ServerLimits
    var transport: TransportConfiguration
    var clients: ClientsConfiguration
    var webhooks: WebhookConfiguration
    var comments: CommentConfiguration
    var feeds: FeedConfiguration
    var sources: SourceConfiguration
    var retention: RetentionConfiguration
    var users: UserConfiguration
    var openID: OpenIDConfiguration
    /// The connections of webhooks, to providers and to sources.
    var outbound: HTTPClientConfiguration
    var log: LogStyle
    var logLevel: LogLevel
    var defaultLanguage: LanguageTag
    var operatorKey: OperatorKey?
    var withSamples: Bool
    /// True if browsers get the console.
    var hasConsole: Bool
    var cacheBytes: Int
    /// True to take over from the process that serves the file.
    var takesOver: Bool
    /// The database that that process serves, if it is another one.
    var formerDatabase: String?

    static let options =
        ownOptions + ClientsConfiguration.options + UserConfiguration.options
        + OpenIDConfiguration.options + CommentConfiguration.options + FeedConfiguration.options
        + SourceConfiguration.options + RetentionConfiguration.options
        + WebhookConfiguration.options + OutboundConfiguration.options
        + TransportConfiguration.options

    private static let ownOptions = [
        Option(
            "listen", "ADDRESS",
            "Address to listen on: host:port, [IPv6]:port or unix:PATH; port 0 picks a free port. "
                + "unix:PATH?mode=0660&group=NAME sets who may connect.",
            default: "127.0.0.1:8080", repeatable: true),
        Option(
            "admin-listen", "ADDRESS",
            "Address that serves GET /metrics; do not expose it to the public.",
            repeatable: true),
        CommonOptions.database,
        Option("loops", "N", "Number of event loops.", default: "one per core"),
        Option(
            "max-connections", "N", "Maximum concurrent connections; further clients receive 503.",
            default: "20000"),
        Option(
            "max-body-bytes", "BYTES", "Maximum size of a request body; larger ones receive 413.",
            default: "3145728"),
        Option(
            "head-timeout", "SECONDS", "Maximum time to receive a request head.", default: "10"),
        Option(
            "body-timeout", "SECONDS", "Maximum time to receive a whole request body.",
            default: "60"),
        Option(
            "body-rate", "BYTES",
            "Minimum upload rate in bytes per second, after a 5 s grace period.", default: "240"),
        Option(
            "idle-timeout", "SECONDS", "Maximum time that a connection may wait between requests.",
            default: "75"),
        Option(
            "write-timeout", "SECONDS", "Maximum time without progress while sending a response.",
            default: "30"),
        Option(
            "handler-timeout", "SECONDS",
            "Maximum time for a handler; reads then receive 503, writes are disconnected.",
            default: "30"),
        Option(
            "grace", "SECONDS", "Maximum time to finish requests in flight when stopping.",
            default: "8"),
        Option(
            "drain", "SECONDS",
            "Time to keep serving after SIGTERM while /readyz is 503 for load balancers.",
            default: "0"),
        Option("readers", "N", "Number of database connections for reads.", default: "3"),
        Option(
            "queue-depth", "N",
            "Maximum queued reads, and as many queued writes; further requests receive 503.",
            default: "1024"),
        Option(
            "response-memory", "BYTES",
            "Maximum memory for responses until they are sent; further reads wait.",
            default: "\(WorkerPool.defaultLimitBytes)"),
        Option(
            "cache-bytes", "BYTES",
            "Maximum memory for cached public responses; 0 disables the cache.",
            default: "\(Backend.defaultCacheBytes)"),
        Option(
            "log", "STYLE",
            "Format of the access log on stderr: auto, text, json or off; auto is text on a "
                + "terminal, else json.", default: "auto"),
        Option(
            "log-level", "LEVEL",
            "Log level: error, warning, info or debug; SIGUSR1 logs more, SIGUSR2 less.",
            default: "info"),
        Option(
            "language", "TAG", "Language (BCP 47) of articles that do not specify one.",
            default: "en"),
        Option(
            "admin-key-file", "FILE",
            "File that contains the admin key: 32 to 200 printable characters."),
        Option("admin-key", "KEY", "Admin key; accepted only as BROADSHEET_ADMIN_KEY."),
        Option("no-console", nil, "Disable the web console."),
        Option("samples", nil, "Fill an empty database with the bundled sample articles."),
        Option(
            "take-over", nil,
            "Take over sockets and the database from the running server, if any."),
        Option(
            "take-over-from", "DATABASE",
            "Take over from the server whose database migrate has copied to this one."),
        CommonOptions.config,
    ]

    init(_ settings: Settings) throws(CommandFailure) {
        try settings.rejectOperands()
        transport = try TransportConfiguration(settings)
        clients = try ClientsConfiguration(settings)
        webhooks = try WebhookConfiguration(settings)
        comments = try CommentConfiguration(settings)
        feeds = try FeedConfiguration(settings)
        sources = try SourceConfiguration(settings)
        retention = try RetentionConfiguration(settings)
        users = try UserConfiguration(settings)
        openID = try OpenIDConfiguration(settings)
        outbound = try OutboundConfiguration.connections(settings)
        addresses = try settings.addresses(
            "listen", default: transport.proxied.isEmpty ? "127.0.0.1:8080" : nil)
        adminAddresses = try settings.addresses("admin-listen")
        socketAccess = try settings.socketAccess(
            of: ["listen", "admin-listen", "proxy-protocol", "redirect-http"])
        databasePath = settings.database
        loops = try settings.parsed("loops", expecting: "a whole number from 1 to 256") {
            Int($0).flatMap { (1...256).contains($0) ? $0 : nil }
        }
        limitConnections = try settings.integer(
            "max-connections", in: 1...1_000_000, default: 20_000)
        store = try Self.store(settings)
        graceSeconds = try settings.integer("grace", in: 0...3_600, default: 8)
        drainSeconds = try settings.integer("drain", in: 0...3_600, default: 0)
        limits = try Self.limits(settings)
        log = try settings.choice("log", default: .auto)
        logLevel =
            try settings.parsed("log-level", expecting: "one of error, warning, info, debug") {
                LogLevel($0)
            } ?? .info
        defaultLanguage = try settings.language("language", default: "en")
        operatorKey = try Self.operatorKey(settings)
        hasConsole = try !settings.isOn("no-console")
        withSamples = try settings.isOn("samples")
        takesOver = try settings.isOn("take-over")
        formerDatabase = settings.text("take-over-from")
        cacheBytes = try settings.integer(
            "cache-bytes", in: 0...(1 << 40), default: Backend.defaultCacheBytes)
    }

    private static func store(_ settings: Settings) throws(CommandFailure) -> SQLiteConfiguration {
        var store = SQLiteConfiguration()
        store.readers = try settings.integer("readers", in: 1...64, default: store.readers)
        store.readQueueDepth = try settings.integer(
            "queue-depth", in: 1...100_000, default: store.readQueueDepth)
        store.writeQueueDepth = store.readQueueDepth
        store.responseBytes = try settings.integer(
            "response-memory", in: (8 << 20)...(1 << 40), default: store.responseBytes)
        return store
    }

    private static func limits(_ settings: Settings) throws(CommandFailure) -> ServerLimits {
        var limits = ServerLimits()
        limits.message.bodyBytes = try settings.integer(
            "max-body-bytes", in: 0...(1 << 30), default: limits.message.bodyBytes)
        func time(_ name: String, _ defaultValue: Int64) throws(CommandFailure) -> Int64 {
            let seconds = try settings.integer(
                name, in: 1...86_400, default: Int(defaultValue / 1_000))
            return Int64(seconds) * 1_000
        }
        limits.handshakeMilliseconds = try time(
            "handshake-timeout", limits.handshakeMilliseconds)
        limits.headMilliseconds = try time("head-timeout", limits.headMilliseconds)
        limits.bodyMilliseconds = try time("body-timeout", limits.bodyMilliseconds)
        limits.bodyBytesPerSecond = Int64(
            try settings.integer(
                "body-rate", in: 1...(1 << 30), default: Int(limits.bodyBytesPerSecond)))
        limits.idleMilliseconds = try time("idle-timeout", limits.idleMilliseconds)
        limits.writeStallMilliseconds = try time("write-timeout", limits.writeStallMilliseconds)
        limits.handlerMilliseconds = try time("handler-timeout", limits.handlerMilliseconds)
        return limits
    }

    /// The admin key of an unattended start. It is not accepted on the command line, where every
    /// user of the machine could read it.
    private static func operatorKey(_ settings: Settings) throws(CommandFailure) -> OperatorKey? {
        let file = settings.all("admin-key-file").last
        // A flag overrides a variable, even if one names a file and the other holds the key.
        let prefersFile = file.map { $0.origin.hasPrefix("--") } ?? false
        if let value = settings.all("admin-key").last, !prefersFile || value.origin.hasPrefix("-") {
            guard value.origin == "BROADSHEET_ADMIN_KEY" else {
                throw CommandFailure(
                    value.origin.hasPrefix("-") ? .usage : .configuration,
                    "\(value.origin): use BROADSHEET_ADMIN_KEY or --admin-key-file for the key")
            }
            guard let key = OperatorKey(value.text) else {
                throw CommandFailure(
                    .configuration, "BROADSHEET_ADMIN_KEY: expected \(Settings.expectedSecret)")
            }
            return key
        }
        return try settings.secret(inFile: "admin-key-file").map { OperatorKey($0) }
    }
}

extension Settings {
    var database: String { text("database") ?? "broadsheet.db" }

    /// Rejects names of databases that have a meaning for SQLite, which opens them as files here,
    /// and URLs of other kinds.
    func rejectNamesThatAreNoFiles() throws(CommandFailure) {
        for name in ["database", "from", "to", "take-over-from"] {
            guard let value = all(name).last, !PostgresAddress.isAddress(value.text) else {
                continue
            }
            let text = value.text
            if text.isEmpty || text.hasPrefix(":") {
                throw wrong(
                    value,
                    "not the path of a file, and a database in memory is not supported: name a "
                        + "file, in /dev/shm to keep it in memory, or ./\(text) if it is the path")
            }
            if text.lowercased().hasPrefix("file:") || text.contains("://") {
                throw wrong(
                    value,
                    "not the path of a file, nor a postgresql:// URL; write a path without "
                        + "\"file:\"")
            }
        }
    }

    func rejectOperands() throws(CommandFailure) {
        guard let first = operands.first else { return }
        throw CommandFailure(.usage, "unexpected argument \"\(first)\"; see --help")
    }

    /// The only operand; `expectation` describes it.
    func operand(_ expectation: String) throws(CommandFailure) -> String {
        guard operands.count == 1 else { throw CommandFailure(.usage, expectation) }
        return operands[0]
    }

    /// A BCP 47 language tag.
    func language(
        _ name: String, default defaultValue: String
    ) throws(CommandFailure) -> LanguageTag {
        let value = all(name).last ?? Value(text: defaultValue, origin: "--\(name)")
        guard let tag = LanguageTag(value.text) else {
            throw wrong(value, "not a BCP 47 language tag")
        }
        return tag
    }

    fileprivate static let expectedSecret = "32 to 200 printable ASCII characters without spaces"

    /// The secret in the file that the option names; line ends after it do not count.
    func secret(inFile name: String) throws(CommandFailure) -> SharedSecret? {
        guard let path = text(name) else { return nil }
        var bytes = try Files.read(path, limitBytes: 1_024)
        while let last = bytes.last, last == 10 || last == 13 { bytes.removeLast() }
        guard let secret = SharedSecret(String(decoding: bytes, as: UTF8.self)) else {
            throw CommandFailure(
                .configuration, "--\(name): \(path): expected \(Self.expectedSecret)")
        }
        return secret
    }

    /// The addresses to listen on.
    func addresses(
        _ name: String, default defaultValue: String? = nil
    ) throws(CommandFailure) -> [SocketAddress] {
        let given = all(name)
        let fallback = defaultValue.map { [Value(text: $0, origin: "--\(name)")] } ?? []
        var addresses: [SocketAddress] = []
        for value in given.isEmpty ? fallback : given {
            addresses += try listening(value).addresses
        }
        return addresses
    }

    /// Returns the access to the Unix sockets that these options name.
    func socketAccess(
        of names: [String]
    ) throws(CommandFailure) -> [SocketAddress: SocketAccess] {
        var found: [SocketAddress: SocketAccess] = [:]
        // Others are names of hosts, which would be resolved once more.
        for value in names.flatMap(all) where value.text.hasPrefix("unix:") {
            let (addresses, access) = try listening(value)
            if let address = addresses.first, let access { found[address] = access }
        }
        return found
    }

    /// Returns an address, with the parameters after the path of a Unix socket:
    /// `unix:PATH?mode=0660&group=NAME`.
    private func listening(
        _ value: Value
    ) throws(CommandFailure) -> (addresses: [SocketAddress], access: SocketAccess?) {
        let text = value.text
        let mark = text.hasPrefix("unix:") ? text.firstIndex(of: "?") : nil
        do {
            let access = try mark.map { try SocketAccess(parsing: String(text[$0...].dropFirst())) }
            return (try SocketAddress.resolve(String(text[..<(mark ?? text.endIndex)])), access)
        } catch { throw wrong(value, "not an address: \(error)") }
    }
}
