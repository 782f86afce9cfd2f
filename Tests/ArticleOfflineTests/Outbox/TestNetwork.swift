import ArticleClient
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport

/// A network to a real backend that loses what the test wants to lose.
final class TestNetwork: Transport {
    /// The outcome of a request.
    enum DeliveryOutcome: Sendable {
        case delivered
        /// The backend cannot be reached.
        case offline
        /// The connection ends before the backend has read the request.
        case requestLost
        /// The backend carries out the request, and the connection ends before the response.
        case responseLost
        /// Nothing happens until the app gives up.
        case stuck
    }

    struct Sent: Sendable {
        let method: HTTPMethod
        let target: String
        let key: String?
        let token: String?
        let body: [UInt8]
    }

    private struct State {
        var sent: [Sent] = []
        var inFlight = 0
        var limitInFlight = 0
    }

    private let transport = SocketTransport()
    private let decide: @Sendable (Sent) async -> DeliveryOutcome
    /// Called when the backend has carried out a request; returns whether the response arrives.
    private let didRespond: @Sendable (Sent) async -> Bool
    private let state = Lock(State())

    init(
        _ decide: @escaping @Sendable (Sent) async -> DeliveryOutcome = { _ in .delivered },
        didRespond: @escaping @Sendable (Sent) async -> Bool = { _ in true }
    ) {
        self.decide = decide
        self.didRespond = didRespond
    }

    /// The writes that have left the device, in their order.
    var writes: [Sent] { state.withLock { $0.sent.filter { $0.method != .get } } }

    /// The most requests that were on their way at the same time.
    var limitInFlight: Int { state.withLock { $0.limitInFlight } }

    func exchange(
        _ request: HTTPRequest, with origin: HTTPOrigin, options: TransportOptions
    ) async throws(TransportError) -> HTTPResponse {
        let sent = Sent(
            method: request.method, target: "\(request.target)",
            key: request.fields[.idempotencyKey],
            token: request.fields[.authorization], body: Array(request.body))
        state.withLock { state in
            state.inFlight += 1
            state.limitInFlight = max(state.limitInFlight, state.inFlight)
        }
        defer { state.withLock { $0.inFlight -= 1 } }
        let fate = await decide(sent)
        if case .offline = fate { throw .offline("the device is in a tunnel") }
        if case .stuck = fate { try await Self.waitForCancellation() }
        state.withLock { $0.sent.append(sent) }
        if case .requestLost = fate { throw Self.disconnected }
        let response = try await transport.exchange(request, with: origin, options: options)
        if await !didRespond(sent) { try await Self.waitForCancellation() }
        if case .responseLost = fate { throw Self.disconnected }
        return response
    }

    private static func waitForCancellation() async throws(TransportError) {
        let cancellation = Signal()
        await withTaskCancellationHandler {
            await cancellation.wait()
        } onCancel: {
            cancellation.give()
        }
        throw .cancelled
    }

    private static let disconnected = TransportError.failed(
        TransportFailure(.disconnected, "the connection was lost"))
}

/// Fates in the order in which requests are sent; then everything is delivered.
final class ScriptedOutcomes: Sendable {
    private let rest: Lock<[TestNetwork.DeliveryOutcome]>

    init(_ fates: TestNetwork.DeliveryOutcome...) { rest = Lock(fates) }

    var next: TestNetwork.DeliveryOutcome {
        rest.withLock { $0.isEmpty ? .delivered : $0.removeFirst() }
    }
}
