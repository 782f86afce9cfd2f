/// A host with an optional port, as in `Host` (RFC 9110 §7.2, RFC 3986 §3.2).
///
/// The host is valid, but kept as it was sent: names are compared without case.
///
/// ```swift
/// let authority = Authority(Array("[2001:db8::1]:8080".utf8))
/// let port = authority?.port ?? 80
/// ```
public struct Authority: Sendable, Hashable {
    /// A name, an IPv4 address, or an IPv6 address in brackets.
    public let host: String
    public let port: UInt16?

    /// Parses these octets; `nil` for user information, an empty host, an invalid port or octets
    /// that are not allowed in a host.
    public init?(_ bytes: [UInt8]) {
        // An array has a span only from macOS 26 on; a slice has one everywhere.
        let octets = bytes[...]
        guard let hostEnd = Self.hostEnd(octets.span),
            let port = Self.port(octets.span, after: hostEnd)
        else { return nil }
        host = String(decoding: bytes[..<hostEnd], as: UTF8.self)
        self.port = port.isGiven ? port.number : nil
    }

    /// Returns true if the octets are a valid authority, without creating one.
    static func isValid(_ bytes: borrowing Span<UInt8>) -> Bool {
        guard let hostEnd = hostEnd(bytes) else { return false }
        return port(bytes, after: hostEnd) != nil
    }

    /// Returns the offset at which a valid host ends; `nil` without one.
    private static func hostEnd(_ bytes: borrowing Span<UInt8>) -> Int? {
        guard bytes.count > 0 else { return nil }
        if bytes[0] == UInt8(ascii: "[") {
            var close = 1
            while close < bytes.count, bytes[close] != UInt8(ascii: "]") { close += 1 }
            guard close < bytes.count else { return nil }
            let address = bytes.extracting(1..<close).withUnsafeBufferPointer { Array($0) }
            return IPv6Literal.isValid(address[...]) ? close + 1 : nil
        }
        var end = 0
        // Invariant: the octets before `end` belong to a registered name (RFC 3986 §3.2.2).
        while end < bytes.count, hostOctets.contains(bytes[unchecked: end]) {
            if bytes[unchecked: end] == UInt8(ascii: "%") {
                guard end + 2 < bytes.count, PercentEncoding.hexValue(of: bytes[end + 1]) != nil,
                    PercentEncoding.hexValue(of: bytes[end + 2]) != nil
                else { return nil }
            }
            end += 1
        }
        return end > 0 ? end : nil
    }

    /// Parses the part after the host: nothing, or a colon with optional digits; otherwise `nil`.
    private static func port(
        _ bytes: borrowing Span<UInt8>, after hostEnd: Int
    ) -> (isGiven: Bool, number: UInt16)? {
        guard hostEnd < bytes.count else { return (false, 0) }
        guard bytes[hostEnd] == UInt8(ascii: ":") else { return nil }
        var number: UInt32 = 0
        for index in (hostEnd + 1)..<bytes.count {
            guard (48...57).contains(bytes[index]) else { return nil }
            number = number * 10 + UInt32(bytes[index] - 48)
            guard number <= UInt32(UInt16.max) else { return nil }
        }
        return (hostEnd + 1 < bytes.count, UInt16(number))
    }

    /// RFC 3986 §3.2.2: letters, digits, `-._~`, `!$&'()*+,;=` and `%`.
    private static let hostOctets = OctetSet(
        low: 0x2BFF_7FF2_0000_0000, high: 0x47FF_FFFE_87FF_FFFE)
}

/// Validates IPv6 addresses between brackets (RFC 3986 §3.2.2): eight groups, or fewer around one
/// `::`; the last two may be an IPv4 address.
private enum IPv6Literal {
    static func isValid(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let gap = firstGap(bytes) else { return groups(bytes, allowsIPv4: true) == 8 }
        let (head, tail) = (bytes[..<gap], bytes[(gap + 2)...])
        guard let before = head.isEmpty ? 0 : groups(head, allowsIPv4: false),
            let after = tail.isEmpty ? 0 : groups(tail, allowsIPv4: true)
        else { return false }
        return before + after <= 7
    }

    private static func firstGap(_ bytes: ArraySlice<UInt8>) -> Int? {
        bytes.indices.dropLast().first {
            bytes[$0] == UInt8(ascii: ":") && bytes[$0 + 1] == UInt8(ascii: ":")
        }
    }

    /// The number of 16-bit groups; `nil` if one is invalid.
    private static func groups(_ bytes: ArraySlice<UInt8>, allowsIPv4: Bool) -> Int? {
        let parts = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        var count = 0
        for (index, part) in parts.enumerated() {
            if allowsIPv4, index == parts.count - 1, isIPv4(part) {
                count += 2
            } else {
                guard (1...4).contains(part.count),
                    part.allSatisfy({ PercentEncoding.hexValue(of: $0) != nil })
                else { return nil }
                count += 1
            }
        }
        return count
    }

    private static func isIPv4(_ bytes: ArraySlice<UInt8>) -> Bool {
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                (1...3).contains(part.count) && part.allSatisfy { (48...57).contains($0) }
                    && UInt8(String(decoding: part, as: UTF8.self)) != nil
                    && (part.count == 1 || part.first != 48)
            }
    }
}

/// The destination of requests: a scheme with host and port (RFC 9110 §4.3.1), or a Unix socket.
///
/// Names are in lower case, and the scheme's default port is filled in, so that equal origins are
/// `==`.
///
/// ```swift
/// let origin = HTTPOrigin("https://Example.org:443")
/// let host = origin?.authority
/// ```
public struct HTTPOrigin: Sendable, Hashable {
    public enum Scheme: String, Sendable, Hashable {
        case http, https

        /// The default port of the scheme.
        public var defaultPort: UInt16 { self == .http ? 80 : 443 }
    }

    public enum Endpoint: Sendable, Hashable {
        /// A name in lower case, an IPv4 address, or an IPv6 address in brackets.
        case host(String, port: UInt16)
        /// The path of a Unix socket on this machine.
        case unix(String)
    }

    public let scheme: Scheme
    public let endpoint: Endpoint

    public init(_ scheme: Scheme, _ authority: Authority) {
        self.scheme = scheme
        endpoint = .host(
            authority.host.lowercased(), port: authority.port ?? scheme.defaultPort)
    }

    /// The Unix socket at this path, over which plain HTTP is spoken.
    public init(unixSocket path: String) {
        scheme = .http
        endpoint = .unix(path)
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
        switch endpoint {
        case .host(let host, let port) where port == scheme.defaultPort: host
        case .host(let host, let port): "\(host):\(port)"
        case .unix: "localhost"
        }
    }

    /// True if requests to this authority stay on this machine. Names below `localhost` do not
    /// count: their resolution, locally or by DNS, is up to the resolver.
    public var isLoopback: Bool {
        switch endpoint {
        case .unix: true
        case .host(let host, _):
            host == "localhost" || host == "[::1]"
                || host.hasPrefix("127.") && host.utf8.allSatisfy { $0 == 46 || 48...57 ~= $0 }
        }
    }
}

extension HTTPOrigin: CustomStringConvertible {
    public var description: String {
        if case .unix(let path) = endpoint { "unix:\(path)" } else { "\(scheme)://\(authority)" }
    }
}
