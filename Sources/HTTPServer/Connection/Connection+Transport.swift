import HTTP
import Sockets

extension Connection {
    /// Agrees on TLS with the client, where it has to be spoken.
    func secure(until deadline: Int64) async throws(ChannelError) {
        guard let tls = rules.tls else { return }
        do throws(ChannelError) {
            try await channel.secure(by: tls, until: deadline)
            tellObservers(of: HandshakeRecord(client.address, channel))
        } catch .cancelled where canBePassed {
            isPassedOn = true
            throw .cancelled
        } catch {
            tellObservers(of: HandshakeRecord(client.address, error))
            if error == .insecure(.plainHTTP) {
                try await refuseUnread(HTTPError(.badRequest, "This port only accepts HTTPS."))
            }
            throw error
        }
    }

    private func tellObservers(of handshake: HandshakeRecord) {
        for observer in rules.handshakeObservers { observer.ended(handshake) }
    }

    /// Refuses credentials that others may have read on the way, whatever they are for: also to
    /// be sent on to https, and a key that is unknown here, which may be another server's.
    func refusalOfExposure(_ fields: borrowing HTTPFields) -> HTTPResponse? {
        guard fields.contains(.authorization), !isConfidential(fields) else { return nil }
        return response(to: .exposedCredentials)
    }

    /// Whether nobody on the way could read the request: it came by TLS, from this machine, or by a
    /// trusted proxy that says so. One that names whom it comes from has to say how it came.
    func isConfidential(_ fields: borrowing HTTPFields) -> Bool {
        if client.isTrusted, let stated = ForwardedTransport(fields) { return stated == .secure }
        if let forwarded { return forwarded.isKnown && forwarded.address.isLoopback }
        return channel.isSecure || client.tellsTLS ?? client.address.isLoopback
    }

    // MARK: Hosts

    /// Whether the request is for a host that is served at this address, where that matters. One
    /// of HTTP/1.0 may name none, which no browser sends.
    func isForServedHost(_ head: borrowing RequestHead) -> Bool {
        guard let names = rules.hostNames else { return true }
        if let authority = head.target.authority {
            return Authority(Array(authority)).map(names.contains) ?? false
        }
        return head.fields.withBytes(of: .host) { host in
            if isLastServed(host) { return true }
            let bytes = host.withUnsafeBufferPointer { Array($0) }
            guard let authority = Authority(bytes), names.contains(authority) else { return false }
            local.servedHost = bytes
            return true
        } ?? true
    }

    private func isLastServed(_ host: borrowing Span<UInt8>) -> Bool {
        let last = local.servedHost
        guard host.count == last.count else { return false }
        for index in last.indices where last[index] != host[unchecked: index] { return false }
        return true
    }

    // MARK: Redirection

    /// Sends the client to the same resource by https (RFC 9110 §15.4.9).
    func redirect(_ head: borrowing RequestHead, port: UInt16) async throws(ChannelError) -> Bool {
        guard let location = Self.secureLocation(of: head, port: port) else {
            try await refuse(HTTPError(.badRequest, "Use HTTPS."))
            return false
        }
        let response = HTTPResponse(
            .permanentRedirect,
            fields: [.location: location, .contentType: "text/plain; charset=utf-8"],
            body: .bytes(Array("\(location)\n".utf8)))
        let goesOn = try await answer(
            response, keepsAlive: head.keepsAlive && head.framing == .none)
        // A body that was announced is dropped, so that the client sees the answer.
        if !goesOn { await linger() }
        return goesOn
    }

    private static func secureLocation(of head: borrowing RequestHead, port: UInt16) -> String? {
        let stated =
            head.target.authority.map { Array($0) }
            ?? head.fields[.host].map {
                Array($0.utf8)
            }
        guard let authority = stated.flatMap(Authority.init),
            HostNames.isAddress(authority.host) || HostNames.isName(authority.host),
            head.target.form == .origin || head.target.form == .absolute
        else { return nil }
        var location = "https://" + authority.host + (port == 443 ? "" : ":\(port)")
        location += String(decoding: head.target.path, as: UTF8.self)
        if let query = head.target.query {
            location += "?" + String(decoding: query, as: UTF8.self)
        }
        return location
    }
}
