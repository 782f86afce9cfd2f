import ArticleAPI
import BroadsheetHTTP
public import BroadsheetHTTPClient
import BroadsheetMarkup
public import BroadsheetSockets

/// The addresses to which the server may send requests for sources, which a third party may have
/// chosen.
public struct SourcePolicy: Sendable, Hashable {
    /// True if `http`, any port, and addresses of private networks and of this machine are
    /// permitted.
    public var allowsPrivate: Bool

    public init(allowsPrivate: Bool = false) { self.allowsPrivate = allowsPrivate }

    /// Returns true if a connection to the address may be opened.
    public func permits(_ address: SocketAddress) -> Bool { allowsPrivate || address.isPublic }

    /// These connections under the policy. They are kept for the next page only: a source is polled
    /// once in a while, and by then its name may lead elsewhere.
    public func connections(
        _ connections: HTTPClientConfiguration = .init()
    ) -> HTTPClientConfiguration {
        var connections = connections
        connections.permits = permits
        connections.connectionsPerOrigin = 1
        connections.idleMilliseconds = 5_000
        return connections
    }

    /// The URL of a source, without a fragment: permitted, as far as text says.
    func url(_ text: String) throws(HTTPURL.Fault) -> HTTPURL {
        if let fault = WebAddress.fault(text) { throw .notPermitted(fault) }
        let url = try HTTPURL(String(text.prefix { $0 != "#" }))
        guard !allowsPrivate, case .host(let host, let port) = url.origin.endpoint else {
            return url
        }
        guard url.origin.scheme == .https else {
            throw .notPermitted(
                "must begin with https:// (http requires --allow-private-sources)")
        }
        guard port == url.origin.scheme.defaultPort || port >= 1_024 else {
            throw .notPermitted(
                "must use port 443 or a port from 1024 up (other ports require "
                    + "--allow-private-sources)")
        }
        let literal = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        if let address = SocketAddress(ip: literal, port: port), !address.isPublic {
            throw .notPermitted(
                "is not a public Internet address (other addresses require "
                    + "--allow-private-sources)")
        }
        return url
    }

    /// Returns the URL of a redirect.
    func url(_ location: String, from url: HTTPURL) throws(HTTPURL.Fault) -> HTTPURL {
        guard let resolved = Reference.resolve(location, against: url.description) else {
            throw .notPermitted("has no valid host or port")
        }
        let next = try self.url(resolved)
        guard next.origin.scheme == .https || url.origin.scheme == .http else {
            throw .notPermitted("downgrades from https to http")
        }
        return next
    }
}
