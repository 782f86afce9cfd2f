import HTTP
import Sockets

/// Who is at the other end of a connection: its peer, or whom a proxy names there.
struct ConnectedClient {
    let address: SocketAddress
    /// What its address is counted by; `nil` for this machine and for trusted proxies, which speak
    /// for others.
    let key: RateLimitKey?
    /// Whether its word is taken for whom its requests come from.
    let isTrusted: Bool
    /// Whether it came by TLS, as far as a proxy tells.
    private(set) var tellsTLS: Bool?

    init(_ peer: SocketAddress, trusting proxies: NetworkList) {
        address = peer
        isTrusted = !proxies.isEmpty && proxies.contains(peer)
        key = isTrusted || peer.isLoopback ? nil : RateLimitKey(peer)
    }

    /// Whom the header of a trusted proxy names. Where it names nobody, the proxy's address stands
    /// for a client of which nothing is known: what it sends may have come from anywhere, in the
    /// clear unless the proxy says otherwise, and its word is not taken.
    init(_ header: ProxyHeader, from proxy: ConnectedClient, trusting proxies: NetworkList) {
        tellsTLS = header.isSecure ?? false
        guard let client = header.client else {
            (address, key, isTrusted) = (proxy.address, proxy.key, false)
            return
        }
        address = client
        isTrusted = proxies.contains(client)
        key = isTrusted ? nil : RateLimitKey(client)
    }

    /// Whom a request comes from that this trusted peer passes on; `nil` if it names nobody.
    ///
    /// The last node that is not trusted counts: what stands before it, anyone may have written.
    /// Where the two fields name different clients, one of them went through a proxy unseen, and
    /// the request is the proxy's own.
    func origin(
        of fields: borrowing HTTPFields, trusting proxies: NetworkList
    ) -> ForwardedClient? {
        let told = [ForwardedNodes.forwarded(fields), ForwardedNodes.xForwardedFor(fields)]
            .compactMap { $0.map { walk($0, trusting: proxies) } }
        guard let first = told.first else { return nil }
        let isAgreed = told.dropFirst().allSatisfy {
            $0.address.networkOctets == first.address.networkOctets
        }
        return isAgreed ? first : ForwardedClient(address, isKnown: false)
    }

    /// From the last node to the first, as long as those who name them are trusted.
    private func walk(
        _ nodes: [ForwardedNode?], trusting proxies: NetworkList
    ) -> ForwardedClient {
        var client = address
        for node in nodes.reversed() where proxies.contains(client) {
            guard let next = node.flatMap({ SocketAddress(ip: $0.host, port: $0.port) }) else {
                return ForwardedClient(client, isKnown: false)
            }
            client = next
        }
        return ForwardedClient(client, isKnown: true)
    }
}

/// Whom a request comes from, if its connection's peer passes it on.
struct ForwardedClient {
    /// Its own, or that of the last proxy that is known.
    let address: SocketAddress
    /// Whether it is named, and not hidden, unknown or named twice.
    let isKnown: Bool
    let key: RateLimitKey

    init(_ address: SocketAddress, isKnown: Bool) {
        self.address = address
        self.isKnown = isKnown
        key = RateLimitKey(address)
    }
}
