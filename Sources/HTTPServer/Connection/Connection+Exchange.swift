import Glibc
import HTTP
import Sockets

extension Connection {
    /// Serves the request; returns whether the connection stays open.
    func exchange(_ head: consuming RequestHead) async throws(ChannelError) -> Bool {
        begin(head)
        defer { releaseBody() }
        guard isForServedHost(head) else {
            return try await answer(
                rejectionByLimits() ?? response(to: .foreignHost), over: head)
        }
        // Cached responses are no longer invalidated either.
        if local.isClosed { return try await answer(response(to: .handedOver), over: head) }
        if try await switchProtocols(head) { return false }
        if let refusal = rejectionOfExposure(head.fields) {
            return try await answer(rejectionByLimits() ?? refusal, over: head)
        }
        if let port = rules.redirectPort {
            if let refusal = rejectionByLimits() { return try await answer(refusal, over: head) }
            return try await redirect(head, port: port)
        }
        if let ready = preparedResponse(to: head) {
            sent.template = ready.prepared.template
            let response = ready.prepared.response
            let refusal = rejectionByLimits(account: ready.reader?.key)
            return try await answer(
                refusal ?? (ready.reader == nil ? response : response.madePrivate()),
                keepsAlive: head.keepsAlive)
        }
        var request = HTTPRequest(
            head.method, head.target, version: head.version, fields: head.fields)
        switch await judge(request, head) {
        case .answer(let response):
            return try await answer(response, over: head)
        case .handle(let route, let context, var handler):
            let keepsAlive = head.keepsAlive
            if head.framing != .none {
                guard let body = try await readBody(head) else { return false }
                // Access may have been revoked since the head arrived.
                switch await route.admit(request, context) {
                case .rejected(let response):
                    releaseBody()
                    return try await answer(response, keepsAlive: keepsAlive)
                case .admitted(let admitted, account: _): handler = admitted
                }
                request.body = body
            }
            scope = context.scope
            defer { endScope() }
            let response = await respond(to: request, context, by: handler)
            noteCharge()
            return try await answer(response, keepsAlive: keepsAlive)
        }
    }

    /// The decision on a request by its head.
    private enum Judgement {
        case answer(HTTPResponse)
        case handle(HTTPRoute, RequestContext, HTTPHandler)
    }

    private func judge(
        _ request: HTTPRequest, _ head: borrowing RequestHead
    ) async -> Judgement {
        if let preflight = rules.crossOrigin?.preflight(head, from: sent.origin) {
            return .answer(rejectionByLimits() ?? preflight)
        }
        switch rules.router.match(request.method, request.target) {
        case .rejected(let refusal, let template):
            sent.template = template
            return .answer(rejectionByLimits() ?? response(to: refusal))
        case .options(let allow, let template):
            sent.template = template
            let allowed = allow.map(\.rawValue).joined(separator: ", ")
            let response = HTTPResponse(.noContent, fields: [.allow: allowed])
            return .answer(rejectionByLimits() ?? response)
        case .route(let route, let parameters):
            if isObserved { sent.template = route.template }
            var context = RequestContext(
                requestID: requestID, peer: clientAddress, template: route.template,
                parameters: parameters, receivedSeconds: channel.loop.wallSeconds)
            let handler: HTTPHandler
            let account: RateLimitKey?
            switch await route.value.admit(request, context) {
            case .rejected(let response): return .answer(rejectionByLimits() ?? response)
            case .admitted(let admitted, let name):
                handler = admitted
                account = name.map { RateLimitKey(account: $0) }
            }
            if let refusal = rejectionByLimits(account: account) { return .answer(refusal) }
            guard head.framing == .none || route.value.takesBody else {
                return .answer(self.response(to: .unexpectedBody))
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

    /// Responds to a request whose body is not wanted. A small body is probably in flight; it is
    /// read and discarded, so that the connection stays open. For a large one the connection is
    /// closed.
    private func answer(
        _ response: HTTPResponse, over head: borrowing RequestHead
    ) async throws(ChannelError) -> Bool {
        switch head.framing {
        case .none: return try await answer(response, keepsAlive: head.keepsAlive)
        case .length(let length) where length <= BodyBudget.smallBytes && !head.expectsContinue:
            guard try await dropBody(length) else { return false }
            return try await answer(response, keepsAlive: head.keepsAlive)
        default:
            _ = try await answer(response, keepsAlive: false)
            await linger()
            return false
        }
    }

    /// The memory of the response is released: it was sent, or will not be.
    func endScope() {
        scope?.end()
        scope = nil
    }

    private func respond(
        to request: HTTPRequest, _ context: RequestContext, by handler: HTTPHandler
    ) async -> HTTPResponse {
        guard local.beginWork() else { return response(to: .handedOver) }
        defer { local.endWork() }
        channel.beginWork(until: now + limits.handlerMilliseconds)
        let response = await handler(request, context)
        channel.endWork()
        return response
    }

    /// The handler takes too long: its task is cancelled, and the client of a safe request receives
    /// a 503. The outcome of a write is unknown, and a 503 would make the client repeat it.
    func overrun() {
        sent.status = .serviceUnavailable
        guard isRead else { return channel.abortByReset(.timedOut) }
        var response = response(
            to: HTTPError(.serviceUnavailable, "The request took too long to process."))
        complete(&response)
        var bytes = wholeHead(of: response, keepsAlive: false)
        if case .bytes(let body) = response.body, !sent.isHead { bytes += body }
        channel.abort(.timedOut, sending: bytes)
    }

    /// The client has disconnected: a safe request is aborted, so that it does not take a turn that
    /// nobody benefits from. A write continues.
    func abandon() {
        if isRead { channel.abortByReset(.disconnected(code: ECONNRESET)) }
    }
}
