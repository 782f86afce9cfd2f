import HTTPServer
import Sockets

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Clients' connections on their way from one process to the next.
final class PassedConnections: Sendable {
    /// A connection, with the socket that it came by.
    struct Entry: Sendable {
        let descriptor: Int32
        let peer: SocketAddress
        let role: ListenerSockets.Role
        let address: SocketAddress
    }

    private let entries = Lock<[Entry]>([])

    deinit {
        for entry in entries.withLock({ $0 }) { close(entry.descriptor) }
    }

    /// Those that are here, and stay.
    var all: [Entry] { entries.withLock { $0 } }

    func add(
        _ descriptor: consuming Descriptor, from peer: SocketAddress, _ role: ListenerSockets.Role,
        _ address: SocketAddress
    ) {
        let raw = descriptor.release()
        entries.withLock {
            $0.append(Entry(descriptor: raw, peer: peer, role: role, address: address))
        }
    }

    /// Gives each away, open.
    func takeAll(_ body: (consuming Descriptor, Entry) -> Void) {
        for entry in entries.withLock({ entries in
            defer { entries = [] }
            return entries
        }) { body(Descriptor(entry.descriptor), entry) }
    }
}
