public import BroadsheetHTTP

/// Sends a request to an origin and returns its response.
///
/// A transport ends every exchange exactly once and promptly: with a response, at the deadline, or
/// when its task is cancelled. It follows no redirects and caches nothing. It is called from any
/// thread, for several exchanges at a time.
///
/// ```swift
/// struct TracingTransport: Transport {
///     let transport: any Transport
///
///     func exchange(
///         _ request: HTTPRequest, with origin: HTTPOrigin, options: TransportOptions
///     ) async throws(TransportError) -> HTTPResponse {
///         var request = request
///         request.fields[.traceparent] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
///         return try await transport.exchange(request, with: origin, options: options)
///     }
/// }
/// ```
public protocol Transport: Sendable {
    /// - Returns: a response of any status with a complete body (`HTTPBody.bytes`) or, if the
    ///   options say `isStreamed`, with a streamed one that fails with a `TransportError`.
    func exchange(
        _ request: HTTPRequest, with origin: HTTPOrigin, options: TransportOptions
    ) async throws(TransportError) -> HTTPResponse

    #if canImport(BroadsheetHTTPClient)
        /// The executor on which exchanges end, if there is one. Shared exchanges run on it, so
        /// that no other thread has to be woken. `nil` for anywhere, as on Apple's platforms.
        var executor: (any TaskExecutor)? { get }
    #endif
}

#if canImport(BroadsheetHTTPClient)
    extension Transport {
        public var executor: (any TaskExecutor)? { nil }
    }

    /// An executor on which exchanges end.
    package typealias TransportExecutor = any TaskExecutor
#else
    /// There is none: Apple's platforms have executors of tasks only since iOS 18.
    package typealias TransportExecutor = Never
#endif

/// The limits of one exchange.
///
/// An exchange that exceeds a limit ends with an error.
///
/// ```swift
/// var options = TransportOptions()
/// options.timeout = .seconds(10)
/// options.bodyBytes = 1 << 20
/// let response = try await transport.exchange(request, with: origin, options: options)
/// ```
public struct TransportOptions: Sendable {
    /// The time until the end of the response, or until the head of a streamed one.
    public var timeout = Duration.seconds(60)
    /// The maximum time without bytes from the server; `nil` for no limit.
    public var stallTimeout: Duration? = .seconds(30)
    /// The maximum size of the response's body, in bytes.
    public var bodyBytes = 16 << 20
    /// True if the body is delivered as it arrives.
    public var isStreamed = false
    /// Called with the sent and total number of bytes of the request's body. Must not block.
    public var uploadProgress: (@Sendable (_ sent: Int, _ total: Int) -> Void)?

    public init() {}
}

/// The reason why an exchange ended without a response. See ``Transport``.
public enum TransportError: Error, Sendable, Hashable {
    case cancelled
    case timedOut
    /// No connection could be established; the text says why.
    case offline(String)
    case failed(TransportFailure)
}

/// A failure of an exchange. See ``Transport``.
public struct TransportFailure: Sendable, Hashable, CustomStringConvertible {
    public enum Kind: Sendable, Hashable {
        /// The connection ended before the response was complete.
        case disconnected
        /// The TLS handshake failed, the server's certificate is not trusted, or the system does
        /// not allow the app to send without TLS. It is not retried.
        case insecure
        /// The bytes received are not a valid response.
        case malformed
        /// The response is valid, but not the backend's: that of a captive portal, a filter, a
        /// proxy or a load balancer. A problem of the backend is `BackendError.problem`.
        case foreign
        /// The response is longer than the limit.
        case tooLarge
        /// The client does not support the request.
        case unsupported
        /// Too many requests are in progress.
        case overloaded
        /// Too many redirects, or one that must not be followed.
        case redirected
        /// Credentials could not be stored, or would have been sent insecurely.
        case credentials
    }

    public var kind: Kind
    /// A description of the failure.
    public var description: String
    /// The status of a foreign response; `nil` for other failures.
    public var status: HTTPStatus?
    /// The delay for which a foreign response asks.
    public var retryAfter: Duration?

    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
