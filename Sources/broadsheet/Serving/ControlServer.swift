import ArticleAPI
import ArticleDatabase
import ArticleServiceCore
import ArticleServices
import ArticleStore
import BroadsheetCommandLine
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets
import Dispatch
import Glibc

/// Serves the operator's commands on the control socket. A client that can open it is an admin: its
/// mode is 0600.
struct ControlServer {
    let server: HTTPServer?
    private let path: String
    private let database: String

    var address: SocketAddress { .unix(path) }

    init(
        _ backend: Backend, _ store: any SQLStore, _ sockets: ListenerSockets,
        _ takeovers: TakeoverServer, _ migrations: MigrationServer, _ log: ServerLog,
        _ system: SystemEnvironment
    ) throws(CommandFailure) {
        database = store.path
        path = ControlSocket.path(beside: database)
        guard path.utf8.count <= SocketAddress.limitUnixPathBytes else {
            server = nil
            return
        }
        var settings = ServerConfiguration(addresses: [.unix(path)], system: system)
        settings.socketAccess.mode = 0o600
        settings.open = sockets.opener(.control)
        settings.protocols = [
            TakeoverMessage.protocolName: takeovers.receive,
            UpgradeMessage.protocolName: takeovers.receiveUpgradeRequest,
            MigrationMessage.protocolName: migrations.receive,
            MigrationMessage.takeoverName: migrations.receiveTakeoverRequest,
        ]
        settings.limitConnections = 64
        settings.report = { log.warning($0) }
        settings.rejections = { Problem.response($0) }
        // Sized for a batch of an import, and for an export of everything.
        settings.limits.message.bodyBytes = 64 << 20
        settings.limits.handlerMilliseconds = 3_600_000
        settings.limits.bodyMemoryBytes = 256 << 20
        do throws(RouterError) {
            server = HTTPServer(settings, router: try backend.controlRouter())
        } catch { throw CommandFailure(.software, "\(error)") }
    }

    /// Starts the control server. Without its socket the articles are still served; commands then
    /// report that the file is in use.
    func start(_ log: ServerLog) {
        guard let server else {
            return log.warning("no control socket: the path \(path) is too long")
        }
        do throws(HTTPServerError) {
            try server.start()
        } catch { return log.warning("no control socket: \(error)") }
        do throws(FileError) { try giveToOwner() } catch {
            log.warning("the control socket stays root's: \(error)")
        }
    }

    /// Gives the socket to the owner of the database, who operates it even if root serves it.
    private func giveToOwner() throws(FileError) {
        guard geteuid() == 0 else { return }
        let folder = try Folder(FileSystem.folder(of: path))
        guard let owner = try folder.owner(of: FileSystem.name(of: database)) else { return }
        try folder.grantSocket(FileSystem.name(of: path), to: owner)
    }

    func stop() async { await server?.stop(graceSeconds: 1) }
}
