public import ArticleAPI
public import BroadsheetHTTP

/// Receives every event of the requests, on the thread where it happens; must not block.
/// For an observer that comes and goes, there are `BackendService.events`.
public typealias BackendObserver = @Sendable (BackendEvent) -> Void

/// Something that happened to a request.
///
/// A value without secrets, which can be logged; use it anywhere. The events of one exchange are
/// reported in their order, on the thread where they happen, and have the same `id`.
///
/// ```swift
/// let observer: BackendObserver = { event in
///     guard case .finished(.success(let status)) = event.kind else { return }
///     log("\(event.target): \(status)")
/// }
/// ```
public struct BackendEvent: Sendable {
    public enum Kind: Sendable, Hashable {
        /// An exchange has started; it may be a retry.
        case started
        /// An exchange has ended, with a response of any status or with an error; that of a stream
        /// with its head.
        case finished(Result<HTTPStatus, BackendError>)
        /// The request will be retried after this delay because of this error.
        case retried(after: Duration, because: BackendError)
        /// A cached copy of this age is used; the backend was not asked or could not be reached.
        case cached(age: Duration)
        /// The response was decoded.
        case mapped
        /// The response was decoded without these parts, which its ``Lenient`` item does not have.
        case leftOut([ResponseMapperError])
        /// The response does not match the contract.
        case unmapped(ResponseMapperError)
    }

    public let kind: Kind
    /// The duration of the exchange (`finished`) or of decoding (`mapped`, `unmapped`).
    public let duration: Duration
    /// The exchange: its `id`, endpoint, origin and account.
    public let context: ExchangeContext
    /// The size of the response's body in bytes; `nil` before `finished`, without a response, and
    /// for a stream.
    public let received: Int?
    /// The `X-Request-ID` of the response, by which the backend's log names the request.
    public let requestID: String?
    private let request: HTTPRequest

    /// - Parameter response: the response with which the exchange has finished.
    package init(
        _ kind: Kind, _ request: HTTPRequest, _ context: ExchangeContext,
        duration: Duration = .zero, response: HTTPResponse? = nil
    ) {
        self.kind = kind
        self.request = request
        self.context = context
        self.duration = duration
        requestID = response?.fields[.xRequestID]
        if case .bytes(let bytes)? = response?.body {
            received = bytes.count
        } else {
            received = nil
        }
    }

    /// Equal for the events of one exchange; its `request` is equal for all events of a request.
    public var id: ExchangeContext.ID { context.id }

    public var origin: HTTPOrigin { context.origin }

    public var method: HTTPMethod { request.method }

    /// The size of the request's body in bytes.
    public var sent: Int { request.body.count }

    /// Path and query, without secrets.
    public var target: String { Redaction.text(request.target.description) }

    /// The request as a shell command, without secrets.
    public var curl: String { CurlCommand.text(of: request, to: origin) }
}

extension BackendEvent: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Contains no secrets, so that it can be logged; the same applies to `dump`.
    public var description: String { "\(id) \(kind) \(method) \(origin)\(target)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "id": id, "kind": kind, "method": method, "origin": origin, "target": target,
                "duration": duration, "sent": sent, "received": received as Any,
                "requestID": requestID as Any,
            ])
    }
}
