import HTTP
import HTTPServer

/// What `serve` is told of its clients: how much each may take, and whose pages may read.
struct ClientsConfiguration: Sendable {
    /// Of one address, without a key; `nil`: any number.
    var addressRate: RateLimit?
    /// Of one key.
    var keyRate: RateLimit?
    var connectionsPerAddress: Int?
    /// `nil`: what suits the largest body.
    var bodyMemoryBytes: Int?
    var crossOrigin: CrossOrigin

    static let options = [
        Option(
            "rate-limit", "N/SECONDS",
            "requests of an address, or IPv6 network (/64), without a key; 429 beyond; off: any "
                + "number; this machine's own are not counted", default: "12000/60"),
        Option(
            "key-rate-limit", "N/SECONDS", "requests with a key; 429 beyond; off: any number",
            default: "60000/60"),
        Option(
            "max-connections-per-address", "N",
            "open at once, of an address as above; 429 beyond; 0: any number", default: "1000"),
        Option(
            "body-memory", "BYTES", "of all requests' bodies at once; 503 beyond",
            default: "134217728"),
        Option(
            "cors-origin", "ORIGIN",
            "https://app.example.org: whose pages may read answers in a browser", repeatable: true),
    ]

    init(_ settings: Settings) throws(CommandFailure) {
        addressRate = try Self.rate("rate-limit", settings, default: "12000/60")
        keyRate = try Self.rate("key-rate-limit", settings, default: "60000/60")
        let connections = try settings.integer(
            "max-connections-per-address", in: 0...1_000_000, default: 1_000)
        connectionsPerAddress = connections == 0 ? nil : connections
        bodyMemoryBytes = try settings.parsed(
            "body-memory", expecting: "a whole number from 1048576 on"
        ) {
            Int($0).flatMap { (1 << 20)...(1 << 40) ~= $0 ? $0 : nil }
        }
        crossOrigin = CrossOrigin()
        for value in settings.all("cors-origin") where !crossOrigin.add(value.text) {
            throw settings.wrong(
                value, "no origin as browsers write it: https://app.example.org")
        }
    }

    private static func rate(
        _ name: String, _ settings: Settings, default standard: String
    ) throws(CommandFailure) -> RateLimit? {
        let value = settings.all(name).last ?? Settings.Value(text: standard, origin: "--\(name)")
        if value.text == "off" { return nil }
        guard let limit = RateLimit(value.text) else {
            throw settings.wrong(value, "neither off nor requests and seconds, as in 12000/60")
        }
        return limit
    }

    /// Tells the server everything.
    func apply(to server: inout ServerConfiguration) throws(CommandFailure) {
        server.limits.addressRate = addressRate
        server.limits.keyRate = keyRate
        server.limits.connectionsPerAddress = connectionsPerAddress
        server.crossOrigin = crossOrigin
        // A quarter is kept for small bodies.
        let largest = server.limits.message.bodyBytes
        if let bodyMemoryBytes {
            guard largest <= bodyMemoryBytes / 4 * 3 else {
                throw CommandFailure(
                    .usage, "--body-memory has to be 4/3 of --max-body-bytes at least")
            }
            server.limits.bodyMemoryBytes = bodyMemoryBytes
        } else {
            server.limits.bodyMemoryBytes = max(server.limits.bodyMemoryBytes, 2 * largest)
        }
    }
}
