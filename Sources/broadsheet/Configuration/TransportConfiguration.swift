import HTTPServer
import Sockets

/// What `serve` is told of TLS and of proxies in front.
struct TransportConfiguration: Sendable {
    var certificates: [CertificateFiles.Paths]
    var profile: TLSProfile
    var redirects: [SocketAddress]
    var strictTransportSeconds: Int?
    var trustedProxies: NetworkList
    /// Where connections begin with PROXY protocol.
    var proxied: [SocketAddress]
    /// By which names clients on loopback may call the server.
    var hostNames: HostNames

    static let options = [
        Option(
            "tls-certificate", "FILE", "PEM with its chain; TCP listeners speak TLS then",
            repeatable: true),
        Option("tls-key", "FILE", "of the certificate at the same place, PEM", repeatable: true),
        Option(
            "tls-profile", "NAME", "intermediate (TLS 1.2, 1.3) or modern (1.3)",
            default: "intermediate"),
        Option("handshake-timeout", "SECONDS", "for a TLS handshake", default: "10"),
        Option(
            "redirect-http", "ADDRESS", "where plain HTTP is sent to https (308)",
            repeatable: true),
        Option("hsts", "SECONDS", "for which browsers shall use https alone"),
        Option(
            "trusted-proxy", "NETWORK",
            "a.b.c.d/n, v6/n or unix: may say for whom it speaks, and whether by TLS",
            repeatable: true),
        Option(
            "proxy-protocol", "ADDRESS",
            "listens for trusted proxies that speak PROXY protocol v2", repeatable: true),
        Option(
            "host", "NAME",
            "a name that clients use for loopback addresses, beside localhost; 421 for others",
            repeatable: true),
    ]

    init(_ settings: Settings) throws(CommandFailure) {
        let chains = settings.all("tls-certificate")
        let keys = settings.all("tls-key")
        guard chains.count == keys.count else {
            throw CommandFailure(
                .usage, "each --tls-certificate needs its --tls-key, in the same order")
        }
        certificates = zip(chains, keys).map { .init(certificate: $0.text, key: $1.text) }
        profile = try settings.choice("tls-profile", default: .intermediate)
        redirects = try settings.addresses("redirect-http")
        strictTransportSeconds = try settings.parsed(
            "hsts", expecting: "a whole number from 0 to 3153600000"
        ) {
            Int($0).flatMap { (0...3_153_600_000).contains($0) ? $0 : nil }
        }
        trustedProxies = NetworkList()
        for value in settings.all("trusted-proxy") where !trustedProxies.add(value.text) {
            throw settings.wrong(value, "no network: 10.0.0.0/8, 2001:db8::/32, ::1 or unix")
        }
        proxied = try settings.addresses("proxy-protocol")
        hostNames = HostNames()
        for value in settings.all("host") where !hostNames.add(value.text) {
            throw settings.wrong(value, "not a host name: articles.example.org")
        }
        guard proxied.isEmpty || !trustedProxies.isEmpty else {
            throw CommandFailure(
                .usage, "--proxy-protocol needs --trusted-proxy: others are not listened to")
        }
        guard certificates.isEmpty, !redirects.isEmpty || strictTransportSeconds != nil else {
            return
        }
        throw CommandFailure(
            .usage, "--redirect-http and --hsts need --tls-certificate and --tls-key")
    }

    /// Refuses sockets of a supervisor that could not be served: what they need is the same as
    /// for flags of their meaning.
    func check(activated sockets: ListenerSockets) throws(CommandFailure) {
        let roles = sockets.all.filter(\.isActivated).map(\.role)
        if roles.contains(.proxied), trustedProxies.isEmpty {
            throw CommandFailure(
                .configuration, "a socket named proxied needs --trusted-proxy: others are refused")
        }
        if roles.contains(.redirect), certificates.isEmpty {
            throw CommandFailure(
                .configuration, "a socket named redirect needs --tls-certificate and --tls-key")
        }
    }

    /// Tells the server everything but the certificates.
    func apply(to server: inout ServerConfiguration) {
        server.redirects = redirects
        server.strictTransportSeconds = strictTransportSeconds
        server.trustedProxies = trustedProxies
        server.proxiedAddresses = proxied
        server.hostNames = hostNames
    }
}
