import ArticleAPI
import BroadsheetHTTP
import Testing

/// Publishing and unpublishing articles.
@Suite struct PublicationTests {
    @Test func `a scheduled article becomes public by a revision when its time comes`() async throws
    {
        try await TestBackend.run { server in
            let target = "GET /v1/articles/tomorrows-loaf"
            let others = [
                ("GET /v1/articles?fields=slug", "tomorrows-loaf"), ("GET /v1/tags", "soon"),
                ("GET /v1/authors", "Ghost"),
            ]
            func expectHidden() throws {
                #expect(try server.send(target).summary == "404 not-found")
                for (line, word) in others {
                    #expect(try !server.send(line).text.contains(word))
                }
            }
            server.pass(milliseconds: 3_599_999)
            await server.publishDueArticles()
            try expectHidden()
            // The clock alone makes nothing public.
            server.pass(milliseconds: 1)
            try expectHidden()
            let waiting = try server.send(target, as: .editor)
            #expect(waiting.text.contains(#""status":"scheduled""#) && waiting.revision == 1)

            await server.publishDueArticles()
            let out = try server.send(target)
            #expect(out.summary == "200" && out.revision == 2)
            #expect(out.text.contains(#""status":"published""#))
            #expect(out.fields[.lastModified] == nil)
            server.pass(milliseconds: 61_000)
            let settled = try server.send(target)
            #expect(settled.fields[.lastModified] == "Fri, 15 Jan 2027 09:00:01 GMT")
            for (line, word) in others { #expect(try server.send(line).text.contains(word)) }
            let history = try server.send(
                "GET /v1/articles/\(Samples.tomorrow)/revisions", as: .editor)
            #expect(
                history.text.hasPrefix(
                    """
                    {"items":[{"number":2,"action":"updated","title":"Tomorrow's loaf",\
                    "status":"published","createdAt":"2027-01-15T09:00:00.000Z",\
                    "editor":"system","actor":{"kind":"system","name":"system"}},\
                    {"number":1,"action":"created","title":"Tomorrow's loaf","status":"scheduled",
                    """))
        }
    }

    @Test func `editors see what will be published, in its order`() async throws {
        try await TestBackend.run { server in
            for (title, time) in [
                ("Third", "2027-03-01T00:00:00Z"), ("Second", "2027-02-01T00:00:00Z"),
            ] {
                try server.send(
                    "POST /v1/articles", as: .editor,
                    #"{"title":"\#(title)","status":"scheduled","publishedAt":"\#(time)"}"#)
            }
            let line = "GET /v1/articles?status=scheduled&sort=publishedAt&fields=slug"
            let text = try server.send(line, as: .editor).text
            let slugs = text.matches(of: /"slug":"([^"]*)"/).map { String($0.1) }
            #expect(slugs == ["tomorrows-loaf", "second", "third"])
            for sender in [Sender.anonymous, .reader] {
                #expect(try server.send(line, as: sender).text == #"{"items":[]}"#)
            }
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
            #"{"status":"scheduled","publishedAt":"2027-01-15T08:00:00.0019Z"}"#, "scheduled",
            "2027-01-15T08:00:00.001Z"
        ),
        (
            #"{"status":"published","publishedAt":"2027-01-15T08:00:00Z"}"#, "published",
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
        try await TestBackend.run(samples: false) { server in
            let rest = said == "{}" ? "" : ",\(said.dropFirst().dropLast())"
            let made = try server.send(
                "POST /v1/articles", as: .editor, #"{"title":"A"\#(rest)}"#)
            #expect(made.summary == "201")
            #expect(made.text.contains(#""status":"\#(status)""#))
            let attribute = time.map { #""publishedAt":"\#($0)""# } ?? #""status":"\#(status)","c"#
            #expect(made.text.contains(attribute), "\(made.text)")
        }
    }

    @Test func `a scheduled status always requires a time`() async throws {
        let tomorrow = "/v1/articles/\(Samples.tomorrow)"
        try await ScenarioTable(
            "no time",
            [
                Scenario(
                    "made", .editor, "POST /v1/articles", #"{"title":"A","status":"scheduled"}"#,
                    gives: "422 invalid-values /publishedAt"),
                Scenario(
                    "patched", .editor, "PATCH /v1/articles/\(Samples.secret)",
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

    @Test func `a status and a time that do not fit are rejected`() async throws {
        let bread = "/v1/articles/\(Samples.bread)"
        let tomorrow = "/v1/articles/\(Samples.tomorrow)"
        let lines = [
            ("POST /v1/articles", "published", "2027-01-15T08:00:00.001Z"),
            ("POST /v1/articles", "scheduled", "2027-01-15T08:00:00Z"),
            ("PUT \(bread)", "published", "2028-01-01T00:00:00Z"),
            ("PUT \(tomorrow)", "scheduled", "2026-01-01T00:00:00Z"),
            ("PATCH \(tomorrow)", "published", "2027-01-15T09:00:00Z"),
            ("PATCH /v1/articles/\(Samples.secret)", "scheduled", "2026-01-01T00:00:00Z"),
        ]
        let patches = [
            (bread, "2028-01-01T00:00:00Z", "is in the future"),
            (tomorrow, "2027-01-15T08:00:00Z", "must be in the future"),
        ]
        try await ScenarioTable(
            "status and time",
            lines.map { line, status, time in
                Scenario(
                    status, .editor, line,
                    #"{"title":"A","status":"\#(status)","publishedAt":"\#(time)"}"#,
                    with: line.hasPrefix("PUT") ? [.ifMatch: "*"] : [:],
                    gives: "422 invalid-values /publishedAt", has: ["in the future"])
            }
                + patches.map { path, time, words in
                    Scenario(
                        words, .editor, "PATCH \(path)", #"{"publishedAt":"\#(time)"}"#,
                        gives: "422 invalid-values /publishedAt", has: [words])
                }
        ).playWithoutChange()
    }

    @Test func `a scheduled article can be published at once`() async throws {
        try await TestBackend.run { server in
            server.pass(milliseconds: 5)
            let path = "/v1/articles/\(Samples.tomorrow)"
            let sent = try server.send("PATCH \(path)", as: .editor, #"{"status":"published"}"#)
            let article = try Article(mapping: sent.body)
            #expect(article.status == .published)
            #expect(article.publishedAt == TestBackend.opening.advanced(byMilliseconds: 5))
            #expect(try server.send("GET \(path)").summary == "200")
        }
    }

    @Test func `an overdue article can be edited before it is published`() async throws {
        try await TestBackend.run { server in
            server.pass(milliseconds: 7_200_000)
            let path = "/v1/articles/\(Samples.tomorrow)"
            let article = try server.article(Samples.tomorrow)
            for json in [#"{"title":"Late"}"#, #"{"status":"scheduled","summary":"Late"}"#] {
                let sent = try server.send("PATCH \(path)", as: .editor, json)
                #expect(sent.summary == "200", "\(sent.text)")
                #expect(try Article(mapping: sent.body).status == .scheduled)
            }
            await server.publishDueArticles()
            let published = try server.article(Samples.tomorrow)
            #expect(published.status == .published && published.title == "Late")
            #expect(published.publishedAt == article.publishedAt && published.revision == 4)
        }
    }

    @Test func `a scheduled revision whose time has passed is restored as a draft`() async throws {
        try await TestBackend.run { server in
            let path = "/v1/articles/\(Samples.tomorrow)"
            func restore() throws -> Article {
                let sent = try server.send("POST \(path)/revisions/1/restore", as: .editor)
                return try Article(mapping: sent.body)
            }
            try server.send("PATCH \(path)", as: .editor, #"{"title":"Other"}"#)
            #expect(try restore().status == .scheduled)
            server.pass(milliseconds: 3_600_000)
            await server.publishDueArticles()
            #expect(try server.article(Samples.tomorrow).status == .published)
            let restored = try restore()
            #expect(restored.status == .draft && restored.title == "Tomorrow's loaf")
            #expect(restored.revision == 5)
            #expect(try restore().revision == 5, "nothing changes")
            await server.publishDueArticles()
            #expect(try server.send("GET \(path)").summary == "404 not-found")
        }
    }

    @Test func `a scheduled article can be rescheduled and unpublished`() async throws {
        try await TestBackend.run { server in
            let path = "/v1/articles/\(Samples.tomorrow)"
            func patch(_ json: String) throws -> Article {
                let response = try server.send("PATCH \(path)", as: .editor, json)
                #expect(response.summary == "200", "\(response.text)")
                return try Article(mapping: response.body)
            }
            let put = try patch(#"{"publishedAt":"2027-01-16T00:00:00Z"}"#)
            #expect(put.status == .scheduled)
            let back = try patch(#"{"status":"draft"}"#)
            #expect(back.status == .draft && back.publishedAt == put.publishedAt)
            let forward = try patch(#"{"status":"published","publishedAt":null}"#)
            #expect(forward.status == .published && forward.publishedAt == TestBackend.opening)
            #expect(try server.send("GET \(path)").summary == "200")
        }
    }

    @Test func `the first publication time is kept through edits and unpublishing`() async throws {
        try await TestBackend.run { server in
            let path = "/v1/articles/\(Samples.secret)"
            let steps: [(String, Int, String)] = [
                (#"{"status":"published"}"#, 200, "published"), (#"{"title":"B"}"#, 200, "again"),
                (#"{"status":"archived"}"#, 404, "archived"),
                (#"{"status":"draft"}"#, 404, "draft"),
                (#"{"status":"published"}"#, 200, "back"),
            ]
            for (json, status, name) in steps {
                server.pass(milliseconds: 1_000)
                #expect(try server.send("PATCH \(path)", as: .editor, json).summary == "200")
                #expect(try server.send("GET \(path)").status == status, "\(name)")
                #expect(
                    try server.send("GET /v1/tags").text.contains("hidden") == (status == 200))
            }
            let article = try server.article(Samples.secret)
            #expect(article.publishedAt == TestBackend.opening.advanced(byMilliseconds: 1_000))
            #expect(article.updatedAt == TestBackend.opening.advanced(byMilliseconds: 5_000))
        }
    }
}
