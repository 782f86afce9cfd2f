import ArticleAPI
import ArticleConnectors
import ArticleServiceCore
import ArticleServices
import ArticleStore
import BroadsheetHTTP
import BroadsheetHTTPClient
import BroadsheetPlatform
import BroadsheetTestSupport

/// Webhooks of a backend whose receivers follow a script, on a clock that back-off advances.
final class WebhookFixture: Sendable {
    /// An attempt to deliver.
    struct Attempt: Sendable {
        let url: HTTPURL
        let fields: HTTPFields
        let body: [UInt8]
        var text: String { String(decoding: body, as: UTF8.self) }
    }

    /// The response to an attempt; `nil` if there is none until the attempt is cancelled.
    typealias Script = @Sendable (Attempt) throws(HTTPClientError) -> HTTPStatus?

    static let url = "https://hooks.example.org/secret?key=hidden"

    private let server: TestBackend
    private struct State {
        var script: Script = { _ in .noContent }
        var time = TestBackend.opening
        var attempts: [Attempt] = []
        var pauses: [Duration] = []
        var notices: [WebhookNotice] = []
    }
    private let state = Lock(State())

    init(_ server: TestBackend) { self.server = server }

    var attempts: [Attempt] { state.withLock { $0.attempts } }
    /// The waiting times before retries.
    var pauses: [Duration] { state.withLock { $0.pauses } }
    var events: [WebhookNotice.Event] { state.withLock { $0.notices.map(\.event) } }
    var notices: [String] { state.withLock { $0.notices.map(\.description) } }

    func respond(_ script: @escaping Script) { state.withLock { $0.script = script } }

    func pass(milliseconds: Int64) {
        state.withLock { $0.time = $0.time.advanced(byMilliseconds: milliseconds) }
    }

    private var system: SystemEnvironment {
        var system = SystemEnvironment.clock { [self] in state.withLock { $0.time } }
        system.sleep = { [self] duration in
            state.withLock { $0.pauses.append(duration) }
            pass(milliseconds: Int64(duration / .milliseconds(1)))
        }
        return system
    }

    /// The webhooks as after a start of the server.
    func webhooks(_ urls: [String] = [WebhookFixture.url]) async throws -> Webhooks {
        guard let secret = SharedSecret("the-secret-of-webhooks-in-unit-tests") else {
            throw TestFailure("the secret is invalid")
        }
        let receivers = try urls.map {
            try WebhookReceiver($0, secret: secret)
        }
        return try await server.backend.webhooks(
            to: receivers,
            in: OutboundEnvironment(
                agent: "Broadsheet/test",
                exchange: { [self] request, origin, _ throws(HTTPClientError) in
                    HTTPResponse(try await respond(to: request, at: origin))
                },
                system: system),
            report: { [self] notice in state.withLock { $0.notices.append(notice) } })
    }

    /// Starts webhooks, and cancels them after the body.
    func run(
        _ urls: [String] = [WebhookFixture.url], _ body: (Webhooks) async throws -> Void
    ) async throws {
        let webhooks = try await webhooks(urls)
        async let _: Void = webhooks.run()
        try await body(webhooks)
    }

    /// Waits for the number of attempts.
    func waitForAttempts(_ count: Int) async throws {
        guard await eventually({ attempts.count >= count }) else {
            throw TestFailure("\(attempts.count) attempts instead of \(count)")
        }
    }

    /// Waits until webhooks have nothing to do.
    func waitUntilCurrent() async throws {
        let page = try server.send("GET /v1/changes?since=now")
        let token = try ChangePage<Article>(mapping: page.body).next
        let isCurrent = await eventuallyStored { $0.allSatisfy { $0.token == token } }
        guard isCurrent else { throw TestFailure("the receivers are not current") }
    }

    private func eventuallyStored(_ condition: ([WebhookRecord]) -> Bool) async -> Bool {
        let end = ContinuousClock.now + .seconds(Patience.seconds)
        while ContinuousClock.now < end {
            if let records = try? await server.backend.store.webhooks(), condition(records) {
                return true
            }
            await Task.yield()
        }
        return false
    }

    private func respond(
        to request: HTTPRequest, at origin: HTTPOrigin
    ) async throws(HTTPClientError) -> HTTPStatus {
        guard let url = try? HTTPURL("\(origin)\(request.target)") else {
            throw .malformed("no URL")
        }
        let attempt = Attempt(url: url, fields: request.fields, body: request.body)
        let script = state.withLock { state in
            state.attempts.append(attempt)
            return state.script
        }
        if let status = try script(attempt) { return status }
        // Longer than any test.
        try? await Task.sleep(for: .seconds(1 << 20))
        throw .cancelled
    }
}
