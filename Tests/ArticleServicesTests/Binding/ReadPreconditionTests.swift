import ArticleAPI
import ArticleAccounts
import ArticleDatabase
import ArticleServices
import ArticleStore
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetTestDatabases
import BroadsheetTestSupport
import Testing

/// `If-Match` and `If-Unmodified-Since` in reads (RFC 9110 §13.2.2), with and without a key.
@Suite struct ReadPreconditionTests {
    private static let key = String(repeating: "k", count: 40)
    private static let time = Timestamp(milliseconds: 1_800_000_000_500)
    // At the beginning of the preceding second, the article did not exist.
    private static let before = "Fri, 15 Jan 2027 08:00:00 GMT"
    private static let same = "Fri, 15 Jan 2027 08:00:01 GMT"

    /// Serves the first revision of the published article `hello` and returns its version.
    private func run(_ body: (TestServer, String) throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteStore.openNew(folder.file("store.db"))
        let backend = try await Backend(
            store: store, file: store, operatorKey: OperatorKey(Self.key),
            system: .clock { Self.time },
            log: { _ in })
        try await backend.run { test in
            let made = try test.client.send(
                .post, "/v1/articles",
                fields: [
                    .authorization: "Bearer \(Self.key)", .contentType: "application/json",
                ], body: Array(#"{"title":"Hello","status":"published"}"#.utf8))
            #expect(made.status == 201)
            // From here on, the response is cached.
            _ = try test.client.get("/v1/articles/hello")
            let article = try Article(mapping: Array(made.text.utf8))
            try body(test, #require(article.version))
        }
        await store.close()
    }

    private func status(
        _ test: TestServer, _ target: String, _ name: HTTPFieldName, _ value: String,
        hasKey: Bool, _ method: HTTPMethod = .get
    ) throws -> Int {
        var fields: HTTPFields = [name: value]
        if hasKey { fields[.authorization] = "Bearer \(Self.key)" }
        return try test.client.send(method, target, fields: fields).status
    }

    @Test(arguments: [true, false])
    func `a read with a different expected state fails`(hasKey: Bool) async throws {
        try await run { test, version in
            let cases: [(HTTPFieldName, String, Int)] = [
                (.ifMatch, "\"2-0123456789abcdef\"", 412),
                (.ifMatch, "\"1-0123456789abcdef\"", 412),
                (.ifMatch, "W/\"\(version)\"", 412),
                (.ifMatch, "nonsense", 412),
                (.ifMatch, "\"9-x\", \"\(version)0123456789abcdef\"", 200),
                (.ifMatch, "\"\(version)\"", 200),
                (.ifMatch, "*", 200),
                (.ifUnmodifiedSince, Self.before, 412),
                (.ifUnmodifiedSince, Self.same, 200),
                (.ifUnmodifiedSince, "yesterday", 200),
            ]
            for (name, value, expected) in cases {
                for method in [HTTPMethod.get, .head] {
                    let got = try status(
                        test, "/v1/articles/hello", name, value, hasKey: hasKey, method)
                    #expect(got == expected, "\(method) \(name): \(value)")
                }
            }
        }
    }

    @Test(arguments: [true, false])
    func `a list has no revision, so the whole tag is compared`(hasKey: Bool) async throws {
        try await run { test, _ in
            var fields = HTTPFields()
            if hasKey { fields[.authorization] = "Bearer \(Self.key)" }
            let list = try test.client.send(.get, "/v1/articles", fields: fields)
            let tag = try #require(list.fields[.etag])
            // The compressed form is the same list.
            for tag in [tag, "\(tag.dropLast())-gzip\""] {
                #expect(try status(test, "/v1/articles", .ifMatch, tag, hasKey: hasKey) == 200)
            }
            #expect(
                try status(test, "/v1/articles", .ifMatch, "\"other\"", hasKey: hasKey)
                    == 412)
        }
    }

    @Test(arguments: [true, false])
    func `a weak tag is answered with what to send instead`(hasKey: Bool) async throws {
        try await run { test, version in
            let read = try test.client.get("/v1/articles/hello")
            let tag = try #require(read.fields[.etag])
            let id = try Article(mapping: read.body).id
            var fields: HTTPFields = [.contentType: "application/merge-patch+json"]
            fields[.authorization] = hasKey ? "Bearer \(Self.key)" : nil
            let methods: [HTTPMethod] = hasKey ? [.get, .patch, .delete] : [.get]
            for (value, isWeak) in [
                ("W/\(tag)", true), ("\"x\", W/\"\(version)\"", true), ("\"x\"", false),
            ] {
                fields[.ifMatch] = value
                for method in methods {
                    let response = try test.client.send(
                        method, "/v1/articles/\(id)", fields: fields,
                        body: method == .patch ? Array("{}".utf8) : [])
                    #expect(response.status == 412)
                    #expect(response.text.contains("send the `version` ") == isWeak)
                }
            }
        }
    }

    @Test func `the problem names the field`() async throws {
        try await run { test, _ in
            let rejected = try test.client.send(
                .get, "/v1/articles/hello", fields: [.ifUnmodifiedSince: Self.before])
            #expect(rejected.text.contains(#""header":"If-Unmodified-Since""#))
        }
    }
}
