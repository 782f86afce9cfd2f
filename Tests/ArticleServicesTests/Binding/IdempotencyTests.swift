import ArticleAPI
import ArticleDatabase
import ArticleStore
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetTestDatabases
import BroadsheetTestSupport
import Testing

@testable import ArticleAccounts
@testable import ArticleResources
@testable import ArticleServiceCore
@testable import ArticleServices

/// `Idempotency-Key` over HTTP: a repeated write is not executed again.
@Suite struct IdempotencyTests {
    private static let operatorKey = String(repeating: "k", count: 40)
    private static let time = Timestamp(milliseconds: 1_800_000_000_000)

    private func run(_ body: (TestServer, SQLiteStore) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteStore.openNew(folder.file("store.db"))
        let backend = try await Backend(
            store: store, file: store, operatorKey: OperatorKey(Self.operatorKey),
            system: .clock { Self.time },
            log: { _ in })
        try await backend.run { try await body($0, store) }
        await store.close()
        #expect(try SQLiteStore.check(path: folder.file("store.db")).findings == [])
    }

    private func send(
        _ test: TestServer, _ method: HTTPMethod, _ target: String, _ body: String = "",
        key: String?, match: String? = nil, as bearer: String = operatorKey
    ) throws -> ReceivedResponse {
        var fields: HTTPFields = [.authorization: "Bearer \(bearer)"]
        if !body.isEmpty { fields[.contentType] = "application/json" }
        if let key, let name = HTTPFieldName("Idempotency-Key") { fields[name] = key }
        if let match { fields[.ifMatch] = match }
        return try test.client.send(method, target, fields: fields, body: Array(body.utf8))
    }

    private func article(_ response: ReceivedResponse) throws -> Article {
        try ResponseMapper<Article>().map(Array(response.text.utf8))
    }

    /// Expects that the second response repeats the first.
    private func expectSame(
        _ again: ReceivedResponse, as first: ReceivedResponse,
        _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(again.status == first.status, sourceLocation: location)
        #expect(again.text == first.text, sourceLocation: location)
        for name in [HTTPFieldName.etag, .location, .contentType, .cacheControl, .contentLength] {
            #expect(again.fields[name] == first.fields[name], sourceLocation: location)
        }
    }

    @Test func `an article is created once, and its writer gets the first response each time`()
        async throws
    {
        try await run { test, store in
            let author = Author.ID(at: Self.time)
            let named = "/v1/authors/\(author)"
            #expect(try send(test, .put, named, #"{"name":"Ann"}"#, key: nil).status == 201)
            let long = String(repeating: "Words. ", count: 40_000)
            let body =
                #"{"title":"A","tags":["x"],"authors":[{"id":"\#(author)"}],"body":"\#(long)"}"#
            let first = try send(test, .post, "/v1/articles", body, key: "one")
            #expect(first.status == 201)
            let made = try article(first)
            // The same request in a different notation.
            let same = "{\"tags\": [\"x\"],\n \"title\": \"\\u0041\"," + body.dropFirst(26)
            expectSame(try send(test, .post, "/v1/articles", same, key: "one"), as: first)
            // Others edit the article and rename its author.
            let target = "/v1/articles/\(made.id)"
            let edit = #"{"title":"B","body":"C"}"#
            #expect(try send(test, .patch, target, edit, key: nil).status == 200)
            let name = #"{"name":"Bea"}"#
            #expect(try send(test, .put, named, name, key: nil, match: "*").status == 200)
            expectSame(try send(test, .post, "/v1/articles", body, key: "one"), as: first)
            #expect(try send(test, .delete, target, key: nil).status == 204)
            expectSame(try send(test, .post, "/v1/articles", body, key: "one"), as: first)
            #expect(try await store.articleCount() == 0)
            #expect(try await store.changeSequence() == 5)
            #expect(try send(test, .post, "/v1/articles", body, key: "two").status == 201)
            #expect(try await store.articleCount() == 1)
        }
    }

    @Test func `a key is looked up before any work is done`() async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteStore.openNew(folder.file("store.db"))
        let body = """
            {"title":"A","body":"*Words*","status":"scheduled",\
            "publishedAt":"2027-01-15T08:00:01Z"}
            """
        // A working renderer, and one that rejects everything.
        var limits = MarkdownLimits()
        limits.outputBytes = 1
        var first: ReceivedResponse?
        for renderers in [
            MarkdownRenderers(system: .real), MarkdownRenderers(limits: limits, system: .real),
        ] {
            // The article is published by then, but its writer gets the first response.
            let time = first == nil ? Self.time : Self.time.advanced(byMilliseconds: 9_000)
            let backend = try await Backend(
                store: store, file: store, operatorKey: OperatorKey(Self.operatorKey),
                renderers: renderers,
                system: .clock { time }, log: { _ in })
            await backend.publisher.publishDueArticles()
            let responses = Lock<[ReceivedResponse]>([])
            try await backend.run { test in
                for key in ["one", "two"] {
                    let response = try send(test, .post, "/v1/articles", body, key: key)
                    responses.withLock { $0.append(response) }
                }
            }
            let seen = responses.withLock { $0 }
            if let first {
                expectSame(seen[0], as: first)
                #expect(first.text.contains(#""status":"scheduled""#))
            } else {
                #expect(seen.map(\.status) == [201, 201])
                first = seen[0]
            }
        }
        await store.close()
    }

    @Test func `edits, deletions and restorations are executed once`() async throws {
        try await run { test, store in
            let made = try article(
                send(test, .post, "/v1/articles", #"{"title":"A"}"#, key: nil))
            let target = "/v1/articles/\(made.id)"
            let author = "/v1/authors/\(Author.ID(at: Self.time))"
            let writes: [(HTTPMethod, String, String, String?, Int)] = [
                (.patch, target, #"{"title":"B"}"#, "version", 200),
                (.put, target, #"{"title":"C"}"#, "version", 200),
                (.delete, target, "", "version", 204),
                (.post, target + "/revisions/2/restore", "", nil, 200),
                (.put, author, #"{"name":"Ada"}"#, nil, 201),
                (.put, author, #"{"name":"Bo"}"#, "*", 200),
            ]
            for (number, write) in writes.enumerated() {
                let standing = try? await store.article(.id(made.id), visibleTo: .editors)
                let version = "\"\(standing?.version ?? "none")\""
                var first: ReceivedResponse?
                for _ in 0..<2 {
                    // Keys are scoped to method and path: `a` is a different key each time, except
                    // in the last request.
                    let response = try send(
                        test, write.0, write.1, write.2, key: number < 5 ? "a" : "b",
                        match: write.3 == "version" ? version : write.3)
                    #expect(response.status == write.4, "\(write)")
                    if let first { expectSame(response, as: first) }
                    first = response
                }
            }
            #expect(try await store.article(.id(made.id), visibleTo: .editors).revision == 5)
            #expect(try await store.changeSequence() == 7)
        }
    }

    @Test func `a key of another request is rejected, and callers have separate keys`()
        async throws
    {
        try await run { test, store in
            let body = #"{"title":"A"}"#
            #expect(try send(test, .post, "/v1/articles", body, key: "k").status == 201)
            let reused = try send(test, .post, "/v1/articles", #"{"title":"B"}"#, key: "k")
            #expect(reused.status == 422)
            #expect(reused.text.contains("/problems/idempotency-key-reused"))
            #expect(reused.text.contains(#""header":"Idempotency-Key""#))
            // Preconditions are part of the request.
            let made = try article(send(test, .post, "/v1/articles", body, key: "k"))
            let target = "/v1/articles/\(made.id)"
            #expect(
                try send(test, .patch, target, #"{"title":"C"}"#, key: "k", match: "*").status
                    == 200)
            #expect(try send(test, .patch, target, #"{"title":"C"}"#, key: "k").status == 422)
            #expect(try await store.articleCount() == 1)
            for key in ["", "a b", String(repeating: "k", count: 201), "é"] {
                #expect(try send(test, .post, "/v1/articles", body, key: key).status == 400)
            }
        }
        let request = CreateArticleRequest(
            article: Article.Draft(title: "A"), idempotencyKey: "k")
        func key(_ id: String, _ secret: UInt8 = 1) -> IdempotencyKey? {
            IdempotencyKey(
                of: request, by: .key(id: id, role: .editor),
                secret: [UInt8](repeating: secret, count: 32))
        }
        #expect(key("a")?.scope == key("a")?.scope && key("a")?.request == key("b")?.request)
        #expect(key("a")?.scope != key("b")?.scope)
        // Without the secret, the digests disclose nothing about requests that can be guessed.
        #expect(key("a")?.scope != key("a", 2)?.scope && key("a")?.request != key("a", 2)?.request)
        #expect(IdempotencyKey(of: request, by: .anonymous, secret: []) == nil)
    }

    @Test func `a rejection is repeated even if the request would succeed now`() async throws {
        try await run { test, store in
            let made = try article(
                send(test, .post, "/v1/articles", #"{"title":"A"}"#, key: nil))
            let target = "/v1/articles/\(made.id)"
            let author = Author.ID(at: Self.time)
            func change(_ key: String) throws -> ReceivedResponse {
                try send(test, .patch, target, #"{"authors":[{"id":"\#(author)"}]}"#, key: key)
            }
            let first = try change("k")
            #expect(first.status == 422)
            let put = try send(test, .put, "/v1/authors/\(author)", #"{"name":"A"}"#, key: nil)
            #expect(put.status == 201)
            let again = try change("k")
            #expect(again.status == 422 && again.text.contains("no author has the id"))
            #expect(again.text != first.text, "each request has its own id")
            #expect(try change("l").status == 200)
            #expect(try await store.changeSequence() == 3)
        }
    }

    @Test func `a rejection by a rule of the service is repeated, too`() async throws {
        try await run { test, _ in
            let target = "/v1/articles/\(Article.ID(at: Self.time))"
            let replaced = #"{"title":"A"}"#
            #expect(try send(test, .put, target, replaced, key: "k").status == 428)
            #expect(try send(test, .put, target, replaced, key: "k").status == 428)
            #expect(try send(test, .put, target, replaced, key: "k", match: "*").status == 422)
            let missing = try send(test, .delete, target, key: "d")
            #expect(missing.status == 404)
            let made = #"{"id":"\#(target.suffix(36))","title":"A"}"#
            #expect(try send(test, .post, "/v1/articles", made, key: nil).status == 201)
            #expect(try send(test, .delete, target, key: "d").status == 404)
            #expect(try send(test, .delete, target, key: "e").status == 204)
        }
    }

    @Test func `temporary failures are not stored`() {
        let passing: [ServiceError] = [
            .busy, .delayed(.standby), .cutOff, .full, .unavailable(cause: "x"),
            .unauthenticated(.expired), .inFlight,
            .keyReused,
        ]
        for error in passing { #expect(IdempotentWrites.rejection(error) == nil) }
        let lasting: [ServiceError] = [
            .notFound, .idTaken, .slugTaken("a"), .nameTaken, .preconditionRequired,
            .preconditionFailed(current: 1), .invalidValue("/title", "is odd"),
        ]
        for error in lasting { #expect(IdempotentWrites.rejection(error) != nil) }
    }

    @Test func `of concurrent requests one is executed, the others wait or get its result`()
        async throws
    {
        try await run { test, store in
            let statuses = await withTaskGroup(of: Int.self) { group in
                for _ in 0..<16 {
                    group.addTask {
                        let response = try? self.send(
                            test, .post, "/v1/articles", #"{"title":"A"}"#, key: "k")
                        return response?.status ?? 0
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.contains(201))
            #expect(statuses.allSatisfy { [201, 409].contains($0) })
            let count = try await store.articleCount()
            #expect(count == 1)
        }
    }

    @Test func `a request whose first attempt is running is rejected`() async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteStore.openNew(folder.file("store.db"))
        let writes = IdempotentWrites(
            store: store, secret: [UInt8](repeating: 1, count: 32), system: .clock { Self.time })
        let caller = Principal.key(id: "a", role: .editor)
        let one = DeleteArticleRequest(id: Article.ID(at: Self.time), idempotencyKey: "1")
        let two = DeleteArticleRequest(id: one.id, idempotencyKey: "2")
        func nothing(
            _ request: DeleteArticleRequest, _ caller: Principal, _ key: IdempotencyKey?
        ) async throws(ServiceError) -> Reply<NoContent> { Reply(NoContent()) }
        func busy(
            _ request: DeleteArticleRequest, _ caller: Principal, _ key: IdempotencyKey?
        ) async throws(ServiceError) -> Reply<NoContent> { throw .busy }
        let rejected = Lock<ServiceError?>(nil)
        func nested(
            _ request: DeleteArticleRequest, _ caller: Principal, _ key: IdempotencyKey?
        ) async throws(ServiceError) -> Reply<NoContent> {
            _ = try await writes.once(two, by: caller, nothing)
            do throws(ServiceError) {
                _ = try await writes.once(one, by: caller, nothing)
            } catch { rejected.withLock { $0 = error } }
            throw .busy
        }
        _ = try? await writes.once(one, by: caller, nested)
        let error = try #require(rejected.withLock { $0 })
        guard case .inFlight = error else { throw error }
        #expect(error.problem(instance: "").status == 409)
        // A failed request is no longer running and may be retried.
        _ = try? await writes.once(one, by: caller, busy)
        _ = try await writes.once(one, by: caller, nothing)
        await store.close()
    }
}
