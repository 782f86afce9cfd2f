import HTTP
import Sockets

extension Connection {
    /// Whether another process can go on with the connection: nothing of a request is read, and no
    /// TLS has begun, whose keys would stay behind.
    var canBePassed: Bool {
        channel.isGivenAway && channel.isOpen && buffer == nil && unsent == nil && !isBound
    }

    /// Whether something of the connection stays with this process: keys of TLS, or what a proxy
    /// has said of the client.
    var isBound: Bool { channel.isSecure || isNamed }

    /// Whether the next answer is the last one here.
    var isLastAnswer: Bool {
        channel.isDraining || local.isClosed
            || channel.isLeaving && isBound || channel.isGivenAway && !canBePassed
    }

    /// Gives the connection to who goes on with it.
    func passOn() {
        guard let descriptor = channel.detach() else { return }
        rules.departure.take(
            PassedConnection(descriptor: descriptor, peer: channel.peer, door: rules.listener))
    }

    /// Grants another protocol to a client that asks for one that is spoken here (RFC 9110 §7.8),
    /// and gives the connection to who speaks it; false if it asks for none.
    func switchProtocols(_ head: borrowing RequestHead) async throws(ChannelError) -> Bool {
        guard !rules.protocols.isEmpty, head.framing == .none, !channel.isSecure,
            head.fields.list(.connection, has: "upgrade"),
            let name = head.fields[.upgrade], let take = rules.protocols[name]
        else { return false }
        let granted = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: \(name)"
        try await channel.write(
            Array("\(granted)\r\n\r\n".utf8), stallMilliseconds: limits.writeStallMilliseconds)
        releaseBuffer()
        if let descriptor = channel.detach() { take(descriptor) }
        return true
    }
}
