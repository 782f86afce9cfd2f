import ArticleAPI
import ArticleDatabase
import ArticleServices
import BroadsheetHTTP
import BroadsheetTestSupport
import Testing

/// Bookmarks over HTTP.
@Suite struct BookmarkTests {
    private static let target = "/v1/me/bookmarks/\(CommentFixture.article)"

    private func bookmarks(
        _ fixture: CommentFixture, _ person: CommentFixture.Person
    ) throws -> [Bookmark] {
        let response = try fixture.send("GET /v1/me/bookmarks", as: person)
        #expect(response.fields[.cacheControl] == "no-store")
        return try Page<Bookmark>(mapping: response.body).items
    }

    @Test func `a bookmark is that of its user alone`() async throws {
        try await CommentFixture.run { fixture in
            let first = try fixture.send("PUT \(Self.target)", as: .ada)
            #expect(first.status == 200)
            #expect(try Bookmark(mapping: first.body).position == nil)
            let placed = try fixture.send("PUT \(Self.target)", as: .ada, #"{"position":0.4}"#)
            let bookmark = try Bookmark(mapping: placed.body)
            #expect(bookmark.position == 0.4 && bookmark.revision == 2)
            #expect(placed.text.contains(#""position":0.4,"#))
            #expect(try bookmarks(fixture, .ada) == [bookmark])
            #expect(try bookmarks(fixture, .bob) == [])
            #expect(try fixture.send("DELETE \(Self.target)", as: .bob).status == 404)
            let emptied = try fixture.send("PUT \(Self.target)", as: .ada, "{}")
            #expect(try Bookmark(mapping: emptied.body).position == nil)
            #expect(try fixture.send("DELETE \(Self.target)", as: .ada).status == 204)
            #expect(try fixture.send("DELETE \(Self.target)", as: .ada).status == 404)
            #expect(try bookmarks(fixture, .ada) == [])
        }
    }

    @Test func `what is not acceptable is rejected`() async throws {
        var limits = SQLiteConfiguration()
        limits.bookmarksPerUser = 1
        try await CommentFixture.run(store: limits) { fixture in
            let cases = [
                (#"{"position":1.01}"#, "422 invalid-values /position"),
                (#"{"position":-0.1}"#, "422 invalid-values /position"),
                (#"{"position":1e999}"#, "422 invalid-values /position"),
                (#"{"position":"0.4"}"#, "422 invalid-values /position"),
                (#"{"page":1}"#, "422 invalid-values /page"),
                (#"[]"#, "422 invalid-values #"), (#"{"#, "400 malformed-request #"),
            ]
            for (json, summary) in cases {
                let response = try fixture.send("PUT \(Self.target)", as: .ada, json)
                #expect(response.summary == summary, "\(json)")
            }
            for id in [Samples.nobody, "x"] {
                let response = try fixture.send("PUT /v1/me/bookmarks/\(id)", as: .ada)
                #expect([404, 400].contains(response.status), "\(response.text)")
            }
            #expect(try bookmarks(fixture, .ada) == [])
            #expect(try fixture.send("PUT \(Self.target)", as: .ada).status == 200)
            let other = try fixture.send(
                "POST /v1/articles", as: .eve, #"{"title":"Other","status":"published"}"#)
            let id = try Article(mapping: other.body).id
            let full = try fixture.send("PUT /v1/me/bookmarks/\(id)", as: .ada)
            #expect(full.summary == "422 too-many-bookmarks")
        }
    }

    @Test func `what is not visible is left out, not lost`() async throws {
        try await CommentFixture.run { fixture in
            try fixture.send("PUT \(Self.target)", as: .ada)
            try fixture.set(#"{"status":"draft"}"#)
            #expect(try bookmarks(fixture, .ada) == [])
            #expect(try fixture.send("PUT \(Self.target)", as: .bob).status == 404)
            try fixture.set(#"{"status":"published"}"#)
            #expect(try bookmarks(fixture, .ada).map(\.articleID) == [CommentFixture.article])
        }
    }

    @Test func `bookmarks are set and removed a limited number of times`() async throws {
        try await CommentFixture.run { fixture in
            for number in 0..<120 {
                let method = number % 2 == 0 ? "PUT" : "DELETE"
                #expect(try fixture.send("\(method) \(Self.target)", as: .ada).status < 300)
            }
            for method in ["PUT", "DELETE"] {
                let rejected = try fixture.send("\(method) \(Self.target)", as: .ada)
                #expect(rejected.summary == "429 too-many-requests")
                #expect(rejected.fields[.retryAfter] == "1")
            }
            #expect(try fixture.send("PUT \(Self.target)", as: .bob).status == 200)
            fixture.pass(milliseconds: 500)
            #expect(try fixture.send("PUT \(Self.target)", as: .ada).status == 200)
        }
    }
}
