import HTTP
import Sockets

extension Connection {
    /// Performs the TLS handshake if the listener requires TLS.
    func secure(until deadline: Int64) async throws(ChannelError) {
        guard let tls = rules.tls else { return }
        do throws(ChannelError) {
            try await channel.secure(by: tls, until: deadline)
            notifyObservers(of: HandshakeRecord(client.address, channel))
        } catch .cancelled where canBePassed {
            isPassedOn = true
            throw .cancelled
        } catch {
            notifyObservers(of: HandshakeRecord(client.address, error))
            if error == .insecure(.plainHTTP) {
                try await rejectUnread(HTTPError(.badRequest, "This port only accepts HTTPS."))
            }
            throw error
        }
    }

    private func notifyObservers(of handshake: HandshakeRecord) {
        for observer in rules.handshakeObservers { observer.ended(handshake) }
    }

    /// Rejects credentials that may have been read on the way, whatever they are for: this includes
    /// requests that would be redirected, and unknown keys, which another server may accept.
    func rejectionOfExposure(_ fields: borrowing HTTPFields) -> HTTPResponse? {
        guard fields.contains(.authorization), !isConfidential(fields) else { return nil }
        return response(to: .exposedCredentials)
    }

    /// Whether nobody on the way could read the request: it came over TLS, from this machine, or
    /// through a trusted proxy that says so. A proxy that names the client has to report its
    /// scheme.
    func isConfidential(_ fields: borrowing HTTPFields) -> Bool {
        if client.isTrusted, let stated = ForwardedTransport(fields) { return stated == .secure }
        if let forwarded { return forwarded.isKnown && forwarded.address.isLoopback }
        return channel.isSecure || client.tellsTLS ?? client.address.isLoopback
    }

    // MARK: Hosts

    /// Whether the request names a host that is served at this address, if that is restricted.
    /// HTTP/1.0 requests may name none; browsers never send those.
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

    /// Redirects the client to the same resource over HTTPS (RFC 9110 §15.4.9).
    func redirect(_ head: borrowing RequestHead, port: UInt16) async throws(ChannelError) -> Bool {
        guard let location = Self.secureLocation(of: head, port: port) else {
            try await reject(HTTPError(.badRequest, "Use HTTPS."))
            return false
        }
        let response = HTTPResponse(
            .permanentRedirect,
            fields: [.location: location, .contentType: "text/plain; charset=utf-8"],
            body: .bytes(Array("\(location)\n".utf8)))
        let goesOn = try await answer(
            response, keepsAlive: head.keepsAlive && head.framing == .none)
        // Discards an announced body, so that the client can read the response.
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
