/// An `http` or `https` URL, as the origin and the target of a request (RFC 9110 §4.2).
///
/// Equal URLs are `==`, however scheme, host and port were written.
///
/// ```swift
/// let url = try HTTPURL("HTTPS://Example.org:443/feed?page=2")
/// let request = HTTPRequest(.get, url.target)
/// let host = url.origin.authority
/// ```
public struct HTTPURL: Sendable, Hashable {
    public let origin: HTTPOrigin
    public let target: RequestTarget

    /// The reason why a URL is invalid. The description does not contain the URL, which may be
    /// secret.
    public enum Fault: Error, Sendable, Hashable, CustomStringConvertible {
        case scheme, userInfo, fragment, invalid, tooLong
        /// It is a URL, but it must not be used; with the rest of a sentence that begins with "the
        /// URL".
        case notPermitted(String)

        public var description: String {
            switch self {
            case .scheme: "does not begin with https://"
            case .userInfo: "has a user name or password, which is not supported"
            case .fragment: "has a fragment (#), which is never sent"
            case .invalid: "has an invalid host, port, path or query"
            case .tooLong: "has more than \(HTTPURL.limitBytes) bytes"
            case .notPermitted(let reason): reason
            }
        }
    }

    private static let limitBytes = 2_000

    public init(_ text: String) throws(Fault) {
        guard text.utf8.count <= Self.limitBytes else { throw .tooLong }
        guard let mark = text.firstRange(bytesOf: "://"),
            HTTPOrigin.Scheme(rawValue: text[..<mark.lowerBound].lowercased()) != nil
        else { throw .scheme }
        guard !text.utf8.contains(UInt8(ascii: "#")) else { throw .fragment }
        let rest = text[mark.upperBound...]
        let end =
            rest.utf8.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
            ?? text.endIndex
        guard !rest[..<end].utf8.contains(UInt8(ascii: "@")) else { throw .userInfo }
        let path = text[end...]
        guard let origin = HTTPOrigin(String(text[..<end])),
            let target = RequestTarget(path: path.hasPrefix("/") ? String(path) : "/\(path)")
        else { throw .invalid }
        self.origin = origin
        self.target = target
    }
}

extension HTTPURL: CustomStringConvertible {
    public var description: String { "\(origin)\(target)" }
}
