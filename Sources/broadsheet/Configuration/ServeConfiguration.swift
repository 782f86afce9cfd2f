import ArticleAPI
import ArticleServices
import ArticleStore
import HTTP
import HTTPServer
import SQLiteStore
import Sockets

/// Everything that `serve` can be told.
struct ServeConfiguration: Sendable {
    var addresses: [SocketAddress]
    /// Where metrics are; empty: nowhere.
    var adminAddresses: [SocketAddress]
    var databasePath: String
    var loops: Int?
    var maximumConnections: Int
    var store: SQLiteConfiguration
    var graceSeconds: Int
    var limits: ServerLimits
    var transport: TransportConfiguration
    var clients: ClientsConfiguration
    var log: LogStyle
    var logLevel: LogLevel
    var defaultLanguage: LanguageTag
    var operatorKey: OperatorKey?
    var withSamples: Bool
    var cacheBytes: Int
    /// Whether a process that serves the file is to hand it over.
    var takesOver: Bool

    /// How the access log reads.
    enum LogStyle: String, Sendable, CaseIterable {
        /// `text` on a terminal, `json` otherwise.
        case auto
        case text, json, off

        /// Whether the server's own lines are JSON.
        var isJSON: Bool {
            switch self {
            case .auto, .off: !Console.errorIsTerminal
            case .text: false
            case .json: true
            }
        }
    }

    static let options =
        ownOptions + ClientsConfiguration.options + TransportConfiguration.options

    private static let ownOptions = [
        Option(
            "listen", "ADDRESS", "host:port, [v6]:port or unix:PATH; port 0: any free one",
            default: "127.0.0.1:8080", repeatable: true),
        Option(
            "admin-listen", "ADDRESS", "where GET /metrics is, for the operator alone",
            repeatable: true),
        CommonOptions.database,
        Option("loops", "N", "event loops", default: "one a core"),
        Option("max-connections", "N", "open at once; 503 beyond", default: "12000"),
        Option("max-body-bytes", "BYTES", "of a request's body; 413 beyond", default: "3145728"),
        Option("head-timeout", "SECONDS", "for a request's head", default: "10"),
        Option("body-timeout", "SECONDS", "for a request's body in all", default: "60"),
        Option("body-rate", "BYTES", "a second, at least, after 5 s of a body", default: "240"),
        Option("idle-timeout", "SECONDS", "between requests", default: "75"),
        Option("write-timeout", "SECONDS", "without progress of an answer", default: "30"),
        Option(
            "handler-timeout", "SECONDS", "to make an answer; beyond, 503, or a write is cut off",
            default: "30"),
        Option("grace", "SECONDS", "to finish what is in flight when stopped", default: "8"),
        Option("readers", "N", "connections that read the database", default: "3"),
        Option(
            "queue-depth", "N", "waiting reads, and waiting writes; 503 beyond", default: "1024"),
        Option(
            "response-memory", "BYTES",
            "of responses in the making, until they are sent; reads wait beyond",
            default: "\(WorkerPool.defaultLimitBytes)"),
        Option(
            "cache-bytes", "BYTES", "of public answers kept in memory; 0: none",
            default: "\(Backend.standardCacheBytes)"),
        Option(
            "log", "STYLE", "auto, text, json or off: the access log on stderr", default: "auto"),
        Option(
            "log-level", "LEVEL", "error, warning, info or debug; SIGUSR1: more, SIGUSR2: less",
            default: "info"),
        Option("language", "TAG", "of articles that name none (BCP 47)", default: "en"),
        Option("admin-key-file", "FILE", "holds the admin key: 32 to 200 printable characters"),
        Option("admin-key", "KEY", "the same, by BROADSHEET_ADMIN_KEY only"),
        Option("samples", nil, "fills an empty database with the bundled sample articles"),
        Option(
            "take-over", nil, "from the process that serves the file, if there is one, unnoticed"),
        CommonOptions.config,
    ]

    init(_ settings: Settings) throws(CommandFailure) {
        try settings.refuseOperands()
        transport = try TransportConfiguration(settings)
        clients = try ClientsConfiguration(settings)
        addresses = try settings.addresses(
            "listen", default: transport.proxied.isEmpty ? "127.0.0.1:8080" : nil)
        adminAddresses = try settings.addresses("admin-listen")
        databasePath = settings.database
        loops = try settings.parsed("loops", expecting: "a whole number from 1 to 256") {
            Int($0).flatMap { (1...256).contains($0) ? $0 : nil }
        }
        maximumConnections = try settings.integer(
            "max-connections", in: 1...1_000_000, default: 12_000)
        store = try Self.store(settings)
        graceSeconds = try settings.integer("grace", in: 0...3_600, default: 8)
        limits = try Self.limits(settings)
        log = try settings.choice("log", default: .auto)
        logLevel =
            try settings.parsed("log-level", expecting: "one of error, warning, info, debug") {
                LogLevel($0)
            } ?? .info
        defaultLanguage = try settings.language("language", default: "en")
        operatorKey = try Self.operatorKey(settings)
        withSamples = try settings.isOn("samples")
        takesOver = try settings.isOn("take-over")
        cacheBytes = try settings.integer(
            "cache-bytes", in: 0...(1 << 40), default: Backend.standardCacheBytes)
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
        func time(_ name: String, _ standard: Int64) throws(CommandFailure) -> Int64 {
            let seconds = try settings.integer(
                name, in: 1...86_400, default: Int(standard / 1_000))
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

    /// The admin key of an unattended start. It never stands on the command line, where every user
    /// of the machine can read it.
    private static func operatorKey(_ settings: Settings) throws(CommandFailure) -> OperatorKey? {
        let wanted = "32 to 200 printable ASCII characters without spaces"
        let file = settings.all("admin-key-file").last
        // A flag wins over a variable, also where the one names a file and the other has the key.
        let isFileWanted = file.map { $0.origin.hasPrefix("--") } ?? false
        if let value = settings.all("admin-key").last, !isFileWanted || value.origin.hasPrefix("-")
        {
            guard value.origin == "BROADSHEET_ADMIN_KEY" else {
                throw CommandFailure(
                    value.origin.hasPrefix("-") ? .usage : .configuration,
                    "\(value.origin): give the key by BROADSHEET_ADMIN_KEY or --admin-key-file")
            }
            guard let key = OperatorKey(value.text) else {
                throw CommandFailure(.configuration, "BROADSHEET_ADMIN_KEY: needs \(wanted)")
            }
            return key
        }
        guard let path = file?.text else { return nil }
        var bytes = try Files.read(path, limitBytes: 1_024)
        while let last = bytes.last, last == 10 || last == 13 { bytes.removeLast() }
        guard let key = OperatorKey(String(decoding: bytes, as: UTF8.self)) else {
            throw CommandFailure(.configuration, "--admin-key-file: \(path) needs \(wanted)")
        }
        return key
    }
}

extension Settings {
    var database: String { text("database") ?? "broadsheet.db" }

    func refuseOperands() throws(CommandFailure) {
        guard let first = operands.first else { return }
        throw CommandFailure(.usage, "\"\(first)\" has no meaning here; see --help")
    }

    /// A BCP 47 language tag.
    func language(_ name: String, default standard: String) throws(CommandFailure) -> LanguageTag {
        let value = all(name).last ?? Value(text: standard, origin: "--\(name)")
        guard let tag = LanguageTag(value.text) else {
            throw wrong(value, "not a BCP 47 language tag")
        }
        return tag
    }

    /// The addresses to listen on.
    func addresses(
        _ name: String, default standard: String? = nil
    ) throws(CommandFailure) -> [SocketAddress] {
        let given = all(name)
        let otherwise = standard.map { [Value(text: $0, origin: "--\(name)")] } ?? []
        let values = given.isEmpty ? otherwise : given
        var addresses: [SocketAddress] = []
        for value in values {
            do {
                addresses += try SocketAddress.resolve(value.text)
            } catch { throw wrong(value, "no address: \(error)") }
        }
        return addresses
    }
}
