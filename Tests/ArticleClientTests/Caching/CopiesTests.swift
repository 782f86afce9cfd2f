import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@Suite struct CopiesTests {
    private static let create = CreateArticleRequest(article: Article.Draft(title: "a"))

    /// Responds with an entity tag, and with 304 to requests that have it.
    private static func backend(_ control: String = "no-cache") -> TestBackend {
        TestBackend { request, count in
            guard request.method == .get else { return rejection(.notFound) }
            let fields: HTTPFields = [.etag: "\"1\"", .cacheControl: control]
            return request.fields[.ifNoneMatch] == "\"1\""
                ? HTTPResponse(.notModified, fields: fields) : page("\(count)", fields: fields)
        }
    }

    @Test func `a copy is revalidated and used while it is current`() async throws {
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

    @Test func `a copy is used without revalidation while it is fresh`() async throws {
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

    @Test func `reloaded responses always come from the backend`() async throws {
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

    @Test func `after a write, all copies are revalidated`() async throws {
        let backend = Self.backend("max-age=1000")
        let service = backend.service()
        _ = try await service.send(list)
        _ = await outcome { try await service.send(Self.create) }
        #expect(try await service.reply(to: list).source == .revalidated)
        #expect(try await service.reply(to: list).source == .cached)
    }

    @Test func `a response requested before a write is revalidated after it`()
        async throws
    {
        let asked = Signal()
        let goOn = Signal()
        let backend = TestBackend { request, _ in
            guard request.method == .get else { return rejection(.notFound) }
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
    func `responses that must not be stored are not`(control: String) async throws {
        let cache = ResponseCache()
        let backend = TestBackend { _, _ in page("a", fields: [.cacheControl: control]) }
        let service = backend.service(cache: cache)
        _ = try await service.send(list)
        _ = try await service.send(list)
        #expect(backend.requests.count == 2)
        #expect(cache.bytes == 0)
    }

    @Test func `a copy belongs to its account`() async throws {
        let backend = Self.backend("max-age=1000")
        let cache = ResponseCache()
        let key = BackendAuth(token: "one")
        _ = try await backend.service(auth: key, cache: cache).send(list)
        let other = BackendAuth(token: "two")
        let reply = try await backend.service(auth: other, cache: cache).reply(to: list)
        #expect(reply.source == .network)
        #expect(backend.requests[1].fields[.ifNoneMatch] == nil)
    }

    @Test func `the cache is bounded and keeps what was used last`() async throws {
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

    @Test func `a removed copy is not revalidated`() async throws {
        let backend = Self.backend()
        let cache = ResponseCache()
        let service = backend.service(cache: cache)
        _ = try await service.send(list)
        cache.removeAll()
        #expect(try await service.reply(to: list).source == .network)
        #expect(backend.requests.allSatisfy { !$0.fields.contains(.ifNoneMatch) })
    }

    @Test func `an unexpected 304 is an error`() async throws {
        let backend = TestBackend { _, _ in HTTPResponse(.notModified) }
        let error = await outcome { try await backend.service().send(list) }.error
        guard case .transport(let failure)? = error else { throw TestFailure("\(error as Any)") }
        #expect(failure.kind == .malformed)
    }

    @Test func `offline, a copy is used if the options allow it`() async throws {
        let time = TestTime()
        let backend = TestBackend { _, count in
            guard count == 0 else { throw TransportError.offline("no network") }
            return page("a", fields: [.etag: "\"1\""])
        }
        let service = backend.service(time: time)
        var options = RequestOptions()
        options.freshness = .orCached(after: .seconds(Patience.seconds))
        _ = try await service.send(list, options: options)
        time.advance(by: .seconds(3_600))
        let reply = try await service.reply(to: list, options: options)
        #expect(reply.source == .cached && reply.age >= .seconds(3_600))
        #expect(await outcome { try await service.send(list) }.error == .offline("no network"))
    }

    @Test(arguments: [429, 500, 502, 503, 504, 403, 404, 200])
    func `a copy outlives what is not the backend's, and its difficulties`(
        status: Int
    ) async throws {
        for isOwn in [true, false] {
            let kind = Problem.Kind.allCases.first { $0.status == status }
            if isOwn, kind == nil { continue }
            let backend = TestBackend { _, count in
                if count == 0 { return page("a", fields: [.etag: "\"1\""]) }
                if isOwn, let kind { return rejection(kind) }
                return HTTPResponse(
                    HTTPStatus(status) ?? .ok,
                    fields: [.contentType: "text/html", .etag: "\"2\""],
                    body: .bytes(Array("<html>".utf8)))
            }
            let cache = ResponseCache()
            let service = backend.service(cache: cache)
            let options = RequestOptions(freshness: .orCached(after: .seconds(Patience.seconds)))
            _ = try await service.send(list)
            let outcome = await outcome { try await service.reply(to: list, options: options) }
            let isVerdict = isOwn && [403, 404].contains(status)
            #expect((outcome.error == nil) == !isVerdict, "\(outcome)")
            #expect((cache.bytes > 0) == !isVerdict)
            guard case .success(let reply) = outcome else { continue }
            #expect(reply.item.next == "a" && reply.source == .cached)
            #expect(reply.staleReason?.allowsStale == true)
            #expect((reply.staleReason?.problem != nil) == isOwn)
        }
    }

    @Test func `a copy is used if the response takes too long, and the request continues`()
        async throws
    {
        let late = Signal()
        let backend = TestBackend { _, count in
            if count > 0 { await late.wait() }
            return page(count > 0 ? "a longer one" : "a", fields: [.etag: "\"\(count)\""])
        }
        let cache = ResponseCache()
        let service = backend.service(cache: cache)
        _ = try await service.send(list)
        let former = cache.bytes
        let reply = try await service.reply(
            to: list, options: RequestOptions(freshness: .orCached(after: .zero)))
        #expect(reply.item.next == "a" && reply.source == .cached)
        #expect(reply.staleReason == .timedOut)
        late.give()
        #expect(await eventually { cache.bytes > former })
        #expect(backend.requests.count == 2)
    }

    @Test func `without a copy, a response may take its time`() async throws {
        let backend = TestBackend { _, _ in page("a") }
        let reply = try await backend.service().reply(
            to: list, options: RequestOptions(freshness: .orCached(after: .zero)))
        #expect(reply.source == .network && reply.staleReason == nil)
    }

    @Test func `a cancelled wait for a copy cancels the request`() async throws {
        let (begun, cancelled) = (Signal(), Signal())
        let backend = TestBackend { _, count in
            guard count > 0 else { return page("a", fields: [.etag: "\"1\""]) }
            begun.give()
            await withTaskCancellationHandler {
                await cancelled.wait()
            } onCancel: {
                cancelled.give()
            }
            throw CancellationError()
        }
        let service = backend.service()
        _ = try await service.send(list)
        let options = RequestOptions(freshness: .orCached(after: .seconds(Patience.seconds)))
        let reader = Task { await outcome { try await service.send(list, options: options) } }
        await begun.wait()
        reader.cancel()
        #expect(await reader.value.error == .cancelled)
        await cancelled.wait()
    }

    @Test func `the age of a response includes its initial age`() async throws {
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

    @Test func `a copy belongs to one method`() async throws {
        let backend = TestBackend { request, _ in
            HTTPResponse(
                .ok, fields: [.cacheControl: "max-age=60"],
                body: .bytes(Array("\(request.method)".utf8)))
        }
        let service = backend.service()
        #expect(try await service.send(Getting()).bytes == Array("GET".utf8))
        #expect(try await service.send(Asking()).bytes == Array("OPTIONS".utf8))
    }

    @Test func `observers are notified of each copy that is used`() async throws {
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
