import ArticleAPI
import ArticleDatabase
import ArticleStore
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetTestDatabases
import BroadsheetTestSupport
import Testing

@testable import ArticleAccounts
@testable import ArticleServiceCore
@testable import ArticleServices

/// `bodyHTML` over HTTP: returned on request, rendered when written or else when first read.
@Suite struct BodyHTMLTests {
    private static let key = String(repeating: "k", count: 40)
    private static let time = Timestamp(milliseconds: 1_800_000_000_000)
    private static let deep = String(repeating: "> ", count: 300) + "a"

    private func run(_ body: (TestServer, SQLiteStore) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let store = try await SQLiteStore.openNew(folder.file("store.db"))
        let backend = try await Backend(
            store: store, file: store, operatorKey: OperatorKey(Self.key),
            system: .clock { Self.time },
            log: { _ in })
        try await backend.run { try await body($0, store) }
        await store.close()
        #expect(try SQLiteStore.check(path: folder.file("store.db")).findings == [])
    }

    private func send(
        _ test: TestServer, _ method: HTTPMethod, _ target: String, _ body: String,
        _ more: HTTPFields = HTTPFields()
    ) throws -> ReceivedResponse {
        var fields: HTTPFields = [
            .authorization: "Bearer \(Self.key)", .contentType: "application/json",
        ]
        for field in more.all {
            if let name = HTTPFieldName(field.name) { fields[name] = field.value }
        }
        return try test.client.send(method, target, fields: fields, body: Array(body.utf8))
    }

    private func article(_ response: ReceivedResponse) throws -> PartialArticle {
        try ResponseMapper<PartialArticle>().map(Array(response.text.utf8))
    }

    /// An article as written by a version without a renderer.
    private func old(_ slug: String, _ body: String, in store: SQLiteStore) async throws -> Article
    {
        var content = try ArticleContent(
            Article.Draft(slug: slug, title: slug, body: body, status: .published),
            rendered: RenderedBody(written: []), defaultLanguage: "en", at: Self.time)
        content.bodyHTML = nil
        return try await store.createArticle(
            Article.ID(at: Self.time), content, by: Edit(at: Self.time, by: .operator))
    }

    @Test func `the body is returned as HTML on request`() async throws {
        try await run { test, _ in
            let made = try send(
                test, .post, "/v1/articles",
                #"{"title":"A","slug":"a","status":"published","body":"*a* <b>[c](https://d.e)"}"#)
            #expect(made.status == 201 && !made.text.contains("bodyHTML"))
            #expect(try article(made).wordCount == 2)
            let whole = try test.client.get("/v1/articles/a")
            #expect(!whole.text.contains("bodyHTML"))
            let html = "<p><em>a</em> <!-- raw HTML omitted --><a href=\"https://d.e\">c</a></p>\n"
            for target in ["/v1/articles/a?fields=bodyHTML", "/v1/articles/a?fields=bodyHTML,body"]
            {
                let asked = try test.client.get(target)
                #expect(try article(asked).bodyHTML == html)
                #expect(asked.fields[.etag] != whole.fields[.etag])
            }
            let list = try test.client.get("/v1/articles?fields=bodyHTML")
            let page = try PageResponseMapper<PartialArticle>().map(Array(list.text.utf8))
            #expect(page.items.map(\.bodyHTML) == [html] && page.items[0].body == nil)
            #expect(!(try test.client.get("/v1/articles").text.contains("HTML")))
        }
    }

    @Test func `an edit of the body changes the HTML`() async throws {
        try await run { test, _ in
            let made = try article(
                send(test, .post, "/v1/articles", #"{"title":"A","slug":"a","body":"one"}"#))
            func html() throws -> String? {
                try article(send(test, .get, "/v1/articles/a?fields=bodyHTML", "")).bodyHTML
            }
            let target = "/v1/articles/\(made.id)"
            #expect(try send(test, .patch, target, #"{"body":"two"}"#).status == 200)
            #expect(try html() == "<p>two</p>\n")
            #expect(try send(test, .patch, target, #"{"title":"B"}"#).status == 200)
            #expect(try html() == "<p>two</p>\n")
            #expect(try send(test, .patch, target, #"{"body":null}"#).status == 200)
            #expect(try html() == "")
            let put = try send(
                test, .put, target, #"{"title":"B","body":"three","bodyHTML":"<p>old</p>"}"#,
                [.ifMatch: "*"])
            #expect(put.status == 200)
            #expect(try html() == "<p>three</p>\n")
            // A new text with an old one's number would be a different value.
            #expect(try article(put).wordCount == 1)
        }
    }

    @Test func `a body that exceeds a limit is rejected, and nothing is changed`() async throws {
        try await run { test, store in
            let made = try article(
                send(test, .post, "/v1/articles", #"{"title":"A","slug":"a","body":"one"}"#))
            let body = #"{"title":"B","body":"\#(Self.deep)"}"#
            for (method, target) in [
                (HTTPMethod.post, "/v1/articles"), (.patch, "/v1/articles/\(made.id)"),
                (.put, "/v1/articles/\(made.id)"),
            ] {
                let rejected = try send(test, method, target, body, [.ifMatch: "*"])
                #expect(rejected.status == 422)
                #expect(rejected.text.contains(#""pointer":"/body""#))
                #expect(rejected.text.contains("200 elements"))
            }
            #expect(try await store.changeSequence() == 1)
        }
    }

    @Test func `bodies that were never rendered are rendered once, on request`() async throws {
        try await run { test, store in
            let article = try await old("a", "*old*", in: store)
            let deep = try await old("b", Self.deep, in: store)
            let sequence = try await store.changeSequence()
            for _ in 0..<2 {
                let list = try send(test, .get, "/v1/articles?fields=bodyHTML&sort=createdAt", "")
                let page = try PageResponseMapper<PartialArticle>().map(Array(list.text.utf8))
                #expect(Set(page.items.map(\.bodyHTML)) == ["<p><em>old</em></p>\n", nil])
            }
            let kept = try await store.bodyHTML(of: [article, deep], by: MarkdownRenderer.name)
            #expect(kept.map(\.?.html) == ["<p><em>old</em></p>\n", .some(nil)])
            #expect(try await store.changeSequence() == sequence)
        }
    }

    @Test func `HTML of another renderer is replaced and has a new tag`() async throws {
        try await run { test, store in
            let article = try await old("a", "*old*", in: store)
            let other = BodyHTML(renderer: "other", html: "<p>other</p>")
            try await store.keepBodyHTML(other, of: article.id, revision: 1)
            let found = try test.client.get("/v1/articles/a?fields=bodyHTML")
            #expect(found.text.contains("<em>old</em>"))
            let bytes = Array(found.text.utf8)
            let tag = Validator.tag(
                version: article.version, of: bytes, renderer: MarkdownRenderer.name)
            #expect(found.fields[.etag] == tag.description)
            let others = Validator.tag(version: article.version, of: bytes, renderer: "other")
            #expect(tag != others)
        }
    }

    @Test func `a page is limited to four mebibytes, whatever its articles render to`() async throws
    {
        try await run { test, _ in
            // 300 KB of text become 1.8 MB of HTML, and as much in JSON.
            let body = String(repeating: "'&", count: 150_000)
            for number in 0..<6 {
                let made = try send(
                    test, .post, "/v1/articles",
                    #"{"title":"\#(number)","status":"published","body":"\#(body)"}"#)
                #expect(made.status == 201)
            }
            var target = "/v1/articles?fields=bodyHTML,title&limit=100"
            var titles: [String] = []
            for _ in 0..<10 {
                let response = try test.client.get(target)
                #expect(response.text.utf8.count < ArticleLimits.pageBytes + 1_000)
                let page = try PageResponseMapper<PartialArticle>().map(Array(response.text.utf8))
                titles += page.items.compactMap(\.title)
                guard let next = page.next else { break }
                target = "/v1/articles?fields=bodyHTML,title&limit=100&cursor=\(next)"
            }
            #expect(titles.sorted() == (0..<6).map { "\($0)" })
        }
    }
}
