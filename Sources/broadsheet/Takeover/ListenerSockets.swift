import HTTPServer
import Platform
import Sockets

/// The listening sockets of this process, opened by itself, by a supervisor, or by the process that
/// it takes over from.
final class ListenerSockets: Sendable {
    /// What is served on a socket.
    enum Role: String, Sendable, CaseIterable {
        case articles, proxied, redirect, admin, control
    }

    /// A socket, and its address in the configuration.
    struct Entry: Sendable {
        let role: Role
        let address: SocketAddress
        let socket: ListeningSocket
        /// Whether a supervisor has opened it; the configuration need not name its address.
        let isActivated: Bool
        fileprivate(set) var isInUse = false
    }

    private let entries = Lock<[Entry]>([])

    var all: [Entry] { entries.withLock { $0 } }

    func add(_ socket: ListeningSocket, _ role: Role, for address: SocketAddress, activated: Bool) {
        entries.withLock {
            $0.append(
                Entry(role: role, address: address, socket: socket, isActivated: activated))
        }
    }

    /// The addresses to listen on: a supervisor's sockets replace the configured ones.
    func addresses(_ role: Role, configured: [SocketAddress]) -> [SocketAddress] {
        let activated = all.filter { $0.role == role && $0.isActivated }.map(\.address)
        return activated.isEmpty ? configured : activated
    }

    /// Opens sockets for a server: it reuses one that is not in use, or creates a new one.
    func opener(_ role: Role) -> ServerConfiguration.SocketOpener {
        { [self] (address, mode) throws(SystemError) in
            if let socket = use(role, address) { return socket }
            let socket = try ListeningSocket(address, mode: mode)
            add(socket, role, for: address, activated: false)
            return use(role, address) ?? socket
        }
    }

    /// Opens missing sockets, so that a failure shows before anything depends on them.
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

    /// Marks all sockets as unused, so that servers can start again.
    func rewind() {
        entries.withLock { entries in
            for index in entries.indices { entries[index].isInUse = false }
        }
    }

    /// Makes this process the owner of the sockets that it took over, and closes unused ones.
    func own() {
        let unused = entries.withLock { entries in
            defer { entries.removeAll { !$0.isInUse } }
            for entry in entries { entry.socket.ownFile(!entry.isActivated) }
            return entries.filter { !$0.isInUse }
        }
        for entry in unused { entry.socket.close() }
    }

    /// Leaves the sockets to another process: closing them here does not remove their files.
    func disown() {
        for entry in all { entry.socket.ownFile(false) }
    }

    /// Closes the sockets of these roles, so that all of them can be opened again.
    func abandon(_ roles: Set<Role>) {
        let abandoned = entries.withLock { entries in
            let isOurs = { (entry: Entry) in roles.contains(entry.role) && !entry.isActivated }
            for index in entries.indices where roles.contains(entries[index].role) {
                entries[index].isInUse = false
            }
            defer { entries.removeAll(where: isOurs) }
            return entries.filter(isOurs)
        }
        for entry in abandoned { entry.socket.close() }
    }

    func close() {
        for entry in entries.withLock({ entries in
            defer { entries = [] }
            return entries
        }) { entry.socket.close() }
    }
}
