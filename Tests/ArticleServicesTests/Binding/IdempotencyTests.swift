import ArticleAPI
import ArticleStore
import HTTP
import HTTPServer
import TestSupport
import Testing

@testable import ArticleServices

/// `Idempotency-Key` from outside: a write that is sent again is not done again.
@Suite struct IdempotencyTests {
    private static let operatorKey = String(repeating: "k", count: 40)
    private static let time = Timestamp(milliseconds: 1_800_000_000_000)

    private func run(_ body: (TestServer, SQLiteStore) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore.open(path: folder.file("store.db"), mode: .create)
        let backend = try await Backend(
            store: store, operatorKey: OperatorKey(Self.operatorKey), now: { Self.time },
            log: { _ in })
        try await TestServer.run(backend.router()) { try await body($0, store) }
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

    @Test func `an article is made once, and shown as it is now`() async throws {
        try await run { test, store in
            let body = #"{"title":"A","tags":["x"]}"#
            let first = try send(test, .post, "/v1/articles", body, key: "one")
            #expect(first.status == 201)
            let made = try article(first)
            // Another way to write the same request.
            let same = "{\"tags\": [\"x\"],\n \"title\": \"\\u0041\"}"
            let again = try send(test, .post, "/v1/articles", same, key: "one")
            #expect(again.status == 201 && again.text == first.text)
            #expect(again.fields[.location] == first.fields[.location])
            #expect(again.fields[.etag] == first.fields[.etag])
            let target = "/v1/articles/\(made.id)"
            #expect(try send(test, .patch, target, #"{"title":"B"}"#, key: nil).status == 200)
            let later = try send(test, .post, "/v1/articles", body, key: "one")
            #expect(later.status == 201)
            #expect(try article(later).title == "B")
            #expect(try await store.articleCount() == 1)
            #expect(try await store.changeSequence() == 2)
            #expect(try send(test, .post, "/v1/articles", body, key: "two").status == 201)
            #expect(try send(test, .delete, target, key: nil).status == 204)
            #expect(try send(test, .post, "/v1/articles", body, key: "one").status == 404)
            #expect(try await store.articleCount() == 1)
        }
    }

    @Test func `edits, deletions and restorations are done once`() async throws {
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
                for _ in 0..<2 {
                    // Keys belong to method and path: `a` is another one each time, but at the end.
                    let answer = try send(
                        test, write.0, write.1, write.2, key: number < 5 ? "a" : "b",
                        match: write.3 == "version" ? version : write.3)
                    #expect(answer.status == write.4, "\(write)")
                }
            }
            #expect(try await store.article(.id(made.id), visibleTo: .editors).revision == 5)
            #expect(try await store.changeSequence() == 7)
        }
    }

    @Test func `a key of another request is refused, one of another caller is another`()
        async throws
    {
        try await run { test, store in
            let body = #"{"title":"A"}"#
            #expect(try send(test, .post, "/v1/articles", body, key: "k").status == 201)
            let reused = try send(test, .post, "/v1/articles", #"{"title":"B"}"#, key: "k")
            #expect(reused.status == 422)
            #expect(reused.text.contains("/problems/idempotency-key-reused"))
            #expect(reused.text.contains(#""header":"Idempotency-Key""#))
            // A precondition is a part of the request too.
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
        let caller = Caller.key(id: "a", name: "n", role: .editor)
        let other = Caller.key(id: "b", name: "n", role: .editor)
        let request = CreateArticleRequest(
            article: Article.Draft(title: "A"), idempotencyKey: "k")
        #expect(WriteKey.scope(of: request, by: caller) != WriteKey.scope(of: request, by: other))
        #expect(WriteKey(of: request, by: .stranger) == nil)
    }

    @Test func `a refusal is given again, also where it would not be one any more`() async throws {
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
            #expect(again.text != first.text, "the request has an id of its own")
            #expect(try change("l").status == 200)
            #expect(try await store.changeSequence() == 3)
        }
    }

    @Test func `what may go away is not kept`() {
        let request = CreateArticleRequest(
            article: Article.Draft(title: "A"), idempotencyKey: "k")
        let key = WriteKey(of: request, by: .key(id: "a", name: "n", role: .editor))
        let passing: [StoreError] = [
            .busy, .full, .unavailable("x"), .corrupt("x"), .tooMany("x"),
            .rejected(ServiceError.unauthenticated(.expired)), .rejected(ServiceError.busy),
        ]
        for error in passing { #expect(key?.refusal(error) == nil) }
        let lasting: [StoreError] = [.notFound, .idTaken, .slugTaken("a")]
        for error in lasting { #expect(key?.refusal(error) != nil) }
    }

    @Test func `of requests at the same time one is done, the others wait or get its result`()
        async throws
    {
        try await run { test, store in
            let statuses = await withTaskGroup(of: Int.self) { group in
                for _ in 0..<16 {
                    group.addTask {
                        let answer = try? self.send(
                            test, .post, "/v1/articles", #"{"title":"A"}"#, key: "k")
                        return answer?.status ?? 0
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

    @Test func `a request whose first is under way is told so`() async throws {
        let flights = WritesInFlight()
        let refused = try await flights.run([1]) { () throws(ServiceError) in
            try await flights.run([2]) { () throws(ServiceError) in }
            do throws(ServiceError) {
                try await flights.run([1]) { () throws(ServiceError) in }
            } catch { return error }
            throw .notFound
        }
        guard case .inFlight = refused else { throw refused }
        #expect(refused.problem(instance: "").status == 409)
        // What failed is under way no more.
        try? await flights.run([1]) { () throws(ServiceError) in throw .busy }
        try await flights.run([1]) { () throws(ServiceError) in }
    }
}
