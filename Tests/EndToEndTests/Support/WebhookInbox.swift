import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport

/// The requests that a receiver of webhooks got, and how it responds.
final class WebhookInbox: Sendable {
    private struct State {
        var requests: [HTTPRequest] = []
        var status: String? = "200 OK"
        var delay: Signal?
    }
    private let state = Lock(State())

    var requests: [HTTPRequest] { state.withLock { $0.requests } }

    /// With `nil` the receiver does not respond.
    func respond(_ status: String?) { state.withLock { $0.status = status } }

    /// Responds to requests from now on only after the signal; with `nil`, at once.
    func respond(after signal: Signal?) { state.withLock { $0.delay = signal } }

    /// Notes the request. Returns the status of the response, and what it waits for.
    func add(_ request: HTTPRequest) -> (status: String?, delay: Signal?) {
        state.withLock { state in
            state.requests.append(request)
            return (state.status, state.delay)
        }
    }

    func waitForRequests(_ count: Int) async throws {
        guard await eventually({ requests.count >= count }) else {
            throw TestFailure("\(requests.count) requests instead of \(count)")
        }
    }

    func texts() -> [String] { requests.map { String(decoding: $0.body, as: UTF8.self) } }

    /// Runs a receiver on this machine.
    static func receiving(
        _ body: (WebhookInbox, _ url: String) async throws -> Void
    ) async throws {
        let inbox = WebhookInbox()
        try await ScriptedServer.run { peer, _ in
            while let request = try await peer.request() {
                let (status, delay) = inbox.add(request)
                await delay?.wait()
                guard let status else { return await peer.waitForEnd() }
                try await peer.send("HTTP/1.1 \(status)\r\nContent-Length: 0\r\n\r\n")
            }
        } _: { server in
            try await body(inbox, "http://\(server.address)/hook?key=hidden")
        }
    }
}
