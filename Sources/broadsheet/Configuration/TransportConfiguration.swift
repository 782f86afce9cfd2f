import BroadsheetCommandLine
import BroadsheetHTTP2
import BroadsheetHTTPServer
import BroadsheetSockets

/// The TLS and proxy settings of `serve`.
struct TransportConfiguration: Sendable {
    var certificates: [CertificateFiles.Paths]
    var profile: TLSProfile
    var redirects: [SocketAddress]
    var strictTransportSeconds: Int?
    var trustedProxies: NetworkList
    /// Addresses whose connections begin with a PROXY protocol header.
    var proxied: [SocketAddress]
    /// Host names that are accepted on loopback addresses.
    var hostNames: HostNames
    /// True if HTTP/2 is spoken over TLS.
    var speaksHTTP2: Bool
    /// True if HTTP/2 is spoken without TLS.
    var takesCleartextHTTP2: Bool
    var http2: HTTP2Settings

    static let options = [
        Option(
            "tls-certificate", "FILE",
            "Certificate with its chain (PEM); TCP listeners then speak TLS.",
            repeatable: true),
        Option(
            "tls-key", "FILE", "Private key (PEM) for the certificate in the same position.",
            repeatable: true),
        Option(
            "tls-profile", "NAME",
            "TLS profile: intermediate (TLS 1.2 and 1.3) or modern (TLS 1.3 only).",
            default: "intermediate"),
        Option(
            "handshake-timeout", "SECONDS", "Maximum time for a TLS handshake.", default: "10"),
        Option(
            "redirect-http", "ADDRESS", "Address where plain HTTP is redirected to HTTPS (308).",
            repeatable: true),
        Option(
            "hsts", "SECONDS",
            "Time for which browsers must use HTTPS only (Strict-Transport-Security)."),
        Option(
            "trusted-proxy", "NETWORK",
            "CIDR network (or unix) whose forwarding headers are trusted.",
            repeatable: true),
        Option(
            "proxy-protocol", "ADDRESS",
            "Address for trusted proxies that speak PROXY protocol v2.", repeatable: true),
        Option(
            "host", "NAME",
            "Host name to accept on loopback addresses besides localhost; others receive 421.",
            repeatable: true),
        Option("no-http2", nil, "Speak only HTTP/1.1."),
        Option(
            "http2-cleartext", nil,
            "Also accept HTTP/2 without TLS from clients with prior knowledge."),
        Option(
            "http2-streams", "N",
            "Maximum concurrent requests on an HTTP/2 connection; further ones are refused.",
            default: "100"),
        Option(
            "http2-field-bytes", "BYTES",
            "Maximum size of the fields of an HTTP/2 request after decompression; larger requests "
                + "are reset.", default: "65536"),
    ]

    init(_ settings: Settings) throws(CommandFailure) {
        let chains = settings.all("tls-certificate")
        let keys = settings.all("tls-key")
        guard chains.count == keys.count else {
            throw CommandFailure(
                .usage, "each --tls-certificate needs a --tls-key, in the same order")
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
            throw settings.wrong(
                value, "not a network such as 10.0.0.0/8, 2001:db8::/32, ::1 or unix")
        }
        proxied = try settings.addresses("proxy-protocol")
        speaksHTTP2 = try !settings.isOn("no-http2")
        takesCleartextHTTP2 = try settings.isOn("http2-cleartext")
        http2 = HTTP2Settings()
        http2.streams = try settings.integer("http2-streams", in: 1...10_000, default: 100)
        http2.fieldListBytes = try settings.integer(
            "http2-field-bytes", in: 1_024...(1 << 20), default: 64 << 10)
        guard speaksHTTP2 || !takesCleartextHTTP2 else {
            throw CommandFailure(.usage, "--http2-cleartext contradicts --no-http2")
        }
        hostNames = HostNames()
        for value in settings.all("host") where !hostNames.add(value.text) {
            throw settings.wrong(value, "not a host name such as articles.example.org")
        }
        guard proxied.isEmpty || !trustedProxies.isEmpty else {
            throw CommandFailure(
                .usage, "--proxy-protocol needs --trusted-proxy: other peers are rejected")
        }
        guard certificates.isEmpty, !redirects.isEmpty || strictTransportSeconds != nil else {
            return
        }
        throw CommandFailure(
            .usage, "--redirect-http and --hsts need --tls-certificate and --tls-key")
    }

    /// The application protocols over TLS (ALPN), most preferred first.
    var protocols: [String] { speaksHTTP2 ? ["h2", "http/1.1"] : ["http/1.1"] }

    /// Copies all settings except the certificates to the server configuration.
    func apply(to server: inout ServerConfiguration) {
        server.redirects = redirects
        server.strictTransportSeconds = strictTransportSeconds
        server.trustedProxies = trustedProxies
        server.proxiedAddresses = proxied
        server.hostNames = hostNames
        server.http2 = http2
        server.takesCleartextHTTP2 = takesCleartextHTTP2
    }
}
