import HTTPServer
import Platform
import Sockets

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Client connections that are being handed over from one process to the next.
final class PassedConnections: Sendable {
    /// A connection, and the listening socket that accepted it.
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

    /// The connections, which stay owned by this object.
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

    /// Passes each open connection to the closure, which then owns it.
    func takeAll(_ body: (consuming Descriptor, Entry) -> Void) {
        for entry in entries.withLock({ entries in
            defer { entries = [] }
            return entries
        }) { body(Descriptor(entry.descriptor), entry) }
    }
}
