import HTTP
import Sockets

/// One request and its response: who sends it, what it may cost, what is decided about it, and what
/// observers learn of it. It does not know how messages are framed.
///
/// A connection of HTTP/1 has one request at a time, so that one object serves them all. It is used
/// on the connection's loop.
final class Exchange {
    let rules: ConnectionRules
    let local: LoopContext
    let channel: SocketChannel
    // Accesses to these never overlap: they are used on the loop, by one function at a time.
    // Exclusivity is not checked.
    /// The client of the connection, whose requests these are unless it forwards them.
    @exclusivity(unchecked) var client: ConnectedClient
    /// The client of the request, if the peer forwards it.
    @exclusivity(unchecked) private(set) var forwarded: ForwardedClient?
    @exclusivity(unchecked) private(set) var requestID = ""
    /// The response, and what observers learn of the exchange.
    @exclusivity(unchecked) var sent = SentResponse()
    /// Whether the request is safe.
    private(set) var isRead = true
    /// Exists while the handler runs or its response takes memory.
    private var scope: ExchangeScope?
    /// Memory that is reserved for the request's body.
    @exclusivity(unchecked) private var heldBodyBytes = 0

    init(_ channel: SocketChannel, _ local: LoopContext, _ rules: ConnectionRules) {
        self.channel = channel
        self.local = local
        self.rules = rules
        client = ConnectedClient(channel.peer, trusting: rules.trustedProxies)
    }

    /// The client that sent the request.
    var clientAddress: SocketAddress { forwarded?.address ?? client.address }

    /// Identifies the client of a request that a trusted proxy forwards.
    func findClient(_ fields: borrowing HTTPFields) {
        forwarded = client.origin(of: fields, trusting: rules.trustedProxies)
    }

    var isObserved: Bool { local.accessLines != nil || !rules.observers.isEmpty }

    // MARK: Begin and end

    /// - Parameter bytes: The size of the head.
    func begin(_ head: borrowing RequestHead, bytes: Int) {
        requestID = local.requestID(for: head.fields)
        sent = SentResponse(isObserved)
        sent.isHead = head.method == .head
        isRead = head.method.isSafe
        sent.version = head.version
        sent.origin = rules.crossOrigin?.place(of: head.fields)
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
        requestID = local.requestID(for: HTTPFields())
    }

    /// Adds the fields that every response has.
    func complete(_ response: inout HTTPResponse) {
        SecurityHeaders.add(to: &response.fields, of: response.status)
        if let strictTransport = rules.strictTransport, channel.isSecure {
            response.fields[.strictTransportSecurity] = strictTransport
        }
        if let crossOrigin = rules.crossOrigin {
            response.fields.append(contentsOf: crossOrigin.fields(at: sent.origin))
        }
        if let allowance = sent.allowance {
            limiter(of: allowance)?.append(allowance, to: &response.fields)
        }
    }

    /// The response was sent, or the connection has failed.
    func notifyObservers() {
        guard isObserved else { return }
        let record = sent.record(peer: clientAddress, requestID: requestID)
        for observer in rules.observers { observer.finished(record) }
        local.accessLines?.append(record)
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
    func rejectionByLimits(account: RateLimitKey? = nil) -> HTTPResponse? {
        guard !isWithinLimits(account: account), let allowance = sent.allowance else { return nil }
        let isAddress = allowance.measure == .address
        rules.refusals.add(isAddress ? .addressRate : .keyRate, on: channel.loop)
        return response(
            to: HTTPError(
                .tooManyRequests,
                "Too many requests \(isAddress ? "from this address" : "with this key").",
                retryAfterSeconds: allowance.seconds))
    }

    /// Takes a token for one request from the client's bucket; false if the bucket is empty.
    func isWithinLimits(account: RateLimitKey? = nil) -> Bool {
        guard let meter = meter(account: account) else { return true }
        let allowance = meter.take()
        sent.allowance = allowance
        if case .taken = allowance.outcome { return true }
        return false
    }

    /// The bucket that the request is charged to; `nil` if it is not limited.
    func meter(account: RateLimitKey?) -> RateMeter? {
        if let account {
            return rules.keyRate.map {
                RateMeter(limiter: $0, key: account, measure: .account, now: channel.loop.now)
            }
        }
        guard let limiter = rules.addressRate, let key = forwarded?.key ?? client.key else {
            return nil
        }
        return RateMeter(limiter: limiter, key: key, measure: .address, now: channel.loop.now)
    }

    /// Adopts the allowance that is left after the handler charged more tokens.
    func noteCharge() {
        guard let allowance = scope?.allowance else { return }
        sent.allowance = allowance
        guard case .empty = allowance.outcome else { return }
        rules.refusals.add(
            allowance.measure == .address ? .addressRate : .keyRate, on: channel.loop)
    }

    func limiter(of allowance: RateLimitStatus) -> RateLimiter? {
        allowance.measure == .address ? rules.addressRate : rules.keyRate
    }

    // MARK: Bodies

    /// Reserves memory for what has arrived of a body; false if there is not enough.
    func hold(_ total: Int) -> Bool {
        guard total > heldBodyBytes else { return true }
        guard rules.bodies.take(total - heldBodyBytes, total: total) else {
            rules.refusals.add(.bodies, on: channel.loop)
            return false
        }
        heldBodyBytes = total
        return true
    }

    func releaseBody() {
        guard heldBodyBytes > 0 else { return }
        rules.bodies.give(heldBodyBytes)
        heldBodyBytes = 0
    }
}
