import BroadsheetHTTP
import BroadsheetSockets

/// The host names that requests to loopback addresses may use, besides IP addresses and
/// `localhost`.
///
/// A web page can make its own name resolve to 127.0.0.1 after loading (DNS rebinding) and then
/// read the responses of a server on loopback, which the browser takes for the page's own origin.
/// The `Host` of the request reveals this; it receives a 421.
///
/// ```swift
/// var names = HostNames()
/// guard names.add("news.example.org") else { throw InvalidName() }
/// configuration.hostNames = names
/// ```
public struct HostNames: Sendable {
    private var names: Set<String> = ["localhost"]

    public init() {}

    /// Adds a name, ignoring case; false if it is not a host name (RFC 1123 §2.1).
    public mutating func add(_ name: String) -> Bool {
        guard Self.isName(name) else { return false }
        names.insert(name.lowercased())
        return true
    }

    /// Returns true if requests may name this host.
    func contains(_ authority: Authority) -> Bool {
        Self.isAddress(authority.host) || names.contains(authority.host.lowercased())
    }

    /// Returns true if the text has only letters, digits, hyphens and underscores between dots: the
    /// names that DNS allows for hosts, and fewer than URLs allow (RFC 3986 §3.2.2).
    static func isName(_ text: String) -> Bool {
        text.utf8.count <= 253
            && text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
                .allSatisfy { label in
                    (1...63).contains(label.count) && label.allSatisfy(isNameOctet)
                }
    }

    /// Returns true for an IPv4 address, or an IPv6 address in brackets.
    static func isAddress(_ host: String) -> Bool {
        if host.hasPrefix("[") { return true }
        return SocketAddress(ip: host, port: 0) != nil
    }

    private static func isNameOctet(_ octet: UInt8) -> Bool {
        switch octet {
        case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}

extension HostNames {
    /// The URL of the request's resource over HTTPS at this port; `nil` if the request names no
    /// valid host.
    static func secureLocation(of head: borrowing RequestHead, port: UInt16) -> String? {
        let stated =
            head.target.authority.map { Array($0) }
            ?? head.fields[.host].map {
                Array($0.utf8)
            }
        guard let authority = stated.flatMap(Authority.init),
            isAddress(authority.host) || isName(authority.host),
            head.target.form == .origin || head.target.form == .absolute
        else { return nil }
        var location = "https://" + authority.host + (port == 443 ? "" : ":\(port)")
        location += String(decoding: head.target.path, as: UTF8.self)
        if let query = head.target.query {
            location += "?" + String(decoding: query, as: UTF8.self)
        }
        return location
    }
}
