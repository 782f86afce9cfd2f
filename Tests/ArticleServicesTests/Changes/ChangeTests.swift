import ArticleAPI
import BroadsheetHTTP
import BroadsheetTestSupport
import Testing

/// `GET /v1/changes`: snapshots, changes, tokens and what is rejected.
@Suite struct ChangeTests {
    private static let bread = "/v1/articles/\(Samples.bread)"

    @Test func `a snapshot is what the lists show, whatever the size of its pages`() async throws {
        try await TestBackend.run { server in
            for (sender, articles, authors) in [
                (Sender.anonymous, [Samples.bread], [Samples.mina]),
                (.reader, [Samples.bread], [Samples.mina]),
                (
                    .editor, [Samples.bread, Samples.secret, Samples.tomorrow, Samples.archived],
                    [Samples.mina, Samples.ghost]
                ),
            ] {
                for limit in [1, 2, 500] {
                    var follower = Follower(sender, "limit=\(limit)")
                    let count = try follower.catchUp(in: server)
                    #expect(limit > 1 || count >= articles.count + authors.count)
                    #expect(follower.articles.keys.map(\.description).sorted() == articles.sorted())
                    #expect(follower.authors.keys.map(\.description).sorted() == authors.sorted())
                    #expect(follower.deletions == [])
                }
            }
        }
    }

    @Test func `a change is written as it is documented`() async throws {
        try await TestBackend.run { server in
            let start = try server.send("GET /v1/changes?since=now").token
            let patched = try server.send(
                "PATCH \(Self.bread)", as: .editor, #"{"title":"Loaf"}"#)
            let version = patched.version ?? "none"
            let put = try server.send("GET /v1/changes?since=\(start)&fields=title,version")
            #expect(
                put.text == """
                    {"changes":[{"type":"article","action":"put","id":"\(Samples.bread)",\
                    "revision":2,"article":{"id":"\(Samples.bread)",\
                    "title":"Loaf","version":"\(version)"}}],\
                    "next":"\(put.token)","more":false}
                    """)
            try server.send("DELETE \(Self.bread)", as: .editor)
            let deletion = try server.send("GET /v1/changes?since=\(put.token)&types=article")
            // Another `types` is another stream of changes.
            #expect(deletion.summary == "400 invalid-token ?since")
            let both = try server.send("GET /v1/changes?since=\(put.token)")
            #expect(
                both.text == """
                    {"changes":[{"type":"article","action":"delete","id":"\(Samples.bread)",\
                    "revision":3},{"type":"author","action":"delete","id":"\(Samples.mina)",\
                    "revision":1}],"next":"\(both.token)","more":false}
                    """)
        }
    }

    @Test func `bodies come on request, and HTML as well`() async throws {
        try await TestBackend.run { server in
            let plain = try server.send("GET /v1/changes?types=article")
            #expect(!plain.text.contains(#""body""#) && plain.text.contains(#""title""#))
            let bodies = try server.send("GET /v1/changes?types=article&fields=body")
            #expect(bodies.text.contains(#""body":"Flour, water, salt.""#))
            let html = try server.send("GET /v1/changes?types=article&fields=bodyHTML")
            #expect(html.text.contains(#""bodyHTML":"<p>Flour, water, salt.</p>"#))
            // The token is the same: it depends on what was asked for, not on how it is shown.
            #expect(plain.token == bodies.token && plain.token == html.token)
        }
    }

    @Test func `a page stays within its size, and the next one continues`() async throws {
        try await TestBackend.run(samples: false) { server in
            let body = String(repeating: "bread ", count: 150_000)
            for _ in 0..<7 {
                try server.send(
                    "POST /v1/articles", as: .editor,
                    #"{"title":"T","status":"published","body":"\#(body)"}"#)
            }
            let fields = [
                "slug", "title", "summary", "body", "language", "authors", "tags", "status",
                "createdAt", "updatedAt", "revision", "wordCount", "readingMinutes",
            ]
            var follower = Follower(
                .anonymous, "limit=500&fields=\(fields.joined(separator: ","))")
            var sizes: [Int] = []
            try follower.catchUp(in: server) { sizes.append($0.body.count) }
            #expect(follower.articles.count == 7)
            #expect(sizes.count > 1 && sizes.allSatisfy { $0 <= ArticleLimits.pageBytes })
        }
    }

    @Test func `with nothing new, a poll gets the same token and a 304`() async throws {
        try await TestBackend.run { server in
            for sender in [Sender.anonymous, .reader, .editor] {
                var follower = Follower(sender, "tag=bread")
                try follower.catchUp(in: server)
                let target = "GET /v1/changes?tag=bread&since=\(follower.token ?? "")"
                let first = try server.send(target, as: sender)
                #expect(first.token == follower.token)
                let again = try server.send(
                    target, as: sender, with: [.ifNoneMatch: first.fields[.etag] ?? ""])
                #expect(again.summary == "304")
            }
        }
    }

    @Test func `hidden activity does not show`() async throws {
        try await TestBackend.run { server in
            let targets = ["", "?types=article", "?types=author", "?tag=bread", "?limit=1"]
            let before = try targets.map { try server.send("GET /v1/changes\($0)") }
            let now = try server.send("GET /v1/changes?since=now")
            for (line, json) in [
                ("PATCH /v1/articles/\(Samples.secret)", #"{"title":"More secret"}"#),
                ("PATCH /v1/articles/\(Samples.tomorrow)", #"{"tags":["bread"]}"#),
                ("DELETE /v1/articles/\(Samples.archived)", nil),
                ("POST /v1/articles", #"{"title":"Draft","authors":[{"name":"New ghost"}]}"#),
                ("PUT /v1/authors/\(Samples.id(0xA9))", #"{"name":"Nobody yet"}"#),
            ] {
                let response = try server.send(line, as: .editor, json)
                #expect(response.status < 300, "\(response.text)")
            }
            for (target, old) in zip(targets, before) {
                let new = try server.send("GET /v1/changes\(target)")
                #expect(new.text == old.text, "\(target)")
                #expect(new.fields[.etag] == old.fields[.etag], "\(target)")
            }
            #expect(try server.send("GET /v1/changes?since=now").text == now.text)
            let late = try server.send("GET /v1/changes?since=\(now.token)")
            #expect(late.text == now.text)
        }
    }

    @Test func `what leaves the caller's sight is deleted, even if it changes again`() async throws
    {
        try await TestBackend.run { server in
            var follower = Follower(.anonymous, "types=article")
            try follower.catchUp(in: server)
            try server.send("PATCH \(Self.bread)", as: .editor, #"{"status":"archived"}"#)
            try server.send("PATCH \(Self.bread)", as: .editor, #"{"title":"Hidden edit"}"#)
            try follower.catchUp(in: server)
            #expect(follower.articles.isEmpty)
            #expect(follower.deletions == ["\(Samples.bread) 2"])
            // A second deletion is not news.
            try server.send("DELETE \(Self.bread)", as: .editor)
            let token = follower.token
            #expect(try follower.catchUp(in: server) == 1)
            #expect(follower.token == token && follower.deletions.count == 1)
        }
    }

    @Test func `what leaves the filter is deleted, and what never matched is not mentioned`()
        async throws
    {
        try await TestBackend.run { server in
            var follower = Follower(.anonymous, "types=article&tag=bread")
            try follower.catchUp(in: server)
            try server.send("PATCH \(Self.bread)", as: .editor, #"{"tags":["home"]}"#)
            try server.send("PATCH \(Self.bread)", as: .editor, #"{"title":"Home"}"#)
            try server.send(
                "POST /v1/articles", as: .editor,
                #"{"title":"Other","status":"published","tags":["other"]}"#)
            try follower.catchUp(in: server)
            #expect(follower.articles.isEmpty && follower.deletions == ["\(Samples.bread) 2"])
        }
    }

    @Test func `tokens are rejected with the reason`() async throws {
        try await TestBackend.run { server in
            let token = try server.send("GET /v1/changes").token
            let parts = token.split(separator: ".").map(String.init)
            let other = (parts[0].hasPrefix("A") ? "B" : "A") + parts[0].dropFirst()
            let rows: [(String, Sender, String)] = [
                ("since=\(token)", .reader, "200"),
                ("since=\(token)&types=author,article", .anonymous, "200"),
                ("since=\(token)&limit=7&fields=slug", .anonymous, "200"),
                ("since=\(token)", .editor, "400 invalid-token ?since"),
                ("since=\(token)&tag=bread", .anonymous, "400 invalid-token ?since"),
                ("since=\(token)&types=author", .anonymous, "400 invalid-token ?since"),
                ("since=\(parts[0])", .anonymous, "400 invalid-token ?since"),
                ("since=\(parts[0]).", .anonymous, "400 invalid-token ?since"),
                ("since=\(token).a", .anonymous, "400 invalid-token ?since"),
                ("since=\(token.dropLast())", .anonymous, "400 invalid-token ?since"),
                ("since=a.\(parts[1])", .anonymous, "400 invalid-token ?since"),
                ("since=later", .anonymous, "400 invalid-token ?since"),
                ("since=", .anonymous, "400 invalid-token ?since"),
                ("since=a%20b", .anonymous, "400 invalid-token ?since"),
                ("since=%F0%9F%8D%9E", .anonymous, "400 invalid-token ?since"),
                (
                    "since=\(String(repeating: "a", count: 501))", .anonymous,
                    "400 invalid-token ?since"
                ),
                ("since=\(parts[0]).AAAA", .anonymous, "400 invalid-token ?since"),
                ("since=\(other).\(parts[1])", .anonymous, "410 sync-reset ?since"),
                ("since=\(other).AAAA", .anonymous, "410 sync-reset ?since"),
            ]
            for (query, sender, summary) in rows {
                let response = try server.send("GET /v1/changes?\(query)", as: sender)
                #expect(response.summary == summary, "\(query): \(response.text)")
            }
            for query in [
                "limit=0", "limit=501", "types=", "types=tag", "types=article,",
                "sort=updatedAt", "count=exact", "cursor=\(token)",
            ] {
                let response = try server.send("GET /v1/changes?\(query)")
                let name = query.prefix { $0 != "=" }
                #expect(response.summary.hasSuffix("?\(name)"), "\(query): \(response.summary)")
                #expect(response.status == 400 || response.status == 422, "\(query)")
            }
        }
    }
}
