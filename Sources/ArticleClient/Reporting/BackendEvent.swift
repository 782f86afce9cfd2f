public import ArticleAPI
public import BroadsheetHTTP

/// Receives every event of the requests, on the thread where it happens; must not block.
public typealias BackendObserver = @Sendable (BackendEvent) -> Void

/// Something that happened to a request.
///
/// A value without secrets, which can be logged; use it anywhere. The events of one exchange are
/// reported in their order, on the thread where they happen.
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
        /// An exchange has ended, with a response of any status or with an error.
        case finished(Result<HTTPStatus, BackendError>)
        /// The request will be retried after this delay because of this error.
        case retried(after: Duration, because: BackendError)
        /// A cached copy of this age is used; the backend was not asked or could not be reached.
        case cached(age: Duration)
        /// The response was decoded.
        case mapped
        /// The response does not match the contract.
        case unmapped(ResponseMapperError)
    }

    public let kind: Kind
    /// The duration of the exchange (`finished`) or of decoding (`mapped`, `unmapped`).
    public let duration: Duration
    public let origin: HTTPOrigin
    private let request: HTTPRequest

    package init(
        _ kind: Kind, _ request: HTTPRequest, to origin: HTTPOrigin, duration: Duration = .zero
    ) {
        self.kind = kind
        self.request = request
        self.origin = origin
        self.duration = duration
    }

    public var method: HTTPMethod { request.method }

    /// Path and query, without secrets.
    public var target: String { Redaction.text(request.target.description) }

    /// The request as a shell command, without secrets.
    public var curl: String { CurlCommand.text(of: request, to: origin) }
}

extension BackendEvent: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Contains no secrets, so that it can be logged; the same applies to `dump`.
    public var description: String { "\(kind) \(method) \(origin)\(target)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "kind": kind, "method": method, "origin": origin, "target": target,
                "duration": duration,
            ])
    }
}
