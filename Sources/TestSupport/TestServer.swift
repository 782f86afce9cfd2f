public import HTTPServer
public import Network

/// A server in this process, on a port that the kernel chose.
public struct TestServer: Sendable {
    public let server: HTTPServer
    public let addresses: [SocketAddress]
    public var address: SocketAddress { addresses[0] }
    public var client: TestClient { TestClient(address) }

    /// Serves the router on the addresses while the body runs, and stops behind it.
    public static func run(
        _ router: Router, on addresses: [SocketAddress] = [.v4([127, 0, 0, 1], port: 0)],
        _ body: (TestServer) async throws -> Void
    ) async throws {
        try await run(router, on: addresses, configure: { _ in }, body)
    }

    /// Serves the router, with a configuration of the test's own.
    public static func run(
        _ router: Router, on addresses: [SocketAddress] = [.v4([127, 0, 0, 1], port: 0)],
        configure: (inout ServerConfiguration) -> Void,
        _ body: (TestServer) async throws -> Void
    ) async throws {
        var configuration = ServerConfiguration(addresses: addresses)
        configure(&configuration)
        let server = HTTPServer(configuration, router: router)
        let bound = try server.start()
        let test = TestServer(server: server, addresses: bound)
        do {
            try await withTaskExecutorPreference(TestThreads()) { try await body(test) }
        } catch {
            await server.stop(graceSeconds: 0)
            throw error
        }
        await server.stop(graceSeconds: 0)
    }
}
