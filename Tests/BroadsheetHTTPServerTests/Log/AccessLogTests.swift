import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Glibc
import Testing

@testable import BroadsheetHTTPServer

@Suite struct AccessLogTests {
    /// The lines that these requests produce.
    private func lines(
        _ format: AccessLog.Format, limitBytes: Int = 1 << 20, _ targets: [String],
        trace: String? = nil, _ detail: AccessLog.Detail = .responses
    ) async throws -> [String] {
        let folder = try TemporaryFolder()
        let path = folder.file("log")
        let descriptor = open(path, O_CREAT | O_RDWR | O_APPEND, 0o600)
        defer { close(descriptor) }
        let writer = LogWriter(descriptor: descriptor, format: format, limitBytes: limitBytes)
        let log = AccessLog(writer, system: .real)
        log.detail = detail
        let configuration = ServerConfiguration.local { $0.accessLog = log }
        try await TestServer.run(TestRoutes.router(), with: configuration) { test in
            for target in targets {
                var fields: HTTPFields = [.authorization: "Bearer hidden", .xRequestID: "me"]
                fields[.traceparent] = trace
                _ = try test.client.send(.get, target, fields: fields)
            }
        }
        #expect(writer.flush(withinSeconds: Double(Patience.seconds)))
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
            .split(separator: "\n").map(String.init)
    }

    @Test func `each response is logged as one JSON object`() async throws {
        let lines = try await lines(.json, ["/articles/7?a=b", "/nothing"])
        #expect(lines.count == 2)
        let first = try #require(lines.first)
        #expect(first.hasPrefix(#"{"time":1"#))
        #expect(first.contains(#","id":"me","peer":"127.0.0.1:"#))
        #expect(
            first.contains(#","protocol":"HTTP/1.1","method":"GET","target":"/articles/7?a=b","#))
        #expect(first.contains(#","route":"/articles/{id}","status":200,"#))
        #expect(first.contains(#","microseconds":"#))
        #expect(lines[1].contains(#""target":"/nothing","status":404"#))
    }

    @Test func `each response is logged as one readable line`() async throws {
        let lines = try await lines(.text, ["/hello"])
        #expect(lines.count == 1)
        #expect(lines[0].contains(" GET /hello 200 "))
        #expect(lines[0].hasSuffix(" me"))
    }

    @Test func `a valid trace ID is logged`() async throws {
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
        let valid = "00-\(trace)-00f067aa0ba902b7-01"
        let json = try await lines(.json, ["/hello"], trace: valid)
        #expect(json[0].contains(#","id":"me","trace":"\#(trace)","peer":"#))
        let text = try await lines(.text, ["/hello"], trace: valid)
        #expect(text[0].hasSuffix(" me \(trace)"))
        let malformed = try await lines(.json, ["/hello"], trace: "\(valid)-")
        #expect(malformed.count == 1 && !malformed[0].contains("trace"))
    }

    @Test func `only failures are logged at the error level`() async throws {
        let lines = try await lines(.json, ["/hello", "/nothing"], .failures)
        #expect(lines == [])
    }

    @Test func `no secret is logged`() async throws {
        let lines = try await lines(
            .json,
            [
                "/hello?access_token=hidden&q=x", "/hello?%6Bey=hidden", "/hello?API-Key=hidden",
            ])
        #expect(lines.count == 3)
        #expect(!lines.joined().contains("hidden"))
        #expect(lines[0].contains("/hello?access_token=***&q=x"))
    }

    @Test func `a target is logged as it is encoded`() async throws {
        let lines = try await lines(.json, ["/hello?q=\"x\"&\"key=hidden"])
        #expect(lines.first?.contains(#""target":"/hello?q=%22x%22&%22key=***""#) == true)
    }

    @Test func `dropped lines are counted`() async throws {
        let lines = try await lines(.json, limitBytes: 1, ["/hello", "/hello", "/hello"])
        let dropped = lines.filter { $0.hasPrefix(#"{"droppedLines":"#) }
        let written = lines.count - dropped.count
        let count = dropped.reduce(0) { sum, line in
            sum + (Int(line.filter(\.isNumber)) ?? 0)
        }
        #expect(written >= 1)
        #expect(written + count == 3)
    }

    @Test func `unread lines are bounded and counted, and block nobody`()
        async throws
    {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        let writer = LogWriter(descriptor: ends[1], format: .json, limitBytes: 1 << 20)
        let configuration = ServerConfiguration.local {
            $0.accessLog = AccessLog(writer, system: .real)
        }
        let filler = String(repeating: "x", count: 4_000)
        let count = 1_000
        try await TestServer.run(TestRoutes.router(), with: configuration) { test in
            let connection = try RawConnection(test.address)
            for _ in 0..<count {
                try connection.send("GET /hello?\(filler) HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try connection.response().status == 200)
            }
        }
        #expect(!writer.flush(withinSeconds: 0))
        let dropped = writer.droppedLines
        #expect(dropped > count / 2 && dropped < count)

        var lines: [String] = []
        var told = 0
        var rest: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while lines.count + told < count {
            let size = read(ends[0], &chunk, chunk.count)
            try #require(size > 0)
            rest += chunk.prefix(size)
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: rest[..<end], as: UTF8.self)
                rest.removeFirst(end + 1)
                if line.hasPrefix(#"{"droppedLines":"#) {
                    told += Int(line.filter(\.isNumber)) ?? 0
                } else {
                    lines.append(line)
                }
            }
        }
        #expect(told == dropped && rest.isEmpty)
        #expect(lines.allSatisfy { $0.hasPrefix("{\"time\":") && $0.hasSuffix("}") })
        #expect(writer.flush(withinSeconds: Double(Patience.seconds)))
        close(ends[1])
    }

    @Test func `names are escaped completely`() throws {
        let line = LineBuffer(capacity: 64)
        line.append(escaping: "a\"b\\c\u{0}\n\u{1F}é\u{2028}")
        #expect(
            String(decoding: line.bytes, as: UTF8.self)
                == #"a\"b\\c\u0000\u000a\u001fé"# + "\u{2028}")
    }
}
