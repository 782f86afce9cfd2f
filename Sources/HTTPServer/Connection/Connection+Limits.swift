import HTTP
import Network

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
                ServerRefusal(
                    .tooManyRequests, "Too many connections of one address.", retryAfterSeconds: 1))
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
    func refusalByLimits(account: ClientKey? = nil) -> HTTPResponse? {
        guard !isWithinLimits(account: account), let allowance = sent.allowance else { return nil }
        let isAddress = allowance.measure == .address
        rules.refusals.add(isAddress ? .addressRate : .keyRate, on: channel.loop)
        return response(
            to: ServerRefusal(
                .tooManyRequests,
                "Too many requests come \(isAddress ? "from this address" : "with this key").",
                retryAfterSeconds: allowance.seconds))
    }

    /// Takes one request from what the client may send; false if nothing is left.
    func isWithinLimits(account: ClientKey? = nil) -> Bool {
        if let account {
            guard let limiter = rules.keyRate else { return true }
            return take(account, of: limiter, .account)
        }
        guard let limiter = rules.addressRate, let key = forwarded?.key ?? client.key else {
            return true
        }
        return take(key, of: limiter, .address)
    }

    private func take(
        _ key: ClientKey, of limiter: RateLimiter, _ measure: Allowance.Measure
    ) -> Bool {
        let outcome = limiter.buckets.take(key, now: now)
        sent.allowance = Allowance(measure: measure, outcome: outcome)
        if case .taken = outcome { return true }
        return false
    }

    func limiter(of allowance: Allowance) -> RateLimiter? {
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
