import ArticleAPI
import ArticleServices
import BroadsheetHTTP
import BroadsheetTestSupport
import Testing

@testable import ArticleResources

/// Changes of comments and bookmarks over HTTP.
@Suite struct ReaderChangeTests {
    private static let comments = "types=comment&article=\(CommentFixture.article)"
    private static let bookmark = "/v1/me/bookmarks/\(CommentFixture.article)"

    private func page(
        _ fixture: CommentFixture, _ query: String, as person: CommentFixture.Person?
    ) throws -> ChangePage<Article> {
        let response = try fixture.send("GET /v1/changes?\(query)", as: person)
        try #require(response.status == 200, "\(query): \(response.text)")
        return try ChangePage<Article>(mapping: response.body)
    }

    @Test func `comments come as everyone sees them, and to their writers while pending`()
        async throws
    {
        try await CommentFixture.run { fixture in
            try fixture.set(#"{"comments":"moderated"}"#)
            let comment = try fixture.comment("Good", as: .ada)
            #expect(try page(fixture, Self.comments, as: nil).changes == [])
            #expect(try page(fixture, Self.comments, as: .bob).changes == [])
            for person in [CommentFixture.Person.ada, .eve] {
                let changes = try page(fixture, Self.comments, as: person).changes
                #expect(changes == [.putComment(comment)], "\(person)")
            }
            let tokens = try [nil, CommentFixture.Person.ada, .bob, .eve].map {
                ($0, try page(fixture, Self.comments + "&since=now", as: $0).next)
            }
            let line = "PATCH /v1/comments/\(comment.id)"
            try fixture.send(line, as: .eve, #"{"status":"visible"}"#)
            for (person, token) in tokens {
                let query = "\(Self.comments)&since=\(token)"
                let response = try fixture.send("GET /v1/changes?\(query)", as: person)
                let start =
                    #"{"changes":[{"type":"comment","action":"put","id":"\#(comment.id)","#
                    + #""revision":2,"comment":{"id":"\#(comment.id)","#
                #expect(response.text.hasPrefix(start), "\(response.text)")
            }
            try fixture.send(line, as: .eve, #"{"status":"hidden"}"#)
            for (person, token) in tokens {
                let changes = try page(fixture, "\(Self.comments)&since=\(token)", as: person)
                    .changes
                if person == .eve {
                    #expect(changes.count == 1)
                } else {
                    #expect(changes == [.deleteComment(comment.id, revision: 3)])
                }
            }
        }
    }

    @Test func `types have the parameters and the caller that they need`() async throws {
        try await CommentFixture.run { fixture in
            async let _: Void = fixture.backend.streams.run()
            let article = CommentFixture.article
            let unknown = Article.ID(at: CommentFixture.opening)
            let rows: [(query: String, person: CommentFixture.Person?, answer: String)] = [
                ("types=comment", nil, "400 malformed-request ?article"),
                ("types=article,comment", .eve, "400 malformed-request ?article"),
                ("article=\(article)", nil, "400 malformed-request ?article"),
                ("types=article&article=\(article)", nil, "400 malformed-request ?article"),
                ("types=bookmark&article=\(article)", .ada, "400 malformed-request ?article"),
                ("types=comment&article=x", nil, "400 malformed-request ?article"),
                ("types=comment,image&article=\(article)", nil, "400 malformed-request ?types"),
                ("types=bookmark", nil, "401 unauthenticated"),
                ("types=article,bookmark", nil, "401 unauthenticated"),
                ("types=comment&article=\(unknown)", .ada, "404 not-found"),
                ("types=article,comment&article=\(unknown)", .eve, "404 not-found"),
                ("types=bookmark&since=x", .ada, "400 invalid-token ?since"),
            ]
            for path in ["/v1/changes", "/v1/changes/stream"] {
                for row in rows {
                    let response = try fixture.send("GET \(path)?\(row.query)", as: row.person)
                    #expect(response.summary == row.answer, "\(path)?\(row.query)")
                }
            }
            try fixture.set(#"{"status":"draft"}"#)
            for person in [nil, CommentFixture.Person.ada] {
                let response = try fixture.send("GET /v1/changes?\(Self.comments)", as: person)
                #expect(response.summary == "404 not-found")
            }
            _ = try page(fixture, Self.comments, as: .eve)
        }
    }

    @Test func `a key without a user has no bookmarks`() async throws {
        try await TestBackend.run { server in
            for sender in [Sender.reader, .editor] {
                for path in ["/v1/changes", "/v1/changes/stream"] {
                    let response = try server.send("GET \(path)?types=bookmark", as: sender)
                    #expect(response.summary == "403 user-required")
                }
            }
        }
    }

    @Test func `a token is that of one user, one article and the types`() async throws {
        try await CommentFixture.run { fixture in
            let made = try fixture.send(
                "POST /v1/articles", as: .eve, #"{"title":"Cake","status":"published"}"#)
            let other = "types=comment&article=\(try Article(mapping: made.body).id)"
            let tokens = try [
                (Self.comments, nil), (Self.comments, .ada), (Self.comments, .bob),
                (Self.comments, .eve), ("types=bookmark", .ada), ("types=bookmark", .bob),
                ("limit=9", nil), ("limit=9", .ada), (other, .ada),
                ("types=article,bookmark", .ada),
            ].map { (query: String, person: CommentFixture.Person?) in
                (query, person, try page(fixture, query, as: person).next)
            }
            for (query, person, token) in tokens {
                for (theirQuery, they, _) in tokens {
                    let response = try fixture.send(
                        "GET /v1/changes?\(theirQuery)&since=\(token)", as: they)
                    // All readers see the same articles.
                    let isContent = query.hasPrefix("limit")
                    let isSame = query == theirQuery && (person == they || isContent)
                    #expect(
                        response.summary == (isSame ? "200" : "400 invalid-token ?since"),
                        "\(query), \(theirQuery)")
                    if isSame {
                        // Nothing has happened.
                        #expect(try ChangePage<Article>(mapping: response.body).next == token)
                    }
                }
            }
        }
    }

    @Test func `a token of another history has to be replaced`() async throws {
        try await CommentFixture.run { fixture in
            async let _: Void = fixture.backend.streams.run()
            for query in [Self.comments, "types=bookmark"] {
                let token = try page(fixture, query, as: .ada).next
                let foreign = "AAAAAAAAAAAAAAAAAAAAAA" + token.drop { $0 != "." }
                for path in ["/v1/changes", "/v1/changes/stream"] {
                    let response = try fixture.send(
                        "GET \(path)?\(query)&since=\(foreign)", as: .ada)
                    #expect(response.summary == "410 sync-reset ?since")
                }
            }
        }
    }

    @Test func `types are combined, and filters concern articles`() async throws {
        try await CommentFixture.run { fixture in
            let query = "types=article,comment,bookmark&article=\(CommentFixture.article)&tag=rye"
            let token = try page(fixture, query, as: .ada).next
            let comment = try fixture.comment("Good", as: .bob)
            let made = try fixture.send("PUT \(Self.bookmark)", as: .ada, #"{"position":0.5}"#)
            try fixture.send("PUT \(Self.bookmark)", as: .bob)
            try fixture.set(#"{"title":"Loaf"}"#)
            let slice = try page(fixture, "\(query)&fields=title&since=\(token)", as: .ada)
            #expect(
                slice.changes
                    == [.putComment(comment), .putBookmark(try Bookmark(mapping: made.body))])
            try fixture.set(#"{"tags":["Rye"]}"#)
            let response = try fixture.send(
                "GET /v1/changes?\(query)&fields=title&since=\(slice.next)", as: .ada)
            #expect(
                response.text.contains(#""article":{"id":"\#(CommentFixture.article)","title""#))
            #expect(response.fields[.cacheControl] == "private, no-cache")
        }
    }

    @Test func `what a reader does not see changes neither token nor entity tag`() async throws {
        try await CommentFixture.run { fixture in
            _ = try fixture.comment("Seen", as: .ada)
            try fixture.set(#"{"comments":"moderated"}"#)
            let pending = try fixture.comment("Unseen", as: .ada)
            let queries = [
                Self.comments, "types=article,comment&article=\(CommentFixture.article)",
            ]
            let people = [nil, CommentFixture.Person.bob]
            func pages() throws -> [BackendResponse] {
                try queries.flatMap { query in
                    try ["", "&since=now"].flatMap { start in
                        try people.map {
                            try fixture.send("GET /v1/changes?\(query)\(start)", as: $0)
                        }
                    }
                }
            }
            let before = try pages()
            let line = "PATCH /v1/comments/\(pending.id)"
            try fixture.send(line, as: .ada, #"{"body":"Still unseen"}"#)
            try fixture.send(line, as: .eve, #"{"status":"hidden"}"#)
            _ = try fixture.comment("Another", as: .ada)
            try fixture.send("DELETE /v1/comments/\(pending.id)", as: .eve)
            try fixture.send("PUT \(Self.bookmark)", as: .ada)
            for (one, other) in zip(before, try pages()) {
                #expect(one.status == 200 && one.body == other.body)
                #expect(one.fields[.etag] != nil && one.fields[.etag] == other.fields[.etag])
            }
        }
    }

    @Test func `bookmarks come to their user alone`() async throws {
        try await CommentFixture.run { fixture in
            let ada = try page(fixture, "types=bookmark&since=now", as: .ada).next
            let bob = try page(fixture, "types=bookmark&since=now", as: .bob).next
            let made = try fixture.send("PUT \(Self.bookmark)", as: .ada, #"{"position":0.5}"#)
            let bookmark = try Bookmark(mapping: made.body)
            let response = try fixture.send("GET /v1/changes?types=bookmark&since=\(ada)", as: .ada)
            #expect(response.fields[.cacheControl] == "private, no-cache")
            let start =
                #"{"changes":[{"type":"bookmark","action":"put","id":"\#(bookmark.id)","#
                + #""revision":1,"bookmark":{"articleID":"#
            #expect(response.text.hasPrefix(start), "\(response.text)")
            let slice = try ChangePage<Article>(mapping: response.body)
            #expect(slice.changes == [.putBookmark(bookmark)])
            #expect(try page(fixture, "types=bookmark&since=\(bob)", as: .bob).next == bob)
            try fixture.send("DELETE \(Self.bookmark)", as: .ada)
            #expect(
                try page(fixture, "types=bookmark&since=\(slice.next)", as: .ada).changes
                    == [.deleteBookmark(CommentFixture.article, revision: 2)])
            #expect(try page(fixture, "types=bookmark", as: .ada).changes == [])
        }
    }

    @Test func `a stream sends comments and bookmarks to those who see them`() async throws {
        try await CommentFixture.run { fixture in
            async let _: Void = fixture.backend.streams.run()
            let anonymous = try fixture.stream(Self.comments, as: nil)
            let editor = try fixture.stream(Self.comments, as: .eve)
            let bookmarks = try fixture.stream("types=bookmark", as: .ada)
            let articles = try fixture.stream("since=now", as: nil)
            let all = try fixture.stream(
                "types=article,comment,bookmark&article=\(CommentFixture.article)&since=now",
                as: .bob)
            for stream in [anonymous, editor, bookmarks, articles, all] {
                _ = try stream.events(upTo: "ready")
            }
            let comment = try fixture.comment("Good", as: .ada)
            for stream in [anonymous, editor, all] {
                #expect(try stream.next()?.data.contains(#""body":"Good""#) == true)
            }
            let line = "PATCH /v1/comments/\(comment.id)"
            try fixture.send(line, as: .eve, #"{"status":"hidden"}"#)
            for stream in [anonymous, all] {
                let deletion = try stream.next()?.data
                #expect(
                    deletion
                        == #"{"type":"comment","action":"delete","id":"\#(comment.id)","#
                        + #""revision":2}"#)
            }
            #expect(try editor.next()?.data.contains(#""status":"hidden""#) == true)
            try fixture.send("PUT \(Self.bookmark)", as: .bob)
            try fixture.send("PUT \(Self.bookmark)", as: .ada)
            let event = try #require(try bookmarks.next())
            #expect(event.data.contains(#""type":"bookmark","action":"put""#))
            #expect(
                try page(fixture, "types=bookmark&since=\(event.id)", as: .ada).changes.isEmpty)
            // The article itself is the first that its followers hear of.
            try fixture.set(#"{"title":"Loaf"}"#)
            #expect(try articles.next()?.data.contains("Loaf") == true)
            for part in [#""type":"bookmark""#, "Loaf"] {
                #expect(try all.next()?.data.contains(part) == true)
            }
        }
    }

    @Test func `a stream of comments ends when the article leaves sight`() async throws {
        try await CommentFixture.run { fixture in
            async let _: Void = fixture.backend.streams.run()
            let anonymous = try fixture.stream(Self.comments, as: nil)
            let editor = try fixture.stream(Self.comments, as: .eve)
            for stream in [anonymous, editor] { _ = try stream.events(upTo: "ready") }
            try fixture.set(#"{"status":"archived"}"#)
            #expect(try anonymous.events() == [])
            #expect(anonymous.isComplete && anonymous.retry != nil)
            let gone = try fixture.stream(Self.comments, as: nil)
            #expect(gone.head.status == .notFound)
            try fixture.set(#"{"status":"published"}"#)
            _ = try fixture.comment("Good", as: .ada)
            #expect(try editor.next()?.data.contains(#""body":"Good""#) == true)
        }
    }
}
