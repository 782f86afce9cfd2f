import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Glibc
import Synchronization
import Testing

final class FailureCounter: ExchangeObserver {
    let count = Atomic(0)

    func finished(_ exchange: borrowing ExchangeRecord) {
        if exchange.status.code >= 500 { count.add(1, ordering: .relaxed) }
    }
}

final class PlainHTTPCounter: HandshakeObserver {
    let count = Atomic(0)

    func ended(_ handshake: borrowing HandshakeRecord) {
        if case .failed(.plainHTTP, _) = handshake.outcome { count.add(1, ordering: .relaxed) }
    }
}

/// The examples of logs, metrics and observers.
@Suite struct HTTPServerObservationExamples {
    private func routes() -> HTTPRouterBuilder {
        var routes = HTTPRouterBuilder()
        routes.on(.get, "/hello") { _, _ in HTTPResponse(.ok) }
        routes.on(.get, "/failing") { _, _ in HTTPResponse(.internalServerError) }
        return routes
    }

    /// The content of a new file that the body writes to.
    private func written(_ body: (Int32) async throws -> Void) async throws -> String {
        let folder = try TemporaryFolder()
        let descriptor = open(folder.file("log"), O_CREAT | O_RDWR | O_APPEND, 0o600)
        defer { close(descriptor) }
        try await body(descriptor)
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    private func text(_ page: MetricsText) -> String {
        String(decoding: page.bytes, as: UTF8.self)
    }

    @Test func `a writer of lines`() async throws {
        let text = try await written { descriptor in
            let writer = LogWriter(descriptor: descriptor, format: .preferred(descriptor))
            writer.write("ready\n")
            let isWritten = writer.flush(withinSeconds: 10)
            #expect(isWritten)
            #expect(writer.droppedLines == 0)
        }
        #expect(text == "ready\n")
    }

    @Test func `a log of failures`() async throws {
        let text = try await written { descriptor in
            let writer = LogWriter(descriptor: descriptor, format: .json)
            var configuration = ServerConfiguration.local()
            let log = AccessLog(writer, system: .real)
            log.detail = .failures
            configuration.accessLog = log
            try await TestServer.run(routes().build(), with: configuration) { (test) async throws in
                for path in ["/hello", "/failing"] { _ = try test.client.get(path) }
            }
            #expect(writer.flush(withinSeconds: 10))
        }
        #expect(text.contains(#""target":"/failing""#) && text.contains(#""status":500"#))
        #expect(!text.contains("/hello"))
    }

    @Test func `an observer of exchanges`() async throws {
        let observer = FailureCounter()
        let configuration = ServerConfiguration.local { $0.observers = [observer] }
        try await TestServer.run(routes().build(), with: configuration) { (test) async throws in
            for path in ["/hello", "/failing", "/nothing"] { _ = try test.client.get(path) }
        }
        #expect(observer.count.load(ordering: .relaxed) == 1)
    }

    @Test func `observers of handshakes`() async throws {
        let observer = PlainHTTPCounter()
        var configuration = ServerConfiguration.local()
        let handshakes = HandshakeMetrics()
        configuration.handshakeObservers = [handshakes]
        configuration.handshakeObservers.append(observer)
        let certificate = try TestCertificates().pair(["localhost"])
        configuration.tls = try TLSServer(
            [certificate], profile: .intermediate, protocols: ["http/1.1"], system: .real)
        try await TestServer.run(routes().build(), with: configuration) { (test) async throws in
            // The client speaks plain HTTP, and the response says so.
            #expect(try test.client.get("/hello").status == 400)
            #expect(await eventually { observer.count.load(ordering: .relaxed) == 1 })
        }
        var page = MetricsText()
        handshakes.write(to: &page)
        let failures = "broadsheet_tls_handshake_failures_total"
        #expect(text(page).contains(#"\#(failures){reason="plainHTTP"} 1"#))
        #expect(text(page).contains(#"\#(failures){reason="late"} 0"#))
    }

    @Test func `a page of metrics of exchanges`() async throws {
        let metrics = ExchangeMetrics()
        var routes = routes()
        routes.on(.get, "/metrics") { _, _ in
            var page = MetricsText()
            metrics.write(to: &page)
            return HTTPResponse(.ok, body: .bytes(page.bytes))
        }
        let configuration = ServerConfiguration.local { $0.observers = [metrics] }
        try await TestServer.run(routes.build(), with: configuration) { (test) async throws in
            // One connection: its exchanges are observed in their order.
            let connection = try RawConnection(test.address)
            for _ in 0..<2 {
                try connection.send("GET /hello HTTP/1.1\r\nHost: test\r\n\r\n")
                #expect(try connection.response().status == 200)
            }
            try connection.send("GET /metrics HTTP/1.1\r\nHost: test\r\n\r\n")
            let line =
                #"broadsheet_http_requests_total{route="/hello",method="GET",status="200"} 2"#
            #expect(try connection.response().text.contains(line))
        }
    }

    @Test func `a page of other metrics`() {
        var page = MetricsText()
        page.single("queue_jobs", .gauge, help: "Jobs that wait.", 3)
        page.family("requests_total", .counter, help: "Requests by method.")
        page.sample("requests_total", ["method": "GET"], 12)
        #expect(text(page).contains("# TYPE queue_jobs gauge\nqueue_jobs 3\n"))
        #expect(text(page).hasSuffix("\nrequests_total{method=\"GET\"} 12\n"))
    }
}
