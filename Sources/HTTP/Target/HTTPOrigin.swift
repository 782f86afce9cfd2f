/// The destination of requests: a scheme with host and port (RFC 9110 §4.3.1), or a Unix socket.
public struct HTTPOrigin: Sendable, Hashable {
    public enum Scheme: String, Sendable, Hashable {
        case http, https

        /// The default port of the scheme.
        public var defaultPort: UInt16 { self == .http ? 80 : 443 }
    }

    public enum Place: Sendable, Hashable {
        /// A name in lower case, an IPv4 address, or an IPv6 address in brackets.
        case host(String, port: UInt16)
        /// The path of a Unix socket on this machine.
        case unix(String)
    }

    public let scheme: Scheme
    public let place: Place

    public init(_ scheme: Scheme, _ authority: Authority) {
        self.scheme = scheme
        place = .host(
            authority.host.lowercased(), port: authority.port ?? scheme.defaultPort)
    }

    /// The Unix socket at this path, over which plain HTTP is spoken.
    public init(unixSocket path: String) {
        scheme = .http
        place = .unix(path)
    }

    /// Parses `http://host:port`, `https://[v6]` or `unix:/path`; `nil` for anything else,
    /// including a path after the authority.
    public init?(_ text: String) {
        if text.hasPrefix("unix:") {
            guard text.utf8.count > 5 else { return nil }
            self.init(unixSocket: String(text.dropFirst(5)))
            return
        }
        guard let mark = text.firstIndex(of: ":"), text[mark...].hasPrefix("://"),
            let scheme = Scheme(rawValue: text[..<mark].lowercased()),
            let authority = Authority(Array(text[mark...].dropFirst(3).utf8))
        else { return nil }
        self.init(scheme, authority)
    }

    /// The value of `Host` (RFC 9110 §7.2).
    public var authority: String {
        switch place {
        case .host(let host, let port) where port == scheme.defaultPort: host
        case .host(let host, let port): "\(host):\(port)"
        case .unix: "localhost"
        }
    }

    /// Whether requests to it stay on this machine. Names below `localhost` do not count: whether
    /// they are resolved locally or by DNS is up to the resolver.
    public var isLoopback: Bool {
        switch place {
        case .unix: true
        case .host(let host, _):
            host == "localhost" || host == "[::1]"
                || host.hasPrefix("127.") && host.utf8.allSatisfy { $0 == 46 || 48...57 ~= $0 }
        }
    }
}

extension HTTPOrigin: CustomStringConvertible {
    public var description: String {
        if case .unix(let path) = place { "unix:\(path)" } else { "\(scheme)://\(authority)" }
    }
}
