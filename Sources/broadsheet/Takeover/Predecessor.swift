import ArticleStore
import SQLiteStore
import Sockets

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The process that serves a database now, as the one sees it that takes over from it.
final class Predecessor: Sendable {
    private let channel: DescriptorChannel
    private let path: String
    private let state = Lock(State())

    private struct State {
        /// Of the protocol.
        var version = 1
        var lastProgress = ContinuousClock.now
    }

    private static let patienceSeconds = 30
    /// It tells more often that it is still finishing.
    private static let finishingSeconds = 60

    /// Asks the owner of the file over its control socket.
    /// - Parameter path: of the database.
    /// - Returns: `nil` where nobody answers.
    static func find(ofDatabase path: String) throws(CommandFailure) -> Predecessor? {
        let channel = try ControlChannel.open(
            ofDatabase: path, for: TakeoverMessage.protocolName,
            timeoutSeconds: patienceSeconds)
        return channel.map { Predecessor($0, path) }
    }

    private init(_ channel: DescriptorChannel, _ path: String) {
        self.channel = channel
        self.path = path
    }

    /// Takes the sockets that the old process listens on; it goes on accepting meanwhile.
    /// - Throws: `.dataError` if its file is of a newer schema than this program knows.
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
                    .dataError, "\(path): its schema is newer than this broadsheet; nothing changed"
                )
            }
            throw failure(error)
        }
    }

    private var speaksOfProgress: Bool { state.withLock { $0.version } > 1 }

    /// Says that all is ready, and waits until the old process has let the file go.
    /// - Returns: connections that it had and that go on here. If it died meanwhile, none.
    func takeFile() throws(CommandFailure) -> PassedConnections {
        let connections = PassedConnections()
        do throws(SystemError) {
            let schema = speaksOfProgress ? SQLiteStore.schemaVersion : nil
            try channel.send(.ready(process: getpid(), schema: schema))
            channel.setTimeout(seconds: speaksOfProgress ? Self.finishingSeconds : 0)
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
            // Its end lets the lock go: whether it has ended, the store finds out.
            guard error.code == ECONNRESET || error.code == EPIPE else { throw failure(error) }
            return connections
        }
    }

    /// Says that the work on the file gets on, at most once a second: the old process waits as
    /// long as it hears that.
    func tellProgress() {
        guard speaksOfProgress else { return }
        let isDue = state.withLock { state in
            guard state.lastProgress.duration(to: .now) >= .seconds(1) else { return false }
            state.lastProgress = .now
            return true
        }
        guard isDue else { return }
        do throws(SystemError) { try channel.send(.migrating) } catch {}
    }

    /// Says that this process serves, so that the old one can end; it may have ended already.
    /// What is written from here on, the old one will not undo.
    func confirm() {
        do throws(SystemError) { try channel.send(.serving) } catch {}
    }

    private var broken: SystemError { SystemError("takeover", code: EPROTO) }

    private func failure(_ error: SystemError) -> CommandFailure {
        CommandFailure(.protocolError, "\(path): taking it over failed: \(error)")
    }
}
