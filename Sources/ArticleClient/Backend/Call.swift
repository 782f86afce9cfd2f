import HTTP

/// A request that the service is sending, with its destination and its deadline.
///
/// This is a class because it is passed through many functions, and copying its many parts each
/// time would cost as much as the functions themselves.
final class Call: Sendable {
    let request: HTTPRequest
    let origin: HTTPOrigin
    let session: Session
    /// How long its caller waits.
    let stay: Stay
    let options: RequestOptions
    let isStreamed: Bool

    init(
        _ request: HTTPRequest, _ configuration: BackendConfiguration, _ options: RequestOptions,
        isStreamed: Bool, by auth: BackendAuth, in session: Session, now: Duration
    ) throws(BackendError) {
        var request = request
        request.target = configuration.baseURL.target(request.target)
        // The configuration's headers do not override the request's own fields.
        request.fields.appendMissing(from: configuration.headers)
        request.fields.replace(by: options.headers)
        if let key = options.idempotencyKey { request.fields.set(.idempotencyKey, to: key) }
        if let name = request.fields.rejectedName { throw BackendError(unprintable: name) }
        self.request = request
        origin = configuration.baseURL.origin
        self.session = session
        let timeout = options.timeout ?? configuration.timeout
        stay = Stay(auth: auth, session: session.id, deadline: now + timeout, left: timeout)
        self.options = options
        self.isStreamed = isStreamed
    }

    private init(_ call: Call, _ request: HTTPRequest) {
        self.request = request
        origin = call.origin
        session = call.session
        stay = call.stay
        options = call.options
        isStreamed = call.isStreamed
    }

    /// The call with `If-None-Match` for this entity tag.
    func conditional(on etag: String) -> Call {
        var request = request
        request.fields.set(.ifNoneMatch, to: etag)
        return Call(self, request)
    }
}

/// Concurrent calls with equal keys share one exchange.
struct CallKey: Hashable, Sendable {
    let cacheKey: CacheKey
    let session: Session.ID
    /// Whether the call may revalidate a cached response.
    let isConditional: Bool
}
