public import ArticleAPI
public import BroadsheetHTTP

/// A step around each exchange of a service: signing, tracing, attestation, responses of its own.
///
/// It sees every exchange that the service makes, also retries, redirects, renewals of the session
/// and streams, as it is sent: with the token of its own session, and with that of no other. The
/// first middleware of a service is the outermost. It is called from any thread, for several
/// exchanges at a time.
///
/// ```swift
/// struct Tracing: RequestMiddleware {
///     let parent: @Sendable (ExchangeContext.ID) -> String
///
///     func respond(
///         to request: HTTPRequest, in context: ExchangeContext, next: Next
///     ) async throws(TransportError) -> HTTPResponse {
///         var request = request
///         request.fields[.traceparent] = parent(context.id)
///         return try await next(request)
///     }
/// }
/// ```
///
/// Retries are the service's: a middleware calls `next` once, or responds itself. A response of its
/// own is judged like that of a transport, and may have a complete body where the context says
/// `isStreamed`. An error ends the exchange, and is retried as that of a transport.
public protocol RequestMiddleware: Sendable {
    /// The rest of the exchange: the next middleware, or the transport.
    typealias Next = @Sendable (HTTPRequest) async throws(TransportError) -> HTTPResponse

    /// - Parameters:
    ///   - request: the request as it would be sent; `next` may be given a changed one.
    ///   - context: the exchange that it belongs to. Sign only what goes to your own `origin`.
    ///   - next: sends a request and returns its response, of any status.
    func respond(
        to request: HTTPRequest, in context: ExchangeContext, next: Next
    ) async throws(TransportError) -> HTTPResponse
}

/// The exchange that a ``RequestMiddleware`` or a ``BackendEvent`` is about.
public struct ExchangeContext: Sendable {
    /// The number of an exchange, unique among the services that share a transport.
    public struct ID: Sendable, Hashable, CustomStringConvertible {
        /// Counts the requests: the same for all exchanges of one.
        public let request: UInt64
        /// Counts the exchanges of the request from 1: retries, redirects and those with a renewed
        /// token. 0 for what belongs to no exchange, such as decoding.
        public let attempt: Int

        package init(request: UInt64, attempt: Int) {
            self.request = request
            self.attempt = attempt
        }

        /// For logs: `12.1`.
        public var description: String { "\(request).\(attempt)" }
    }

    public let id: ID
    /// The destination, which is another one after a redirect.
    public let origin: HTTPOrigin
    /// The account in whose session the request was made; `nil` if it is unknown or there is none.
    public let account: String?
    /// True if the body of the response is delivered as it arrives.
    public let isStreamed: Bool
    private let type: (any BackendAPIRequest.Type)?

    package init(
        _ id: ID, to origin: HTTPOrigin, of type: (any BackendAPIRequest.Type)? = nil,
        account: String? = nil, isStreamed: Bool = false
    ) {
        self.id = id
        self.origin = origin
        self.type = type
        self.account = account
        self.isStreamed = isStreamed
    }

    /// The declaration of the request, with its name and template; `nil` for requests that are
    /// sent without one: by ``NetworkService/send(_:to:options:)``, and stored ones of an outbox.
    public var endpoint: Endpoint? { type?.endpoint }
}

/// A transport behind middleware.
struct MiddlewareChain: Sendable {
    let middleware: [any RequestMiddleware]
    let transport: any Transport
    let context: ExchangeContext
    let options: TransportOptions

    func respond(to request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        var response = try await respond(to: request, from: 0)
        switch response.body {
        case .bytes(let bytes) where context.isStreamed:
            response.body = .stream(Self.stream(of: bytes))
        case .stream(_) where !context.isStreamed:
            throw .failed(
                TransportFailure(.unsupported, "a middleware streams a response that is not read"))
        default: break
        }
        return response
    }

    private func respond(
        to request: HTTPRequest, from index: Int
    ) async throws(TransportError) -> HTTPResponse {
        guard index < middleware.count else {
            return try await transport.exchange(request, with: context.origin, options: options)
        }
        return try await middleware[index].respond(to: request, in: context) {
            (request) async throws(TransportError) in
            try await respond(to: request, from: index + 1)
        }
    }

    /// A body that is complete, as one that arrives at once.
    private static func stream(of bytes: [UInt8]) -> HTTPBodyStream {
        let rest = Locked<[UInt8]?>(bytes)
        return HTTPBodyStream(length: bytes.count) { rest.withLock { $0.take() } }
    }
}
