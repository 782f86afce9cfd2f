import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

/// The keys that encrypt session tickets, observed through clients' sessions.
@Suite struct TicketTests {
    private let certificates: TestCertificates
    private let clock = Lock<Int64>(50_000)
    private let tls: TLSServer

    init() throws {
        certificates = try TestCertificates()
        var system = SystemEnvironment.real
        system.monotonicNanoseconds = { [clock] in clock.withLock { $0 } * 1_000_000_000 }
        tls = try TLSServer(
            [certificates.pair(["localhost"])], protocols: [],
            system: system)
    }

    /// Moves the clock to so many seconds after the start of the test.
    private func wait(until seconds: Int64) { clock.withLock { $0 = 50_000 + seconds } }

    /// One client's exchange; returns the session that it could resume later.
    private func visit(
        _ server: TestServer, _ version: Int32, with ticket: TestTicket? = nil
    ) throws -> (isResumed: Bool, ticket: TestTicket) {
        var options = TestTLS("localhost")
        options.authorities = certificates.authority.certificatePEM
        options.version = version
        options.session = ticket
        let (connection, session) = try server.connect(options)
        try connection.send(get)
        _ = try connection.response()
        // Otherwise OpenSSL would not resume this session a second time.
        session.sendEnd()
        return (session.isResumed, try #require(session.ticket))
    }

    @Test(arguments: [TestTLS.tls12, TestTLS.tls13])
    func `keys rotate every hour and decrypt their tickets for three`(version: Int32) async throws {
        let configuration = ServerConfiguration.local { $0.tls = tls }
        try await TestServer.run(TestRoutes.router(), with: configuration) { server in
            let first = try visit(server, version).ticket
            let name = first.keyName
            #expect(name.count == 16)
            wait(until: 3_599)
            #expect(try visit(server, version).ticket.keyName == name)
            let early = try visit(server, version, with: first)
            #expect(early.isResumed && early.ticket.keyName == name)

            wait(until: 3_600)
            let renewed = try visit(server, version, with: first)
            #expect(renewed.isResumed && renewed.ticket.keyName != name)
            let newest = renewed.ticket.keyName
            #expect(try visit(server, version).ticket.keyName == newest)

            wait(until: 10_799)
            #expect(try visit(server, version, with: first).isResumed)
            wait(until: 10_800)
            #expect(try !visit(server, version, with: first).isResumed)
            #expect(try visit(server, version, with: renewed.ticket).isResumed)
        }
    }

    @Test func `a key expires by age even if no new one was created`() async throws {
        let configuration = ServerConfiguration.local { $0.tls = tls }
        try await TestServer.run(TestRoutes.router(), with: configuration) { server in
            let first = try visit(server, TestTLS.tls13).ticket
            wait(until: 10_800)
            #expect(try !visit(server, TestTLS.tls13, with: first).isResumed)
        }
    }
}
