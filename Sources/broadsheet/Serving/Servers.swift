import HTTPServer
import Sockets

/// The servers of one process over one store: articles with redirects, the admin pages, and the
/// control socket.
struct Servers: Sendable {
    let articles: HTTPServer
    let admin: HTTPServer?
    let control: ControlServer
    /// The addresses of each, in the order of their listeners.
    let articleAddresses: [SocketAddress]
    let proxiedAddresses: [SocketAddress]
    let redirects: [SocketAddress]
    let adminAddresses: [SocketAddress]

    /// How long requests may keep new clients waiting that were accepted during the hand-over.
    private static let handlerSeconds = 0.25

    /// Finishes requests in flight and stops.
    func stop(graceSeconds: Double) async {
        await articles.stop(graceSeconds: graceSeconds)
        await control.stop()
        await admin?.stop(graceSeconds: 0)
    }

    /// Stops without closing listening sockets. Articles come last: they are served until the
    /// operator's commands have finished.
    /// - Returns: the connections that another process can continue with, once nothing in this
    ///   process uses the store.
    func handOver(graceSeconds: Double) async -> PassedConnections {
        let connections = PassedConnections()
        let path = control.address
        // Long requests must not keep new clients waiting: they end while others are served.
        async let finished: Void = articles.finishCurrentRequests(seconds: graceSeconds)
        await control.server?.handOver(graceSeconds: graceSeconds) { connection in
            let peer = connection.peer
            connections.add(connection.release(), from: peer, .control, path)
        }
        let adminAddresses = adminAddresses
        await admin?.handOver(graceSeconds: 1) { connection in
            let address = adminAddresses[connection.door]
            let peer = connection.peer
            connections.add(connection.release(), from: peer, .admin, address)
        }
        await finished
        let doors = doors
        await articles.handOver(
            graceSeconds: graceSeconds, handlerSeconds: Self.handlerSeconds
        ) { connection in
            let (role, address) = doors[connection.door]
            let peer = connection.peer
            connections.add(connection.release(), from: peer, role, address)
        }
        return connections
    }

    /// Waits for clients that are still receiving responses from before `handOver`.
    func finish(graceSeconds: Double) async {
        await articles.finish(graceSeconds: graceSeconds)
        await control.server?.finish(graceSeconds: graceSeconds)
        await admin?.finish(graceSeconds: 0)
    }

    /// Serves connections that another process has accepted. Closes those of addresses that are no
    /// longer served.
    func adopt(_ connections: PassedConnections) {
        let doors = doors
        connections.takeAll { descriptor, entry in
            switch entry.role {
            case .articles, .proxied, .redirect:
                let door = doors.firstIndex { $0.0 == entry.role && $0.1 == entry.address }
                if let door { articles.adopt(descriptor, from: entry.peer, door: door) }
            case .admin:
                let door = adminAddresses.firstIndex(of: entry.address)
                if let door { admin?.adopt(descriptor, from: entry.peer, door: door) }
            case .control: control.server?.adopt(descriptor, from: entry.peer, door: 0)
            }
        }
    }

    private var doors: [(ListenerSockets.Role, SocketAddress)] {
        articleAddresses.map { (.articles, $0) } + proxiedAddresses.map { (.proxied, $0) }
            + redirects.map { (.redirect, $0) }
    }
}
