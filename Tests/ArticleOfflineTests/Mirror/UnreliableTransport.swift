import ArticleClient
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport

/// Carries requests to a desk, and fails by chance.
final class UnreliableTransport: Transport {
    private struct State {
        var random: SplitMix64
        var fixture: HTTPOrigin
        var isReliable = false
        var requests: [HTTPRequest] = []
    }

    private let transport = SocketTransport()
    private let state: Lock<State>
    /// Is called before each request and each piece of a stream, when everything that has arrived
    /// was stored.
    private let atRest: @Sendable () -> Void

    init(
        seed: UInt64, to fixture: RandomEditorBackend, atRest: @escaping @Sendable () -> Void = {}
    ) {
        state = Lock(State(random: SplitMix64(seed: seed), fixture: fixture.origin))
        self.atRest = atRest
    }

    /// The requests, even those without a response.
    var requests: [HTTPRequest] { state.withLock { $0.requests } }

    /// From now on, nothing fails.
    func beReliable() { state.withLock { $0.isReliable = true } }

    func beUnreliable() { state.withLock { $0.isReliable = false } }

    /// From now on, requests go to another backend.
    func redirect(to fixture: RandomEditorBackend) {
        state.withLock { $0.fixture = fixture.origin }
    }

    private func isHit(_ one: Int, of count: Int) -> Bool {
        state.withLock { state in
            !state.isReliable && Int.random(in: 0..<count, using: &state.random) < one
        }
    }

    func exchange(
        _ request: HTTPRequest, with origin: HTTPOrigin, options: TransportOptions
    ) async throws(TransportError) -> HTTPResponse {
        atRest()
        state.withLock { $0.requests.append(request) }
        if isHit(1, of: 5) { throw .offline("no network") }
        let fixture = state.withLock { $0.fixture }
        var response = try await transport.exchange(request, with: fixture, options: options)
        if isHit(1, of: 5) { throw Self.lost }
        if case .stream(let stream) = response.body { response.body = .stream(cut(stream)) }
        return response
    }

    /// The same stream, until it fails by chance.
    private func cut(_ stream: HTTPBodyStream) -> HTTPBodyStream {
        HTTPBodyStream(stop: stream.stop) { [self] in
            atRest()
            if isHit(1, of: 4) { throw Self.lost }
            return try await stream.next()
        }
    }

    private static let lost = TransportError.failed(
        TransportFailure(.disconnected, "the connection was lost"))
}

/// Time in which no wait takes any, and in which each look at the clock is two seconds later:
/// requests can be told apart by the time at which they were sent.
final class FastClock: Sendable {
    private let seconds = Lock<Int64>(1_900_000_000)

    var environment: ClientEnvironment {
        ClientEnvironment(
            now: { .zero },
            wallSeconds: { [seconds] in
                seconds.withLock { seconds in
                    seconds += 2
                    return seconds
                }
            },
            sleep: { _ in
                try Task.checkCancellation()
                await Task.yield()
            },
            random: { $0 / 2 })
    }
}
