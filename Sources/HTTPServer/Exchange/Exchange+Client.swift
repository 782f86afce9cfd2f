import HTTP
import Sockets

extension Exchange {
    // MARK: Credentials

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
}
