import BroadsheetHTTP
import BroadsheetSockets

extension Exchange {
    /// Rejects credentials that may have been read on the way, whatever they are for: this includes
    /// requests that would be redirected, and unknown keys, which another server may accept.
    func rejectionOfExposure(_ fields: borrowing HTTPFields) -> HTTPResponse? {
        guard fields.contains(.authorization) || rules.sessionCookie?.isIn(fields) ?? false,
            !isConfidential(fields)
        else { return nil }
        return response(to: .exposedCredentials)
    }

    /// Returns true if no third party on the way could read the request: it came over TLS, from
    /// this machine, or through a trusted proxy that says so. A proxy that names the client has to
    /// report its scheme.
    func isConfidential(_ fields: borrowing HTTPFields) -> Bool {
        if client.isTrusted, let stated = ForwardedTransport(fields) { return stated == .secure }
        if let forwarded { return forwarded.isKnown && forwarded.address.isLoopback }
        return channel.isSecure || client.reportsTLS ?? client.address.isLoopback
    }

    /// Returns true if the client itself used TLS, up to here or up to a trusted proxy.
    func isEncrypted(_ fields: borrowing HTTPFields) -> Bool {
        if client.isTrusted, let stated = ForwardedTransport(fields) { return stated == .secure }
        return forwarded == nil && (channel.isSecure || client.reportsTLS ?? false)
    }

    /// True if the client is on this machine and connected to an address that only this machine can
    /// reach.
    var isLocal: Bool { rules.isLoopback && client.address.isLoopback && forwarded == nil }

    /// Replaces a valid session cookie by the `Authorization` field that it stands for: code that
    /// treats requests with credentials differently then also treats this one so.
    func adoptCookie(of head: inout RequestHead) {
        isByCookie = false
        // Nearly all clients are not browsers, and send none.
        guard head.fields.contains(.cookie), let cookie = rules.sessionCookie,
            !head.fields.contains(.authorization), cookie.isInScope(head.target),
            let token = cookie.token(in: head.fields)
        else { return }
        if client.isTrusted { findClient(head.fields) }
        guard isEncrypted(head.fields) else { return }
        isByCookie = head.fields.append(.authorization, "Bearer \(token)")
    }
}
