import BroadsheetHTTP
import BroadsheetSockets

extension HTTP1Connection {
    // MARK: The client

    /// Identifies the client, from the PROXY protocol header if one is expected.
    ///
    /// - Throws: `cancelled` if the peer may not send such a header, or the header is invalid.
    func readProxyHeader(until deadline: Int64) async throws(ChannelError) {
        guard listener.expectsProxyHeader else { return }
        let proxy = exchange.client.address
        guard exchange.client.isTrusted else {
            listener.proxyReports.noteUntrusted(proxy, at: now)
            throw withoutHeader()
        }
        let sent: Result<ProxyHeader, ProxyHeader.Mismatch>
        do throws(ChannelError) {
            sent = try await channel.readProxyHeader(until: deadline)
        } catch {
            isPassedOn = error == .cancelled && canBePassed
            throw error
        }
        switch sent {
        case .success(let header):
            isNamed = true
            exchange.client = ConnectedClient(
                header, from: exchange.client, trusting: listener.trustedProxies)
        case .failure(let mismatch):
            listener.proxyReports.note(mismatch, from: proxy, at: now)
            throw withoutHeader()
        }
    }

    /// Counts a connection that has to begin with a header, and does not.
    private func withoutHeader() -> ChannelError {
        listener.rejections.add(.proxyHeader, on: channel.loop)
        return .cancelled
    }

    // MARK: Connections

    /// Counts the connection and performs the TLS handshake.
    ///
    /// - Throws: `cancelled` if the address has too many connections; a response was sent.
    func enter(until deadline: Int64) async throws(ChannelError) {
        guard let addresses = listener.addresses, let key = exchange.client.key else {
            return try await secure(until: deadline)
        }
        let entrance = addresses.enter(key)
        isCounted = entrance != .overrun
        guard entrance != .admitted else { return try await secure(until: deadline) }
        listener.rejections.add(.addressConnections, on: channel.loop)
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
        if isCounted, let key = exchange.client.key { listener.addresses?.leave(key) }
        isCounted = false
    }

    /// Performs the TLS handshake if the listener requires TLS.
    func secure(until deadline: Int64) async throws(ChannelError) {
        guard let tls = listener.tls else { return }
        do throws(ChannelError) {
            try await channel.secure(by: tls, until: deadline)
            speaksHTTP2 = channel.applicationProtocol == "h2"
            notifyObservers(of: HandshakeRecord(exchange.client.address, channel))
        } catch .cancelled where canBePassed {
            isPassedOn = true
            throw .cancelled
        } catch {
            notifyObservers(of: HandshakeRecord(exchange.client.address, error))
            if error == .insecure(.plainHTTP) {
                try await rejectUnread(HTTPError(.badRequest, "This port only accepts HTTPS."))
            }
            throw error
        }
    }

    private func notifyObservers(of handshake: HandshakeRecord) {
        for observer in listener.handshakeObservers { observer.ended(handshake) }
    }

    /// Responds to a client above the connection limit.
    func rejectOverLimit() async {
        do throws(ChannelError) {
            let deadline = now + limits.handshakeMilliseconds
            try await readProxyHeader(until: deadline)
            try await secure(until: deadline)
            try await rejectUnread(HTTPError(.serviceUnavailable, "Too many connections."))
        } catch {
            // The client has disconnected.
        }
        releaseBuffer()
    }

    /// Passes the connection on to the process that continues it.
    func handOff() {
        guard let descriptor = channel.detach() else { return }
        listener.departure.take(
            HandedOffConnection(descriptor: descriptor, peer: channel.peer, door: listener.listener)
        )
    }
}
