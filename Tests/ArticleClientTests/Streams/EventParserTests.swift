import BroadsheetTestSupport
import Testing

@testable import ArticleClient

/// The cases of the HTML standard, §9.2.5 and §9.2.6.
@Suite struct EventParserTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]
        let events: [ServerSentEvent]
        var lastEventID: String?
        var retry: Duration?

        init(
            _ name: String, _ bytes: [UInt8], _ events: [ServerSentEvent],
            lastEventID: String? = nil, retry: Duration? = nil
        ) {
            self.name = name
            self.bytes = bytes
            self.events = events
            self.lastEventID = lastEventID
            self.retry = retry
        }

        init(
            _ name: String, _ text: String, _ events: [ServerSentEvent],
            lastEventID: String? = nil, retry: Duration? = nil
        ) {
            self.init(name, Array(text.utf8), events, lastEventID: lastEventID, retry: retry)
        }

        var testDescription: String { name }
    }

    private static func data(_ texts: String...) -> [ServerSentEvent] {
        texts.map { ServerSentEvent(data: $0) }
    }

    private static let ends = [
        Case("line feeds", "data: a\ndata: b\n\n", data("a\nb")),
        Case("carriage returns", "data: a\rdata: b\r\rdata: c\r\r", data("a\nb", "c")),
        Case("both", "data: a\r\ndata: b\r\n\r\n", data("a\nb")),
        Case("a mixture", "data: a\r\n\rdata: b\n\r\ndata: c\r\n\n", data("a", "b", "c")),
        Case("a return at the end", "data: a\n\r", data("a")),
        Case("an incomplete event", "data: a\n\ndata: b\n", data("a")),
        Case("an incomplete line", "data: a\n\ndata: b", data("a")),
        Case("nothing", "", []),
        Case("only ends of lines", "\n\r\r\n\n", []),
    ]

    private static let marks = [
        Case("a byte order mark", "\u{FEFF}data: a\n\n", data("a")),
        Case("two byte order marks", "\u{FEFF}\u{FEFF}data: a\n\ndata: b\n\n", data("b")),
        Case("a later byte order mark", "data: a\n\n\u{FEFF}data: b\n\n", data("a")),
        Case("half a mark", [0xEF, 0xBB] + Array("data: a\n\ndata: b\n\n".utf8), data("b")),
        Case("half a mark as a line", [0xEF, 0x0A] + Array("data: a\n\n".utf8), data("a")),
        Case("a mark before a comment", "\u{FEFF}: hello\ndata: a\n\n", data("a")),
        Case("only a mark", "\u{FEFF}", []),
    ]

    private static let values = [
        Case("one space is removed", "data:  a\ndata:b\ndata: \n\n", data(" a\nb\n")),
        Case("a tab is kept", "data:\ta\n\n", data("\ta")),
        Case("colons in a value", "data: a: b:\n\n", data("a: b:")),
        Case("empty data", "data\n\ndata:\n\ndata: \n\n", data("", "", "")),
        Case("two lines of empty data", "data\ndata\n\n", data("\n")),
        Case("no data", "event: a\n\ndata: b\n\n", data("b")),
        Case(
            "malformed UTF-8",
            Array("data: ".utf8) + [0xE2, 0x82, 0x0A] + Array("data: ".utf8)
                + [0xAC, 0xFF, 0xF0, 0x9F] + Array("\n\n".utf8),
            data("\u{FFFD}\n\u{FFFD}\u{FFFD}\u{FFFD}")),
        Case("UTF-8", "data: 한국어 🥐\n\n", data("한국어 🥐")),
        Case("NUL in data", "data: a\u{0}b\n\n", data("a\u{0}b")),
    ]

    private static let names = [
        Case("names in another case", "Data: a\nDATA: b\ndata: c\n\n", data("c")),
        Case("a space before the colon", "data : a\ndata: b\n\n", data("b")),
        Case("a space before the name", " data: a\ndata: b\n\n", data("b")),
        Case("unknown fields", "foo: a\ndatas: b\nretries\ndata: c\nx\n\n", data("c")),
        Case("comments", ":\n: data: a\n:data: b\ndata: c\n:\n\n:\n\n", data("c")),
        Case("an event of only a comment", ": a\n\n", []),
        Case(
            "types", "event: a\ndata: 1\n\ndata: 2\n\nevent: a\nevent: b\ndata: 3\n\n",
            [
                ServerSentEvent(type: "a", data: "1"), ServerSentEvent(data: "2"),
                ServerSentEvent(type: "b", data: "3"),
            ]),
        Case("an empty type", "event: a\nevent\ndata: 1\n\n", data("1")),
    ]

    private static let ids = [
        Case(
            "an id is kept until the next", "id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n",
            [
                ServerSentEvent(data: "a", id: "1"), ServerSentEvent(data: "b", id: "1"),
                ServerSentEvent(data: "c"),
            ], lastEventID: ""),
        Case("an id with NUL is ignored", "id: 1\nid: 2\u{0}\n\n", [], lastEventID: "1"),
        Case("an id without data counts", "id: 1\n\nid: 2\n", [], lastEventID: "1"),
        Case("an id without an end", "id: 1\ndata: a\n", [], lastEventID: ""),
        Case(
            "an id with spaces", "id:  1 \ndata: a\n\n", [ServerSentEvent(data: "a", id: " 1 ")],
            lastEventID: " 1 "),
    ]

    private static let delays = [
        Case(
            "a delay applies to all later events",
            "data: 1\n\nretry: 2500\n\ndata: 2\n\nretry: 9x\ndata: 3\n\n",
            [
                ServerSentEvent(data: "1"), ServerSentEvent(data: "2", retry: .seconds(2.5)),
                ServerSentEvent(data: "3", retry: .seconds(2.5)),
            ], retry: .seconds(2.5)),
        Case("a delay alone", "retry: 7\n", [], retry: .milliseconds(7)),
        Case("malformed delays", "retry\nretry:\nretry: -1\nretry: +1\nretry: 1.5\n", []),
        Case("digits of other scripts", "retry: ٣\n", []),
        Case("an endless delay", "retry: 99999999999999999999\n", [], retry: .seconds(86_400)),
    ]

    static let cases = ends + marks + values + names + ids + delays

    private func expect(_ expected: Case, in pieces: [ArraySlice<UInt8>]) throws {
        var parser = EventParser(limitBytes: 1_000)
        var events: [ServerSentEvent] = []
        for piece in pieces {
            parser.add(Array(piece))
            while let event = try parser.next() { events.append(event) }
        }
        #expect(events == expected.events)
        if let id = expected.lastEventID { #expect(parser.lastEventID == id) }
        #expect(parser.retry == expected.retry)
    }

    @Test(arguments: cases)
    func `the result is that of the standard, however the bytes arrive`(expected: Case) throws {
        let bytes = expected.bytes
        for split in 0...bytes.count {
            try expect(expected, in: [bytes[..<split], bytes[split...]])
        }
        try expect(expected, in: bytes.indices.map { bytes[$0...$0] })
        try expect(expected, in: bytes.indices.flatMap { [bytes[$0...$0], []] })
    }

    @Test func `pieces can be added before the events of earlier ones are taken`() throws {
        var parser = EventParser(limitBytes: 100)
        for piece in ["data: a\n", "\ndata: b\n\nda", "ta: c\n\n"] { parser.add(Array(piece.utf8)) }
        var texts: [String] = []
        while let event = try parser.next() { texts.append(event.data) }
        #expect(texts == ["a", "b", "c"])
    }

    @Test func `an endless event is an error`() throws {
        var line = EventParser(limitBytes: 100)
        line.add(Array("data: ".utf8) + [UInt8](repeating: 0x61, count: 94))
        #expect(try line.next() == nil)
        line.add([0x61])
        #expect(throws: BackendError.self) { try line.next() }
        var lines = EventParser(limitBytes: 100)
        #expect(throws: BackendError.self) {
            for _ in 0..<10 {
                lines.add(Array("data: twelve bytes\n".utf8))
                _ = try lines.next()
            }
        }
    }

    @Test(arguments: [":", "unknown: ", "unknown", "date: ", "Data:"])
    func `an endless comment or unknown field is dropped as it arrives`(name: String) throws {
        var parser = EventParser(limitBytes: 100)
        parser.add(Array(name.utf8))
        for _ in 0..<1_000 {
            parser.add([UInt8](repeating: 0x61, count: 100))
            #expect(try parser.next() == nil)
        }
        parser.add(Array("\ndata: a\n\n".utf8))
        #expect(try parser.next() == ServerSentEvent(data: "a"))
        #expect(try parser.next() == nil)
    }
}
