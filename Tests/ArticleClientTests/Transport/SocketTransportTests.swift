import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

@Suite struct SocketTransportTests {
    private func configuration(_ address: SocketAddress) throws -> BackendConfiguration {
        let text =
            if case .unix(let path) = address { "unix:\(path)" } else { "http://\(address)" }
        var configuration = BackendConfiguration(baseURL: try #require(BaseURL(text)))
        configuration.timeout = .seconds(Patience.seconds)
        configuration.stallTimeout = .seconds(Patience.seconds)
        return configuration
    }

    private static func router() throws -> HTTPRouter {
        var routes = HTTPRouterBuilder()
        routes.on(.get, "/v1/articles") { request, _ in
            let fields: HTTPFields = [.etag: "\"1\"", .cacheControl: "no-cache"]
            guard request.fields[.ifNoneMatch] == nil else {
                return HTTPResponse(.notModified, fields: fields)
            }
            let caller = request.fields[.authorization]?.split(separator: " ").last
            return page(caller.map(String.init) ?? "stranger", fields: fields)
        }
        routes.on(.get, "/v1/tags") { _, _ in
            HTTPResponse(
                .ok,
                body: .stream(
                    HTTPBodyStream { throw TestFailure("cut off in the middle") }))
        }
        routes.on(.post, "/v1/articles") { request, _ in
            rejection(.contentTooLarge, "\(request.body.count)")
        }
        return try routes.build()
    }

    @Test(arguments: [true, false], [HTTPVersion.http11, .http2])
    func `requests work over TCP and Unix sockets`(
        isUnix: Bool, version: HTTPVersion
    ) async throws {
        let folder = try TemporaryFolder()
        let address =
            isUnix
            ? SocketAddress.unix(folder.file("a.sock")) : .v4([127, 0, 0, 1], port: 0)
        var configuration = ServerConfiguration(addresses: [address], system: .real)
        configuration.takesCleartextHTTP2 = true
        try await TestServer.run(try Self.router(), with: configuration) { test in
            let transport = SocketTransport(.cleartext(version))
            let service = BackendService(
                configuration: try self.configuration(test.address), transport: transport,
                auth: BackendAuth(token: "bsk_1"))
            #expect(try await service.send(list).next == "bsk_1")
            #expect(try await service.reply(to: list).source == .revalidated)
            #expect(transport.connectionCount == 1)
            #expect(test.server.connectionCount == 1)
        }
    }

    @Test func `the three lines of the quick start work`() async throws {
        try await TestServer.run(try Self.router()) { test in
            let backend = BackendService(configuration: try configuration(test.address))
            let page = try await backend.send(FetchArticlesRequest(tag: "swift"))
            #expect(page.next == "stranger")
        }
    }

    @Test(arguments: [HTTPVersion.http11, .http2])
    func `errors of the transport are errors of the service`(version: HTTPVersion) async throws {
        try await TestServer.run(try Self.router(), with: .bothVersions) { test in
            var configuration = try configuration(test.address)
            configuration.retries = .none
            let service = BackendService(
                configuration: configuration, transport: SocketTransport(.cleartext(version)))
            let cut = await outcome { try await service.send(FetchTagsRequest()) }.error
            guard case .transport(let failure)? = cut else { throw TestFailure("\(cut as Any)") }
            #expect(failure.kind == .disconnected)
            for url: BaseURL in ["https://localhost:1", "unix:/nowhere/a.sock"] {
                configuration.baseURL = url
                let nobody = BackendService(configuration: configuration)
                guard case .offline? = await outcome({ try await nobody.send(list) }).error else {
                    throw TestFailure("not offline: \(url)")
                }
            }
        }
    }

    @Test(arguments: [HTTPVersion.http11, .http2])
    func `an upload reports its progress`(version: HTTPVersion) async throws {
        try await TestServer.run(try Self.router(), with: .bothVersions) { test in
            let service = BackendService(
                configuration: try configuration(test.address),
                transport: SocketTransport(.cleartext(version)))
            let told = Lock(0)
            var options = RequestOptions()
            options.uploadProgress = { sent, _ in told.withLock { $0 = sent } }
            let body = String(repeating: "a", count: 1_000_000)
            let create = CreateArticleRequest(article: Article.Draft(title: "a", body: body))
            let error = await outcome { [options] in
                try await service.send(create, options: options)
            }.error
            guard case .problem(let problem)? = error else {
                throw TestFailure("\(error as Any)")
            }
            #expect(problem.detail == "\(told.withLock { $0 })")
        }
    }
}
