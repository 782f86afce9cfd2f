import ArticleDatabase
import ArticleStore
import BroadsheetCommandLine
import BroadsheetPlatform
import BroadsheetSockets
import Dispatch
import Glibc

/// The process that takes over from this one. It is ready and waits for the database.
final class Successor: Sendable {
    var process: Int32 { handle.id }
    private let handle: ProcessHandle
    private let channel: DescriptorChannel
    /// The schema version to which it will migrate the database.
    private let schema: Int
    /// Serializes the messages to it.
    private let queue = DispatchQueue(label: "broadsheet.successor")
    /// True if it is still waiting and needs heartbeats.
    private let isWaiting = Lock(true)

    /// The takeover fails if no message arrives for this time, which a watchdog may allow too.
    private static let timeoutSeconds = 20
    private static let heartbeatSeconds = 5
    /// The maximum wait for a killed process to exit.
    private static let endMilliseconds: Int32 = 10_000

    /// - Throws: `EPERM` if `process` is not the peer of the channel.
    fileprivate init(
        _ channel: DescriptorChannel, process: Int32, schema: Int
    ) throws(SystemError) {
        guard channel.peerProcess == process else { throw SystemError("ready", code: EPERM) }
        handle = try ProcessHandle(process)
        channel.setTimeout(seconds: Self.timeoutSeconds)
        self.channel = channel
        self.schema = schema
        queue.async { [weak self] in self?.beat() }
    }

    private func beat() {
        guard isWaiting.withLock({ $0 }) else { return }
        // If the process is gone, handing the file over will fail.
        do throws(SystemError) { try channel.send(.finishing) } catch {}
        queue.asyncAfter(deadline: .now() + .seconds(Self.heartbeatSeconds)) { [weak self] in
            self?.beat()
        }
    }

    /// Success, or the reason why a takeover failed.
    typealias Outcome = Result<Void, CommandFailure>

    /// Hands over the connections and the closed database, and waits until the process serves.
    ///
    /// If the process migrates the database to a newer schema, which this program cannot open, a
    /// copy is made first and passed to `keep`.
    ///
    /// - Parameters:
    ///   - progress: called whenever there is progress.
    ///   - concluded: called with the outcome.
    func receive(
        _ database: String, _ connections: HandedOffConnections,
        keep: @escaping @Sendable (UpgradeBackup) -> Void,
        progress: @escaping @Sendable () -> Void,
        concluded: @escaping @Sendable (Outcome) -> Void
    ) {
        isWaiting.withLock { $0 = false }
        queue.async { [self] in
            do throws(CommandFailure) {
                // A PostgreSQL database is not copied: there, a migration is for good.
                if schema > SQLiteStore.schemaVersion, !PostgresAddress.isAddress(database) {
                    keep(try makeUpgradeBackup(database, progress))
                }
                try give(connections, progress)
                concluded(.success(()))
            } catch { concluded(.failure(error)) }
        }
    }

    private func makeUpgradeBackup(
        _ database: String, _ progress: () -> Void
    ) throws(CommandFailure) -> UpgradeBackup {
        do throws(StoreOpeningError) {
            return try UpgradeBackup(of: database) {
                progress()
                do throws(SystemError) { try channel.send(.finishing) } catch { return false }
                return true
            }
        } catch { throw CommandFailure(error) }
    }

    /// Passes the connections on without the database, which the process gets when this one ends.
    func pass(_ connections: HandedOffConnections) throws(SystemError) {
        for entry in connections.all {
            try channel.send(
                .connection(entry.role, peer: entry.peer, entry.address),
                with: entry.descriptor)
        }
    }

    private func give(
        _ connections: HandedOffConnections, _ progress: () -> Void
    ) throws(CommandFailure) {
        do throws(SystemError) {
            try pass(connections)
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

    /// Kills the process: only one process may own the database.
    func end() {
        handle.kill()
        channel.end()
        _ = handle.waitForEnd(milliseconds: Self.endMilliseconds)
    }
}

/// Accepts processes that want to take over, and passes them the listening sockets; the first one
/// that is ready receives the database. Until then nothing changes for clients.
final class TakeoverServer: Sendable {
    private let sockets: ListenerSockets
    private let processes: SuccessorProcess
    private let log: ServerLog
    private let arrived: @Sendable (Successor) -> Void
    private let state = Lock(State())

    private struct State {
        var candidates = 0
        var isChosen = false
    }

    /// The maximum time for a new process to load its certificates and to bind new addresses.
    private static let timeoutSeconds = 60
    private static let limitCandidates = 8

    /// - Parameter arrived: called once, with the first process that is ready.
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
        let isAccepted = state.withLock { state in
            guard !state.isChosen, state.candidates < Self.limitCandidates else { return false }
            state.candidates += 1
            return true
        }
        guard isAccepted else { return log.warning("another process is already taking over") }
        let raw = connection.release()
        // A thread of its own, whatever blocks all others.
        DispatchQueue(label: "broadsheet.successors").async {
            self.offer(Descriptor(raw))
            self.state.withLock { $0.candidates -= 1 }
        }
    }

    /// Starts a new process, as `broadsheet upgrade` requests.
    func receiveUpgradeRequest(_ connection: consuming Descriptor) {
        do throws(SystemError) {
            processes.start(for: try DescriptorChannel(connection, timeoutSeconds: 5))
        } catch { log.warning("upgrade request failed: \(error)") }
    }

    private func offer(_ connection: consuming Descriptor) {
        do throws(SystemError) {
            let channel = try DescriptorChannel(
                connection, timeoutSeconds: Self.timeoutSeconds)
            let peer = channel.peerProcess
            if let peer { processes.spoke(peer) }
            try channel.send(
                .offer(version: TakeoverMessage.version, schema: SQLiteStore.schemaVersion))
            for entry in sockets.all {
                try channel.send(
                    .socket(entry.role, isActivated: entry.isActivated, entry.address),
                    with: entry.socket.raw)
            }
            try channel.send(.end)
            let message = try channel.receiveMessage()
            if case .failed(let reason) = message {
                // The outcome of a start by this process is logged with it.
                if let peer, processes.failed(peer, reason) { return }
                return log.warning(
                    "a new process cannot take over (\(reason)); this process continues")
            }
            guard case .ready(let process, let schema?) = message else {
                return log.warning("a new process did not become ready; this process continues")
            }
            let successor = try Successor(channel, process: process, schema: schema)
            let isFirst = state.withLock { state in
                defer { state.isChosen = true }
                return !state.isChosen
            }
            guard isFirst else { return log.warning("another process is already taking over") }
            processes.isReady(process)
            arrived(successor)
        } catch { log.warning("a new process did not become ready: \(error)") }
    }
}
