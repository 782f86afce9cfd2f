import ArticleAPI
import BroadsheetHTTP
import Testing

/// The size limits of an article, at the limit and one beyond.
struct BodyLimitTests {
    private func faults(_ draft: Article.Draft) -> [String] {
        // The same rules hold for what is read and for what is made in code.
        let checked = draft.faults.map(\.path.pointer)
        var read: [String] = []
        do throws(InvalidValue) {
            _ = try Article.Draft(strict: parsed(draft.json()))
        } catch { read = error.faults.map(\.path.pointer) }
        #expect(checked == read)
        return checked
    }

    private func parsed(_ bytes: [UInt8]) -> JSONValue {
        (try? JSONParser.parse(bytes)) ?? .null
    }

    private func text(_ count: Int, _ character: String = "한") -> String {
        String(repeating: character, count: count)
    }

    @Test func `titles have 1 to 300 characters`() {
        #expect(faults(.init(title: text(300))) == [])
        #expect(faults(.init(title: text(301))) == ["/title"])
        #expect(faults(.init(title: "")) == ["/title"])
    }

    @Test func `summaries have at most 2,000 characters`() {
        #expect(faults(.init(title: "x", summary: text(2000, "😀"))) == [])
        #expect(faults(.init(title: "x", summary: text(2001, "😀"))) == ["/summary"])
    }

    @Test func `bodies have at most 2 MiB`() {
        let limit = 2 * 1024 * 1024
        #expect(faults(.init(title: "x", body: text(limit, "a"))) == [])
        #expect(faults(.init(title: "x", body: text(limit + 1, "a"))) == ["/body"])
        #expect(faults(.init(title: "x", body: text(limit / 3 + 1))) == ["/body"])
    }

    @Test func `there are at most 50 tags of 64 characters`() {
        let tags = (0..<50).map { "t\($0)" }
        #expect(faults(.init(title: "x", tags: tags)) == [])
        #expect(faults(.init(title: "x", tags: tags + ["u"])) == ["/tags"])
        #expect(faults(.init(title: "x", tags: [text(64), text(65)])) == ["/tags/1"])
    }

    @Test func `there are at most 20 authors`() {
        let authors = (0..<20).map { Author.Mention.name("a\($0)") }
        #expect(faults(.init(title: "x", authors: authors)) == [])
        #expect(faults(.init(title: "x", authors: authors + [.name("b")])) == ["/authors"])
        #expect(faults(.init(title: "x", authors: [.name(text(201))])) == ["/authors/0/name"])
    }

    @Test func `slugs have at most 100 characters`() {
        #expect(faults(.init(slug: text(100), title: "x")) == [])
        #expect(faults(.init(slug: text(101), title: "x")) == ["/slug"])
    }

    @Test func `validating a value made in code throws all faults`() {
        let draft = Article.Draft(title: "", tags: [""], status: .unknown("odd"))
        let error = #expect(throws: InvalidValue.self) { try draft.validate() }
        #expect(error?.faults.map(\.path.pointer) == ["/title", "/tags/0", "/status"])
    }

    @Test func `at most a hundred faults are reported`() {
        let members = (0..<500).map { JSONValue.Member(name: "n\($0)", value: .null) }
        let error = #expect(throws: InvalidValue.self) {
            try Article.Draft(strict: .object(members))
        }
        #expect(error?.faults.count == JSONReader.limitFaults)
    }

    @Test func `an error stays short, whatever was sent`() throws {
        let long = "a" + text(100_000, "\u{301}")
        for body in [
            "{\"title\":\"x\",\"\(long)\":1}", "{\"title\":\"x\",\"publishedAt\":\"\(long)\"}",
            "{\"\(long)\":[}", "{\"\(long)\":1,\"\(long)\":1}",
        ] {
            let target = try #require(RequestTarget("/v1/articles".utf8))
            let request = HTTPRequest(
                .post, target, fields: [.contentType: "application/json"], body: Array(body.utf8))
            let source = try #require(RequestSource(request, for: CreateArticleRequest.endpoint))
            let rejection = #expect(throws: RequestValidationError.self) {
                try CreateArticleRequest(parsing: source)
            }
            let bytes = try #require(rejection).problem().json()
            #expect(bytes.count < 2000)
        }
    }
}
