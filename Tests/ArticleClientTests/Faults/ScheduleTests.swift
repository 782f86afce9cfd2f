import ArticleAPI
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Glibc
import Testing

@testable import ArticleClient

/// Thousands of random schedules: whatever networks do, every operation ends exactly once, nothing
/// is delivered twice, nothing leaks. `BROADSHEET_SEED=…` runs the one that failed,
/// `BROADSHEET_SCHEDULES=…` so many times as many.
@Suite(.serialized) struct ScheduleTests {
    private static func seeds(_ count: UInt64) -> [UInt64] {
        if let text = getenv("BROADSHEET_SEED"), let seed = UInt64(String(cString: text)) {
            return [seed]
        }
        let times = getenv("BROADSHEET_SCHEDULES").flatMap { UInt64(String(cString: $0)) } ?? 1
        return Array(1...(Thoroughness.isFull ? count : count / 4) * max(1, times))
    }

    @Test func `requests over a faulty network end exactly once`() async throws {
        let server = TokenServer()
        try await TestServer.run(try server.router(), with: .bothVersions) { test in
            for seed in Self.seeds(100) {
                let proxy = try proxy(to: test.address, seed: seed)
                let transport = SocketTransport()
                let baseURL = try #require(BaseURL("http://\(proxy.address)"))
                do {
                    let schedule = try Schedule(server, transport, baseURL)
                    await schedule.run(16, seed: seed)
                    schedule.check(seed: seed)
                    #expect(await eventually { schedule.isQuiet }, "seed \(seed)")
                }
                await proxy.stop()
                #expect(await eventually { transport.connectionCount == 0 }, "seed \(seed)")
                #expect(await eventually { proxy.connectionCount == 0 }, "seed \(seed)")
            }
            #expect(await eventually { test.server.connectionCount == 0 })
        }
    }

    /// A proxy with a random fault now and then.
    private func proxy(to address: SocketAddress, seed: UInt64) throws -> FaultProxy {
        let random = Lock(SplitMix64(seed: seed))
        return try FaultProxy(
            to: address, over: seed % 2 == 0 ? .http11 : .http2, seed: seed &+ 1
        ) {
            random.withLock { random in
                guard Int.random(in: 0..<100, using: &random) < seed % 70 else { return nil }
                let fault = FaultProxy.Fault.allCases.randomElement(using: &random)
                // A deadline costs time: now and then is enough.
                let isRare = Int.random(in: 0..<20, using: &random) > 0
                return fault?.isEndless == true && isRare ? .cutAfter : fault
            }
        }
    }

    @Test func `requests with random failures end exactly once`() async throws {
        let server = TokenServer()
        for seed in Self.seeds(1_000) {
            let random = Lock(SplitMix64(seed: seed))
            let transport = InProcessTransport { request, _ in
                let (fault, waits) = random.withLock { random in
                    (
                        Int.random(in: 0..<12, using: &random),
                        Int.random(in: 0..<20, using: &random)
                    )
                }
                for _ in 0..<waits { await Task.yield() }
                switch fault {
                case 0: throw TransportError.offline("no network")
                case 1: throw TransportError.failed(TransportFailure(.disconnected, "cut"))
                case 2: return rejection(.unavailable)
                case 3: return rejection(.unauthenticated)
                case 4: try Task.checkCancellation()
                default: break
                }
                return server.respond(request)
            }
            let schedule = try Schedule(server, transport, "http://localhost")
            await schedule.run(12, seed: seed)
            schedule.check(seed: seed)
            #expect(await eventually { schedule.isQuiet }, "seed \(seed)")
        }
    }

    @Test func `ended requests are released`() async throws {
        let server = TokenServer()
        weak var kept: Schedule?
        weak var operation: NetworkOperation?
        do {
            let transport = InProcessTransport { request, _ in server.respond(request) }
            let schedule = try Schedule(server, transport, "http://localhost")
            await schedule.run(12, seed: 1)
            kept = schedule
            let queue = NetworkQueue()
            let one = NetworkOperation { .success(()) }
            queue.add(one)
            _ = await one.ended()
            operation = one
        }
        #expect(await eventually { kept == nil && operation == nil })
    }
}
