import ArticleAPI
import HTTP
import Network
import TestSupport
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
        ServerSentEvent(type: "message", data: "last: one", id: ""),
    ]

    @Test func `events are the same however their bytes arrive`() throws {
        let bytes = Array(Self.text.utf8)
        for size in 1...bytes.count {
            var parser = EventParser(limitBytes: 100)
            var events: [ServerSentEvent] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                try parser.add(Array(bytes[start..<min(bytes.count, start + size)]))
                while let event = parser.next() { events.append(event) }
            }
            #expect(events == Self.events)
        }
    }

    @Test func `an event without an end is given up`() throws {
        var parser = EventParser(limitBytes: 100)
        try parser.add([UInt8](repeating: 0x61, count: 100))
        #expect(throws: BackendError.self) { try parser.add([0x61]) }
        var lines = EventParser(limitBytes: 100)
        #expect(throws: BackendError.self) {
            for _ in 0..<10 { try lines.add(Array("data: twelve bytes\n".utf8)) }
        }
    }

    @Test func `a stream of events is read as it comes`() async throws {
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

    @Test func `a stream that is refused tells why`() async throws {
        let backend = TestBackend { _, _ in refusal(.forbidden, "editors only") }
        let error = await outcome { try await backend.service().stream(list) }.error
        guard case .problem(let problem)? = error else { throw TestFailure("\(error as Any)") }
        #expect(problem.detail == "editors only")
    }

    @Test func `a stream that breaks off fails with what happened`() async throws {
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
