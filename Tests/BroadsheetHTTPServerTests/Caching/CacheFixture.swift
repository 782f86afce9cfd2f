import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetTestSupport
import Glibc

/// A mutable value, a router that responds with it through a cache, and a gate that can hold a
/// response between reading the value and being complete.
final class CacheFixture: Sendable {
    private struct State {
        var values: [String: String] = [:]
        var sequence: Int64 = 0
        var reads = 0
        var until: Int64?
        var isGateShut = false
        var held: [UnsafeContinuation<Void, Never>] = []
    }

    private let state = Lock(State())
    private let clock: Lock<Int64>
    let cache: ResponseCache
    /// Invalidations that the cache takes over before it is used.
    private let announced: Lock<[@Sendable (ResponseCache) -> Void]>
    private let announcedCount = AtomicCounter()

    init(limitBytes: Int = 1 << 20) {
        let clock = Lock(Int64(1_000))
        let announced = Lock<[@Sendable (ResponseCache) -> Void]>([])
        let announcements = CacheAnnouncements(count: announcedCount) { cache in
            let taken = announced.withLock { announced in
                defer { announced = [] }
                return announced
            }
            for apply in taken { apply(cache) }
        }
        cache = ResponseCache(limitBytes: limitBytes, announcements: announcements) {
            clock.withLock { $0 }
        }
        self.announced = announced
        self.clock = clock
    }

    /// The number of times that a response was generated.
    var reads: Int { state.withLock { $0.reads } }
    /// Responses that wait at the gate.
    var heldCount: Int { state.withLock { $0.held.count } }

    func setTime(_ time: Int64) { clock.withLock { $0 = time } }
    func setEnd(_ time: Int64?) { state.withLock { $0.until = time } }
    func shutGate() { state.withLock { $0.isGateShut = true } }

    func openGate() {
        let held = state.withLock { state in
            state.isGateShut = false
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }

    static func dependency(_ name: String) -> CacheTag {
        CacheTag(kind: 1, low: UInt64(name.utf8.reduce(0) { $0 * 31 + Int($1) }))
    }

    /// A change in the order of a store: announced, visible, settled.
    func change(_ name: String, to value: String) {
        let sequence = state.withLock { $0.sequence + 1 }
        announce { $0.willChange([Self.dependency(name)], through: sequence) }
        state.withLock { state in
            state.values[name] = value
            state.sequence = sequence
        }
        announce { $0.didChange(through: sequence) }
    }

    private func announce(_ apply: @escaping @Sendable (ResponseCache) -> Void) {
        announced.withLock { $0.append(apply) }
        announcedCount.add()
    }

    /// A change without a number, of which the cache is notified when it is visible.
    func replace(_ name: String, by value: String) {
        state.withLock { $0.values[name] = value }
        cache.invalidate([Self.dependency(name)])
    }

    /// A local server with the cache.
    func configuration(
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) -> ServerConfiguration {
        .local {
            $0.cache = cache
            change(&$0)
        }
    }

    /// `/values/{name}`; its text is the value.
    func router(_ more: (inout HTTPRouterBuilder) -> Void = { _ in }) throws -> HTTPRouter {
        var routes = HTTPRouterBuilder()
        more(&routes)
        routes.on(.get, "/values/{name}") { [self] request, context in
            guard !request.fields.contains(.authorization) else {
                return TestRoutes.text("private")
            }
            let name = context.parameters["name"] ?? ""
            return await cache.respond(request, context) {
                let (value, until) = state.withLock { state in
                    state.reads += 1
                    return (state.values[name], state.until)
                }
                await passGate()
                guard let value else { return .once(HTTPResponse(.notFound)) }
                return .lasting(
                    Self.response(value), dependencies: [Self.dependency(name)], until: until)
            }
        }
        return try routes.build()
    }

    private static func response(_ value: String) -> HTTPResponse {
        HTTPResponse(
            .ok,
            fields: [
                .etag: "\"\(value.prefix(20).filter(\.isLetter))\"",
                .contentType: "text/plain; charset=utf-8",
                .vary: "Accept-Encoding",
            ], body: .bytes(Array(value.utf8)))
    }

    private func passGate() async {
        await withUnsafeContinuation { continuation in
            let passes = state.withLock { state in
                if state.isGateShut { state.held.append(continuation) }
                return !state.isGateShut
            }
            if passes { continuation.resume() }
        }
    }
}

/// Waits, on its own thread, for what other threads are about to do.
func waitUntil(_ condition: () -> Bool) throws {
    let start = ContinuousClock.now
    while !condition() {
        guard start.duration(to: .now) < .seconds(Patience.seconds) else {
            throw TestFailure("in vain")
        }
        sched_yield()
    }
}
