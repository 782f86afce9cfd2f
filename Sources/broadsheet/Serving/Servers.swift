import BroadsheetHTTPServer
import BroadsheetSockets

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

    /// The maximum times for which clients in the middle of a request, and then handlers, keep new
    /// clients waiting.
    private static let (patienceSeconds, handlerSeconds) = (0.4, 0.25)

    /// The open connections: after a stop, of requests that do not end.
    var connectionCount: Int {
        articles.connectionCount + (control.server?.connectionCount ?? 0)
            + (admin?.connectionCount ?? 0)
    }

    /// Finishes requests in flight and stops.
    func stop(graceSeconds: Double) async {
        await articles.stop(graceSeconds: graceSeconds)
        await control.stop()
        await admin?.stop(graceSeconds: 0)
    }

    /// Stops the operator's commands and the admin pages without closing their sockets. Articles
    /// are served until these have finished, and those requests that are in progress now: long ones
    /// must not keep new clients waiting.
    ///
    /// - Returns: The connections that another process can continue with, and whether the requests
    ///   have finished.
    func handOverCommands(graceSeconds: Double) async -> (HandedOffConnections, Bool) {
        let connections = HandedOffConnections()
        let path = control.address
        async let areFinished = articles.finishCurrentRequests(seconds: graceSeconds)
        let patience = min(Self.patienceSeconds, graceSeconds)
        await control.server?.handOver(
            graceSeconds: graceSeconds, patienceSeconds: patience,
            handlerSeconds: max(0, graceSeconds - patience - Self.handlerSeconds)
        ) { connection in
            let peer = connection.peer
            connections.add(connection.release(), from: peer, .control, path)
        }
        let adminAddresses = adminAddresses
        await admin?.handOver(
            graceSeconds: 1, patienceSeconds: Self.patienceSeconds,
            handlerSeconds: Self.handlerSeconds
        ) { connection in
            let address = adminAddresses[connection.door]
            let peer = connection.peer
            connections.add(connection.release(), from: peer, .admin, address)
        }
        return (connections, await areFinished)
    }

    /// Stops serving articles without closing listening sockets: new clients wait from now on.
    ///
    /// - Parameter connections: Receives the connections with which another process can continue.
    /// - Returns: True if all further requests have finished.
    func handOverArticles(
        to connections: HandedOffConnections, graceSeconds: Double
    ) async -> Bool {
        let doors = doors
        return await articles.handOver(
            graceSeconds: graceSeconds, patienceSeconds: Self.patienceSeconds,
            handlerSeconds: Self.handlerSeconds
        ) { connection in
            let (role, address) = doors[connection.door]
            let peer = connection.peer
            connections.add(connection.release(), from: peer, role, address)
        }
    }

    /// Waits for clients that are still receiving responses from before `handOver`.
    func finish(graceSeconds: Double) async {
        await articles.finish(graceSeconds: graceSeconds)
        await control.server?.finish(graceSeconds: graceSeconds)
        await admin?.finish(graceSeconds: 0)
    }

    /// Serves connections that another process has accepted. Closes those of addresses that are no
    /// longer served.
    func adopt(_ connections: HandedOffConnections) {
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
