import HTTP
import Sockets

extension Exchange {
    /// The decision on a request by its head.
    enum Decision {
        case respond(HTTPResponse)
        case handle(HTTPRoute, RequestContext, HTTPHandler)
    }

    func decide(
        on request: HTTPRequest, _ head: borrowing RequestHead
    ) async -> Decision {
        if let preflight = rules.crossOrigin?.preflight(head, from: sent.origin) {
            return .respond(rejectionByLimits() ?? preflight)
        }
        switch rules.router.match(request.method, request.target) {
        case .rejected(let refusal, let template):
            sent.template = template
            return .respond(rejectionByLimits() ?? response(to: refusal))
        case .options(let allow, let template):
            sent.template = template
            let allowed = allow.map(\.rawValue).joined(separator: ", ")
            let response = HTTPResponse(.noContent, fields: [.allow: allowed])
            return .respond(rejectionByLimits() ?? response)
        case .route(let route, let parameters):
            if isObserved { sent.template = route.template }
            var context = RequestContext(
                requestID: requestID, peer: clientAddress, template: route.template,
                parameters: parameters, receivedSeconds: channel.loop.wallSeconds)
            let handler: HTTPHandler
            let account: RateLimitKey?
            switch await route.value.admit(request, context) {
            case .rejected(let response): return .respond(rejectionByLimits() ?? response)
            case .admitted(let admitted, let name):
                handler = admitted
                account = name.map { RateLimitKey(account: $0) }
            }
            if let refusal = rejectionByLimits(account: account) { return .respond(refusal) }
            guard head.framing == .none || route.value.takesBody else {
                return .respond(self.response(to: .unexpectedBody))
            }
            context.scope = ExchangeScope(meter: meter(account: account))
            return .handle(route.value, context, handler)
        }
    }

    func response(to refusal: HTTPError) -> HTTPResponse {
        var refusal = refusal
        refusal.requestID = requestID
        return refusal.response(by: rules.render)
    }

    /// A cached response, and the reader that it is for.
    struct Ready {
        let prepared: PreparedResponse
        /// `nil` for an anonymous client.
        let reader: PublicReader?
    }

    /// The cached response to this request. A request with credentials gets it if they were not
    /// exposed on the way, are valid, and grant no more than anonymous access.
    func preparedResponse(to head: borrowing RequestHead) -> Ready? {
        guard let cache = rules.cache else { return nil }
        guard head.fields.contains(.authorization) else {
            return cache.answer(to: head).map { Ready(prepared: $0, reader: nil) }
        }
        guard let reader = reader(of: head.fields), let prepared = cache.answer(to: head) else {
            return nil
        }
        guard prepared.publicWord != nil else {
            cache.takeBack(head)
            return nil
        }
        return Ready(prepared: prepared, reader: reader)
    }

    private func reader(of fields: borrowing HTTPFields) -> PublicReader? {
        guard let readers = rules.readers else { return nil }
        if client.isTrusted { findClient(fields) }
        guard isConfidential(fields) else { return nil }
        return fields.withOnlyBytes(of: .authorization) { readers.reader(of: $0) } ?? nil
    }
}
