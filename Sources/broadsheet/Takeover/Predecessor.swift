import ArticleStore
import Network

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The process that serves a database now, as the one sees it that takes over from it.
final class Predecessor: Sendable {
    private let channel: DescriptorChannel
    private let path: String
    private static let patienceSeconds = 30

    /// Asks the owner of the file over its control socket.
    /// - Parameter path: of the database.
    /// - Returns: `nil` where nobody answers.
    static func find(ofDatabase path: String) throws(CommandFailure) -> Predecessor? {
        let channel = try OwnerChannel.open(
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
            guard case .offer(let schema) = try channel.receiveMessage() else { throw broken }
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

    /// Says that all is ready, and waits until the old process has let the file go.
    /// - Returns: connections that it had and that go on here. If it died meanwhile, none.
    func takeFile() throws(CommandFailure) -> PassedConnections {
        let connections = PassedConnections()
        do throws(SystemError) {
            try channel.send(.ready(process: getpid()))
            channel.setTimeout(seconds: 0)
            while true {
                switch try channel.receiveMessage() {
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

    /// Says that this process serves, so that the old one can end; it may have ended already.
    func confirm() {
        do throws(SystemError) { try channel.send(.serving) } catch {}
    }

    private var broken: SystemError { SystemError("takeover", code: EPROTO) }

    private func failure(_ error: SystemError) -> CommandFailure {
        CommandFailure(.protocolError, "\(path): taking it over failed: \(error)")
    }
}
