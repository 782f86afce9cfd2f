import ArticleResources
import ArticleServices
import BroadsheetCommandLine
import BroadsheetHTTP
import BroadsheetHTTPServer

/// The limits for each client of `serve`, and the origins that may read in a browser.
struct ClientsConfiguration: Sendable {
    /// For requests of one address without credentials; `nil` is unlimited.
    var addressRate: RateLimit?
    /// For requests with one key, of one account, or of the readers of one address; `nil` is
    /// unlimited.
    var keyRate: RateLimit?
    var connectionsPerAddress: Int?
    var streams: ChangeStreamLimits
    /// `nil` derives the limit from the largest body.
    var bodyMemoryBytes: Int?
    var crossOrigin: CrossOrigin

    static let options = [
        Option(
            "rate-limit", "N/SECONDS",
            "Requests without credentials per address (IPv6: per /64); more receive 429; off "
                + "disables the limit. Requests from this machine are exempt.",
            default: "12000/60"),
        Option(
            "key-rate-limit", "N/SECONDS",
            "Requests per key, or per account of an author or above; signed-in readers share one "
                + "such limit per address. More receive 429; off disables the limit.",
            default: "60000/60"),
        Option(
            "max-connections-per-address", "N",
            "Maximum concurrent connections per address (IPv6: per /64); more receive 429; 0 "
                + "disables the limit.", default: "1000"),
        Option(
            "max-streams", "N", "Maximum concurrent change streams; more receive 503.",
            default: "10000"),
        Option(
            "max-streams-per-address", "N",
            "Maximum concurrent change streams per address (IPv6: per /64); more receive 429; 0 "
                + "disables the limit. Streams to this machine are exempt.", default: "20"),
        Option(
            "body-memory", "BYTES",
            "Maximum memory for the bodies of all requests; further requests receive 503.",
            default: "134217728"),
        Option(
            "cors-origin", "ORIGIN",
            "Origin whose pages may read responses in a browser: https://app.example.org.",
            repeatable: true),
    ]

    init(_ settings: Settings) throws(CommandFailure) {
        addressRate = try Self.rate("rate-limit", settings, default: "12000/60")
        keyRate = try Self.rate("key-rate-limit", settings, default: "60000/60")
        let connections = try settings.integer(
            "max-connections-per-address", in: 0...1_000_000, default: 1_000)
        connectionsPerAddress = connections == 0 ? nil : connections
        streams = ChangeStreamLimits()
        streams.total = try settings.integer(
            "max-streams", in: 0...1_000_000, default: streams.total)
        let streamsPerAddress = try settings.integer(
            "max-streams-per-address", in: 0...1_000_000, default: 20)
        streams.perAddress = streamsPerAddress == 0 ? nil : streamsPerAddress
        bodyMemoryBytes = try settings.parsed(
            "body-memory", expecting: "a whole number from 1048576 to 1099511627776"
        ) {
            Int($0).flatMap { (1 << 20)...(1 << 40) ~= $0 ? $0 : nil }
        }
        crossOrigin = CrossOrigin()
        for value in settings.all("cors-origin") where !crossOrigin.add(value.text) {
            throw settings.wrong(
                value, "not an origin as browsers send it: https://app.example.org")
        }
    }

    private static func rate(
        _ name: String, _ settings: Settings, default defaultValue: String
    ) throws(CommandFailure) -> RateLimit? {
        let value =
            settings.all(name).last ?? Settings.Value(text: defaultValue, origin: "--\(name)")
        if value.text == "off" { return nil }
        guard let limit = RateLimit(value.text) else {
            throw settings.wrong(
                value, "neither off nor a number of requests and seconds, such as 12000/60")
        }
        return limit
    }

    /// Copies all settings to the server configuration.
    func apply(to server: inout ServerConfiguration) throws(CommandFailure) {
        server.limits.addressRate = addressRate
        server.limits.keyRate = keyRate
        server.limits.connectionsPerAddress = connectionsPerAddress
        server.crossOrigin = crossOrigin
        // A quarter is reserved for small bodies.
        let largest = server.limits.message.bodyBytes
        if let bodyMemoryBytes {
            guard largest <= bodyMemoryBytes / 4 * 3 else {
                throw CommandFailure(
                    .usage, "--body-memory must be at least 4/3 of --max-body-bytes")
            }
            server.limits.bodyMemoryBytes = bodyMemoryBytes
        } else {
            server.limits.bodyMemoryBytes = max(server.limits.bodyMemoryBytes, 2 * largest)
        }
    }
}
