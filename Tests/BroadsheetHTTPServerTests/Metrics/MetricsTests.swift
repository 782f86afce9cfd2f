import BroadsheetHTTP
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

@testable import BroadsheetHTTPServer

@Suite struct MetricsTests {
    private func lines(_ write: (inout MetricsText) -> Void) -> [String] {
        var page = MetricsText()
        write(&page)
        return String(decoding: page.bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test func `a family has its help, type and unit before its samples`() {
        let lines = lines { page in
            page.family("a_seconds", .gauge, unit: "seconds", help: "One\nand \\ two.")
            page.sample("a_seconds", ["path": "\"x\"\\\n", "loop": "0"], 0.5)
            page.single("b_total", .counter, help: "Bs.", 3)
        }
        #expect(
            lines == [
                #"# HELP a_seconds One\nand \\ two."#, "# TYPE a_seconds gauge",
                "# UNIT a_seconds seconds", #"a_seconds{path="\"x\"\\\n",loop="0"} 0.5"#,
                "# HELP b_total Bs.", "# TYPE b_total counter", "b_total 3",
            ])
    }

    @Test func `exchanges are counted by route, method and status`() async throws {
        let metrics = ExchangeMetrics()
        var builder = HTTPRouterBuilder()
        builder.on(.get, "/things/{id}") { _, _ in HTTPResponse(.ok, body: .bytes([1, 2, 3])) }
        let router = try builder.build()
        try await TestServer.run(router, with: .local { $0.observers = [metrics] }) { server in
            let client = server.client
            for path in ["/things/1", "/things/2", "/nothing"] { _ = try client.get(path) }
            let brew = try #require(HTTPMethod("BREW"))
            _ = try client.send(brew, "/things/1")
        }
        let lines = lines { metrics.write(to: &$0) }
        let requests = "broadsheet_http_requests_total"
        #expect(lines.contains(#"\#(requests){route="/things/{id}",method="GET",status="200"} 2"#))
        #expect(lines.contains(#"\#(requests){route="",method="GET",status="404"} 1"#))
        #expect(lines.contains { $0.contains(#"method="other",status="405"} 1"#) })
        #expect(!lines.contains { $0.contains("BREW") })
    }

    @Test func `a histogram is cumulative, and its last bucket counts everything`() async throws {
        let metrics = ExchangeMetrics()
        var builder = HTTPRouterBuilder()
        builder.on(.get, "/") { _, _ in HTTPResponse(.ok) }
        let router = try builder.build()
        try await TestServer.run(router, with: .local { $0.observers = [metrics] }) { server in
            for _ in 1...5 { _ = try server.client.get("/") }
        }
        let lines = lines { metrics.write(to: &$0) }
        let counts = lines.filter { $0.contains("_bucket{") }
            .compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
        #expect(counts.count == 15)
        #expect(counts == counts.sorted())
        #expect(counts.last == 5)
        #expect(lines.contains { $0.contains(#"le="+Inf"} 5"#) })
        #expect(lines.contains { $0.contains("_count{") && $0.hasSuffix(" 5") })
    }

    @Test func `the order of handshake samples is stable`() {
        let metrics = HandshakeMetrics()
        func add(_ version: String, isResumed: Bool) {
            metrics.ended(
                HandshakeRecord(
                    .v4([127, 0, 0, 1], port: 1), .agreed(version: version, isResumed: isResumed)))
        }
        func samples() -> [String] {
            lines { metrics.write(to: &$0) }
                .filter { $0.hasPrefix("broadsheet_tls_handshakes_total{") }
        }
        for _ in 0..<2 { add("TLSv1.3", isResumed: false) }
        add("TLSv1.3", isResumed: true)
        add("TLSv1.2", isResumed: false)
        let name = "broadsheet_tls_handshakes_total"
        let before = samples()
        #expect(
            before == [
                #"\#(name){version="TLSv1.2",resumed="false"} 1"#,
                #"\#(name){version="TLSv1.3",resumed="false"} 2"#,
                #"\#(name){version="TLSv1.3",resumed="true"} 1"#,
            ])
        for _ in 0..<5 { add("TLSv1.3", isResumed: true) }
        #expect(samples().dropLast() == before.dropLast())
        #expect(samples().last == #"\#(name){version="TLSv1.3",resumed="true"} 6"#)
    }
}
