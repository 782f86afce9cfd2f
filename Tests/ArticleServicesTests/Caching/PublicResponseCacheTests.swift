import ArticleAPI
import ArticleAccounts
import ArticleDatabase
import ArticleServices
import ArticleStore
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetTestDatabases
import BroadsheetTestSupport
import Testing

@testable import ArticleResources

@Suite struct PublicResponseCacheTests {
    private static let key = String(repeating: "k", count: 40)

    /// A backend whose clock the test sets, in milliseconds since 1970.
    private func run(
        _ body: (TestServer, Backend, Lock<Int64>) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteStore.openNew(folder.file("store.db"))
        let clock = Lock(Int64(1_800_000_000_000))
        let backend = try await Backend(
            store: store, file: store, operatorKey: OperatorKey(Self.key),
            system: .clock { Timestamp(milliseconds: clock.withLock { $0 }) }, log: { _ in })
        try await backend.run { try await body($0, backend, clock) }
        await store.close()
    }

    @discardableResult
    private func post(_ test: TestServer, _ json: String) throws -> ReceivedResponse {
        let response = try test.client.send(
            .post, "/v1/articles",
            fields: [.authorization: "Bearer \(Self.key)", .contentType: "application/json"],
            body: Array(json.utf8))
        #expect(response.status == 201)
        return response
    }

    @Test func `an article appears in cached lists at its publication time`() async throws {
        try await run { test, backend, clock in
            try post(test, #"{"title":"First","status":"published","tags":["bread"]}"#)
            try post(
                test,
                """
                {"title":"Second","status":"scheduled","tags":["bread"],\
                "publishedAt":"2027-01-15T08:00:01Z"}
                """)
            let targets = ["/v1/articles?fields=title", "/v1/tags", "/v1/articles?tag=bread"]
            func titles(_ target: String) throws -> Int {
                let text = try test.client.get(target).text
                return text.contains(#""articleCount":2"#) || text.contains("Second") ? 2 : 1
            }
            for target in targets + targets { #expect(try titles(target) == 1) }
            #expect(backend.cacheStatistics.hits == 3)
            clock.withLock { $0 += 999 }
            await backend.publisher.publishDueArticles()
            for target in targets { #expect(try titles(target) == 1) }
            #expect(backend.cacheStatistics.hits == 6)
            clock.withLock { $0 += 1 }
            await backend.publisher.publishDueArticles()
            for target in targets { #expect(try titles(target) == 2) }
            let second = try test.client.get("/v1/articles/second")
            #expect(second.status == 200)
        }
    }

    @Test func `an edit of one article does not invalidate others`() async throws {
        try await run { test, backend, _ in
            for title in ["One", "Two", "Three"] {
                try post(test, #"{"title":"\#(title)","status":"published"}"#)
            }
            let targets = ["one", "two", "three"].map { "/v1/articles/\($0)" }
            for target in targets + ["/v1/articles"] { _ = try test.client.get(target) }
            #expect(backend.cacheStatistics.responses == 4)
            let made = try test.client.get(targets[0])
            let id = try #require(made.text.split(separator: "\"").dropFirst(3).first)
            let change = try test.client.send(
                .patch, "/v1/articles/\(id)",
                fields: [
                    .authorization: "Bearer \(Self.key)",
                    .contentType: "application/merge-patch+json",
                ], body: Array(#"{"summary":"New"}"#.utf8))
            #expect(change.status == 200)
            #expect(backend.cacheStatistics.responses == 2)
            let changed = try test.client.get(targets[0])
            #expect(changed.text.contains("New"))
        }
    }

    @Test func `drafts do not invalidate lists until they are published`() async throws {
        try await run { test, backend, _ in
            try post(test, #"{"title":"One","status":"published","authors":[{"name":"Mina"}]}"#)
            let lists = ["/v1/articles", "/v1/tags", "/v1/authors", "/v1/articles?count=exact"]
            func expectKept(_ isKept: Bool, after change: String) throws {
                let misses = backend.cacheStatistics.misses
                for list in lists { #expect(try test.client.get(list).status == 200) }
                let made = backend.cacheStatistics.misses - misses
                #expect(made == (isKept ? 0 : lists.count), "\(change)")
            }
            try expectKept(false, after: "nothing was kept")
            let draft = try post(test, #"{"title":"Two","authors":[{"name":"Mina"}]}"#)
            try expectKept(true, after: "a draft")
            let location = try #require(draft.fields[.location])
            func send(_ method: HTTPMethod, _ target: String, _ json: String = "") throws {
                var fields: HTTPFields = [.authorization: "Bearer \(Self.key)"]
                if !json.isEmpty { fields[.contentType] = "application/merge-patch+json" }
                let response = try test.client.send(
                    method, target, fields: fields, body: Array(json.utf8))
                #expect(response.status.description.hasPrefix("20"), "\(response.text)")
            }
            try send(.patch, location, #"{"title":"Two and a half"}"#)
            try expectKept(true, after: "an edited draft")
            try send(.patch, location, #"{"status":"published"}"#)
            try expectKept(false, after: "a publication")
            try send(.patch, location, #"{"status":"draft"}"#)
            try expectKept(false, after: "a withdrawal")
            try send(.patch, location, #"{"status":"archived"}"#)
            try expectKept(true, after: "an archived draft")
            try send(.patch, location, #"{"status":"draft"}"#)
            try expectKept(true, after: "a draft that was archived")
            try send(.delete, location)
            try expectKept(true, after: "a draft that is deleted")
            try send(.post, "\(location)/revisions/3/restore")
            try expectKept(false, after: "a publication that is restored")
            try send(.delete, location)
            try expectKept(false, after: "a publication that is deleted")
            let hidden = try post(test, #"{"title":"Three","authors":[{"name":"Ada"}]}"#)
            try expectKept(true, after: "a draft by a new author")
            try send(.patch, try #require(hidden.fields[.location]), #"{"status":"published"}"#)
            try expectKept(false, after: "a publication by a new author")
            #expect(try test.client.get("/v1/authors").text.contains("Ada"))
        }
    }

    @Test func `responses to keys are not cached or shown to anonymous clients`() async throws {
        try await run { test, backend, _ in
            try post(test, #"{"title":"Draft"}"#)
            let mine: HTTPFields = [
                .authorization: "Bearer \(Self.key)", .acceptEncoding: "gzip",
            ]
            let seen = try test.client.send(.get, "/v1/articles/draft", fields: mine)
            #expect(seen.status == 200)
            #expect(seen.fields[.cacheControl] == "private, no-cache")
            #expect(!seen.fields.contains(.contentEncoding))
            #expect(backend.cacheStatistics.responses == 0)
            let hidden = try test.client.get("/v1/articles/draft")
            #expect(hidden.status == 404)
            let list = try test.client.get("/v1/articles")
            #expect(list.text.contains(#""items":[]"#))
            let other = try test.client.send(.get, "/v1/articles", fields: mine)
            #expect(other.text.contains("Draft"))
        }
    }

    @Test func `a cached response is not sent to clients that do not accept its type`() async throws
    {
        try await run { test, backend, _ in
            for _ in 0..<2 { _ = try test.client.get("/v1/articles") }
            for accept in ["text/html", "application/json;q=0"] {
                let rejected = try test.client.send(
                    .get, "/v1/articles", fields: [.accept: accept])
                #expect(rejected.status == 406)
            }
            let taken = try test.client.send(
                .get, "/v1/articles", fields: [.accept: "text/html, application/*;q=0.1"])
            #expect(taken.status == 200)
            #expect(backend.cacheStatistics.hits >= 2)
        }
    }
}
