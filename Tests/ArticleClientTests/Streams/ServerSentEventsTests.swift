import ArticleAPI
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@testable import ArticleClient

@Suite struct ServerSentEventsTests {
    private static let text =
        "\u{FEFF}: hello\n\ndata: one\n\nevent: changed\r\nid: 7\r\ndata: a\r\ndata:b\r\n\r\n"
        + "data\r\rretry: 5\nid\ndata: last: one\n\ndata: cut"
    private static let events = [
        ServerSentEvent(type: "message", data: "one", id: ""),
        ServerSentEvent(type: "changed", data: "a\nb", id: "7"),
        ServerSentEvent(type: "message", data: "", id: "7"),
        ServerSentEvent(type: "message", data: "last: one", id: "", retry: .milliseconds(5)),
    ]

    @Test func `the cost of an event is linear in its length`() throws {
        // Eight times the lines; with a copy of all data for each, it was 40 and more.
        let growth = try growth(from: 20_000, to: 160_000, below: 20) { lines in
            let bytes = Array((String(repeating: "data:x\n", count: lines) + "\n").utf8)
            var parser = EventParser(limitBytes: 1 << 20)
            parser.add(bytes)
            let event = try parser.next()
            #expect(event?.data.utf8.count == 2 * lines - 1)
        }
        #expect(growth < 20)
    }

    @Test func `a stream of events is read while it arrives`() async throws {
        let backend = TestBackend { _, _ in
            let rest = Lock(Array(Self.text.utf8))
            return HTTPResponse(
                .ok,
                body: .stream(
                    HTTPBodyStream {
                        rest.withLock { rest in
                            guard !rest.isEmpty else { return nil }
                            defer { rest.removeFirst(min(3, rest.count)) }
                            return Array(rest.prefix(3))
                        }
                    }))
        }
        let stream = try await backend.service().stream(list)
        var events: [ServerSentEvent] = []
        for try await event in ServerSentEvents(stream) { events.append(event) }
        #expect(events == Self.events)
    }

    @Test func `id and retry are known without an event`() async throws {
        let backend = TestBackend { _, _ in
            HTTPResponse(.ok, body: .bytes(Array("id: 9\n\nretry: 2500\n".utf8)))
        }
        let events = ServerSentEvents(try await backend.service().stream(list))
        var iterator = events.makeAsyncIterator()
        #expect(try await iterator.next(isolation: nil) == nil)
        #expect(iterator.lastEventID == "9" && iterator.retry == .milliseconds(2_500))
    }

    @Test func `a rejected stream reports the reason`() async throws {
        let backend = TestBackend { _, _ in rejection(.forbidden, "editors only") }
        let error = await outcome { try await backend.service().stream(list) }.error
        guard case .problem(let problem)? = error else { throw TestFailure("\(error as Any)") }
        #expect(problem.detail == "editors only")
    }

    @Test func `an interrupted stream fails with the cause`() async throws {
        let backend = TestBackend { _, _ in
            HTTPResponse(
                .ok, body: .stream(HTTPBodyStream { throw TransportError.offline("gone") }))
        }
        let stream = try await backend.service().stream(list)
        let error = await outcome {
            for try await _ in stream {}
        }.error
        #expect(error == .offline("gone"))
    }
}
