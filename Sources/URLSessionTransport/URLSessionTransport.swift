public import ArticleClient
import Foundation
public import HTTP

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Carries requests by URLSession, as apps on Apple's platforms want it.
///
/// All transports share one session that lives as long as the process: on Linux, sessions that end
/// abort the process. It keeps no copies and no cookies and follows no redirects, as
/// `BackendService` does that.
public struct URLSessionTransport: Transport {
    private let engine: URLSessionEngine
    private let streamBytes: Int

    /// - Parameter streamBytes: what a streamed answer may hold for its reader. URLSession cannot
    ///   make the sender wait: a reader that falls further behind loses the stream.
    public init(streamBytes: Int = 4 << 20) {
        engine = .shared
        self.streamBytes = streamBytes
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
        /// A service over URLSession.
        public init(
            configuration: BackendConfiguration = .shared, auth: BackendAuth = BackendAuth(),
            cache: ResponseCache? = ResponseCache(), observers: [BackendObserver] = []
        ) {
            self.init(
                configuration: configuration, transport: URLSessionTransport(), auth: auth,
                cache: cache, observers: observers)
        }
    }
#endif
