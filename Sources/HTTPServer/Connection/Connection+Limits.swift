import HTTP
import Sockets

extension Connection {
    // MARK: Who it is

    var clientAddress: SocketAddress { forwarded?.address ?? client.address }

    /// Finds out who is at the other end, where a proxy has to say it first.
    ///
    /// - Throws: `cancelled` for a peer that may not say it, and for what is no such header.
    func meetClient(until deadline: Int64) async throws(ChannelError) {
        guard rules.expectsProxyHeader else { return }
        var header: ProxyHeader?
        do throws(ChannelError) {
            if client.isTrusted { header = try await channel.readProxyHeader(until: deadline) }
        } catch {
            isPassedOn = error == .cancelled && canBePassed
            throw error
        }
        guard let header else {
            rules.refusals.add(.proxyHeader, on: channel.loop)
            throw .cancelled
        }
        isNamed = true
        client = ConnectedClient(header, from: client, trusting: rules.trustedProxies)
    }

    /// Finds out whom the request comes from that a trusted proxy passes on.
    func findClient(_ fields: borrowing HTTPFields) {
        forwarded = client.origin(of: fields, trusting: rules.trustedProxies)
    }

    // MARK: Connections

    /// Counts the connection and agrees on TLS.
    ///
    /// - Throws: `cancelled` where the address has too many connections, and was told so.
    func enter(until deadline: Int64) async throws(ChannelError) {
        guard let addresses = rules.addresses, let key = client.key else {
            return try await secure(until: deadline)
        }
        let entrance = addresses.enter(key)
        isCounted = entrance != .overrun
        guard entrance != .welcome else { return try await secure(until: deadline) }
        rules.refusals.add(.addressConnections, on: channel.loop)
        if entrance == .full {
            try await secure(until: deadline)
            try await refuseUnread(
                HTTPError(
                    .tooManyRequests, "Too many connections from this address.",
                    retryAfterSeconds: 1))
        }
        throw .cancelled
    }

    func leave() {
        if isCounted, let key = client.key { rules.addresses?.leave(key) }
        isCounted = false
    }

    // MARK: Requests

    /// Takes one request from what the client may send.
    ///
    /// - Parameter account: whose request it is; `nil`: its address's.
    /// - Returns: what it is told where nothing is left.
    func refusalByLimits(account: RateLimitKey? = nil) -> HTTPResponse? {
        guard !isWithinLimits(account: account), let allowance = sent.allowance else { return nil }
        let isAddress = allowance.measure == .address
        rules.refusals.add(isAddress ? .addressRate : .keyRate, on: channel.loop)
        return response(
            to: HTTPError(
                .tooManyRequests,
                "Too many requests \(isAddress ? "from this address" : "with this key").",
                retryAfterSeconds: allowance.seconds))
    }

    /// Takes one request from what the client may send; false if nothing is left.
    func isWithinLimits(account: RateLimitKey? = nil) -> Bool {
        guard let meter = meter(account: account) else { return true }
        let allowance = meter.take()
        sent.allowance = allowance
        if case .taken = allowance.outcome { return true }
        return false
    }

    /// Where the request's tokens come from; `nil` if it is not limited.
    func meter(account: RateLimitKey?) -> RateMeter? {
        if let account {
            return rules.keyRate.map {
                RateMeter(limiter: $0, key: account, measure: .account, now: now)
            }
        }
        guard let limiter = rules.addressRate, let key = forwarded?.key ?? client.key else {
            return nil
        }
        return RateMeter(limiter: limiter, key: key, measure: .address, now: now)
    }

    /// Takes over what the handler took from what the client may send.
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

    /// Takes room for what has come of a body; false if there is none.
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
