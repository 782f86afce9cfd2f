import BroadsheetHTTP
import BroadsheetSockets

/// One request and its response: its sender, its cost, the decisions about it, and its record for
/// observers. It knows nothing of the framing of messages.
///
/// A connection of HTTP/1 has one request at a time, so that one object serves them all. It is used
/// on the connection's loop.
final class Exchange {
    let listener: ListenerContext
    let loopContext: LoopContext
    let channel: SocketChannel
    /// The channel, or the stream of it that the exchange takes place on.
    unowned var transport: any ExchangeTransport
    // Accesses to these never overlap: they are used on the loop, by one function at a time.
    // Exclusivity is not checked.
    /// The client of the connection, whose requests these are unless it forwards them.
    @exclusivity(unchecked) var client: ConnectedClient
    /// The client of the request, if the peer forwards it.
    @exclusivity(unchecked) private var forwarded: ForwardedClient?
    @exclusivity(unchecked) private(set) var requestID = ""
    /// True if the credentials of the request were in the session cookie.
    @exclusivity(unchecked) var isByCookie = false
    /// The response, and the record of the exchange for observers.
    @exclusivity(unchecked) var sent = SentResponse()
    /// True if the request's method is safe.
    private(set) var isRead = true
    /// Exists while the handler runs or its response takes memory.
    private var scope: ExchangeScope?
    /// Memory that is reserved for the request's body.
    @exclusivity(unchecked) private var heldBodyBytes = 0

    init(
        _ channel: SocketChannel, _ loopContext: LoopContext, _ listener: ListenerContext,
        client: ConnectedClient? = nil
    ) {
        self.channel = channel
        transport = channel
        self.loopContext = loopContext
        self.listener = listener
        self.client = client ?? ConnectedClient(channel.peer, trusting: listener.trustedProxies)
    }

    /// The client that sent the request.
    private var clientAddress: SocketAddress { forwarded?.address ?? client.address }

    /// Identifies the client of a request that a trusted proxy forwards.
    private func findClient(_ fields: borrowing HTTPFields) {
        forwarded = client.origin(of: fields, trusting: listener.trustedProxies)
    }

    private var isObserved: Bool { loopContext.accessLines != nil || !listener.observers.isEmpty }

    // MARK: Begin and end

    /// - Parameter bytes: The size of the head.
    func begin(_ head: borrowing RequestHead, bytes: Int) {
        requestID = loopContext.requestID(for: head.fields)
        sent = SentResponse(isObserved)
        sent.isHead = head.method == .head
        isRead = head.method.isSafe
        sent.version = head.version
        sent.origin = listener.crossOrigin?.place(of: head.fields)
        if client.isTrusted { findClient(head.fields) }
        guard isObserved else { return }
        sent.request = (head.method, head.target)
        sent.receivedBytes = bytes
        sent.traceID = TraceContext(head.fields)?.traceID
    }

    /// Begins an exchange for bytes that are not a valid request.
    func beginUnread(receivedBytes: Int) {
        sent = SentResponse(isObserved)
        sent.receivedBytes = receivedBytes
        forwarded = nil
        isByCookie = false
        requestID = loopContext.requestID(for: HTTPFields())
    }

    /// Adds the fields that every response has.
    func complete(_ response: inout HTTPResponse) {
        SecurityHeaders.add(to: &response.fields, of: response.status)
        addOwnFields(to: &response.fields)
    }

    /// Adds the fields that depend on the client and the request, and are not the same in a cached
    /// response.
    func addOwnFields(to fields: inout HTTPFields) {
        if let strictTransport = listener.strictTransport, channel.isSecure {
            fields[.strictTransportSecurity] = strictTransport
        }
        if let crossOrigin = listener.crossOrigin {
            fields.append(contentsOf: crossOrigin.fields(at: sent.origin))
        }
        if isByCookie { fields.append(contentsOf: SessionCookie.varying) }
        if let allowance = sent.allowance {
            limiter(of: allowance)?.append(allowance, to: &fields)
        }
    }

    /// The response was sent, or the connection has failed.
    func notifyObservers() {
        guard isObserved else { return }
        let record = sent.record(peer: clientAddress, requestID: requestID)
        for observer in listener.observers { observer.finished(record) }
        loopContext.accessLines?.append(record)
    }

    // MARK: The handler

    /// - Parameter context: That of the handler.
    func beginScope(of context: RequestContext) { scope = context.scope }

    /// The memory of the response is released: it was sent, or will not be.
    func endScope() {
        scope?.end()
        scope = nil
    }

    // MARK: Rate limits

    /// Takes a token for one request from the client's bucket.
    ///
    /// - Parameter account: The account of the request; `nil`: its address is counted.
    /// - Returns: The response if the bucket is empty.
    private func rejectionByLimits(account: LimitedAccount? = nil) -> HTTPResponse? {
        guard !isWithinLimits(account: account), let allowance = sent.allowance else { return nil }
        listener.rejections.add(allowance.measure.reason, on: channel.loop)
        return response(
            to: HTTPError(
                .tooManyRequests, "Too many requests \(allowance.measure.words).",
                retryAfterSeconds: allowance.seconds))
    }

    /// Takes a token for one request from the client's bucket; false if the bucket is empty.
    func isWithinLimits(account: LimitedAccount? = nil) -> Bool {
        guard let meter = meter(account: account) else { return true }
        let allowance = meter.take()
        sent.allowance = allowance
        if case .taken = allowance.outcome { return true }
        return false
    }

    /// The bucket that the request is charged to; `nil` if it is not limited.
    private func meter(account: LimitedAccount?) -> RateMeter? {
        let address = forwarded?.key ?? client.key
        if let account {
            // This machine has no limit as an address, so its accounts are counted one by one.
            let shared = account.sharesAddress ? address : nil
            return listener.keyRate.map {
                RateMeter(
                    limiter: $0, key: shared ?? account.key,
                    measure: shared == nil ? .account : .accountsOfAddress, now: channel.loop.now)
            }
        }
        guard let limiter = listener.addressRate, let address else { return nil }
        return RateMeter(limiter: limiter, key: address, measure: .address, now: channel.loop.now)
    }

    /// Adopts the allowance that is left after the handler charged more tokens.
    func noteCharge() {
        guard let allowance = scope?.allowance else { return }
        sent.allowance = allowance
        guard case .empty = allowance.outcome else { return }
        listener.rejections.add(allowance.measure.reason, on: channel.loop)
    }

    func limiter(of allowance: RateLimitStatus) -> RateLimiter? {
        allowance.measure == .address ? listener.addressRate : listener.keyRate
    }

    // MARK: Bodies

    /// Reserves memory for the `total` bytes of a body that have arrived; false if there is not
    /// enough.
    func hold(_ total: Int) -> Bool {
        guard total > heldBodyBytes else { return true }
        guard listener.bodies.take(total - heldBodyBytes, total: total) else {
            listener.rejections.add(.bodies, on: channel.loop)
            return false
        }
        heldBodyBytes = total
        return true
    }

    func releaseBody() {
        guard heldBodyBytes > 0 else { return }
        listener.bodies.give(heldBodyBytes)
        heldBodyBytes = 0
    }
}

extension Exchange {
    // MARK: Hosts

    /// Returns true if the request names a host that is served at this address, or if hosts are not
    /// restricted. HTTP/1.0 requests may name none; browsers never send those.
    func isForServedHost(_ head: borrowing RequestHead) -> Bool {
        guard let names = listener.hostNames else { return true }
        if let authority = head.target.authority {
            return Authority(Array(authority)).map(names.contains) ?? false
        }
        return head.fields.withBytes(of: .host) { host in
            if isLastServed(host) { return true }
            let bytes = host.withUnsafeBufferPointer { Array($0) }
            guard let authority = Authority(bytes), names.contains(authority) else { return false }
            loopContext.servedHost = bytes
            return true
        } ?? true
    }

    private func isLastServed(_ host: borrowing Span<UInt8>) -> Bool {
        let last = loopContext.servedHost
        guard host.count == last.count else { return false }
        for index in last.indices where last[index] != host[unchecked: index] { return false }
        return true
    }
}

extension Exchange {
    /// The decision on a request by its head alone.
    enum HeadDecision {
        case respond(HTTPResponse)
        case respondPrepared(CachedMatch)
        /// Hands the connection to the handler of another protocol.
        case upgrade(String, ListenerContext.UpgradeHandler)
        /// It is up to the route.
        case route
    }

    /// Makes the decisions that need no waiting, and those that must not depend on routes.
    func decide(by head: borrowing RequestHead) -> HeadDecision {
        guard isForServedHost(head) else {
            return .respond(rejectionByLimits() ?? response(to: .foreignHost))
        }
        // Cached responses are no longer invalidated either.
        if loopContext.isClosed { return .respond(response(to: .handedOver)) }
        if let upgrade = upgrade(by: head), !channel.isSecure {
            return .upgrade(upgrade.name, upgrade.handler)
        }
        if let rejection = rejectionOfExposure(head.fields) {
            return .respond(rejectionByLimits() ?? rejection)
        }
        if let port = listener.redirectPort {
            return .respond(rejectionByLimits() ?? redirection(of: head, port: port))
        }
        guard let ready = preparedResponse(to: head) else { return .route }
        sent.template = ready.prepared.template
        guard let rejection = rejectionByLimits(account: ready.reader?.account) else {
            return .respondPrepared(ready)
        }
        listener.cache?.takeBack(head)
        return .respond(rejection)
    }

    /// The protocol that the client asks for, if it is supported (RFC 9110 §7.8).
    private func upgrade(
        by head: borrowing RequestHead
    ) -> (name: String, handler: ListenerContext.UpgradeHandler)? {
        guard !listener.protocols.isEmpty, head.framing == .none,
            head.fields.list(.connection, has: "upgrade"),
            let name = head.fields[.upgrade], let handler = listener.protocols[name]
        else { return nil }
        return (name, handler)
    }

    /// Redirects the client to the same resource over HTTPS (RFC 9110 §15.4.9).
    private func redirection(of head: borrowing RequestHead, port: UInt16) -> HTTPResponse {
        guard let location = HostNames.secureLocation(of: head, port: port) else {
            var rejection = response(to: HTTPError(.badRequest, "Use HTTPS."))
            rejection.fields[.connection] = "close"
            return rejection
        }
        return HTTPResponse(
            .permanentRedirect,
            fields: [.location: location, .contentType: "text/plain; charset=utf-8"],
            body: .bytes(Array("\(location)\n".utf8)))
    }

    /// The decision of a request's route. It is indirect, as `Match` is, because the frames of
    /// asynchronous functions hold several copies of it.
    indirect enum RouteDecision {
        case respond(HTTPResponse)
        case handle(HTTPRoute, RequestContext, HTTPHandler)
    }

    func decide(
        on request: HTTPRequest, _ head: borrowing RequestHead
    ) async -> RouteDecision {
        switch match(request, head) {
        case .respond(let response): return .respond(response)
        case .admit(let route, let context):
            let admission = await admission(to: route, request, context)
            return conclude(admission, to: route, context, head)
        }
    }

    private indirect enum Match {
        case respond(HTTPResponse)
        case admit(HTTPRoute, RequestContext)
    }

    // The two functions below are not inlined. The frame of an asynchronous function includes the
    // temporaries of everything that is inlined into it, and the connection's task keeps the memory
    // of its frames.

    /// The route of a request, or the response if there is none.
    @inline(never)
    private func match(_ request: HTTPRequest, _ head: borrowing RequestHead) -> Match {
        if let preflight = listener.crossOrigin?.preflight(head, from: sent.origin) {
            return .respond(rejectionByLimits() ?? preflight)
        }
        switch listener.router.match(request.method, request.target) {
        case .rejected(let rejection, let template):
            sent.template = template
            return .respond(rejectionByLimits() ?? response(to: rejection))
        case .options(let allow, let template):
            sent.template = template
            let allowed = allow.map(\.rawValue).joined(separator: ", ")
            let response = HTTPResponse(.noContent, fields: [.allow: allowed])
            return .respond(rejectionByLimits() ?? response)
        case .route(let route, let parameters):
            if isObserved { sent.template = route.template }
            let context = RequestContext(
                requestID: requestID, peer: clientAddress, template: route.template,
                parameters: parameters,
                isConfidential: isConfidential(head.fields),
                isEncrypted: isEncrypted(head.fields), isLocal: isLocal)
            return .admit(route.value, context)
        }
    }

    /// The decision on a request after its route has admitted or rejected it.
    @inline(never)
    private func conclude(
        _ admission: Admission, to route: HTTPRoute, _ context: RequestContext,
        _ head: borrowing RequestHead
    ) -> RouteDecision {
        sent.sender = admission.sender
        switch admission {
        case .rejected(let response, _): return .respond(rejectionByLimits() ?? response)
        case .admitted(let handler, let name, let sharesAddress, _):
            let account = name.map { LimitedAccount($0, sharesAddress: sharesAddress) }
            if let rejection = rejectionByLimits(account: account) { return .respond(rejection) }
            guard head.framing == .none || route.body != .rejected else {
                return .respond(response(to: .unexpectedBody))
            }
            var context = context
            context.scope = ExchangeScope(
                meter: meter(account: account), place: transport.place)
            return .handle(route, context, handler)
        }
    }

    /// The route's decision. It has the time of a handler, and ends when the client of a safe
    /// request disconnects.
    func admission(
        to route: HTTPRoute, _ request: HTTPRequest, _ context: RequestContext
    ) async -> Admission {
        transport.beginWork(until: channel.loop.now + listener.limits.handlerMilliseconds)
        defer { transport.endWork() }
        return await route.admit(request, context)
    }

    func response(to rejection: HTTPError) -> HTTPResponse {
        var rejection = rejection
        rejection.requestID = requestID
        return rejection.response(by: listener.render)
    }

    /// A cached response, and the reader that it is for.
    struct CachedMatch {
        let prepared: PreparedResponse
        /// `nil` for an anonymous client.
        let reader: PublicReader?
    }

    /// The cached response to this request. A request with credentials gets it if they were not
    /// exposed on the way, are valid, and grant no more than anonymous access.
    func preparedResponse(to head: borrowing RequestHead) -> CachedMatch? {
        guard head.method == .get || head.method == .head, let cache = listener.cache,
            cache.mayRespond(to: head)
        else { return nil }
        guard head.fields.contains(.authorization) else {
            return cache.response(to: head).map { CachedMatch(prepared: $0, reader: nil) }
        }
        guard let reader = reader(of: head.fields), let prepared = cache.response(to: head) else {
            return nil
        }
        guard prepared.publicWord != nil else {
            cache.takeBack(head)
            return nil
        }
        return CachedMatch(prepared: prepared, reader: reader)
    }

    private func reader(of fields: borrowing HTTPFields) -> PublicReader? {
        guard let readers = listener.readers else { return nil }
        if client.isTrusted { findClient(fields) }
        guard isConfidential(fields) else { return nil }
        return fields.withOnlyBytes(of: .authorization) { readers.reader(of: $0) } ?? nil
    }
}

extension Exchange {
    /// Rejects credentials that may have been read on the way, whatever they are for: this includes
    /// requests that would be redirected, and unknown keys, which another server may accept.
    private func rejectionOfExposure(_ fields: borrowing HTTPFields) -> HTTPResponse? {
        guard !isConfidential(fields),
            fields.contains(.authorization) || listener.sessionCookie?.isIn(fields) ?? false
        else { return nil }
        return response(to: .exposedCredentials)
    }

    /// Returns true if no third party on the way could read the request: it came over TLS, from
    /// this machine, or through a trusted proxy that says so. A proxy that names the client has to
    /// report its scheme.
    private func isConfidential(_ fields: borrowing HTTPFields) -> Bool {
        if client.isTrusted, let stated = ForwardedTransport(fields) { return stated == .secure }
        if let forwarded { return forwarded.isKnown && forwarded.address.isLoopback }
        return channel.isSecure || client.reportsTLS ?? client.address.isLoopback
    }

    /// Returns true if the client itself used TLS, up to here or up to a trusted proxy.
    private func isEncrypted(_ fields: borrowing HTTPFields) -> Bool {
        if client.isTrusted, let stated = ForwardedTransport(fields) { return stated == .secure }
        return forwarded == nil && (channel.isSecure || client.reportsTLS ?? false)
    }

    /// True if the client is on this machine and connected to an address that only this machine can
    /// reach.
    private var isLocal: Bool {
        listener.isLoopback && client.address.isLoopback && forwarded == nil
    }

    /// Replaces a valid session cookie by the `Authorization` field that it stands for: code that
    /// treats requests with credentials differently then also treats this one so.
    func adoptCookie(of head: inout RequestHead) {
        isByCookie = false
        // Nearly all clients are not browsers, and send none.
        guard head.fields.contains(.cookie), let cookie = listener.sessionCookie,
            !head.fields.contains(.authorization), cookie.isInScope(head.target),
            let token = cookie.token(in: head.fields)
        else { return }
        if client.isTrusted { findClient(head.fields) }
        guard isEncrypted(head.fields) else { return }
        isByCookie = head.fields.append(.authorization, "Bearer \(token)")
    }
}
