import HTTP

/// A request on its way through the service: where it goes and until when.
struct Call: Sendable {
    var request: HTTPRequest
    let origin: HTTPOrigin
    let session: Session
    /// How long its caller waits.
    let stay: Stay
    /// All who wait for it, where it is under way for several.
    var waiters: (any Waiters)?
    let options: RequestOptions
    var isStreamed = false

    init(
        _ request: HTTPRequest, _ configuration: BackendConfiguration, _ options: RequestOptions,
        by auth: BackendAuth, in session: Session, now: Duration
    ) throws(BackendError) {
        var request = request
        request.target = configuration.baseURL.target(request.target)
        let added = [configuration.headers, options.headers]
        for (index, fields) in added.enumerated() {
            for (name, value) in fields.all {
                guard let name = HTTPFieldName(name) else { continue }
                // What the request itself needs, no configuration changes.
                if index == 0, request.fields.contains(name) { continue }
                request.fields.set(name, to: value)
            }
        }
        if let key = options.idempotencyKey {
            guard request.fields.set(.idempotencyKey, to: key) else {
                throw BackendError(unprintable: "Idempotency-Key")
            }
        }
        self.request = request
        origin = configuration.baseURL.origin
        self.session = session
        let timeout = options.timeout ?? configuration.timeout
        stay = Stay(auth: auth, session: session.id, deadline: now + timeout, left: timeout)
        self.options = options
    }

    /// In the time of `ClientEnvironment.now`: until then somebody waits.
    var deadline: Duration { waiters?.deadline ?? stay.deadline }
}

/// Equal calls of a moment share one exchange.
struct CallKey: Hashable, Sendable {
    let cacheKey: CacheKey
    let session: Session.ID
    /// Whether it asks about a copy.
    let isConditional: Bool
}
