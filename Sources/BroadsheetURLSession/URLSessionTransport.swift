public import ArticleClient
public import BroadsheetHTTP

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// Carries requests over URLSession, for apps on Apple's platforms.
///
/// `URLSessionTransport(configuration: configuration)`, or `URLSessionTransport()` for a shared
/// session.
///
/// It stores neither responses nor cookies and follows no redirects: `BackendService` caches
/// responses and follows redirects.
public struct URLSessionTransport: Transport {
    private let engine: URLSessionEngine
    private let streamBytes: Int

    /// Uses one session that all such transports share and that lives as long as the process.
    ///
    /// - Parameter streamBytes: the bytes of a streamed body that are buffered for a slow reader.
    ///   On Apple's platforms, the server then has to wait; on Linux, URLSession cannot be paused,
    ///   and the stream fails.
    public init(streamBytes: Int = 4 << 20) {
        engine = .shared
        self.streamBytes = streamBytes
    }

    /// Uses its own session, which lives until `invalidate()`: create one for the whole app.
    ///
    /// - Parameters:
    ///   - configuration: is copied; its cache and cookies are disabled. It must not be a
    ///     background configuration, which does not deliver bodies as they arrive.
    ///   - hooks: callbacks for pinning, metrics and connectivity.
    ///   - streamBytes: the bytes of a streamed body that are buffered for a slow reader.
    public init(
        configuration: URLSessionConfiguration, hooks: URLSessionHooks = .init(),
        streamBytes: Int = 4 << 20
    ) {
        precondition(
            configuration.identifier == nil,
            "programmer error: background sessions are not supported")
        engine = URLSessionEngine(configuration, hooks)
        self.streamBytes = streamBytes
    }

    /// Invalidates the transport's own session: requests in progress are cancelled, and later ones
    /// fail as `unsupported`. The shared session is not affected. (On Linux, invalidating a session
    /// aborts the process, so the session is kept there, but unused.)
    public func invalidate() {
        if engine !== URLSessionEngine.shared { engine.invalidate() }
    }

    public func exchange(
        _ request: HTTPRequest, with origin: HTTPOrigin, options: TransportOptions
    ) async throws(TransportError) -> HTTPResponse {
        let exchange = URLSessionExchange(
            options, uploadBytes: request.body.count, streamBytes: streamBytes)
        let message = try URLRequest(request, to: origin, options)
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation { caller in
                exchange.begin(caller) { engine.begin(message, exchange) }
            }
        } onCancel: {
            exchange.end(.cancelled)
        }
        return try outcome.get()
    }
}

#if !os(Linux)
    extension BackendService {
        /// A service over URLSession: over the shared session or a configured transport.
        public init(
            configuration: BackendConfiguration = .shared,
            transport: URLSessionTransport = URLSessionTransport(),
            auth: BackendAuth = BackendAuth(), cache: ResponseCache? = ResponseCache(),
            middleware: [any RequestMiddleware] = [], observers: [BackendObserver] = []
        ) {
            let transport: any Transport = transport
            self.init(
                configuration: configuration, transport: transport, auth: auth, cache: cache,
                middleware: middleware, observers: observers)
        }
    }
#endif

/// Callbacks of an app for its own session.
///
/// The session calls them on its own thread; they must not block.
public struct URLSessionHooks: Sendable {
    /// Answers a challenge; must be called exactly once.
    public typealias Decision =
        @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

    /// Checks a server's certificate (pinning) or provides a client certificate. The decision
    /// `.cancelAuthenticationChallenge` ends the request with `TransportFailure.Kind.insecure`.
    /// `nil` leaves the decision to the system. On Linux, URLSession does not call this.
    public var challenge: (@Sendable (URLAuthenticationChallenge, @escaping Decision) -> Void)?
    /// Receives the timing of each step of a request. On Linux, URLSession does not call this.
    public var metrics: (@Sendable (URLSessionTaskMetrics) -> Void)?
    /// Called when a request waits for the network, if the configuration's `waitsForConnectivity`
    /// is set.
    public var waiting: (@Sendable () -> Void)?

    public init(
        challenge: (@Sendable (URLAuthenticationChallenge, @escaping Decision) -> Void)? = nil,
        metrics: (@Sendable (URLSessionTaskMetrics) -> Void)? = nil,
        waiting: (@Sendable () -> Void)? = nil
    ) {
        self.challenge = challenge
        self.metrics = metrics
        self.waiting = waiting
    }
}

#if canImport(FoundationEssentials)
    public import ArticleClient
    public import Foundation

    // Makes `localizedDescription` return `errorDescription`, also for an `any Error`. Where
    // Foundation belongs to the system, every `UserFacingError` is a `LocalizedError`.

    extension BackendError: LocalizedError {
        public var errorDescription: String? { text().message }
        public var recoverySuggestion: String? { text().advice }
    }

    extension CredentialStoreError: LocalizedError {
        public var errorDescription: String? { text().message }
        public var recoverySuggestion: String? { text().advice }
    }

    extension TransportError: LocalizedError {
        public var errorDescription: String? { text().message }
        public var recoverySuggestion: String? { text().advice }
    }
#endif
