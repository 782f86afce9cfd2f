public import ArticleServiceCore
public import BroadsheetHTTP

/// A receiver of changes, and the secret by which it recognizes them.
public struct WebhookReceiver: Sendable {
    public let url: HTTPURL
    let secret: SharedSecret

    /// - Parameter url: `https`, or `http` on this machine.
    public init(_ url: String, secret: SharedSecret) throws(HTTPURL.Fault) {
        self.url = try HTTPURL(url)
        guard self.url.origin.scheme == .https || self.url.origin.isLoopback else {
            throw .notPermitted(
                "needs https: http is only for receivers on this machine, as 127.0.0.1, [::1] or "
                    + "localhost")
        }
        self.secret = secret
    }

    /// The host and port, without parts that may be secret.
    public var host: String { url.origin.authority }

    /// Identifies the URL in the store.
    var digest: [UInt8] { Digest.sha256(Array("\(url)".utf8)) }
}
