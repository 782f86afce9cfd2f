import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Dispatch
import Glibc
import Testing

/// HTTP/2 connections while the server is upgraded.
@Suite(.mayBlock) struct HTTP2TakeoverTests {
    private let folder: TemporaryFolder
    private let database: String

    init() throws {
        folder = try TemporaryFolder()
        database = folder.file("a.db")
    }

    /// Clients with several requests at a time, which connect again when the server announces the
    /// end of their connection.
    private final class Clients: Sendable {
        private struct State {
            var isOver = false
            var failures: [String] = []
            var responses = 0
            var connections = 0
        }

        private let state = Lock(State())
        private let group = DispatchGroup()

        init(_ count: Int, _ connect: @escaping @Sendable () throws -> RawConnection) {
            for _ in 0..<count {
                DispatchQueue(label: "client").async(group: group) { [self] in
                    while !isOver { serve(connect) }
                }
            }
        }

        private var isOver: Bool { state.withLock { $0.isOver } }
        var failures: [String] { state.withLock { $0.failures } }
        var responses: Int { state.withLock { $0.responses } }
        var connections: Int { state.withLock { $0.connections } }

        /// Uses one connection until the server ends it.
        private func serve(_ connect: () throws -> RawConnection) {
            do {
                let client = try TestHTTP2Client(connect())
                state.withLock { $0.connections += 1 }
                while !isOver, client.lastStream == nil {
                    let streams = try (1...4).map {
                        try client.send(.get, "/v1/articles?limit=\($0)")
                    }
                    for stream in streams {
                        let response = try client.response(on: stream)
                        state.withLock { state in
                            state.responses += 1
                            if response.status != 200 { state.failures.append(response.text) }
                        }
                    }
                }
            } catch {
                state.withLock { state in
                    state.failures.append("\(error)")
                    // What follows would fail as well.
                    state.isOver = true
                }
            }
        }

        func stop() {
            state.withLock { $0.isOver = true }
            group.wait()
        }
    }

    private func expectUpgrades(_ served: RunningServer, _ clients: Clients) async throws {
        let server = ReplacedServer(served, database)
        defer { clients.stop() }
        for _ in 0..<2 {
            let before = clients.responses
            #expect(await eventually { clients.responses >= before + 100 })
            try server.upgrade()
        }
        let before = clients.responses
        #expect(await eventually { clients.responses >= before + 100 })
        clients.stop()
        #expect(clients.failures.isEmpty, "\(clients.failures.prefix(3))")
        #expect(clients.connections >= 6)
        #expect(await server.stop())
    }

    @Test func `connections without TLS are drained, and no request fails`() async throws {
        let served = try RunningServer(
            database, ["--http2-cleartext", "--log", "off", "--rate-limit", "off"])
        let address = served.addresses[0]
        try await expectUpgrades(served, Clients(2) { try RawConnection(address) })
    }

    @Test func `with TLS as well`() async throws {
        let served = try RunningServer.secure(database, folder, ["--rate-limit", "off"])
        let address = served.addresses[0]
        let clients = Clients(2) {
            let connection = try RawConnection(address)
            var options = TestTLS("localhost")
            options.protocols = ["h2", "http/1.1"]
            try connection.startTLS(options)
            return connection
        }
        try await expectUpgrades(served, clients)
    }
}
