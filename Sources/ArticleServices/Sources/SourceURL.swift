import ArticleAPI
import HTTP
import Markup
public import Sockets

/// Where the server may send requests for sources, whose addresses somebody else may have chosen.
public struct SourcePolicy: Sendable, Hashable {
    /// Whether `http`, any port, and addresses of private networks and of this machine are
    /// permitted.
    public var allowsPrivate: Bool

    public init(allowsPrivate: Bool = false) { self.allowsPrivate = allowsPrivate }

    /// Whether a connection to the address may be opened.
    public func permits(_ address: SocketAddress) -> Bool { allowsPrivate || address.isPublic }
}

/// The URL of a source, or one that it redirects to: permitted, as far as text says.
struct SourceURL: Sendable, Hashable {
    /// Without a fragment.
    let text: String
    let origin: HTTPOrigin
    let target: RequestTarget

    /// What is wrong with a URL. The description does not contain the URL, which may be secret.
    enum Fault: Error, Hashable, CustomStringConvertible {
        case invalid(String)
        case unencrypted
        case port
        case notPublic
        /// It redirects from https to http.
        case downgrade

        var description: String {
            switch self {
            case .invalid(let fault): fault
            case .unencrypted:
                "must begin with https:// (http requires --allow-private-sources)"
            case .port:
                "must have the port 443, or one from 1024 on (others require "
                    + "--allow-private-sources)"
            case .notPublic:
                "is not an address of the public Internet (others require "
                    + "--allow-private-sources)"
            case .downgrade: "leads from https to http"
            }
        }
    }

    init(_ text: String, under policy: SourcePolicy) throws(Fault) {
        if let fault = WebAddress.fault(text) { throw .invalid(fault) }
        let bare = text.prefix { $0 != "#" }
        guard let mark = bare.firstRange(bytesOf: "://") else { throw .invalid("has no scheme") }
        let rest = bare[mark.upperBound...]
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let path = bare[end...]
        guard let origin = HTTPOrigin(String(bare[..<end])),
            case .host(let host, let port) = origin.place,
            let target = RequestTarget(path: path.hasPrefix("/") ? String(path) : "/\(path)")
        else { throw .invalid("has an invalid host, port, path or query") }
        self.text = String(bare)
        self.origin = origin
        self.target = target
        guard !policy.allowsPrivate else { return }
        guard origin.scheme == .https else { throw .unencrypted }
        guard port == origin.scheme.defaultPort || port >= 1_024 else { throw .port }
        let literal = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        if let address = SocketAddress(ip: literal, port: port), !address.isPublic {
            throw .notPublic
        }
    }

    /// The host, by which sources share their turns.
    var host: String {
        if case .host(let host, _) = origin.place { host } else { "" }
    }

    /// Where this URL redirects to.
    func redirected(to location: String, under policy: SourcePolicy) throws(Fault) -> SourceURL {
        guard let resolved = Reference.resolve(location, against: text) else {
            throw .invalid("has no valid host or port")
        }
        let url = try SourceURL(resolved, under: policy)
        guard url.origin.scheme == .https || origin.scheme == .http else { throw .downgrade }
        return url
    }

    /// A path below this one: that of a Broadsheet, whatever its own path is.
    func appending(_ target: String) -> String {
        let bare = text.prefix { $0 != "?" }
        return (bare.hasSuffix("/") ? String(bare.dropLast()) : String(bare)) + target
    }
}
