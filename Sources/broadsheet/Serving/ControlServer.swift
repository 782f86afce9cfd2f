import ArticleAPI
import ArticleServices
import ArticleStore
import HTTP
import HTTPServer
import SQLiteStore
import Sockets

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The socket beside a served file, `<database>.control`, through which the operator's commands
/// reach the file's owner. Who can open it is an admin: its mode is 0600.
struct ControlServer {
    let server: HTTPServer?
    private let path: String
    private let database: String

    static func path(of database: String) -> String { database + ".control" }

    var address: SocketAddress { .unix(path) }

    init(
        _ backend: Backend, _ store: SQLiteStore, _ sockets: ListenerSockets,
        _ desk: TakeoverServer, _ log: ServerLog
    ) throws(CommandFailure) {
        database = store.path
        path = Self.path(of: database)
        guard path.utf8.count <= SocketAddress.unixPathLimit else {
            server = nil
            return
        }
        var settings = ServerConfiguration(addresses: [.unix(path)])
        settings.socketMode = 0o600
        settings.open = sockets.opener(.control)
        settings.protocols = [
            TakeoverMessage.protocolName: desk.receive,
            UpgradeMessage.protocolName: desk.receiveWish,
        ]
        settings.maximumConnections = 64
        settings.report = { log.warning($0) }
        settings.refusals = { Problem.response($0) }
        // A batch of an import, and an export of everything.
        settings.limits.message.bodyBytes = 64 << 20
        settings.limits.handlerMilliseconds = 3_600_000
        settings.limits.bodyMemoryBytes = 256 << 20
        do throws(RouterError) {
            server = HTTPServer(
                settings, router: try backend.controlRouter(store))
        } catch { throw CommandFailure(.software, "\(error)") }
    }

    /// Without its socket the server serves all the same; commands then find the file in use.
    func start(_ log: ServerLog) {
        guard let server else {
            return log.warning("no control socket: \(path) is too long a path for one")
        }
        do throws(HTTPServerError) {
            try server.start()
            giveToOwner()
        } catch { log.warning("no control socket: \(error)") }
    }

    /// Whoever owns the database is its operator, also where root serves it (`lchown(2)`).
    private func giveToOwner() {
        var status = stat()
        guard geteuid() == 0, stat(database, &status) == 0 else { return }
        lchown(path, status.st_uid, status.st_gid)
    }

    func stop() async { await server?.stop(graceSeconds: 1) }
}
