import ArticleAPI
import Glibc
import HTTP
import Platform
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
        ServerSentEvent(type: "message", data: "last: one", id: "", retry: .milliseconds(5)),
    ]

    @Test func `events do not depend on how their bytes arrive`() throws {
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

    @Test func `a retry interval applies to all later events`() throws {
        var parser = EventParser(limitBytes: 100)
        try parser.add(Array("data: 1\n\nretry: 2500\n\ndata: 2\n\nretry: 9x\ndata: 3\n\n".utf8))
        try parser.add(Array("retry: 99999999999999999999\ndata: 4\n\n".utf8))
        var waits: [Duration?] = []
        while let event = parser.next() { waits.append(event.retry) }
        #expect(waits == [nil, .milliseconds(2500), .milliseconds(2500), .seconds(86_400)])
    }

    @Test func `the cost of an event is linear in its length`() throws {
        func threadSeconds() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        func seconds(_ lines: Int) throws -> Double {
            let bytes = Array((String(repeating: "data:x\n", count: lines) + "\n").utf8)
            var parser = EventParser(limitBytes: 1 << 20)
            let start = threadSeconds()
            try parser.add(bytes)
            #expect(parser.next()?.data.utf8.count == 2 * lines - 1)
            return threadSeconds() - start
        }
        var fastest = (few: Double.infinity, many: Double.infinity)
        for _ in 0..<3 {
            fastest = (
                min(fastest.few, try seconds(20_000)), min(fastest.many, try seconds(160_000))
            )
        }
        // Eight times the lines; with a copy of all data for each, it was 40 and more.
        #expect(fastest.many < 20 * fastest.few)
    }

    @Test func `an endless event is an error`() throws {
        var parser = EventParser(limitBytes: 100)
        try parser.add([UInt8](repeating: 0x61, count: 100))
        #expect(throws: BackendError.self) { try parser.add([0x61]) }
        var lines = EventParser(limitBytes: 100)
        #expect(throws: BackendError.self) {
            for _ in 0..<10 { try lines.add(Array("data: twelve bytes\n".utf8)) }
        }
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
