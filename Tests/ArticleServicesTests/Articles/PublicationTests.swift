import ArticleAPI
import HTTP
import Testing

/// Publishing and unpublishing articles.
@Suite struct PublicationTests {
    @Test func `a scheduled article becomes public when its time comes`() async throws {
        try await Newsroom.run { newsroom in
            let target = "GET /v1/articles/tomorrows-loaf"
            let others = [
                ("GET /v1/articles?fields=slug", "tomorrows-loaf"), ("GET /v1/tags", "soon"),
                ("GET /v1/authors", "Ghost"),
            ]
            newsroom.pass(milliseconds: 3_599_999)
            #expect(try newsroom.send(target).summary == "404 not-found")
            for (line, word) in others { #expect(try !newsroom.send(line).text.contains(word)) }
            let waiting = try newsroom.send(target, as: .editor)
            #expect(waiting.text.contains(#""status":"scheduled""#))
            #expect(waiting.fields[.lastModified] == "Fri, 15 Jan 2027 08:00:01 GMT")

            newsroom.pass(milliseconds: 1)
            let out = try newsroom.send(target)
            #expect(out.summary == "200")
            #expect(out.text.contains(#""status":"published""#))
            #expect(out.fields[.lastModified] == nil)
            newsroom.pass(milliseconds: 61_000)
            let settled = try newsroom.send(target)
            #expect(settled.fields[.lastModified] == "Fri, 15 Jan 2027 09:00:01 GMT")
            for (line, word) in others { #expect(try newsroom.send(line).text.contains(word)) }
            // Editors see that it has changed, although it was not edited.
            let again = try newsroom.send(
                target, as: .editor, with: [.ifNoneMatch: waiting.fields[.etag] ?? ""])
            #expect(again.summary == "200" && again.revision == waiting.revision)
        }
    }

    /// The expected status and publication time for what a writer sends.
    @Test(arguments: [
        ("{}", "draft", nil),
        (#"{"status":"draft"}"#, "draft", nil),
        (#"{"status":"published"}"#, "published", "2027-01-15T08:00:00.000Z"),
        (#"{"status":"archived"}"#, "archived", nil),
        (
            #"{"status":"published","publishedAt":"2020-01-01T00:00:00+09:00"}"#, "published",
            "2019-12-31T15:00:00.000Z"
        ),
        (
            #"{"status":"published","publishedAt":"2027-01-15T08:00:00.0019Z"}"#, "scheduled",
            "2027-01-15T08:00:00.001Z"
        ),
        (
            #"{"status":"scheduled","publishedAt":"2027-01-15T08:00:00Z"}"#, "published",
            "2027-01-15T08:00:00.000Z"
        ),
        (
            #"{"status":"draft","publishedAt":"2020-01-01T00:00:00Z"}"#, "draft",
            "2020-01-01T00:00:00.000Z"
        ),
    ])
    func `a status and a time determine the publication`(
        said: String, status: String, time: String?
    ) async throws {
        try await Newsroom.run(cast: false) { newsroom in
            let rest = said == "{}" ? "" : ",\(said.dropFirst().dropLast())"
            let made = try newsroom.send(
                "POST /v1/articles", as: .editor, #"{"title":"A"\#(rest)}"#)
            #expect(made.summary == "201")
            #expect(made.text.contains(#""status":"\#(status)""#))
            let attribute = time.map { #""publishedAt":"\#($0)""# } ?? #""status":"\#(status)","c"#
            #expect(made.text.contains(attribute), "\(made.text)")
        }
    }

    @Test func `a scheduled status always requires a time`() async throws {
        let tomorrow = "/v1/articles/\(Cast.tomorrow)"
        try await ScenarioTable(
            "no time",
            [
                Scenario(
                    "made", .editor, "POST /v1/articles", #"{"title":"A","status":"scheduled"}"#,
                    gives: "422 invalid-values /publishedAt"),
                Scenario(
                    "patched", .editor, "PATCH /v1/articles/\(Cast.secret)",
                    #"{"status":"scheduled"}"#, gives: "422 invalid-values /publishedAt"),
                Scenario(
                    "its time taken away", .editor, "PATCH \(tomorrow)", #"{"publishedAt":null}"#,
                    gives: "422 invalid-values /publishedAt"),
                Scenario(
                    "replaced", .editor, "PUT \(tomorrow)",
                    #"{"title":"A","status":"scheduled"}"#, with: [.ifMatch: "*"],
                    gives: "422 invalid-values /publishedAt"),
            ]
        ).playWithoutChange()
    }

    @Test func `a scheduled article can be rescheduled and unpublished`() async throws {
        try await Newsroom.run { newsroom in
            let path = "/v1/articles/\(Cast.tomorrow)"
            func patch(_ json: String) throws -> Article {
                let response = try newsroom.send("PATCH \(path)", as: .editor, json)
                #expect(response.summary == "200", "\(response.text)")
                return try Article(mapping: response.body)
            }
            let put = try patch(#"{"publishedAt":"2027-01-16T00:00:00Z"}"#)
            #expect(put.status == .scheduled)
            let back = try patch(#"{"status":"draft"}"#)
            #expect(back.status == .draft && back.publishedAt == put.publishedAt)
            let forward = try patch(#"{"status":"published","publishedAt":null}"#)
            #expect(forward.status == .published && forward.publishedAt == Newsroom.opening)
            #expect(try newsroom.send("GET \(path)").summary == "200")
        }
    }

    @Test func `the first publication time is kept through edits and unpublishing`() async throws {
        try await Newsroom.run { newsroom in
            let path = "/v1/articles/\(Cast.secret)"
            let steps: [(String, Int, String)] = [
                (#"{"status":"published"}"#, 200, "published"), (#"{"title":"B"}"#, 200, "again"),
                (#"{"status":"archived"}"#, 404, "archived"),
                (#"{"status":"draft"}"#, 404, "draft"),
                (#"{"status":"published"}"#, 200, "back"),
            ]
            for (json, status, name) in steps {
                newsroom.pass(milliseconds: 1_000)
                #expect(try newsroom.send("PATCH \(path)", as: .editor, json).summary == "200")
                #expect(try newsroom.send("GET \(path)").status == status, "\(name)")
                #expect(
                    try newsroom.send("GET /v1/tags").text.contains("hidden") == (status == 200))
            }
            let article = try newsroom.article(Cast.secret)
            #expect(article.publishedAt == Newsroom.opening.advanced(byMilliseconds: 1_000))
            #expect(article.updatedAt == Newsroom.opening.advanced(byMilliseconds: 5_000))
        }
    }
}
