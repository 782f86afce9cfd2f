public import ArticleAPI
public import HTTP

/// Told of everything that happens to requests, on the thread where it happens; must not block.
public typealias BackendObserver = @Sendable (BackendEvent) -> Void

/// Something that happened to a request.
public struct BackendEvent: Sendable {
    public enum Kind: Sendable, Hashable {
        /// It goes out, perhaps not for the first time.
        case started
        /// An exchange has ended, with an answer of any status or without one.
        case finished(Result<HTTPStatus, BackendError>)
        /// It goes out again, after this wait, because of that.
        case retried(after: Duration, because: BackendError)
        /// A copy of this age is used for it; the backend is not asked, or was not reached.
        case cached(age: Duration)
        /// An item was made of its answer.
        case mapped
        /// The answer was not what the contract says.
        case unmapped(ResponseMapperError)
    }

    public let kind: Kind
    /// Of `finished`, the exchange's; of `mapped` and `unmapped`, the mapping's.
    public let duration: Duration
    public let origin: HTTPOrigin
    private let request: HTTPRequest

    init(
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

    /// The request as a line for a shell, without secrets.
    public var curl: String { CurlLine.text(of: request, to: origin) }
}

extension BackendEvent: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Nothing that a log must not hold; the same for `dump`.
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
