import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

/// The notifications of observers of handshakes.
@Suite struct HandshakeObserverTests {
    private final class RecordingObserver: HandshakeObserver {
        private let records = Lock<[HandshakeRecord.Outcome]>([])
        var outcomes: [HandshakeRecord.Outcome] { records.withLock { $0 } }

        func ended(_ handshake: borrowing HandshakeRecord) {
            let outcome = handshake.outcome
            records.withLock { $0.append(outcome) }
        }
    }

    /// The notifications while the body acts as clients.
    private func outcomes(
        count: Int, handshakeMilliseconds: Int64 = 600_000,
        _ body: (TestServer, TLSTest) async throws -> Void
    ) async throws -> [HandshakeRecord.Outcome] {
        let notebook = RecordingObserver()
        let test = try TLSTest()
        try await test.run {
            $0.handshakeObservers = [notebook]
            $0.limits.handshakeMilliseconds = handshakeMilliseconds
        } _: { server in
            try await body(server, test)
            try #require(await eventually { notebook.outcomes.count >= count })
        }
        return notebook.outcomes
    }

    @Test func `a successful handshake is reported with its version`() async throws {
        let found = try await outcomes(count: 2) { server, test in
            for version in [0, TestTLS.tls12] {
                let isServed = try server.serves(test.options { $0.version = version })
                #expect(isServed)
            }
        }
        #expect(
            found == [
                .agreed(version: "TLSv1.3", isResumed: false),
                .agreed(version: "TLSv1.2", isResumed: false),
            ])
    }

    @Test func `each kind of failure is distinguished`() async throws {
        let found = try await outcomes(count: 4, handshakeMilliseconds: 10_000) {
            server, test in
            // Disconnected, plain HTTP, garbage, and silent.
            do { _ = try RawConnection(server.address) }
            let plain = try RawConnection(server.address)
            try plain.send(get)
            let answer = try plain.response()
            #expect(answer.status == 400)
            let garbage = try RawConnection(server.address)
            try garbage.send("\u{16}\u{3}\u{1}\u{0}\u{5}abcde\r\n")
            let silent = try RawConnection(server.address)
            _ = try? silent.response()
        }
        let failures = found.compactMap { outcome in
            if case .failed(let failure, _) = outcome { failure } else { nil }
        }
        #expect(Set(failures) == [.gone, .plainHTTP, .rejected, .late])
    }

    @Test func `handshakes are counted by version and by reason`() async throws {
        let metrics = HandshakeMetrics()
        let test = try TLSTest()
        try await test.run {
            $0.handshakeObservers = [metrics]
        } _: { server in
            let isServed = try server.serves(test.options())
            #expect(isServed)
            let plain = try RawConnection(server.address)
            try plain.send(get)
            let answer = try plain.response()
            #expect(answer.status == 400)
        }
        var page = MetricsText()
        metrics.write(to: &page)
        let text = String(decoding: page.bytes, as: UTF8.self)
        #expect(
            text.contains(
                #"broadsheet_tls_handshakes_total{version="TLSv1.3",resumed="false"} 1"# + "\n"))
        let failed = "broadsheet_tls_handshake_failures_total"
        #expect(text.contains("\(failed){reason=\"plainHTTP\"} 1\n"))
        #expect(text.contains("\(failed){reason=\"refused\"} 0\n"))
    }
}
