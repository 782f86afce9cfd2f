import HTTPServer
import Sockets

/// The sockets on which this process listens, whoever opened them: itself, a supervisor, or the
/// process that it takes over from.
final class ListenerSockets: Sendable {
    /// What is served on a socket.
    enum Role: String, Sendable, CaseIterable {
        case articles, proxied, redirect, admin, control
    }

    /// A socket, and the address that it stands for in the configuration.
    struct Entry: Sendable {
        let role: Role
        let address: SocketAddress
        let socket: ListeningSocket
        /// A supervisor has opened it, for addresses that the configuration need not name.
        let isActivated: Bool
        fileprivate(set) var isInUse = false
    }

    private let entries = Lock<[Entry]>([])

    /// All sockets that are there.
    var all: [Entry] { entries.withLock { $0 } }

    func add(_ socket: ListeningSocket, _ role: Role, for address: SocketAddress, activated: Bool) {
        entries.withLock {
            $0.append(
                Entry(role: role, address: address, socket: socket, isActivated: activated))
        }
    }

    /// Where to listen: a supervisor's sockets stand for what is configured.
    func addresses(_ role: Role, configured: [SocketAddress]) -> [SocketAddress] {
        let activated = all.filter { $0.role == role && $0.isActivated }.map(\.address)
        return activated.isEmpty ? configured : activated
    }

    /// Where a server's sockets come from: those that are there and not in use, or new ones.
    func opener(_ role: Role) -> ServerConfiguration.SocketOpener {
        { [self] (address, mode) throws(SystemError) in
            if let socket = use(role, address) { return socket }
            let socket = try ListeningSocket(address, mode: mode)
            add(socket, role, for: address, activated: false)
            return use(role, address) ?? socket
        }
    }

    /// Opens what is not there yet, so that a failure shows before anything depends on it.
    func prepare(
        _ role: Role, configured: [SocketAddress]
    ) throws(CommandFailure) {
        for address in addresses(role, configured: configured) {
            do throws(SystemError) {
                _ = try opener(role)(address, nil)
            } catch {
                throw error.isAddressInUse
                    ? CommandFailure(.unavailable, "\(address) is in use")
                    : CommandFailure(.systemError, "cannot listen on \(address): \(error)")
            }
        }
    }

    private func use(_ role: Role, _ address: SocketAddress) -> ListeningSocket? {
        entries.withLock { entries in
            let index = entries.firstIndex {
                $0.role == role && $0.address == address && !$0.isInUse
            }
            guard let index else { return nil }
            entries[index].isInUse = true
            return entries[index].socket
        }
    }

    /// Servers begin anew: nothing is in use.
    func rewind() {
        entries.withLock { entries in
            for index in entries.indices { entries[index].isInUse = false }
        }
    }

    /// What was taken over is this process's own now; what it has no use for is closed.
    func own() {
        let unused = entries.withLock { entries in
            defer { entries.removeAll { !$0.isInUse } }
            for entry in entries { entry.socket.ownFile(!entry.isActivated) }
            return entries.filter { !$0.isInUse }
        }
        for entry in unused { entry.socket.close() }
    }

    /// Another process has them now: their files stay.
    func disown() {
        for entry in all { entry.socket.ownFile(false) }
    }

    func close() {
        for entry in entries.withLock({ entries in
            defer { entries = [] }
            return entries
        }) { entry.socket.close() }
    }
}
