import BroadsheetCommandLine
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets

/// The listening sockets of this process, opened by itself, by a supervisor, or by the process that
/// it takes over from.
final class ListenerSockets: Sendable {
    /// The service on a socket.
    enum Role: String, Sendable, CaseIterable {
        case articles, proxied, redirect, admin, control
    }

    /// A socket, and its address in the configuration.
    struct Entry: Sendable {
        let role: Role
        let address: SocketAddress
        let socket: ListeningSocket
        /// True if a supervisor has opened it; the configuration need not name its address.
        let isActivated: Bool
        fileprivate(set) var isInUse = false
    }

    private let entries = Lock<[Entry]>([])
    /// The access to the Unix sockets of the configuration.
    private let access: [SocketAddress: SocketAccess]

    init(_ access: [SocketAddress: SocketAccess]) { self.access = access }

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
        { [self] (address, fallback) throws(SystemError) in
            let access = access[address] ?? fallback
            if let entry = use(role, address) {
                // A process with another configuration may have opened it.
                if !entry.isActivated { try entry.socket.allow(access) }
                return entry.socket
            }
            let socket = try ListeningSocket(address, access: access)
            add(socket, role, for: address, activated: false)
            return use(role, address)?.socket ?? socket
        }
    }

    /// Opens missing sockets, so that a failure shows before anything depends on them.
    func prepare(
        _ role: Role, configured: [SocketAddress]
    ) throws(CommandFailure) {
        for address in addresses(role, configured: configured) {
            do throws(SystemError) {
                _ = try opener(role)(address, SocketAccess())
            } catch {
                throw CommandFailure(
                    error.isAddressInUse
                        ? HTTPServerError.addressInUse(address) : .cannotListen(address, error))
            }
        }
    }

    private func use(_ role: Role, _ address: SocketAddress) -> Entry? {
        entries.withLock { entries in
            let index = entries.firstIndex {
                $0.role == role && $0.address == address && !$0.isInUse
            }
            guard let index else { return nil }
            entries[index].isInUse = true
            return entries[index]
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

extension CommandFailure {
    /// A server cannot listen.
    init(_ error: HTTPServerError) {
        let status: ExitStatus =
            switch error {
            case .addressInUse: .unavailable
            case .cannotListen(_, let error) where error.isForbidden: .noPermission
            default: .systemError
            }
        self.init(status, "\(error)")
    }
}
