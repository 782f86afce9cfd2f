import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetSockets
import BroadsheetTestSupport
import BroadsheetURLSession
import Foundation
import Testing

/// The known faults of URLSession on Linux have a test each: an update of the toolchain shows which
/// have changed.
@Suite struct BroadsheetURLSessionTests {
    /// URLSession's threads come late where a sanitizer slows all tests down.
    private static let patient = {
        var options = TransportOptions()
        options.timeout = .seconds(600)
        options.stallTimeout = .seconds(600)
        return options
    }()

    private func exchange(
        _ server: SocketAddress, _ path: String = "/", _ method: HTTPMethod = .get,
        fields: HTTPFields = HTTPFields(), body: [UInt8] = [],
        _ change: (inout TransportOptions) -> Void = { _ in }
    ) async -> Result<HTTPResponse, TransportError> {
        guard let target = RequestTarget(path: path), let origin = HTTPOrigin("http://\(server)")
        else { return .failure(.offline("no address")) }
        var options = Self.patient
        change(&options)
        do throws(TransportError) {
            return .success(
                try await URLSessionTransport().exchange(
                    HTTPRequest(method, target, fields: fields, body: body), with: origin,
                    options: options))
        } catch { return .failure(error) }
    }

    @Test func `an erased error has the text for people where Foundation shows it`() {
        let errors: [any Error & UserFacingError] = [
            BackendError.offline("no route"), CredentialStoreError("locked", .locked),
            TransportError.timedOut,
        ]
        for error in errors {
            let text = error.text(for: .load, in: .english)
            let erased = error as NSError
            #expect(erased.localizedDescription == text.message)
            #expect(erased.localizedRecoverySuggestion == text.advice)
        }
    }

    /// Answers with what it was asked.
    private static let echo: @Sendable (ScriptedPeer, Int) async throws -> Void = { peer, _ in
        while let request = try await peer.request() {
            let accept = request.fields[.accept] ?? ""
            try await peer.respond(
                "\(request.method) \(request.target) \(accept) \(request.body.count)")
        }
    }

    @Test func `requests and responses are transferred completely`() async throws {
        try await ScriptedServer.run(Self.echo) { server in
            let get = await exchange(
                server.address, "/a%20b?c=%2B", fields: [.accept: "text/plain"])
            #expect(get.text == "GET /a%20b?c=%2B text/plain 0")
            let body = [UInt8](repeating: 1, count: 100_000)
            let fields: HTTPFields = [.accept: "b", .contentType: "a/b"]
            let post = await exchange(server.address, "/a", .post, fields: fields, body: body)
            #expect(post.text == "POST /a b 100000")
            let patch = await exchange(server.address, "/a", .patch, fields: fields, body: [1])
            #expect(patch.text == "PATCH /a b 1")
        }
    }

    @Test func `a service works over URLSession`() async throws {
        var routes = HTTPRouterBuilder()
        routes.on(.get, "/v1/articles") { request, _ in
            let fields: HTTPFields = [
                .contentType: "application/json", .etag: "\"1\"", .cacheControl: "max-age=0",
            ]
            guard request.fields[.ifNoneMatch] == nil else {
                return HTTPResponse(.notModified, fields: fields)
            }
            return HTTPResponse(
                .ok, fields: fields, body: .bytes(Array(#"{"items":[],"next":"c"}"#.utf8)))
        }
        try await TestServer.run(try routes.build()) { test in
            var configuration = BackendConfiguration(
                baseURL: try #require(BaseURL("http://\(test.address)")))
            configuration.timeout = Self.patient.timeout
            configuration.stallTimeout = Self.patient.timeout
            let service = BackendService(
                configuration: configuration, transport: URLSessionTransport())
            let list = FetchArticlesRequest()
            #expect(try await service.send(list).next == "c")
            #expect(try await service.reply(to: list).source == .revalidated)
        }
    }

    @Test func `hundreds of cancelled requests end at once`() async throws {
        let ended = Counter()
        try await ScriptedServer.run { peer, _ in
            guard try await peer.request() != nil else { return }
            await peer.waitForEnd()
            ended.next()
        } _: { server in
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<300 {
                    group.addTask {
                        let task = Task { await exchange(server.address) }
                        for _ in 0..<(number % 50) { await Task.yield() }
                        task.cancel()
                        guard case .failure(.cancelled) = await task.value else {
                            Issue.record("\(number) was not cancelled")
                            return
                        }
                    }
                }
            }
            let arrived = await exchange(server.address) { $0.timeout = .milliseconds(300) }
            guard case .failure(.timedOut) = arrived else { throw TestFailure("\(arrived)") }
            #expect(await eventually { server.connectionCount == 0 })
        }
    }

    @Test func `transports share one session that outlives them`() async throws {
        try await ScriptedServer.run(Self.echo) { server in
            for _ in 0..<5 {
                let answer = await exchange(server.address)
                #expect(answer.text == "GET / */* 0")
            }
            // Five sessions would have a connection each. One has as a rule one for all, and
            // another where it has not put the last away when it is asked for it.
            #expect(server.acceptedCount < 5)
        }
    }

    @Test func `failing https exchanges do not affect others`() async throws {
        let pair = try TestCertificates().pair(["localhost"])
        for number in 0..<8 {
            let peer = try TestTLSPeer(pair, response: "HTTP/1.1 200 OK\r\n\r\n")
            let origin = try #require(HTTPOrigin("https://localhost:\(peer.address.port)"))
            let task = Task { () async -> TransportError? in
                do throws(TransportError) {
                    _ = try await URLSessionTransport().exchange(
                        HTTPRequest(.get, RequestTarget(path: "/")!), with: origin,
                        options: Self.patient)
                    return nil
                } catch { return error }
            }
            if number % 2 == 1 { task.cancel() }
            switch await task.value {
            // On Linux, URLSession does not report that the certificate was the reason.
            case .failed? where number % 2 == 0: break
            case .cancelled? where number % 2 == 1: break
            case let other: Issue.record("\(number): \(String(describing: other))")
            }
        }
        try await ScriptedServer.run(Self.echo) { server in
            #expect(await exchange(server.address).text == "GET / */* 0")
        }
    }

    @Test(arguments: ["Basic realm=\"a\"", "Bearer", "Digest realm=\"a\", nonce=\"b\""])
    func `401 is a response, whatever its challenge`(challenge: String) async throws {
        try await ScriptedServer.run { peer, _ in
            while try await peer.request() != nil {
                try await peer.send(
                    "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: \(challenge)\r\n"
                        + "Content-Length: 2\r\n\r\nno")
            }
        } _: { server in
            let result = await exchange(server.address)
            #expect(result.response?.status == .unauthorized)
            #expect(result.text == "no")
        }
    }

    @Test func `redirects are responses`() async throws {
        try await ScriptedServer.run { peer, _ in
            while let request = try await peer.request() {
                guard "\(request.target)" == "/" else {
                    try await peer.respond("followed")
                    continue
                }
                try await peer.send(
                    "HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n")
            }
        } _: { server in
            let result = await exchange(server.address)
            #expect(result.response?.status == .found)
            #expect(result.response?.fields[.location] == "/there")
        }
    }

    @Test func `URLSession caches nothing`() async throws {
        let asked = Counter()
        try await ScriptedServer.run { peer, _ in
            while let request = try await peer.request() {
                #expect(!request.fields.contains(.ifNoneMatch))
                #expect(!request.fields.contains(.cookie))
                try await peer.send(
                    "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nCache-Control: max-age=1000\r\n"
                        + "Set-Cookie: a=b\r\nContent-Length: 1\r\n\r\n\(asked.next())")
            }
        } _: { server in
            for number in 0..<3 {
                let result = await exchange(server.address)
                #expect(result.text == "\(number)")
            }
        }
    }

    @Test func `a GET with a body is rejected with a reason`() async throws {
        let result = await exchange(.v4([127, 0, 0, 1], port: 1), body: [1])
        guard case .failure(.failed(let failure)) = result else { throw TestFailure("\(result)") }
        #expect(failure.kind == .unsupported && failure.description.contains("GET with a body"))
    }

    @Test func `Unix sockets are rejected, and a closed port is offline`() async throws {
        do throws(TransportError) {
            _ = try await URLSessionTransport().exchange(
                HTTPRequest(.get, RequestTarget(path: "/")!),
                with: HTTPOrigin(unixSocket: "/a"), options: Self.patient)
        } catch {
            guard case .failed(let failure) = error else { throw TestFailure("\(error)") }
            #expect(failure.kind == .unsupported)
        }
        let server = try ScriptedServer { _, _ in }
        await server.stop()
        let result = await exchange(server.address)
        guard case .failure(.offline) = result else { throw TestFailure("\(result)") }
    }

    @Test func `a response above the limit is rejected`() async throws {
        try await ScriptedServer.run(Self.echo) { server in
            let result = await exchange(server.address) { $0.bodyBytes = 3 }
            guard case .failure(.failed(let failure)) = result else {
                throw TestFailure("\(result)")
            }
            #expect(failure.kind == .tooLarge)
        }
    }

    @Test func `a body is streamed, and releasing it ends the exchange`() async throws {
        let goOn = Signal()
        let ended = Signal()
        try await ScriptedServer.run { peer, _ in
            _ = try await peer.request()
            try await peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            try await peer.send("5\r\nfirst\r\n")
            await goOn.wait()
            try await peer.send("6\r\nsecond\r\n")
            await peer.waitForEnd()
            ended.give()
        } _: { server in
            do {
                let result = await exchange(server.address) { $0.isStreamed = true }
                guard case .stream(let stream) = try result.get().body else {
                    throw TestFailure("no stream")
                }
                #expect(try await stream.next() == Array("first".utf8))
                goOn.give()
                #expect(try await stream.next() == Array("second".utf8))
            }
            await ended.wait()
        }
    }

    @Test func `a slow reader loses the stream; memory stays bounded`()
        async throws
    {
        let ended = Signal()
        try await ScriptedServer.run { peer, _ in
            _ = try await peer.request()
            try await peer.send("HTTP/1.1 200 OK\r\n\r\n")
            let piece = [UInt8](repeating: 1, count: 64 << 10)
            do { while true { try await peer.send(piece) } } catch { ended.give() }
        } _: { server in
            let result = await exchange(server.address) { $0.isStreamed = true }
            guard case .stream(let stream) = try result.get().body else {
                throw TestFailure("no stream")
            }
            await ended.wait()
            await #expect(throws: TransportError.self) { while try await stream.next() != nil {} }
        }
    }
}

extension Result<HTTPResponse, TransportError> {
    fileprivate var response: HTTPResponse? { try? get() }

    /// The body of a complete response.
    fileprivate var text: String? {
        guard case .bytes(let bytes)? = response?.body else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
