import ArticleAPI
import ArticleClient
import HTTP
import Sockets
import TestSupport
import Testing

@Suite struct CopiesTests {
    private static let create = CreateArticleRequest(article: Article.Draft(title: "a"))

    /// Answers with a tag, and 304 to whoever has it.
    private static func backend(_ control: String = "no-cache") -> TestBackend {
        TestBackend { request, count in
            guard request.method == .get else { return refusal(.notFound) }
            let fields: HTTPFields = [.etag: "\"1\"", .cacheControl: control]
            return request.fields[.ifNoneMatch] == "\"1\""
                ? HTTPResponse(.notModified, fields: fields) : page("\(count)", fields: fields)
        }
    }

    @Test func `a copy is asked about, and used while it stands`() async throws {
        let time = TestTime()
        let backend = Self.backend()
        let service = backend.service(time: time)
        let first = try await service.reply(to: list)
        #expect(first.source == .network && first.age == .zero)
        #expect(first.etag == EntityTag("\"1\""))
        time.advance(by: .seconds(9))
        let second = try await service.reply(to: list)
        #expect(second.source == .revalidated && second.age == .zero)
        #expect(second.item == first.item && second.status == .ok)
        #expect(backend.requests.map { $0.fields[.ifNoneMatch] } == [nil, "\"1\""])
    }

    @Test func `a copy is used without asking as long as the backend allows`() async throws {
        let time = TestTime()
        let backend = Self.backend("private, max-age=10")
        let service = backend.service(time: time)
        _ = try await service.send(list)
        time.advance(by: .seconds(9))
        let cached = try await service.reply(to: list)
        #expect(cached.source == .cached && cached.age == .seconds(9))
        time.advance(by: .seconds(1))
        #expect(try await service.reply(to: list).source == .revalidated)
        time.advance(by: .seconds(9))
        #expect(try await service.reply(to: list).source == .cached)
        #expect(backend.requests.count == 2)
    }

    @Test func `reloaded is from the backend, whatever there is`() async throws {
        let backend = Self.backend("max-age=10")
        let service = backend.service()
        _ = try await service.send(list)
        var options = RequestOptions()
        options.freshness = .reloaded
        let reply = try await service.reply(to: list, options: options)
        #expect(reply.source == .network && reply.item.next == "1")
        #expect(backend.requests[1].fields[.ifNoneMatch] == nil)
        #expect(try await service.reply(to: list).item.next == "1")
    }

    @Test func `after a write nothing is used without asking`() async throws {
        let backend = Self.backend("max-age=1000")
        let service = backend.service()
        _ = try await service.send(list)
        _ = await outcome { try await service.send(Self.create) }
        #expect(try await service.reply(to: list).source == .revalidated)
        #expect(try await service.reply(to: list).source == .cached)
    }

    @Test func `what was asked before a write is not used without asking behind it`()
        async throws
    {
        let asked = Signal()
        let goOn = Signal()
        let backend = TestBackend { request, _ in
            guard request.method == .get else { return refusal(.notFound) }
            asked.give()
            await goOn.wait()
            return page("old", fields: [.cacheControl: "max-age=1000"])
        }
        let service = backend.service()
        async let slow = service.send(list)
        await asked.wait()
        _ = await outcome { try await service.send(Self.create) }
        goOn.give()
        _ = try await slow
        _ = try await service.send(list)
        #expect(backend.requests.count == 3)
    }

    @Test(arguments: ["no-store", "max-age=0", ""])
    func `what must or need not be kept is not`(control: String) async throws {
        let cache = ResponseCache()
        let backend = TestBackend { _, _ in page("a", fields: [.cacheControl: control]) }
        let service = backend.service(cache: cache)
        _ = try await service.send(list)
        _ = try await service.send(list)
        #expect(backend.requests.count == 2)
        #expect(cache.bytes == 0)
    }

    @Test func `a copy belongs to whoever asked for it`() async throws {
        let backend = Self.backend("max-age=1000")
        let cache = ResponseCache()
        let key = BackendAuth(token: "one")
        _ = try await backend.service(auth: key, cache: cache).send(list)
        let other = BackendAuth(token: "two")
        let reply = try await backend.service(auth: other, cache: cache).reply(to: list)
        #expect(reply.source == .network)
        #expect(backend.requests[1].fields[.ifNoneMatch] == nil)
    }

    @Test func `what is kept has a bound, and what was used last stays`() async throws {
        let cache = ResponseCache(limitBytes: 10_000)
        let backend = TestBackend { request, _ in
            var answer = page(String(repeating: "x", count: 300))
            answer.fields.set(.cacheControl, to: "max-age=1000")
            return answer
        }
        let service = backend.service(cache: cache)
        for number in 1...100 {
            _ = try await service.send(FetchArticlesRequest(limit: number))
            #expect(try await service.reply(to: FetchArticlesRequest(limit: 1)).source == .cached)
        }
        #expect((2_000...10_000).contains(cache.bytes))
        cache.removeAll()
        #expect(cache.bytes == 0)
    }

    @Test func `without a copy's bytes the backend is not asked about it`() async throws {
        let backend = Self.backend()
        let cache = ResponseCache()
        let service = backend.service(cache: cache)
        _ = try await service.send(list)
        cache.removeAll()
        #expect(try await service.reply(to: list).source == .network)
        #expect(backend.requests.allSatisfy { !$0.fields.contains(.ifNoneMatch) })
    }

    @Test func `304 to a question that nobody asked is no answer`() async throws {
        let backend = TestBackend { _, _ in HTTPResponse(.notModified) }
        let error = await outcome { try await backend.service().send(list) }.error
        guard case .transport(let failure)? = error else { throw TestFailure("\(error as Any)") }
        #expect(failure.kind == .malformed)
    }

    @Test func `offline, a copy is used as it is where that was asked for`() async throws {
        let time = TestTime()
        let backend = TestBackend { _, count in
            guard count == 0 else { throw TransportError.offline("no network") }
            return page("a", fields: [.etag: "\"1\""])
        }
        let service = backend.service(time: time)
        var options = RequestOptions()
        options.freshness = .orCachedWhenOffline
        _ = try await service.send(list, options: options)
        time.advance(by: .seconds(3_600))
        let reply = try await service.reply(to: list, options: options)
        #expect(reply.source == .cached && reply.age >= .seconds(3_600))
        #expect(await outcome { try await service.send(list) }.error == .offline("no network"))
    }

    @Test func `an answer that was old when it came is older later`() async throws {
        let time = TestTime()
        let backend = TestBackend { _, _ in
            page("a", fields: [.age: "5", .cacheControl: "max-age=10"])
        }
        let service = backend.service(time: time)
        #expect(try await service.reply(to: list).age == .seconds(5))
        time.advance(by: .seconds(4))
        #expect(try await service.reply(to: list).age == .seconds(9))
        time.advance(by: .seconds(1))
        #expect(try await service.reply(to: list).source == .network)
    }

    private struct Asking: BackendAPIRequest {
        static let endpoint = Endpoint(.options, "/v1/articles", access: .everyone)
        typealias Item = RawBody
        static let parameters = Parameters<Asking>({ Asking() })
    }

    private struct Getting: BackendAPIRequest {
        static let endpoint = Endpoint(.get, "/v1/articles", access: .everyone)
        typealias Item = RawBody
        static let parameters = Parameters<Getting>({ Getting() })
    }

    @Test func `a copy is of one method`() async throws {
        let backend = TestBackend { request, _ in
            HTTPResponse(
                .ok, fields: [.cacheControl: "max-age=60"],
                body: .bytes(Array("\(request.method)".utf8)))
        }
        let service = backend.service()
        #expect(try await service.send(Getting()).bytes == Array("GET".utf8))
        #expect(try await service.send(Asking()).bytes == Array("OPTIONS".utf8))
    }

    @Test func `observers hear of each copy that is used`() async throws {
        let time = TestTime()
        let events = Lock([BackendEvent.Kind]())
        let service = Self.backend("max-age=60").service(
            observers: [{ event in events.withLock { $0.append(event.kind) } }], time: time)
        _ = try await service.send(list)
        events.withLock { $0 = [] }
        time.advance(by: .seconds(3))
        _ = try await service.send(list)
        #expect(events.withLock { $0 } == [.cached(age: .seconds(3)), .mapped])
    }
}
