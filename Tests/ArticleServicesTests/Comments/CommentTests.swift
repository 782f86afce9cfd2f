import ArticleAPI
import ArticleDatabase
import ArticleServices
import ArticleStore
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetTestSupport
import Testing

/// Comments over HTTP.
@Suite struct CommentTests {
    private static let thread = CommentFixture.thread

    @Test func `a comment is written once and read by everyone`() async throws {
        try await CommentFixture.run { fixture in
            let key: HTTPFields = [try #require(HTTPFieldName("Idempotency-Key")): "k-1"]
            let json = #"{"body":"What about *rye*?"}"#
            let made = try fixture.send("POST \(Self.thread)", as: .ada, json, with: key)
            #expect(made.status == 201)
            let comment = try ArticleComment(mapping: made.body)
            let author = User(id: try fixture.user(.ada).id, displayName: "Dr ada")
            #expect(comment.author == author && comment.status == .visible)
            #expect(comment.articleID == CommentFixture.article && comment.parentID == nil)
            #expect(made.fields[.location] == "/v1/comments/\(comment.id)")
            #expect(made.fields[.cacheControl] == "no-store")
            let again = try fixture.send("POST \(Self.thread)", as: .ada, json, with: key)
            #expect(again.status == 201 && again.body == made.body)
            for person in [nil, .bob, .ada, .eve] as [CommentFixture.Person?] {
                #expect(try fixture.bodies(as: person) == ["What about *rye*?"])
                let one = try fixture.send("GET /v1/comments/\(comment.id)", as: person)
                #expect(one.body == made.body)
            }
            let html = try fixture.send(
                "GET \(Self.thread)?fields=bodyHTML,author.displayName", as: nil)
            #expect(
                html.text == """
                    {"items":[{"id":"\(comment.id)","author":{"id":"\(author.id)",\
                    "displayName":"Dr ada"},\
                    "bodyHTML":"<p>What about <em>rye</em>?</p>\\n"}]}
                    """)
        }
    }

    @Test func `links in comments are marked`() async throws {
        try await CommentFixture.run { fixture in
            let text = """
                [a](https://a.example/) <https://b.example/> www.c.example \
                <a href=\\"https://d.example/\\">d</a> `<a href=\\"e\\">` [x](javascript:alert(1))
                """
            let made = try fixture.send("POST \(Self.thread)", as: .ada, "{\"body\":\"\(text)\"}")
            let id = try ArticleComment(mapping: made.body).id
            let response = try fixture.send("GET /v1/comments/\(id)?fields=bodyHTML", as: nil)
            let html = try #require(try PartialComment(mapping: response.body).bodyHTML)
            let links = html.matches(of: /<a [^>]*>/).map { String($0.0) }
            #expect(links.count == 3, "\(html)")
            #expect(
                links.allSatisfy { $0.hasPrefix(#"<a rel="nofollow ugc" href="#) }, "\(links)")
            #expect(!html.contains("javascript:"))
        }
    }

    @Test func `only users may comment`() async throws {
        try await TestBackend.run { server in
            let thread = "/v1/articles/\(Samples.bread)/comments"
            let json = #"{"body":"x"}"#
            let scenarios = [
                Scenario(
                    "anonymous", .anonymous, "POST \(thread)", json, gives: "401 unauthenticated"),
                Scenario(
                    "without owner", .reader, "POST \(thread)", json, gives: "403 user-required"),
                Scenario(
                    "without owner", .admin, "POST \(thread)", json, gives: "403 user-required"),
                Scenario("list", .anonymous, "GET \(thread)", gives: "200"),
                Scenario("all", .anonymous, "GET /v1/comments", gives: "401 unauthenticated"),
                Scenario("all", .reader, "GET /v1/comments", gives: "403 forbidden"),
                Scenario("all", .editor, "GET /v1/comments", gives: "200"),
                Scenario(
                    "hidden article", .anonymous, "GET /v1/articles/\(Samples.secret)/comments",
                    gives: "404 not-found"),
                Scenario(
                    "hidden article", .editor, "GET /v1/articles/\(Samples.secret)/comments",
                    gives: "200"),
                Scenario(
                    "none", .anonymous, "GET /v1/comments/\(Samples.nobody)", gives: "404 not-found"
                ),
                Scenario(
                    "bookmarks", .anonymous, "GET /v1/me/bookmarks",
                    gives: "401 unauthenticated"),
                Scenario(
                    "bookmarks", .reader, "GET /v1/me/bookmarks", gives: "403 user-required"),
            ]
            for scenario in scenarios { try scenario.play(in: server) }
        }
    }

    @Test func `what is not acceptable is rejected`() async throws {
        try await CommentFixture.run { fixture in
            let other = try fixture.send(
                "POST /v1/articles", as: .eve, #"{"title":"Other","status":"published"}"#)
            let otherID = try Article(mapping: other.body).id
            let top = try fixture.comment("top", as: .ada)
            let reply = try fixture.comment("reply", as: .bob, to: top.id)
            let hidden = try fixture.comment("hidden", as: .bob)
            try fixture.send("PATCH /v1/comments/\(hidden.id)", as: .eve, #"{"status":"hidden"}"#)
            let long = String(repeating: "x", count: 10_001)
            let cases: [(String, String)] = [
                (#"{}"#, "422 invalid-values /body"),
                (#"{"body":""}"#, "422 invalid-values /body"),
                (#"{"body":" \u200b\n"}"#, "422 invalid-values /body"),
                (#"{"body":"\#(long)"}"#, "422 invalid-values /body"),
                (#"{"body":"a\u0000b"}"#, "422 invalid-values /body"),
                (#"{"body":"x","status":"visible"}"#, "422 invalid-values /status"),
                (#"{"body":"x","id":"\#(top.id)"}"#, "409 id-taken /id"),
                // Which of these there are is not disclosed.
                (#"{"body":"x","parentID":"\#(reply.id)"}"#, "422 invalid-values /parentID"),
                (#"{"body":"x","parentID":"\#(hidden.id)"}"#, "422 invalid-values /parentID"),
                (#"{"body":"x","parentID":"\#(Samples.nobody)"}"#, "422 invalid-values /parentID"),
            ]
            for (json, summary) in cases {
                let response = try fixture.send("POST \(Self.thread)", as: .bob, json)
                #expect(response.summary == summary, "\(json.prefix(80))")
            }
            let elsewhere = try fixture.send(
                "POST /v1/articles/\(otherID)/comments", as: .bob,
                #"{"body":"x","parentID":"\#(top.id)"}"#)
            #expect(elsewhere.summary == "422 invalid-values /parentID")
            #expect(try fixture.bodies(as: nil) == ["top", "reply"])
        }
    }

    @Test func `comments leave sight with their article`() async throws {
        try await CommentFixture.run { fixture in
            let comment = try fixture.comment("one", as: .ada)
            #expect(try fixture.bodies(as: nil) == ["one"])
            let before = try await fixture.store.changeSequence()
            try fixture.set(#"{"status":"archived"}"#)
            #expect(try await fixture.store.changeSequence() == before + 1)
            for person in [nil, .ada] as [CommentFixture.Person?] {
                #expect(try fixture.send("GET \(Self.thread)", as: person).status == 404)
                let one = try fixture.send("GET /v1/comments/\(comment.id)", as: person)
                #expect(one.status == 404)
            }
            let written = try fixture.send("POST \(Self.thread)", as: .bob, #"{"body":"x"}"#)
            #expect(written.status == 404)
            #expect(try fixture.bodies(as: .eve) == ["one"])
            try fixture.set(#"{"status":"published"}"#)
            #expect(try fixture.bodies(as: nil) == ["one"])
        }
    }

    @Test func `pages continue for the same readers alone`() async throws {
        try await CommentFixture.run { fixture in
            for number in 1...5 { _ = try fixture.comment("\(number)", as: .ada) }
            var target: String? = "\(Self.thread)?limit=2&sort=newest"
            var bodies: [String] = []
            while let next = target {
                let response = try fixture.send("GET \(next)", as: nil)
                bodies += try Page<ArticleComment>(mapping: response.body).items.map(\.body)
                target = response.nextTarget
            }
            #expect(bodies == ["5", "4", "3", "2", "1"])
            let first = try fixture.send("GET \(Self.thread)?limit=2", as: .ada)
            let next = try #require(first.nextTarget)
            #expect(try fixture.send("GET \(next)", as: .ada).status == 200)
            for person in [nil, .bob, .eve] as [CommentFixture.Person?] {
                let response = try fixture.send("GET \(next)", as: person)
                #expect(response.summary == "400 malformed-request ?cursor")
            }
        }
    }

    @Test func `articles have the number of comments where it is asked for`() async throws {
        try await CommentFixture.run { fixture in
            let target = "GET /v1/articles/\(CommentFixture.article)"
            let plain = try fixture.send(target, as: nil)
            #expect(!plain.text.contains("commentCount"))
            for count in 0..<3 {
                for counted in [
                    "\(target)?fields=commentCount", "GET /v1/articles?fields=commentCount",
                ] {
                    let response = try fixture.send(counted, as: nil)
                    #expect(response.text.contains(#""commentCount":\#(count)}"#))
                }
                _ = try fixture.comment("\(count)", as: .ada)
            }
            let same = try fixture.send(
                target, as: nil, with: [.ifNoneMatch: try #require(plain.fields[.etag])])
            #expect(same.status == 304)
        }
    }
}
