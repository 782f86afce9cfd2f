public import HTTP

/// Where the backend is, and how it is spoken to.
public struct BackendConfiguration: Sendable {
    public var baseURL: BaseURL
    /// For a request with everything that it takes: retries, redirects, renewed credentials.
    public var timeout = Duration.seconds(60)
    /// How long the other side may stand still in the middle.
    public var stallTimeout = Duration.seconds(30)
    /// The longest answer that is taken whole, in bytes.
    public var bodyBytes = 16 << 20
    public var retries = RetryPolicy()
    /// Added to every request.
    public var headers: HTTPFields = [.userAgent: "broadsheet-swift"]
    /// Redirects that are followed, one after the other.
    public var redirects = 5
    /// Whether a token may go to another machine without TLS.
    public var sendsTokensInTheClear = false

    public init(baseURL: BaseURL) { self.baseURL = baseURL }

    /// What apps use that want one configuration: set it once, at the start. Until then,
    /// `http://localhost:8080`.
    public static var shared: BackendConfiguration {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    private static let current = Locked(BackendConfiguration(baseURL: "http://localhost:8080"))
}
