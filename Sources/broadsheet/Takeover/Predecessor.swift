import ArticleDatabase
import ArticleStore
import BroadsheetCommandLine
import BroadsheetPlatform
import BroadsheetSockets
import Glibc

/// The process that currently serves a database, as seen by the process that takes over from it.
final class Predecessor: Sendable {
    private let channel: DescriptorChannel
    private let path: String
    private let system: SystemEnvironment
    private let state: Lock<State>

    private struct State {
        /// The protocol's version.
        var version = 1
        var lastProgress: Duration
    }

    private static let timeoutSeconds = 30
    /// The predecessor reports more often than this that it is still finishing.
    private static let finishingSeconds = 60

    /// Contacts the owner of the database over its control socket.
    /// - Parameter path: the path of the database.
    /// - Returns: `nil` if no server is running.
    static func find(
        ofDatabase path: String, in system: SystemEnvironment
    ) throws(CommandFailure) -> Predecessor? {
        let channel = try ControlChannel.open(
            ofDatabase: path, for: TakeoverMessage.protocolName,
            timeoutSeconds: timeoutSeconds)
        return channel.map { Predecessor($0, path, system) }
    }

    private init(_ channel: DescriptorChannel, _ path: String, _ system: SystemEnvironment) {
        self.channel = channel
        self.path = path
        self.system = system
        state = Lock(State(lastProgress: system.uptime))
    }

    /// Receives the listening sockets of the old process, which continues to accept connections.
    /// - Throws: `.dataError` if its database has a newer schema than this program supports.
    func receiveSockets(into sockets: ListenerSockets) throws(CommandFailure) {
        DescriptorLimit.raise()
        do throws(SystemError) {
            guard case .offer(let version, let schema) = try channel.receiveMessage() else {
                throw broken
            }
            state.withLock { $0.version = version }
            guard schema <= SQLiteStore.schemaVersion else {
                throw SystemError("schema", code: 0)
            }
            while true {
                switch try channel.receiveMessage() {
                case .socket(let role, let isActivated, let address):
                    guard let descriptor = channel.takeDescriptor() else { throw broken }
                    sockets.add(
                        try ListeningSocket(adopting: descriptor), role, for: address,
                        activated: isActivated)
                case .end: return
                default: throw broken
                }
            }
        } catch {
            guard error.call != "schema" else {
                throw CommandFailure(
                    .dataError, "\(path): the schema is newer than this broadsheet; nothing changed"
                )
            }
            throw failure(error)
        }
    }

    /// Reports why this process does not take over.
    func report(_ failure: CommandFailure) {
        let reason = failure.message.replacing("\n", with: " ")
        do throws(SystemError) { try channel.send(.failed(reason)) } catch {}
    }

    private var supportsProgress: Bool { state.withLock { $0.version } > 1 }

    /// Reports that this process is ready, and waits until the old one has released the file.
    /// - Returns: the open connections of the old process; none if it died meanwhile.
    func takeFile() throws(CommandFailure) -> HandedOffConnections {
        let connections = HandedOffConnections()
        do throws(SystemError) {
            let schema = supportsProgress ? SQLiteStore.schemaVersion : nil
            try channel.send(.ready(process: getpid(), schema: schema))
            channel.setTimeout(seconds: supportsProgress ? Self.finishingSeconds : 0)
            while true {
                switch try channel.receiveMessage() {
                case .finishing: continue
                case .connection(let role, let peer, let address):
                    guard let descriptor = channel.takeDescriptor() else { throw broken }
                    connections.add(descriptor, from: peer, role, address)
                case .yours, nil: return connections
                default: throw broken
                }
            }
        } catch {
            // The lock is released when the old process ends, which the store checks.
            guard error.code == ECONNRESET || error.code == EPIPE else { throw failure(error) }
            return connections
        }
    }

    /// Reports progress of a migration, at most once a second: the old process waits as long as
    /// it receives these reports.
    func reportProgress() {
        guard supportsProgress else { return }
        let isDue = state.withLock { state in
            let now = system.uptime
            guard now - state.lastProgress >= .seconds(1) else { return false }
            state.lastProgress = now
            return true
        }
        guard isDue else { return }
        do throws(SystemError) { try channel.send(.migrating) } catch {}
    }

    /// Reports that this process is serving, so that the old one can exit, if it has not already.
    /// From here on the old process no longer rolls the database back.
    func confirm() {
        do throws(SystemError) { try channel.send(.serving) } catch {}
    }

    private var broken: SystemError { SystemError("takeover", code: EPROTO) }

    private func failure(_ error: SystemError) -> CommandFailure {
        CommandFailure(.protocolError, "\(path): takeover failed: \(error)")
    }
}
