import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

struct TracingTransport: Transport {
    let transport: any Transport

    func exchange(
        _ request: HTTPRequest, with origin: HTTPOrigin, options: TransportOptions
    ) async throws(TransportError) -> HTTPResponse {
        var request = request
        request.fields[.traceparent] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        return try await transport.exchange(request, with: origin, options: options)
    }
}

struct Tracing: RequestMiddleware {
    let parent: @Sendable (ExchangeContext.ID) -> String

    func respond(
        to request: HTTPRequest, in context: ExchangeContext, next: Next
    ) async throws(TransportError) -> HTTPResponse {
        var request = request
        request.fields[.traceparent] = parent(context.id)
        return try await next(request)
    }
}

/// The examples of transports, streams and events.
@Suite struct ArticleClientTransportExamples {
    private let configuration = BackendConfiguration(baseURL: "http://localhost")

    private func origin() throws -> HTTPOrigin { try #require(HTTPOrigin("http://localhost")) }

    private func request() throws -> HTTPRequest {
        let target = try #require(RequestTarget(path: "/v1/tags"))
        return HTTPRequest(.get, target, fields: [.authorization: "Bearer secret"])
    }

    private func text(_ response: HTTPResponse) -> String? {
        guard case .bytes(let bytes) = response.body else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A transport whose responses have these bytes.
    private func transport(_ text: String) -> InProcessTransport {
        InProcessTransport { _, _ in HTTPResponse(.ok, body: .bytes(Array(text.utf8))) }
    }

    @Test func `a transport without sockets`() async throws {
        let (request, origin) = (try request(), try origin())
        let transport = InProcessTransport { request, origin in
            HTTPResponse(.ok, body: .bytes(Array("\(origin)\(request.target)".utf8)))
        }
        let response = try await transport.exchange(request, with: origin, options: .init())
        #expect(text(response) == "http://localhost/v1/tags")
    }

    @Test func `a transport that adds a field`() async throws {
        let server = ExampleBackend()
        let tracing = TracingTransport(transport: server.transport)
        try await BackendService(configuration: configuration, transport: tracing).send(
            FetchTagsRequest())
        let fields = server.values(of: .traceparent)
        #expect(fields.count == 1 && fields[0]?.hasPrefix("00-4bf92f3577b34da6") == true)
    }

    @Test func `middleware that adds a field`() async throws {
        let server = ExampleBackend()
        let backend = BackendService(
            configuration: configuration, transport: server.transport,
            middleware: [
                Tracing { "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0\($0.attempt)" }
            ])
        try await backend.send(FetchTagsRequest())
        #expect(server.values(of: .traceparent).map { $0?.suffix(3) } == ["-01"])
    }

    @Test func `limits of an exchange`() async throws {
        let (request, origin) = (try request(), try origin())
        let transport = transport("hello")
        var options = TransportOptions()
        options.timeout = .seconds(10)
        options.bodyBytes = 1 << 20
        let response = try await transport.exchange(request, with: origin, options: options)
        #expect(text(response) == "hello")
        options.bodyBytes = 4
        let error = await #expect(throws: TransportError.self) {
            try await transport.exchange(request, with: origin, options: options)
        }
        guard case .failed(let failure)? = error else { throw TestFailure("\(error as Any)") }
        #expect(failure.kind == .tooLarge)
    }

    @Test func `exchanges that are observed`() async throws {
        let (request, origin) = (try request(), try origin())
        let transport = transport("hello")
        let service = NetworkService(transport, observers: [{ print($0.curl) }])
        let response = try await service.send(request, to: origin)
        #expect(text(response) == "hello")
        let line = CurlCommand.text(of: request, to: origin)
        #expect(line.hasPrefix("curl ") && line.contains("'http://localhost/v1/tags'"))
        #expect(!line.contains("secret"))
    }

    @Test func `events of requests`() async throws {
        let lines = Lock<[String]>([])
        let log: @Sendable (String) -> Void = { line in lines.withLock { $0.append(line) } }
        let observer: BackendObserver = { event in
            guard case .finished(.success(let status)) = event.kind else { return }
            log("\(event.target): \(status)")
        }
        let backend = BackendService(
            configuration: configuration, transport: ExampleBackend().transport,
            observers: [observer])
        try await backend.send(FetchTagsRequest())
        #expect(lines.withLock { $0 } == ["/v1/tags: 200 OK"])
    }

    @Test func `events as they come`() async throws {
        let lines = Lock<[String]>([])
        let log: @Sendable (String) -> Void = { line in lines.withLock { $0.append(line) } }
        let backend = BackendService(
            configuration: configuration, transport: ExampleBackend().transport)
        let reading = Task {
            for await event in backend.events {
                if case .finished = event.kind { log("\(event.id) took \(event.duration)") }
            }
        }
        while lines.withLock({ $0.isEmpty }) {
            try await backend.send(FetchTagsRequest(), options: .init(freshness: .reloaded))
        }
        reading.cancel()
        #expect(lines.withLock { $0[0].contains(" took ") })
    }

    @Test func `streams`() async throws {
        let request = FetchTagsRequest()
        let backend = BackendService(
            configuration: configuration,
            transport: transport("id: 1\ndata: one\n\nid: 2\ndata: two\n\n"))
        var received: [UInt8] = []
        let stream = try await backend.stream(request)
        for try await piece in stream { received += piece }
        #expect(received.count == stream.length)
        var texts: [String] = []
        var lastID = ""
        for try await event in ServerSentEvents(try await backend.stream(request)) {
            texts.append(event.data)
            lastID = event.id
        }
        #expect(texts == ["one", "two"] && lastID == "2")
    }

    @Test func `a transport over sockets`() async throws {
        var routes = HTTPRouterBuilder()
        routes.on(.get, "/v1/tags") { _, _ in ExampleBackend.page() }
        try await TestServer.run(routes.build()) { (test) async throws in
            let baseURL = try #require(BaseURL("http://\(test.address)"))
            let configuration = BackendConfiguration(baseURL: baseURL)
            let transport = SocketTransport()
            let backend = BackendService(configuration: configuration, transport: transport)
            #expect(try await backend.send(FetchTagsRequest()).items.count == 1)
            #expect(transport.connectionCount == 1)
        }
    }
}
