import ArticleClient
import BroadsheetHTTP
import BroadsheetTestSupport
import Testing

@Suite struct InProcessTransportTests {
    private static let origin = HTTPOrigin(unixSocket: "/a")

    private func outcome(
        _ transport: InProcessTransport, _ options: TransportOptions = .init()
    ) async throws -> Result<HTTPResponse, TransportError> {
        let request = HTTPRequest(.get, try #require(RequestTarget(path: "/")))
        do throws(TransportError) {
            return .success(
                try await transport.exchange(request, with: Self.origin, options: options))
        } catch { return .failure(error) }
    }

    @Test func `a closure that never ends does not block cancellation`() async throws {
        let never = Signal()
        let transport = InProcessTransport { _, _ in
            await never.wait()
            return HTTPResponse(.ok)
        }
        var options = TransportOptions()
        options.timeout = .milliseconds(20)
        guard case .failure(.timedOut) = try await outcome(transport, options) else {
            throw TestFailure("not timed out")
        }
        let task = Task { try await self.outcome(transport) }
        task.cancel()
        guard case .failure(.cancelled) = try await task.value else {
            throw TestFailure("not cancelled")
        }
        never.give()
    }

    @Test func `bodies are limited in process, too`() async throws {
        var options = TransportOptions()
        options.bodyBytes = 3
        let whole = InProcessTransport { _, _ in HTTPResponse(.ok, body: .bytes([1, 2, 3, 4])) }
        let stream = InProcessTransport { _, _ in
            HTTPResponse(.ok, body: .stream(HTTPBodyStream { [1, 2] }))
        }
        for transport in [whole, stream] {
            guard case .failure(.failed(let failure)) = try await outcome(transport, options)
            else { throw TestFailure("taken") }
            #expect(failure.kind == .tooLarge)
        }
    }
}
