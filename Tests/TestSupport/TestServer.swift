public import BroadsheetHTTPServer
import BroadsheetPlatform
public import BroadsheetSockets
import CBroadsheetLinux
import Glibc

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
        try await run(router, with: ServerConfiguration(addresses: addresses, system: .real), body)
    }

    /// Serves the router while the body runs, then stops. The body has its own thread and may
    /// block.
    public static func run(
        _ router: HTTPRouter, with configuration: ServerConfiguration = .local(),
        _ body: (TestServer) async throws -> Void
    ) async throws {
        try await ServerSlots.hold {
            let server = HTTPServer(configuration, router: router)
            let bound = try server.start()
            let test = TestServer(server: server, addresses: bound)
            do {
                try await mayBlock { try await body(test) }
            } catch {
                await server.stop(graceSeconds: 0)
                throw error
            }
            await server.stop(graceSeconds: 0)
        }
    }
}

extension ServerConfiguration {
    /// One loop on a loopback port chosen by the kernel, plus a test's changes.
    public static func local(
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) -> ServerConfiguration {
        var configuration = ServerConfiguration(
            addresses: [.v4([127, 0, 0, 1], port: 0)], system: .real)
        // A busy machine exceeds the usual times; a test sets those that it is about.
        let patience = Int64(Patience.seconds) * 1_000
        configuration.limits.handshakeMilliseconds = patience
        configuration.limits.headMilliseconds = patience
        configuration.limits.bodyGraceMilliseconds = patience
        configuration.limits.bodyMilliseconds = patience
        configuration.limits.writeStallMilliseconds = patience
        configuration.limits.handlerMilliseconds = patience
        change(&configuration)
        return configuration
    }
}

/// Limits the number of servers that run in tests at the same time. Each takes Dispatch threads, of
/// which there are 255: with too many servers, loops and queues would deadlock.
///
/// A server that is started while another one of the same test runs does not wait: tests that hold
/// a slot while they wait for the next one would wait for each other.
enum ServerSlots {
    private struct State {
        /// Below zero if tests run several servers.
        var free = 32
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private static let state = Lock(State())
    @TaskLocal private static var isHeld = false

    /// Waits for a slot, and holds it during the body.
    static func hold(_ body: () async throws -> Void) async throws {
        await take()
        defer { give() }
        try await $isHeld.withValue(true) { try await body() }
    }

    private static func take() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.free > 0 || isHeld {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    private static func give() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.free += 1
            guard state.free > 0, !state.waiting.isEmpty else { return nil }
            state.free -= 1
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
