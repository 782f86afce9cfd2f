import ArticleAPI
import ArticleAccounts
import ArticleAdminAPI
import ArticleServices
import ArticleStore
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@testable import ArticleServiceCore

/// The permissions of users with the role `author` on articles, over HTTP.
@Suite struct OwnerAccessTests {
    /// Runs with two authors who are signed in.
    private static func run(
        _ body: (TestBackend, UserSession, UserSession) async throws -> Void
    ) async throws {
        try await TestBackend.run { server in
            for name in ["ada", "ben"] { try server.addUser(name, "author") }
            try await body(server, server.signIn("ada"), server.signIn("ben"))
        }
    }

    private static func create(
        _ title: String, _ status: String, in server: TestBackend, _ session: UserSession
    ) throws -> Article {
        let made = try server.send(
            "POST /v1/articles", in: session, #"{"title":"\#(title)","status":"\#(status)"}"#)
        try #require(made.summary == "201", "\(made.text)")
        return try Article(mapping: made.body)
    }

    /// Requests on an article, in an order in which its owner may send them all.
    private static func requests(_ id: Article.ID) -> [(String, String?)] {
        let target = "/v1/articles/\(id)"
        return [
            ("GET \(target)", nil), ("GET \(target)/revisions", nil),
            ("GET \(target)/revisions/1", nil), ("PATCH \(target)", #"{"title":"Loaf"}"#),
            ("PUT \(target)", #"{"title":"Loaf","status":"draft"}"#),
            ("POST \(target)/revisions/1/restore", nil), ("DELETE \(target)", nil),
        ]
    }

    @Test(arguments: ["draft", "published", "archived"])
    func `authors write their own articles and no others`(_ status: String) async throws {
        try await Self.run { server, ada, ben in
            let article = try Self.create("Rye", status, in: server, ada)
            #expect(article.owner != nil)
            let before = try await server.changes()
            let (read, denied) =
                status == "published"
                ? ("200", "403 forbidden") : ("404 not-found", "404 not-found")
            let any: HTTPFields = [.ifMatch: "*"]
            for (index, (line, json)) in Self.requests(article.id).enumerated() {
                let fields = line.hasPrefix("GET") ? HTTPFields() : any
                let response = try server.send(line, in: ben, json, with: fields)
                #expect(response.summary == (index == 0 ? read : denied), "\(line)")
                #expect(!response.text.contains("\"owner\""), "\(line)")
            }
            #expect(try await server.changes() == before)
            for (line, json) in Self.requests(article.id) {
                let fields = line.hasPrefix("GET") ? HTTPFields() : any
                let response = try server.send(line, in: ada, json, with: fields)
                #expect(response.status < 300, "\(line): \(response.text)")
            }
            let history = try server.send(
                "GET /v1/articles/\(article.id)/revisions", in: ada)
            #expect(history.text.contains(#""actor":{"kind":"user","id":""#))
        }
    }

    @Test func `authors do not hand articles over, or write those without an owner`()
        async throws
    {
        try await Self.run { server, ada, ben in
            let target = "/v1/articles/\(try Self.create("Rye", "draft", in: server, ada).id)"
            for owner in ["null", "\"\(Samples.nobody)\""] {
                let response = try server.send(
                    "PATCH \(target)", in: ada, #"{"owner":\#(owner)}"#)
                #expect(response.summary == "403 forbidden /owner")
            }
            let made = try server.send(
                "POST /v1/articles", in: ada, #"{"title":"X","owner":"\#(Samples.nobody)"}"#)
            #expect(made.summary == "403 forbidden /owner")
            for (id, summary) in [
                (Samples.bread, "403 forbidden"), (Samples.secret, "404 not-found"),
            ] {
                let response = try server.send(
                    "PATCH /v1/articles/\(id)", in: ada, #"{"title":"X"}"#)
                #expect(response.summary == summary)
            }
            #expect(try server.send("GET /v1/articles/secret-plan", in: ada).status == 404)
        }
    }

    @Test func `lists, tags and changes show the public and the own, each to its author`()
        async throws
    {
        try await Self.run { server, ada, ben in
            let rye = try Self.create("Rye", "draft", in: server, ada)
            let oat = try Self.create("Oat", "draft", in: server, ben)
            for target in ["/v1/articles?fields=title&limit=1", "/v1/changes?limit=1"] {
                let mine = try server.send("GET \(target)", in: ada)
                // What is private is not stored for others.
                #expect(mine.fields.combined(.cacheControl)?.contains("private") ?? false)
                let json = mine.text
                let parts = json.split(separator: #""next":""#, maxSplits: 1)
                let next = String(parts[parts.count - 1].prefix { $0 != "\"" })
                let name = target.contains("changes") ? "since" : "cursor"
                let rest = "GET \(target)&\(name)=\(next)"
                #expect(try server.send(rest, in: ada).status == 200)
                #expect(try server.send(rest, in: ben).status == 400)
                #expect(try server.send(rest, as: .editor).status == 400)
                #expect(try server.send(rest).status == 400)
            }
            for target in ["/v1/articles?count=exact", "/v1/changes"] {
                for (session, own, other) in [(ada, rye, oat), (ben, oat, rye)] {
                    let text = try server.send("GET \(target)", in: session).text
                    #expect(text.contains("\(own.id)") && text.contains(Samples.bread))
                    #expect(!text.contains("\(other.id)") && !text.contains(Samples.secret))
                    #expect(target.contains("changes") || text.contains(#""value":2"#))
                }
            }
        }
    }

    @Test func `authors list and restore what was deleted of their own`() async throws {
        try await Self.run { server, ada, ben in
            let rye = try Self.create("Rye", "draft", in: server, ada)
            let oat = try Self.create("Oat", "published", in: server, ben)
            // By its owner, and by an editor.
            try server.send("DELETE /v1/articles/\(rye.id)", in: ada)
            try server.send("DELETE /v1/articles/\(oat.id)", as: .editor)
            for (session, own, other) in [(ada, rye, oat), (ben, oat, rye)] {
                let response = try server.send("GET /v1/deleted-articles", in: session)
                #expect(response.fields[.cacheControl] == "private, no-cache")
                let page = try Page<DeletedArticle>(mapping: response.body)
                #expect(page.items.map(\.id) == [own.id])
                #expect(page.items.map(\.owner) == [own.owner])
                #expect(!response.text.contains("\(other.id)"))
                let gone = try #require(page.items.first)
                let path = "POST /v1/articles/\(gone.id)/revisions/\(gone.revision)/restore"
                let fields: HTTPFields = [.ifMatch: "\"\(gone.version)\""]
                let restored = try server.send(path, in: session, with: fields)
                #expect(restored.summary == "200", "\(restored.text)")
                let again = try server.send(path, in: session, with: fields)
                #expect(again.summary == "412 precondition-failed @If-Match")
                let left = try server.send("GET /v1/deleted-articles", in: session)
                #expect(left.text == #"{"items":[]}"#)
            }
        }
    }

    @Test func `a key without a user owns nothing`() async throws {
        try await TestBackend.run { server in
            let key = APIKey(name: "desk", role: .author, at: TestBackend.opening, system: .real)
            try await server.backend.store.createKey(key.record)
            server.backend.admit(key.record)
            let fields: HTTPFields = [.authorization: "Bearer \(key.text)"]
            let bread = Article.ID(Samples.bread) ?? .init(at: TestBackend.opening)
            for (line, json) in Self.requests(bread).dropFirst() + [
                ("POST /v1/articles", #"{"title":"X"}"#), ("GET /v1/deleted-articles", nil),
            ] {
                let response = try server.send(line, json, with: fields)
                #expect(response.summary == "403 user-required", "\(line)")
            }
            let list = try server.send("GET /v1/articles", with: fields)
            #expect(list.text == (try server.send("GET /v1/articles").text))
        }
    }

    @Test func `a stream shows an author what becomes of own articles`() async throws {
        try await Self.run { server, ada, ben in
            let stream = try server.stream(
                "?since=now", as: .anonymous, [.authorization: "Bearer \(ada.accessToken)"])
            _ = try stream.events(upTo: "ready")
            _ = try Self.create("Oat", "draft", in: server, ben)
            let rye = try Self.create("Rye", "draft", in: server, ada)
            #expect(try stream.next()?.data.contains("\(rye.id)") == true)
            try server.send(
                "PATCH /v1/articles/\(rye.id)", as: .editor, #"{"owner":null}"#)
            #expect(try stream.next()?.data.contains(#""action":"delete""#) == true)
        }
    }
}
