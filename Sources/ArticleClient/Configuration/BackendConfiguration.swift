public import HTTP

/// The base URL of a backend, and timeouts, limits and headers for its requests.
public struct BackendConfiguration: Sendable {
    public var baseURL: BaseURL
    /// The time limit of a request, including retries, redirects and renewed credentials.
    public var timeout = Duration.seconds(60)
    /// How long the backend may send nothing during an exchange.
    public var stallTimeout = Duration.seconds(30)
    /// The maximum size of a response that is not streamed, in bytes.
    public var bodyBytes = 16 << 20
    public var retries = RetryPolicy()
    /// Added to every request.
    public var headers: HTTPFields = [.userAgent: "broadsheet-swift"]
    /// The maximum number of successive redirects.
    public var redirects = 5
    /// Whether tokens may be sent to other machines without TLS.
    public var sendsTokensInTheClear = false

    public init(baseURL: BaseURL) { self.baseURL = baseURL }

    /// The configuration of apps that have only one: set it once, at launch. The default is
    /// `http://localhost:8080`.
    public static var shared: BackendConfiguration {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    private static let current = Locked(BackendConfiguration(baseURL: "http://localhost:8080"))
}
