import HTTP
import Sockets

extension Connection {
    // MARK: The client

    var clientAddress: SocketAddress { forwarded?.address ?? client.address }

    /// Identifies the client, from the PROXY protocol header if one is expected.
    ///
    /// - Throws: `cancelled` if the peer may not send such a header, or the header is invalid.
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

    /// Identifies the client of a request that a trusted proxy forwards.
    func findClient(_ fields: borrowing HTTPFields) {
        forwarded = client.origin(of: fields, trusting: rules.trustedProxies)
    }

    // MARK: Connections

    /// Counts the connection and performs the TLS handshake.
    ///
    /// - Throws: `cancelled` if the address has too many connections; a response was sent.
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
            try await rejectUnread(
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
                RateMeter(limiter: $0, key: account, measure: .account, now: now)
            }
        }
        guard let limiter = rules.addressRate, let key = forwarded?.key ?? client.key else {
            return nil
        }
        return RateMeter(limiter: limiter, key: key, measure: .address, now: now)
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
