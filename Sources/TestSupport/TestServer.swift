public import HTTPServer
public import Sockets

/// A server in this process on a port chosen by the kernel.
public struct TestServer: Sendable {
    public let server: HTTPServer
    public let addresses: [SocketAddress]
    public var address: SocketAddress { addresses[0] }
    public var client: TestClient { TestClient(address) }

    /// Serves the router on the addresses while the body runs, then stops.
    public static func run(
        _ router: HTTPRouter, on addresses: [SocketAddress],
        _ body: (TestServer) async throws -> Void
    ) async throws {
        try await run(router, with: ServerConfiguration(addresses: addresses), body)
    }

    /// Serves the router while the body runs, then stops. The body has its own thread and may
    /// block.
    public static func run(
        _ router: HTTPRouter, with configuration: ServerConfiguration = .local(),
        _ body: (TestServer) async throws -> Void
    ) async throws {
        await ServerSlots.take()
        defer { ServerSlots.give() }
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

extension ServerConfiguration {
    /// One loop on a loopback port chosen by the kernel, plus a test's changes.
    public static func local(
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) -> ServerConfiguration {
        var configuration = ServerConfiguration(addresses: [.v4([127, 0, 0, 1], port: 0)])
        change(&configuration)
        return configuration
    }
}
