import ArticleAPI
import BroadsheetHTTP
import Testing

/// `POST /v1/articles`.
@Suite struct CreatingTests {
    @Test func `a new article has a location, a validator and its defaults`() async throws {
        try await TestBackend.run(samples: false) { server in
            let made = try server.send("POST /v1/articles", as: .editor, #"{"title":"Hello"}"#)
            #expect(made.summary == "201")
            let article = try Article(mapping: made.body)
            #expect(made.fields[.location] == "/v1/articles/\(article.id)")
            #expect(made.revision == 1)
            #expect(made.fields[.contentType] == "application/json")
            #expect(made.fields[.cacheControl] == "no-store")
            #expect(made.fields[.lastModified] == nil)
            #expect(
                made.text == """
                    {"id":"\(article.id)","slug":"hello","title":"Hello","summary":"","body":"",\
                    "language":"en","authors":[],"tags":[],"status":"draft",\
                    "createdAt":"2027-01-15T08:00:00.000Z","updatedAt":"2027-01-15T08:00:00.000Z",\
                    "revision":1,"version":"\(article.version ?? "none")","wordCount":0,\
                    "readingMinutes":0}
                    """)
            let location = try #require(made.fields[.location])
            let fetched = try server.send("GET \(location)", as: .editor)
            #expect(fetched.body == made.body)
            #expect(fetched.fields[.etag] == made.fields[.etag])
        }
    }

    @Test func `text is stored in NFC, tags once by key, authors by name or id`() async throws {
        try await TestBackend.run { server in
            let json = """
                {"title":"Cafe\u{301}","summary":"\u{1100}\u{1161}","body":"re\u{301}sume\u{301}",\
                "language":"EN-gb","tags":["BREAD","Stra\u{DF}e","STRASSE","cafe\u{301}"],\
                "authors":["Mina",{"name":"New Face"},{"id":"\(Samples.ghost)"},"Mina"]}
                """
            let made = try server.send("POST /v1/articles", as: .editor, json)
            #expect(made.summary == "201", "\(made.text)")
            let article = try Article(mapping: made.body)
            // Strings compare canonically, so bytes are compared.
            #expect(Array(article.title.utf8) == Array("Caf\u{E9}".utf8))
            #expect(Array(article.summary.utf8) == Array("\u{AC00}".utf8))
            #expect(Array((article.body ?? "").utf8) == Array("r\u{E9}sum\u{E9}".utf8))
            #expect(Array(article.slug.utf8) == Array("caf\u{E9}".utf8))
            #expect(article.language == "en-GB")
            #expect(article.tags.map(\.key) == ["bread", "strasse", "caf\u{E9}"])
            #expect(article.tags.map(\.name) == ["Bread", "Stra\u{DF}e", "caf\u{E9}"])
            #expect(article.authors.map(\.name) == ["Mina", "New Face", "Ghost"])
            #expect(article.authors[0].id.description == Samples.mina)
            // The decomposed slug also finds it, and so does a tag in upper case.
            for line in ["GET /v1/articles/cafe%CC%81", "GET /v1/articles?tag=STRA%C3%9FE"] {
                #expect(try server.send(line, as: .editor).text.contains("\(article.id)"))
            }
        }
    }

    /// Invalid drafts and the locations of their errors.
    private static let rejections: [Scenario] = {
        let long = String(repeating: "가", count: 301)
        let tags = (0..<51).map { #""t\#($0)""# }.joined(separator: ",")
        let rows: [(String, String, String)] = [
            ("nothing", "", "400 malformed-request #"), ("no JSON", "{", "400 malformed-request #"),
            ("two values", "{}{}", "400 malformed-request #"),
            ("a key twice", #"{"title":"A","title":"B"}"#, "400 malformed-request #"),
            ("no title", "{}", "422 invalid-values /title"),
            ("an array", "[]", "422 invalid-values #"),
            ("an unknown field", #"{"title":"A","titel":"B"}"#, "422 invalid-values /titel"),
            ("a read-only field", #"{"title":"A","revision":1}"#, "422 invalid-values /revision"),
            ("a title of 301", #"{"title":"\#(long)"}"#, "422 invalid-values /title"),
            ("a blank title", #"{"title":" \t"}"#, "422 invalid-values /title"),
            ("a title of two lines", #"{"title":"a\nb"}"#, "422 invalid-values /title"),
            (
                "a summary of 2,001",
                #"{"title":"A","summary":"\#(String(repeating: "s", count: 2_001))"}"#,
                "422 invalid-values /summary"
            ),
            ("51 tags", #"{"title":"A","tags":[\#(tags)]}"#, "422 invalid-values /tags"),
            (
                "a tag of 65", #"{"title":"A","tags":["a","\#(long.prefix(65))"]}"#,
                "422 invalid-values /tags/1"
            ),
            ("a bad id", #"{"title":"A","id":"7"}"#, "422 invalid-values /id"),
            (
                "an id of version 4", #"{"title":"A","id":"01900000-0000-4000-8000-000000000001"}"#,
                "422 invalid-values /id"
            ),
            (
                "a slug like an id", #"{"title":"A","slug":"\#(Samples.nobody)"}"#,
                "422 invalid-values /slug"
            ),
            ("a slug in capitals", #"{"title":"A","slug":"Abc"}"#, "422 invalid-values /slug"),
            ("a bad status", #"{"title":"A","status":"gone"}"#, "422 invalid-values /status"),
            ("a bad language", #"{"title":"A","language":"e"}"#, "422 invalid-values /language"),
            (
                "a bad time", #"{"title":"A","publishedAt":"now"}"#,
                "422 invalid-values /publishedAt"
            ),
            (
                "a picture without address", #"{"title":"A","heroImage":{}}"#,
                "422 invalid-values /heroImage/url"
            ),
            (
                "a script as address", #"{"title":"A","source":{"name":"x","url":"javascript:0"}}"#,
                "422 invalid-values /source/url"
            ),
            (
                "an unknown author",
                #"{"title":"A","authors":["Mina",{"id":"\#(Samples.nobody)"}]}"#,
                "422 invalid-values /authors/1/id"
            ),
            (
                "an author's other name",
                #"{"title":"A","authors":[{"id":"\#(Samples.mina)","name":"Nina"}]}"#,
                "422 invalid-values /authors/0/name"
            ),
            (
                "three at once", #"{"summary":7,"tags":["a",""],"status":"x"}"#,
                "422 invalid-values /title /summary /tags/1 /status"
            ),
            (
                "the id of a deleted one", #"{"title":"A","id":"\#(Samples.gone)"}"#,
                "409 id-taken /id"
            ),
            ("a taken id", #"{"title":"A","id":"\#(Samples.secret)"}"#, "409 id-taken /id"),
            ("a taken slug", #"{"title":"A","slug":"secret-plan"}"#, "409 slug-taken /slug"),
            ("a deleted one's slug", #"{"title":"A","slug":"gone"}"#, "409 slug-taken /slug"),
        ]
        return rows.map { name, json, summary in
            Scenario(name, .editor, "POST /v1/articles", json, gives: summary)
        }
    }()

    @Test func `invalid drafts are rejected with locations, and nothing is stored`() async throws {
        try await ScenarioTable("refusals", Self.rejections).playWithoutChange()
    }

    @Test func `drafts within the limits are accepted`() async throws {
        try await TestBackend.run(samples: false) { server in
            let tags = (0..<50).map { String(repeating: "태", count: 62) + "\($0 + 10)" }
            let body = String(repeating: "b", count: 2 * 1_024 * 1_024)
            let json = """
                {"title":"\(String(repeating: "가", count: 300))",\
                "summary":"\(String(repeating: "나", count: 2_000))",\
                "tags":["\(tags.joined(separator: "\",\""))"],"body":"\(body)"}
                """
            let made = try server.send("POST /v1/articles", as: .editor, json)
            #expect(made.summary == "201")
            #expect(try Article(mapping: made.body).tags.count == 50)
            let more = try server.send(
                "POST /v1/articles", as: .editor, #"{"title":"A","body":"\#(body)b"}"#)
            #expect(more.summary == "422 invalid-values /body")
            let most = String(repeating: "b", count: 3 * 1_024 * 1_024)
            let tooMuch = try server.send(
                "POST /v1/articles", as: .editor, #"{"title":"A","body":"\#(most)"}"#)
            #expect(tooMuch.summary == "413 content-too-large")
        }
    }
}
