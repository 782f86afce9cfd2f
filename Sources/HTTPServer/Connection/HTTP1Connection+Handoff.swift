import HTTP
import Sockets

extension HTTP1Connection {
    /// Whether another process can continue the connection: no byte of a request has been read, and
    /// TLS, whose keys cannot be passed on, has not begun.
    var canBePassed: Bool {
        channel.isGivenAway && channel.isOpen && buffer == nil && unsent == nil && !isBound
    }

    /// Whether the connection is bound to this process, by TLS keys or by what a proxy reported of
    /// the client.
    var isBound: Bool { channel.isSecure || isNamed }

    /// Whether the next response is the last one on this connection.
    var isLastResponse: Bool {
        channel.isDraining || local.isClosed
            || channel.isLeaving && isBound || channel.isGivenAway && !canBePassed
    }

    /// Passes the connection on to the process that continues it.
    func passOn() {
        guard let descriptor = channel.detach() else { return }
        rules.departure.take(
            PassedConnection(descriptor: descriptor, peer: channel.peer, door: rules.listener))
    }

    /// Upgrades to another protocol if the client asks for one that is supported (RFC 9110 §7.8),
    /// and passes the connection on to its handler; false otherwise.
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
