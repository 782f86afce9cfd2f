import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetSockets

/// The client of a connection: its peer, or the client that a proxy names.
struct ConnectedClient {
    let address: SocketAddress
    /// The key that limits count its address by; `nil` for this machine and for trusted proxies,
    /// which forward requests of others.
    let key: HashedKey?
    /// True if the client's forwarding headers are trusted.
    let isTrusted: Bool
    /// True if the client connected over TLS, according to a proxy; `nil` without a report.
    private(set) var reportsTLS: Bool?

    init(_ peer: SocketAddress, trusting proxies: NetworkList) {
        address = peer
        isTrusted = !proxies.isEmpty && proxies.contains(peer)
        key = isTrusted || peer.isLoopback ? nil : HashedKey(peer)
    }

    /// The client that the header of a trusted proxy names. If it names none, the proxy's address
    /// is used for a client of which nothing is known: its requests may come from anywhere, count
    /// as plaintext unless the proxy says otherwise, and its forwarding headers are not trusted.
    init(_ header: ProxyHeader, from proxy: ConnectedClient, trusting proxies: NetworkList) {
        reportsTLS = header.isSecure ?? false
        guard let client = header.client else {
            (address, key, isTrusted) = (proxy.address, proxy.key, false)
            return
        }
        address = client
        isTrusted = proxies.contains(client)
        key = isTrusted ? nil : HashedKey(client)
    }

    /// The client that this trusted peer forwards a request for; `nil` if it names none.
    ///
    /// The last untrusted node counts, as anyone could have written those before it. If the two
    /// fields name different clients, a proxy did not update one of them, and the request counts as
    /// the proxy's own.
    func origin(
        of fields: borrowing HTTPFields, trusting proxies: NetworkList
    ) -> ForwardedClient? {
        let named = [ForwardedNodes.forwarded(fields), ForwardedNodes.xForwardedFor(fields)]
            .compactMap { $0.map { walk($0, trusting: proxies) } }
        guard let first = named.first else { return nil }
        let isAgreed = named.dropFirst().allSatisfy {
            $0.address.networkOctets == first.address.networkOctets
        }
        return isAgreed ? first : ForwardedClient(address, isKnown: false)
    }

    /// From the last node to the first, while the nodes that added them are trusted.
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

/// The client of a request that the connection's peer may have forwarded.
struct ForwardedClient {
    /// The peer's own address, or that of the last known proxy.
    let address: SocketAddress
    /// True if the client is named, rather than obfuscated, unknown or ambiguous.
    let isKnown: Bool
    let key: HashedKey

    init(_ address: SocketAddress, isKnown: Bool) {
        self.address = address
        self.isKnown = isKnown
        key = HashedKey(address)
    }
}
