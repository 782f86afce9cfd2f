import HTTP

/// A request on its way through the service: where it goes and until when.
struct Call: Sendable {
    var request: HTTPRequest
    let origin: HTTPOrigin
    /// In the time of `ClientEnvironment.now`.
    let deadline: Duration
    let options: RequestOptions
    var isStreamed = false

    init(
        _ request: HTTPRequest, _ configuration: BackendConfiguration, _ options: RequestOptions,
        now: Duration
    ) {
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
        if let key = options.idempotencyKey { request.fields.set(.idempotencyKey, to: key) }
        self.request = request
        origin = configuration.baseURL.origin
        deadline = now + (options.timeout ?? configuration.timeout)
        self.options = options
    }
}

/// Equal calls of a moment share one exchange.
struct CallKey: Hashable, Sendable {
    let cacheKey: CacheKey
    let freshness: RequestOptions.Freshness
    let timeout: Duration?
    let method: HTTPMethod
}
