import HTTP

/// The URL of a webhook's receiver: `https`, or `http` on this machine.
public struct WebhookURL: Sendable, Hashable {
    let origin: HTTPOrigin
    let target: RequestTarget

    /// What is wrong with a URL. The description does not contain the URL, which may be secret.
    public enum Fault: Error, Hashable, CustomStringConvertible {
        case scheme, unencrypted, userInfo, fragment, invalid, tooLong

        public var description: String {
            switch self {
            case .scheme: "does not begin with https://"
            case .unencrypted:
                "needs https: http is only for receivers on this machine, as 127.0.0.1, [::1] or "
                    + "localhost"
            case .userInfo: "has a user name or password, which is not supported"
            case .fragment: "has a fragment (#), which is never sent"
            case .invalid: "has an invalid host, port, path or query"
            case .tooLong: "has more than \(WebhookURL.limitBytes) bytes"
            }
        }
    }

    private static let limitBytes = 2_000

    public init(_ text: String) throws(Fault) {
        guard text.utf8.count <= Self.limitBytes else { throw .tooLong }
        guard let mark = text.firstRange(bytesOf: "://"),
            HTTPOrigin.Scheme(rawValue: text[..<mark.lowerBound].lowercased()) != nil
        else { throw .scheme }
        guard !text.contains("#") else { throw .fragment }
        let rest = text[mark.upperBound...]
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? text.endIndex
        guard !rest[..<end].contains("@") else { throw .userInfo }
        let path = text[end...]
        guard let origin = HTTPOrigin(String(text[..<end])),
            let target = RequestTarget(path: path.hasPrefix("/") ? String(path) : "/\(path)")
        else { throw .invalid }
        guard origin.scheme == .https || origin.isLoopback else { throw .unencrypted }
        self.origin = origin
        self.target = target
    }

    /// Host and port, without what may be secret.
    public var host: String { origin.authority }

    /// Identifies the URL in the store.
    var digest: [UInt8] { Digest.sha256(Array("\(origin)".utf8) + target.bytes) }
}

/// A receiver of changes, and the secret by which it recognizes them.
public struct WebhookReceiver: Sendable {
    public let url: WebhookURL
    let secret: SharedSecret

    public init(url: WebhookURL, secret: SharedSecret) {
        self.url = url
        self.secret = secret
    }
}
