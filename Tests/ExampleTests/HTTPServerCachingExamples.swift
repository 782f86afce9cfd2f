import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

/// A reader's key, which grants no more than anonymous access.
struct OneReader: PublicReaders {
    let reader = PublicReader(account: "reader-1")

    func reader(of authorization: borrowing Span<UInt8>) -> PublicReader? {
        let text = authorization.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        return text == "Bearer reader" ? reader : nil
    }
}

struct FreshGate: CacheGate {
    func isOpen(to fields: borrowing HTTPFields) -> Bool {
        !fields.contains(.broadsheetAfter)
    }
}

/// The examples of cached responses.
@Suite struct HTTPServerCachingExamples {
    @Test func `requests that must not be served from the cache`() async throws {
        let cache = ResponseCache(limitBytes: 1 << 20, gate: FreshGate(), now: { 0 })
        let renderings = Counter()
        var routes = HTTPRouterBuilder()
        routes.on(.get, "/time") { request, context in
            guard !request.fields.contains(.broadsheetAfter) else {
                return HTTPResponse(.noContent)
            }
            return await cache.respond(request, context) {
                renderings.next()
                return .lasting(HTTPResponse(.ok), dependencies: [], until: nil)
            }
        }
        try await TestServer.run(routes.build(), with: .local { $0.cache = cache }) {
            (test) async throws in
            for _ in 0..<3 { #expect(try test.client.get("/time").status == 200) }
            #expect(renderings.value == 1)
            let fields: HTTPFields = [.broadsheetAfter: "7"]
            #expect(try test.client.send(.get, "/time", fields: fields).status == 204)
        }
    }

    @Test func `cached responses`() async throws {
        let cache = ResponseCache(limitBytes: 1 << 20, now: { 0 })
        let title = Lock("new")
        let renderings = Counter()
        let render: @Sendable () async -> HTTPResponse = {
            renderings.next()
            return HTTPResponse(.ok, body: .bytes(Array(title.withLock { $0 }.utf8)))
        }
        var routes = HTTPRouterBuilder()
        routes.on(.get, "/articles/{id}") { request, context in
            await cache.respond(request, context) {
                let tag = CacheTag(kind: 1, low: 7)
                return .lasting(await render(), dependencies: [tag], until: nil)
            }
        }
        try await TestServer.run(routes.build(), with: .local { $0.cache = cache }) {
            (test) async throws in
            for _ in 0..<3 { #expect(try test.client.get("/articles/7").text == "new") }
            #expect(renderings.value == 1)
            let sequence: Int64 = 1
            cache.willChange([CacheTag(kind: 1, low: 7)], through: sequence)
            title.withLock { $0 = "changed" }
            cache.didChange(through: sequence)
            for _ in 0..<3 { #expect(try test.client.get("/articles/7").text == "changed") }
            #expect(renderings.value == 2)
        }
    }

    @Test func `readers that are served from the cache`() async throws {
        let cache = ResponseCache(limitBytes: 1 << 20, now: { 0 })
        let admissions = Counter()
        var routes = HTTPRouterBuilder()
        routes.protect(.get, "/hello") { _, _ in
            admissions.next()
            return .admitted({ request, context in
                await cache.respond(request, context) {
                    let response = HTTPResponse(
                        .ok, fields: [.cacheControl: "public, max-age=60"], body: .bytes([7]))
                    return .lasting(response, dependencies: [], until: nil)
                }
            })
        }
        let configuration = ServerConfiguration.local {
            $0.cache = cache
            $0.readers = OneReader()
        }
        try await TestServer.run(routes.build(), with: configuration) { (test) async throws in
            #expect(try test.client.get("/hello").body == [7])
            let before = admissions.value
            for (key, isAsked) in [("Bearer reader", false), ("Bearer editor", true)] {
                let response = try test.client.send(.get, "/hello", fields: [.authorization: key])
                #expect(response.body == [7])
                #expect((admissions.value > before) == isAsked)
            }
        }
    }
}
