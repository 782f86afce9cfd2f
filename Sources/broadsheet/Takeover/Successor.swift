import ArticleStore
import Dispatch
import SQLiteStore
import Sockets

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The process that takes over from this one: it is ready, and waits for the file.
final class Successor: Sendable {
    var process: Int32 { handle.id }
    private let handle: ProcessHandle
    private let channel: DescriptorChannel
    /// The version of the schema to which it brings the file.
    private let schema: Int
    /// What is said to it, in order.
    private let queue = DispatchQueue(label: "broadsheet.successor")
    /// Whether it has to be told now and then that it is not forgotten.
    private let isWaiting = Lock(true)

    /// Without a word from it for so long, it is given up. A watchdog may be as patient.
    private static let patienceSeconds = 20
    private static let heartbeatSeconds = 5
    /// For the kernel to end it.
    private static let endMilliseconds: Int32 = 10_000

    /// - Throws: `EPERM` if it is not the process that is at the other end of the channel.
    fileprivate init(
        _ channel: DescriptorChannel, process: Int32, schema: Int
    ) throws(SystemError) {
        guard channel.peerProcess == process else { throw SystemError("ready", code: EPERM) }
        handle = try ProcessHandle(process)
        channel.setTimeout(seconds: Self.patienceSeconds)
        self.channel = channel
        self.schema = schema
        queue.async { [weak self] in self?.beat() }
    }

    private func beat() {
        guard isWaiting.withLock({ $0 }) else { return }
        // If it has gone, that shows when it gets the file.
        do throws(SystemError) { try channel.send(.finishing) } catch {}
        queue.asyncAfter(deadline: .now() + .seconds(Self.heartbeatSeconds)) { [weak self] in
            self?.beat()
        }
    }

    /// How a takeover ends well, and otherwise how it failed.
    typealias Outcome = Result<Void, CommandFailure>

    /// Gives it the connections and the closed file, and waits until it serves.
    ///
    /// Before it brings the file to a newer schema, which this program could not open any more, a
    /// copy is made; `keep` gets it.
    ///
    /// - Parameters:
    ///   - progress: is called whenever it turns out that the work gets on.
    ///   - concluded: is told whether it serves.
    func receive(
        _ database: String, _ connections: PassedConnections,
        keep: @escaping @Sendable (DatabaseKeepsake) -> Void,
        progress: @escaping @Sendable () -> Void,
        concluded: @escaping @Sendable (Outcome) -> Void
    ) {
        isWaiting.withLock { $0 = false }
        queue.async { [self] in
            do throws(CommandFailure) {
                if schema > SQLiteStore.schemaVersion {
                    keep(try makeKeepsake(database, progress))
                }
                try give(connections, progress)
                concluded(.success(()))
            } catch { concluded(.failure(error)) }
        }
    }

    private func makeKeepsake(
        _ database: String, _ progress: () -> Void
    ) throws(CommandFailure) -> DatabaseKeepsake {
        do throws(StoreOpeningError) {
            return try DatabaseKeepsake(of: database) {
                progress()
                do throws(SystemError) { try channel.send(.finishing) } catch { return false }
                return true
            }
        } catch { throw CommandFailure(error) }
    }

    private func give(
        _ connections: PassedConnections, _ progress: () -> Void
    ) throws(CommandFailure) {
        do throws(SystemError) {
            for entry in connections.all {
                try channel.send(
                    .connection(entry.role, peer: entry.peer, entry.address),
                    with: entry.descriptor)
            }
            try channel.send(.yours)
            while true {
                switch try channel.receiveMessage() {
                case .serving: return
                case .migrating: progress()
                default: throw SystemError("takeover", code: ECONNRESET)
                }
            }
        } catch { throw CommandFailure(.unavailable, "\(error)") }
    }

    /// Ends the process, whatever it does: only one may have the file.
    func end() {
        handle.kill()
        channel.end()
        _ = handle.waitForEnd(milliseconds: Self.endMilliseconds)
    }
}

/// Receives processes that want to take over, and gives them the sockets; the first that is ready
/// gets the file. Nothing changes for clients before that.
final class TakeoverServer: Sendable {
    private let sockets: ListenerSockets
    private let processes: SuccessorProcess
    private let log: ServerLog
    private let arrived: @Sendable (Successor) -> Void
    private let queue = DispatchQueue(label: "broadsheet.successors", attributes: .concurrent)
    private let state = Lock(State())

    private struct State {
        var visitors = 0
        var isChosen = false
    }

    /// For a new process to read its certificates and bind what is new.
    private static let patienceSeconds = 60
    private static let visitorLimit = 8

    /// - Parameter arrived: is told of a process that is ready, once.
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
        let isWelcome = state.withLock { state in
            guard !state.isChosen, state.visitors < Self.visitorLimit else { return false }
            state.visitors += 1
            return true
        }
        guard isWelcome else { return log.warning("another process is taking over already") }
        let raw = connection.release()
        queue.async {
            self.offer(Descriptor(raw))
            self.state.withLock { $0.visitors -= 1 }
        }
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
            try channel.send(
                .offer(version: TakeoverMessage.version, schema: SQLiteStore.schemaVersion))
            for entry in sockets.all {
                try channel.send(
                    .socket(entry.role, isActivated: entry.isActivated, entry.address),
                    with: entry.socket.raw)
            }
            try channel.send(.end)
            guard case .ready(let process, let schema?) = try channel.receiveMessage() else {
                return log.warning("a new process did not become ready: this one goes on")
            }
            let successor = try Successor(channel, process: process, schema: schema)
            let isFirst = state.withLock { state in
                defer { state.isChosen = true }
                return !state.isChosen
            }
            guard isFirst else { return log.warning("another process is taking over already") }
            arrived(successor)
        } catch { log.warning("a new process did not become ready: \(error)") }
    }
}
