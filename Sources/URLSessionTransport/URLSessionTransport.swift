public import ArticleClient
public import HTTP

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// Carries requests by URLSession, as apps on Apple's platforms want it.
///
/// `URLSessionTransport(configuration: configuration)`, or `URLSessionTransport()` for the session
/// that all share.
///
/// It keeps no copies and no cookies and follows no redirects, as `BackendService` does that.
public struct URLSessionTransport: Transport {
    private let engine: URLSessionEngine
    private let streamBytes: Int

    /// Over one session that all such transports share and that lives as long as the process.
    ///
    /// - Parameter streamBytes: what a streamed body may hold for its reader, who falls behind. On
    ///   Apple's platforms the server then waits; on Linux, URLSession cannot make it wait, and the
    ///   stream fails.
    public init(streamBytes: Int = 4 << 20) {
        engine = .shared
        self.streamBytes = streamBytes
    }

    /// Over a session of its own, which lives until `invalidate()`: make one for the whole app.
    ///
    /// - Parameters:
    ///   - configuration: copied now. Copies and cookies are turned off in it. It must not be one
    ///     for the background, which cannot give a body as it comes.
    ///   - hooks: for pinning, metrics and waiting for the network.
    public init(
        configuration: URLSessionConfiguration, hooks: URLSessionHooks = .init(),
        streamBytes: Int = 4 << 20
    ) {
        precondition(
            configuration.identifier == nil,
            "programmer error: a session for the background carries no requests of the SDK")
        engine = URLSessionEngine(configuration, hooks)
        self.streamBytes = streamBytes
    }

    /// Ends the transport's own session: requests under way are cancelled, and later ones fail as
    /// `unsupported`. The shared session stays. (On Linux, sessions that end abort the process, so
    /// that it stays there, too, without anything to do.)
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
        /// A service over URLSession: over the shared session, or a transport that you configured.
        public init(
            configuration: BackendConfiguration = .shared,
            transport: URLSessionTransport = URLSessionTransport(),
            auth: BackendAuth = BackendAuth(), cache: ResponseCache? = ResponseCache(),
            observers: [BackendObserver] = []
        ) {
            let transport: any Transport = transport
            self.init(
                configuration: configuration, transport: transport, auth: auth, cache: cache,
                observers: observers)
        }
    }
#endif
