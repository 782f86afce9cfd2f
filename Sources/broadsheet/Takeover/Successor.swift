import ArticleStore
import Dispatch
import Network

/// The process that takes over from this one: it is ready, and waits for the file.
final class Successor: Sendable {
    let process: Int32
    private let channel: DescriptorChannel

    fileprivate init(_ channel: DescriptorChannel, process: Int32) {
        self.channel = channel
        self.process = process
    }

    func pass(_ connections: PassedConnections) throws(SystemError) {
        for entry in connections.all {
            try channel.send(
                .connection(entry.role, peer: entry.peer, entry.address), with: entry.descriptor)
        }
    }

    /// Says that the file is free, and waits until the new process serves.
    /// - Returns: whether it does. If not, it has ended.
    func yield() -> Bool {
        do throws(SystemError) {
            channel.setTimeout(seconds: 0)
            try channel.send(.yours)
            return try channel.receiveMessage() == .serving
        } catch { return false }
    }
}

/// Receives processes that want to take over, one at a time, and gives them the sockets. Nothing
/// changes for clients before one of them is ready.
final class SuccessorDesk: Sendable {
    private let sockets: ListenerSockets
    private let processes: SuccessorProcess
    private let log: ServerLog
    private let arrived: @Sendable (Successor) -> Void
    private let queue = DispatchQueue(label: "broadsheet.successor")
    /// For a new process to read its certificates and bind what is new.
    private static let patienceSeconds = 60

    /// - Parameter arrived: is told of a process that is ready.
    init(
        _ sockets: ListenerSockets, _ processes: SuccessorProcess, _ log: ServerLog,
        arrived: @escaping @Sendable (Successor) -> Void
    ) {
        self.sockets = sockets
        self.processes = processes
        self.log = log
        self.arrived = arrived
    }

    func receive(_ connection: consuming Descriptor) {
        let raw = connection.release()
        queue.async { self.offer(Descriptor(raw)) }
    }

    /// Somebody wants a new process to be started.
    func receiveWish(_ connection: consuming Descriptor) {
        do throws(SystemError) {
            processes.start(for: try DescriptorChannel(connection, timeoutSeconds: 5))
        } catch { log.warning("a wish for a new process: \(error)") }
    }

    private func offer(_ connection: consuming Descriptor) {
        do throws(SystemError) {
            let channel = try DescriptorChannel(
                connection, timeoutSeconds: Self.patienceSeconds)
            try channel.send(.offer(schema: SQLiteStore.schemaVersion))
            for entry in sockets.all {
                try channel.send(
                    .socket(entry.role, isActivated: entry.isActivated, entry.address),
                    with: entry.socket.raw)
            }
            try channel.send(.end)
            guard case .ready(let process) = try channel.receiveMessage() else {
                return log.warning("a new process did not become ready: this one goes on")
            }
            arrived(Successor(channel, process: process))
        } catch { log.warning("a new process did not become ready: \(error)") }
    }
}
