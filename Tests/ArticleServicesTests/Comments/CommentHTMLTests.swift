import ArticleAPI
import ArticleDatabase
import ArticleStore
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@testable import ArticleResources
@testable import ArticleServiceCore
@testable import ArticleServices

/// The HTML of comments, the time of its rendering, and its price.
@Suite struct CommentHTMLTests {
    private static let thread = CommentFixture.thread

    private static func json(_ body: String) -> String {
        String(decoding: ArticleComment.Draft(body: body).json(), as: UTF8.self)
    }

    /// A short text with long HTML: each reference repeats the address.
    private static let amplified =
        "[^a]: http://example.org/" + String(repeating: "x", count: 4_000) + "\n\n"
        + String(repeating: "[^a] ", count: 1_000)

    private static func stored(_ comment: ArticleComment, in fixture: CommentFixture) async throws
        -> BodyHTML?
    {
        try await fixture.store.bodyHTML(of: [comment], by: CommentMarkup.renderer)[0]
    }

    // MARK: When

    @Test func `a comment is rendered when it is written`() async throws {
        try await CommentFixture.run { fixture in
            let comment = try fixture.comment("*one*", as: .ada)
            #expect(try await Self.stored(comment, in: fixture)?.html == "<p><em>one</em></p>\n")
            let patched = try fixture.send(
                "PATCH /v1/comments/\(comment.id)", as: .ada, #"{"body":"**two**"}"#)
            let edited = try ArticleComment(mapping: patched.body)
            #expect(
                try await Self.stored(edited, in: fixture)?.html == "<p><strong>two</strong></p>\n")
            let one = try fixture.send("GET /v1/comments/\(comment.id)?fields=bodyHTML", as: nil)
            #expect(
                try PartialComment(mapping: one.body).bodyHTML == "<p><strong>two</strong></p>\n")
        }
    }

    @Test func `a comment without HTML is rendered for its first reader`() async throws {
        try await CommentFixture.run { fixture in
            let content = CommentContent(
                article: CommentFixture.article, body: "*old*", writer: try fixture.user(.ada).id)
            let comment = try await fixture.store.createComment(
                ArticleComment.ID(at: CommentFixture.opening), content, under: CommentRules(),
                by: Edit(at: CommentFixture.opening, by: .operator))
            #expect(try await Self.stored(comment, in: fixture) == nil)
            let list = try fixture.send("GET \(Self.thread)?fields=bodyHTML", as: nil)
            #expect(list.text.contains(#""bodyHTML":"<p><em>old</em></p>\n""#))
            #expect(try await Self.stored(comment, in: fixture)?.html == "<p><em>old</em></p>\n")
        }
    }

    /// A text that cannot be rendered shows whether it was.
    @Test func `what is rejected anyway is not rendered`() async throws {
        var rules = CommentRules()
        rules.commentsPerMinute = 1
        rules.editSeconds = 60
        try await CommentFixture.run(rules) { fixture in
            let json = Self.json(Self.amplified)
            let none = "/v1/articles/\(Samples.nobody)/comments"
            #expect(try fixture.send("POST \(none)", as: .ada, json).status == 404)
            let comment = try fixture.comment("one", as: .ada)
            let target = "/v1/comments/\(comment.id)"
            #expect(try fixture.send("POST \(Self.thread)", as: .ada, json).status == 429)
            #expect(try fixture.send("PATCH \(target)", as: .bob, json).status == 403)
            #expect(try fixture.send("PATCH \(target)", as: .ada, json).status == 422)
            let stale: HTTPFields = [.ifMatch: "\"1-aaaaaa\""]
            #expect(try fixture.send("PATCH \(target)", as: .ada, json, with: stale).status == 412)
            fixture.pass(milliseconds: 61_000)
            #expect(try fixture.send("PATCH \(target)", as: .ada, json).status == 403)
            try fixture.set(#"{"comments":"closed"}"#)
            #expect(try fixture.send("POST \(Self.thread)", as: .bob, json).status == 403)
        }
    }

    // MARK: What

    @Test func `a comment with too much HTML is rejected`() async throws {
        try await CommentFixture.run { fixture in
            let response = try fixture.send(
                "POST \(Self.thread)", as: .ada, Self.json(Self.amplified))
            #expect(response.summary == "422 invalid-values /body")
            #expect(response.text.contains("renders to more than 65536 bytes of HTML"))
            // Marks of links count, too.
            let links = String(repeating: "[](&) ", count: 1_650)
            let marked = try fixture.send("POST \(Self.thread)", as: .ada, Self.json(links))
            #expect(marked.summary == "422 invalid-values /body")
            #expect(try fixture.bodies(as: .eve) == [])
        }
    }

    @Test(arguments: [
        (
            "![a *b* \"c\"](https://x.example/i.png \"t\")",
            "<a REL href=\"https://x.example/i.png\">a b &quot;c&quot;</a>"
        ),
        (
            "![](https://x.example/?a&b)",
            "<a REL href=\"https://x.example/?a&amp;b\">https://x.example/?a&amp;b</a>"
        ),
        (
            "[![a](https://x.example/i)](https://y.example/) ![b](https://z.example/)",
            "<a REL href=\"https://y.example/\">a</a> <a REL href=\"https://z.example/\">b</a>"
        ),
        ("![a](data:image/png;base64,AAAA)", "a"), ("![a](DATA:image/gif;base64,AAAA)", "a"),
        ("![a](javascript:alert(1))", "a"), ("![a <b>](x)", "<a REL href=\"x\">a &lt;b&gt;</a>"),
        ("a[^1]", "a[^1]"),
    ])
    func `images become links, and there are no footnotes`(
        text: String, html: String
    ) async throws {
        let rendered = try await CommentRenderer(TestBackend.renderers.comments)
            .render(text, for: 1).html
        let expected = html.replacing("REL", with: #"rel="nofollow ugc""#)
        #expect(rendered == "<p>\(expected)</p>\n")
    }

    // MARK: At what price

    @Test func `a page with the HTML of comments costs more, and reserves memory`() {
        let fields = FieldSelection(["id", "bodyHTML"])
        let costs: [RequestCost] = [
            FetchCommentsRequest(articleID: CommentFixture.article, limit: 100, fields: fields)
                .cost,
            FetchAllCommentsRequest(limit: 100, fields: fields).cost,
        ]
        for cost in costs {
            #expect(cost.tokens == 21 && cost.isHeavy && cost.bytes == ArticleLimits.pageBytes)
        }
        let plain = FetchCommentsRequest(articleID: CommentFixture.article).cost
        #expect(plain.tokens == 1 && !plain.isHeavy && plain.bytes == 20 * 40 << 10)
        let ids = FetchAllCommentsRequest(fields: FieldSelection(["id"])).cost
        #expect(ids == RequestCost())
    }
}
