import BroadsheetHTTP
import BroadsheetHTTPClient
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

/// Exchanges over HTTP/2 with the server of this package.
@Suite struct HTTP2ClientTests {
    private let certificates: TestCertificates

    init() throws { certificates = try TestCertificates() }

    private func client(
        offering protocols: [String] = HTTPClientConfiguration.protocols
    ) throws -> HTTPClient {
        var configuration = HTTPClientConfiguration()
        configuration.tls = try TLSClient(
            authorities: Array(certificates.authority.certificatePEM.utf8), protocols: protocols)
        return try HTTPClient(configuration)
    }

    /// Serves over TLS with these protocols while the body runs.
    private func serve(
        _ protocols: [String] = ["h2", "http/1.1"], _ routes: HTTPRouterBuilder = routes(),
        _ body: (TestServer, HTTPOrigin) async throws -> Void
    ) async throws {
        let tls = try TLSServer(
            [certificates.pair(["localhost"])], protocols: protocols, system: .real)
        try await TestServer.run(routes.build(), with: .local { $0.tls = tls }) { server in
            try await body(
                server, try #require(HTTPOrigin("https://localhost:\(server.address.port)")))
        }
    }

    private static func routes() -> HTTPRouterBuilder {
        var routes = HTTPRouterBuilder()
        routes.on(.get, "/host/{id}") { request, _ in
            HTTPResponse(.ok, body: .bytes(Array("\(request.fields[.host] ?? "")".utf8)))
        }
        routes.on(.post, "/echo") { request, _ in
            HTTPResponse(.ok, body: .bytes(request.body))
        }
        routes.on(.get, "/large") { _, _ in
            HTTPResponse(.ok, body: .bytes([UInt8](repeating: 7, count: 8 << 20)))
        }
        routes.on(.delete, "/nothing") { _, _ in HTTPResponse(.noContent) }
        return routes
    }

    private static let paths = (0..<60).map { "/host/\($0)" }

    @Test func `many requests at once to a new origin share one connection`() async throws {
        try await serve { server, origin in
            let client = try client()
            let found = try await texts(Self.paths, of: client, origin)
            #expect(Set(found) == [origin.authority])
            #expect(client.connectionCount == 1)
            #expect(server.server.connectionCount == 1)
        }
    }

    @Test(arguments: [
        (["http/1.1"], HTTPClientConfiguration.protocols), (["h2", "http/1.1"], ["http/1.1"]),
    ])
    func `without HTTP2 on both sides requests use several connections of HTTP 1_1`(
        offered: [String], known: [String]
    ) async throws {
        try await serve(offered) { server, origin in
            let client = try client(offering: known)
            for _ in 0..<2 {
                let found = try await texts(Self.paths, of: client, origin)
                #expect(Set(found) == [origin.authority])
            }
            #expect((1...8).contains(client.connectionCount))
        }
    }

    @Test func `bodies of all sizes arrive in both directions`() async throws {
        try await serve { server, origin in
            let client = try client()
            for length in [0, 1, 16_384, 65_536, 1_000_000] {
                let body = (0..<length).map { UInt8(truncatingIfNeeded: $0 / 7) }
                let told = Lock([Int]())
                var options = patient
                options.uploadProgress = { sent, total in
                    #expect(total == length)
                    told.withLock { $0.append(sent) }
                }
                let response = try await client.send(
                    try request("/echo", .post, body: body), to: origin, options: options)
                guard case .bytes(let echo) = response.body else { throw TestFailure("no bytes") }
                #expect(echo == body)
                let steps = told.withLock { $0 }
                #expect(steps == steps.sorted() && steps.last == length)
                #expect(length < 1_000_000 || steps.count > 10)
            }
            #expect(client.connectionCount == 1)
        }
    }

    @Test func `responses without bodies are complete`() async throws {
        try await serve { _, origin in
            let client = try client()
            let none = try await client.send(
                try request("/nothing", .delete), to: origin, options: patient)
            #expect(none.status == .noContent && none.text == "")
            let head = try await client.send(
                try request("/host/a", .head), to: origin, options: patient)
            #expect(head.text == "" && head.fields[.contentLength] == "\(origin.authority.count)")
            let missing = try await client.send(
                try request("/missing"), to: origin, options: patient)
            #expect(missing.status == .notFound)
            #expect(client.connectionCount == 1)
        }
    }

    @Test func `a reader that pauses does not block other exchanges`() async throws {
        try await serve { _, origin in
            let client = try client()
            let slow = try await client.send(
                try request("/large"), to: origin, options: patientStream)
            for _ in 0..<3 {
                let found = try await texts(Self.paths, of: client, origin)
                #expect(Set(found) == [origin.authority])
            }
            let quick = try await client.send(try request("/large"), to: origin, options: patient)
            #expect(quick.text?.utf8.count == 8 << 20)
            #expect(try await slow.gathered().count == 8 << 20)
            #expect(client.connectionCount == 1)
        }
    }

    @Test func `a server that stops has finished what it has accepted`() async throws {
        let (arrived, goOn) = (Counter(), Signal())
        var routes = Self.routes()
        routes.on(.get, "/wait") { _, _ in
            arrived.next()
            await goOn.wait()
            return HTTPResponse(.ok, body: .bytes(Array("done".utf8)))
        }
        try await serve(["h2"], routes) { server, origin in
            let client = try client()
            async let waiting = texts(
                Array(repeating: "/wait", count: 20), of: client, origin)
            #expect(await eventually { arrived.value == 20 })
            async let end: Void = server.server.stop(graceSeconds: 60)
            goOn.give()
            let found = try await waiting
            #expect(Set(found) == ["done"])
            await end
            #expect(await eventually { client.connectionCount == 0 })
        }
    }
}
