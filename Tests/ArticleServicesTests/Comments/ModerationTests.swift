import ArticleAPI
import ArticleDatabase
import ArticleResources
import ArticleServices
import ArticleStore
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetTestSupport
import Testing

/// The permission to change, hide and delete comments.
@Suite struct ModerationTests {
    private static let thread = CommentFixture.thread

    private static var moderated: CommentRules {
        var rules = CommentRules()
        rules.policy = .moderated
        return rules
    }

    @Test func `in a moderated thread, comments wait for an editor`() async throws {
        try await CommentFixture.run(Self.moderated) { fixture in
            let comment = try fixture.comment("one", as: .ada)
            #expect(comment.status == .pending)
            #expect(try fixture.comment("mine", as: .eve).status == .visible)
            // In this order: a cached public list is not that of the writer.
            for _ in 0..<2 {
                #expect(try fixture.bodies(as: nil) == ["mine"])
                #expect(try fixture.bodies(as: .ada) == ["one", "mine"])
                #expect(try fixture.bodies(as: .bob) == ["mine"])
                #expect(try fixture.bodies(as: .eve) == ["one", "mine"])
            }
            let target = "/v1/comments/\(comment.id)"
            #expect(try fixture.send("GET \(target)", as: .bob).status == 404)
            #expect(try fixture.send("GET \(target)", as: .ada).status == 200)
            let waiting = try fixture.send("GET /v1/comments?status=pending", as: .eve)
            #expect(try Page<ArticleComment>(mapping: waiting.body).items == [comment])
            #expect(waiting.fields[.cacheControl] == "private, no-cache")
            let shown = try fixture.send("PATCH \(target)", as: .eve, #"{"status":"visible"}"#)
            #expect(shown.status == 200)
            #expect(try fixture.bodies(as: nil) == ["one", "mine"])
        }
    }

    @Test func `an edit of what was approved waits for an editor again`() async throws {
        try await CommentFixture.run(Self.moderated) { fixture in
            let comment = try fixture.comment("one", as: .ada)
            let target = "/v1/comments/\(comment.id)"
            try fixture.send("PATCH \(target)", as: .eve, #"{"status":"visible"}"#)
            #expect(try fixture.bodies(as: nil) == ["one"])
            let edited = try fixture.send("PATCH \(target)", as: .ada, #"{"body":"spam"}"#)
            #expect(try ArticleComment(mapping: edited.body).status == .pending)
            #expect(try fixture.bodies(as: nil) == [])
            try fixture.send("PATCH \(target)", as: .eve, #"{"status":"hidden"}"#)
            let again = try fixture.send("PATCH \(target)", as: .ada, #"{"body":"more"}"#)
            #expect(again.status == 404)
        }
    }

    @Test func `an article's policy overrides the server's`() async throws {
        try await CommentFixture.run(Self.moderated) { fixture in
            try fixture.set(#"{"comments":"open"}"#)
            let comment = try fixture.comment("one", as: .ada)
            #expect(comment.status == .visible)
            try fixture.set(#"{"comments":"closed"}"#)
            for person in [CommentFixture.Person.ada, .eve] {
                let response = try fixture.send("POST \(Self.thread)", as: person, #"{"body":"x"}"#)
                #expect(response.summary == "403 comments-closed")
            }
            #expect(try fixture.bodies(as: nil) == ["one"])
            let article = try fixture.send("GET /v1/articles/\(CommentFixture.article)", as: nil)
            #expect(article.text.contains(#""comments":"closed""#))
            try fixture.set(#"{"comments":null}"#)
            #expect(try fixture.comment("two", as: .ada).status == .pending)
        }
    }

    @Test func `a changed comment waits again once its thread is moderated or closed`()
        async throws
    {
        for policy in [#""moderated""#, #""closed""#] {
            try await CommentFixture.run { fixture in
                let comment = try fixture.comment("one", as: .ada)
                let own = try fixture.comment("mine", as: .eve)
                try fixture.set("{\"comments\":\(policy)}")
                let target = "PATCH /v1/comments/\(comment.id)"
                let same = try fixture.send(target, as: .ada, #"{"body":"one"}"#)
                #expect(try ArticleComment(mapping: same.body).status == .visible)
                let changed = try fixture.send(target, as: .ada, #"{"body":"two"}"#)
                #expect(try ArticleComment(mapping: changed.body).status == .pending)
                #expect(try fixture.bodies(as: nil) == ["mine"])
                let edited = try fixture.send(
                    "PATCH /v1/comments/\(own.id)", as: .eve, #"{"body":"ours"}"#)
                #expect(try ArticleComment(mapping: edited.body).status == .visible)
                try fixture.set(#"{"comments":"open"}"#)
                #expect(try fixture.bodies(as: nil) == ["ours"])
            }
        }
        var closed = CommentRules()
        closed.policy = .closed
        try await CommentFixture.run(closed) { fixture in
            try fixture.set(#"{"comments":"open"}"#)
            let target = "PATCH /v1/comments/\(try fixture.comment("one", as: .ada).id)"
            let changed = try fixture.send(target, as: .ada, #"{"body":"two"}"#)
            #expect(try ArticleComment(mapping: changed.body).status == .visible)
            try fixture.set(#"{"comments":null}"#)
            let again = try fixture.send(target, as: .ada, #"{"body":"three"}"#)
            #expect(try ArticleComment(mapping: again.body).status == .pending)
        }
    }

    @Test func `an author cannot undo a stricter policy of an article`() async throws {
        try await CommentFixture.run { fixture in
            let made = try Article(
                mapping: fixture.send("POST /v1/articles", as: .ann, #"{"title":"Rye"}"#).body)
            let target = "/v1/articles/\(made.id)"
            func send(
                _ line: String, as person: CommentFixture.Person, _ json: String? = nil
            ) throws -> String {
                let fields: HTTPFields = line.hasPrefix("PUT") ? [.ifMatch: "*"] : [:]
                let response = try fixture.send(line, as: person, json, with: fields)
                guard response.status == 200 else { return response.summary }
                return try Article(mapping: response.body).comments?.name ?? "-"
            }
            let rejected = "422 invalid-values /comments"
            for (policy, looser) in [("moderated", ["open"]), ("closed", ["open", "moderated"])] {
                let json = "{\"comments\":\"\(policy)\"}"
                #expect(try send("PATCH \(target)", as: .eve, json) == policy)
                for method in ["PATCH", "PUT"] {
                    for name in looser {
                        let json = "{\"title\":\"Rye\",\"comments\":\"\(name)\"}"
                        #expect(try send("\(method) \(target)", as: .ann, json) == rejected)
                    }
                }
                #expect(
                    try send("PATCH \(target)", as: .ann, #"{"comments":null}"#) == rejected)
                #expect(try send("PUT \(target)", as: .ann, #"{"title":"Rye"}"#) == policy)
                let restored = "POST \(target)/revisions/1/restore"
                #expect(try send(restored, as: .ann) == policy)
            }
            #expect(try send("PATCH \(target)", as: .eve, #"{"comments":"open"}"#) == "open")
            #expect(try send("PATCH \(target)", as: .ann, #"{"comments":"closed"}"#) == "closed")
            #expect(try send("PUT \(target)", as: .eve, #"{"title":"Rye"}"#) == "-")
        }
    }

    @Test func `authors may only make the server's policy stricter`() async throws {
        try await CommentFixture.run(Self.moderated) { fixture in
            func send(_ line: String, _ policy: String) throws -> BackendResponse {
                let fields: HTTPFields = line.hasPrefix("PUT") ? [.ifMatch: "*"] : [:]
                return try fixture.send(
                    line, as: .ann, #"{"title":"Rye","comments":\#(policy)}"#, with: fields)
            }
            #expect(
                try send("POST /v1/articles", #""open""#).summary
                    == "422 invalid-values /comments")
            let made = try Article(mapping: send("POST /v1/articles", #""moderated""#).body)
            let target = "/v1/articles/\(made.id)"
            for method in ["PATCH", "PUT"] {
                let opened = try send("\(method) \(target)", #""open""#)
                #expect(opened.summary == "422 invalid-values /comments")
                for policy in ["null", #""moderated""#] {
                    #expect(try send("\(method) \(target)", policy).summary == "200")
                }
            }
            // What an editor decided may stay, but does not come back by itself.
            let opened = try fixture.send("PATCH \(target)", as: .eve, #"{"comments":"open"}"#)
            let revision = try Article(mapping: opened.body).revision
            #expect(try send("PUT \(target)", #""open""#).summary == "200")
            #expect(try send("PATCH \(target)", #""closed""#).summary == "200")
            let restored = try fixture.send(
                "POST \(target)/revisions/\(revision)/restore", as: .ann)
            #expect(restored.summary == "200")
            #expect(try Article(mapping: restored.body).comments == .closed)
        }
    }

    @Test func `editors list the comments of a user in pages`() async throws {
        try await CommentFixture.run { fixture in
            let ada = try fixture.user(.ada).id
            var ids: [ArticleComment.ID] = []
            for number in 0..<3 {
                ids.append(try fixture.comment("\(number)", as: .ada).id)
                _ = try fixture.comment("other \(number)", as: .bob)
            }
            let target = "GET /v1/comments?author=\(ada)&sort=newest&limit=2"
            let first = try Page<ArticleComment>(mapping: fixture.send(target, as: .eve).body)
            #expect(first.items.map(\.id) == [ids[2], ids[1]])
            let cursor = try #require(first.next)
            let next = try fixture.send("\(target)&cursor=\(cursor)", as: .eve)
            #expect(try Page<ArticleComment>(mapping: next.body).items.map(\.id) == [ids[0]])
            let other = try fixture.user(.bob).id
            let moved = "GET /v1/comments?author=\(other)&sort=newest&limit=2&cursor=\(cursor)"
            #expect(try fixture.send(moved, as: .eve).status == 400)
            for person in [CommentFixture.Person.ada, .ann] {
                #expect(try fixture.send(target, as: person).status == 403)
            }
        }
    }

    @Test func `edits of comments are limited by account`() async throws {
        try await CommentFixture.run { fixture in
            let targets = try ["one", "two"].map { body in
                "/v1/comments/\(try fixture.comment(body, as: .ada).id)"
            }
            for number in 0..<30 {
                let edited = try fixture.send(
                    "PATCH \(targets[number % 2])", as: .ada, #"{"body":"\#(number)"}"#)
                #expect(edited.status == 200)
            }
            let rejected = try fixture.send("PATCH \(targets[0])", as: .ada, #"{"body":"x"}"#)
            #expect(rejected.summary == "429 too-many-requests")
            #expect(rejected.fields[.retryAfter] == "2")
            #expect(try fixture.send("GET \(targets[0])", as: nil).text.contains(#""body":"28""#))
            // Moderators decide about as many as there are.
            for status in ["hidden", "visible"] {
                for _ in 0..<20 {
                    let json = "{\"status\":\"\(status)\"}"
                    #expect(try fixture.send("PATCH \(targets[0])", as: .eve, json).status == 200)
                }
            }
            fixture.pass(milliseconds: 2_000)
            #expect(
                try fixture.send("PATCH \(targets[0])", as: .ada, #"{"body":"x"}"#).status == 200)
            #expect(
                try fixture.send("PATCH \(targets[0])", as: .ada, #"{"body":"y"}"#).status == 429)
        }
    }

    @Test func `who may change what is decided for each attribute`() async throws {
        try await CommentFixture.run { fixture in
            let comment = try fixture.comment("one", as: .ada)
            let target = "/v1/comments/\(comment.id)"
            let cases: [(CommentFixture.Person?, String, String)] = [
                (nil, #"{"body":"x"}"#, "401 unauthenticated"),
                (.bob, #"{"body":"x"}"#, "403 not-the-writer"),
                (.bob, #"{"status":"hidden"}"#, "403 not-the-writer"),
                (.eve, #"{"body":"x"}"#, "403 not-the-writer"),
                (.ada, #"{"status":"hidden"}"#, "403 forbidden"),
                (.ada, #"{"body":"x","status":"visible"}"#, "403 forbidden"),
                (.eve, #"{"status":"pending"}"#, "422 invalid-values /status"),
                (.eve, #"{"status":"deleted"}"#, "422 invalid-values /status"),
                (.eve, #"{"status":"gone"}"#, "422 invalid-values /status"),
                (.eve, #"{"status":null}"#, "422 invalid-values /status"),
                (.ada, #"{"body":null}"#, "422 invalid-values /body"),
                (.ada, #"{"body":""}"#, "422 invalid-values /body"),
                (.ada, #"{"author":null}"#, "422 invalid-values /author"),
            ]
            for (person, json, summary) in cases {
                let response = try fixture.send("PATCH \(target)", as: person, json)
                #expect(response.summary == summary, "\(json)")
            }
            for person in [CommentFixture.Person.bob] {
                let response = try fixture.send("DELETE \(target)", as: person)
                #expect(response.summary == "403 not-the-writer")
            }
            #expect(try fixture.send("GET \(target)", as: nil).body == comment.json())
            #expect(try fixture.send("DELETE \(target)", as: .eve).status == 204)
            #expect(try fixture.send("DELETE \(target)", as: .ada).status == 404)
            #expect(try fixture.bodies(as: .eve) == [])
        }
    }

    @Test func `a writer changes a comment for some minutes, and deletes it at any time`()
        async throws
    {
        try await CommentFixture.run { fixture in
            let comment = try fixture.comment("one", as: .ada)
            let target = "/v1/comments/\(comment.id)"
            fixture.pass(milliseconds: 899_998)
            let edited = try fixture.send("PATCH \(target)", as: .ada, #"{"body":"two"}"#)
            #expect(edited.status == 200 && edited.revision == 2)
            fixture.pass(milliseconds: 1)
            let late = try fixture.send("PATCH \(target)", as: .ada, #"{"body":"three"}"#)
            #expect(late.summary == "403 edit-time-over")
            let wrong = try fixture.send(
                "DELETE \(target)", as: .ada, with: [.ifMatch: #""1-aaaaaa""#])
            #expect(wrong.summary == "412 precondition-failed @If-Match")
            let tag = try #require(edited.fields[.etag])
            #expect(
                try fixture.send("DELETE \(target)", as: .ada, with: [.ifMatch: tag]).status == 204)
            #expect(try fixture.send("GET \(target)", as: .ada).status == 404)
        }
    }

    @Test func `a deleted comment with visible replies leaves its place`() async throws {
        try await CommentFixture.run { fixture in
            let top = try fixture.comment("top", as: .ada)
            _ = try fixture.comment("reply", as: .bob, to: top.id)
            try fixture.send("DELETE /v1/comments/\(top.id)", as: .ada)
            let response = try fixture.send("GET \(Self.thread)", as: nil)
            let items = try Page<ArticleComment>(mapping: response.body).items
            #expect(items.map(\.body) == ["", "reply"])
            #expect(items[0].author == nil && items[0].status == .deleted)
            let reply = try fixture.send(
                "POST \(Self.thread)", as: .bob, #"{"body":"x","parentID":"\#(top.id)"}"#)
            #expect(reply.summary == "422 invalid-values /parentID")
            let edit = try fixture.send("PATCH /v1/comments/\(top.id)", as: .ada, #"{"body":"x"}"#)
            #expect(edit.status == 404)
        }
    }

    @Test func `a writer cannot write many comments, or one twice`() async throws {
        var rules = CommentRules()
        rules.commentsPerMinute = 2
        rules.commentsPerHour = 3
        try await CommentFixture.run(rules) { fixture in
            let line = "POST \(Self.thread)"
            let key: HTTPFields = [try #require(HTTPFieldName("Idempotency-Key")): "k-1"]
            #expect(try fixture.send(line, as: .ada, #"{"body":"1"}"#, with: key).status == 201)
            let twice = try fixture.send(line, as: .ada, #"{"body":"1"}"#)
            #expect(twice.summary == "409 repeated-comment")
            #expect(try fixture.send(line, as: .bob, #"{"body":"1"}"#).status == 201)
            fixture.pass(milliseconds: 1_000)
            _ = try fixture.comment("2", as: .ada)
            let many = try fixture.send(line, as: .ada, #"{"body":"3"}"#)
            #expect(many.summary == "429 too-many-requests")
            #expect(many.fields[.retryAfter] == "59")
            // A repeated request is answered as it was at first.
            #expect(try fixture.send(line, as: .ada, #"{"body":"1"}"#, with: key).status == 201)
            fixture.pass(milliseconds: 59_000)
            #expect(try fixture.send(line, as: .ada, #"{"body":"1"}"#).status == 201)
            fixture.pass(milliseconds: 60_000)
            let last = try fixture.send(line, as: .ada, #"{"body":"4"}"#)
            #expect(last.summary == "429 too-many-requests")
            #expect(last.fields[.retryAfter] == "3480")
            // A deleted comment counts, too.
            fixture.pass(milliseconds: 3_479_998)
            #expect(try fixture.send(line, as: .ada, #"{"body":"4"}"#).status == 429)
            fixture.pass(milliseconds: 1)
            #expect(try fixture.send(line, as: .ada, #"{"body":"4"}"#).status == 201)
        }
    }

    @Test func `a busy thread does not empty the cache of its article`() async throws {
        try await CommentFixture.run { fixture in
            let article = "GET /v1/articles/\(CommentFixture.article)"
            let targets = [article, "GET /v1/articles", "GET /v1/authors"]
            for target in targets { try fixture.send(target, as: nil) }
            try fixture.send("GET \(Self.thread)", as: nil)
            let hits = fixture.backend.cacheStatistics.hits
            _ = try fixture.comment("one", as: .ada)
            for target in targets { try fixture.send(target, as: nil) }
            #expect(fixture.backend.cacheStatistics.hits == hits + 3)
            #expect(try fixture.bodies(as: nil) == ["one"])
            #expect(fixture.backend.cacheStatistics.hits == hits + 3)
            #expect(try fixture.bodies(as: nil) == ["one"])
            #expect(fixture.backend.cacheStatistics.hits == hits + 4)
            // The name of a writer is part of the list.
            _ = try await fixture.store.updateUser(
                try fixture.user(.ada).id, expecting: nil, .init(displayName: "Ada"),
                at: CommentFixture.opening)
            #expect(try fixture.send("GET \(Self.thread)", as: nil).text.contains(#""Ada""#))
        }
    }
}
