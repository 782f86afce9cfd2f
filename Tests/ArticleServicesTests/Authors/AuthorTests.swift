import ArticleAPI
import BroadsheetHTTP
import Testing

/// Authors are readable for everyone who can see one of their articles, and writable for editors.
@Suite struct AuthorTests {
    private static let mina = "/v1/authors/\(Samples.mina)"
    private static let json = """
        {"id":"\(Samples.mina)","name":"Mina","about":"","createdAt":"2027-01-15T08:00:00.000Z",\
        "updatedAt":"2027-01-15T08:00:00.000Z","revision":1}
        """

    @Test func `an author has validators`() async throws {
        try await TestBackend.run { server in
            let response = try server.send("GET \(Self.mina)")
            #expect(response.summary == "200" && response.unversioned == Self.json)
            #expect(response.fields[.cacheControl] == "public, no-cache")
            #expect(response.fields[.vary] == "Accept-Encoding, Authorization")
            #expect(response.revision == 1)
            #expect(response.fields[.lastModified] == nil)
            let list = try server.send("GET /v1/authors")
            #expect(list.unversioned == #"{"items":[\#(Self.json)]}"#)
        }
    }

    @Test func `an author is created, visible to permitted clients, and replaced`() async throws {
        try await TestBackend.run(samples: false) { server in
            let made = try server.send(
                "PUT \(Self.mina)", as: .editor, #"{"name":"Mina","about":"Bakes."}"#)
            #expect(made.summary == "201" && made.fields[.location] == Self.mina)
            #expect(made.fields[.cacheControl] == "no-store")
            #expect(try server.send("GET \(Self.mina)").summary == "404 not-found")
            let got = try server.send("GET \(Self.mina)", as: .editor)
            #expect(got.body == made.body && got.fields[.etag] == made.fields[.etag])
            server.pass(milliseconds: 7)
            let put = try server.send(
                "PUT \(Self.mina)", as: .editor,
                got.text.replacing(#""name":"Mina""#, with: #""name":"Mi\u0301na""#),
                with: [.ifMatch: got.fields[.etag] ?? ""])
            #expect(put.summary == "200" && put.revision == 2)
            #expect(!put.fields.contains(.location))
            #expect(put.text.contains("M\u{ED}na") && put.text.contains("08:00:00.007Z"))
        }
    }

    @Test func `a new name appears in articles at once and changes their validators`()
        async throws
    {
        try await TestBackend.run { server in
            server.pass(milliseconds: 61_000)
            let before = try server.send("GET /v1/articles/fresh-bread")
            #expect(before.fields.contains(.lastModified))
            let put = try server.send(
                "PUT \(Self.mina)", as: .editor, #"{"name":"Minna"}"#, with: [.ifMatch: "*"])
            #expect(put.summary == "200")
            let since: [HTTPFields] = [
                [.ifNoneMatch: before.fields[.etag] ?? ""],
                [.ifModifiedSince: before.fields[.lastModified] ?? ""],
            ]
            for fields in since {
                for sender in [Sender.anonymous, .editor] {
                    let after = try server.send(
                        "GET /v1/articles/fresh-bread", as: sender, with: fields)
                    #expect(after.summary == "200" && after.text.contains(#""name":"Minna""#))
                }
            }
        }
    }

    @Test func `invalid authors are rejected`() async throws {
        let any: HTTPFields = [.ifMatch: "*"]
        func put(
            _ name: String, _ json: String, _ fields: HTTPFields, _ summary: String
        ) -> Scenario {
            Scenario(name, .editor, "PUT \(Self.mina)", json, with: fields, gives: summary)
        }
        let failed = "412 precondition-failed @If-Match"
        let invalid = "422 invalid-values"
        let new = "PUT /v1/authors/\(Samples.nobody)"
        try await ScenarioTable(
            "authors",
            [
                put(
                    "nothing expected", #"{"name":"A"}"#, [:],
                    "428 precondition-required @If-Match"),
                put("stale", #"{"name":"A"}"#, [.ifMatch: "\"2-0\""], failed),
                put("never issued", #"{"name":"A"}"#, [.ifMatch: "\"1-0\""], failed),
                put("never issued", #"{"name":"A"}"#, [.ifMatch: "\"1-000000\""], failed),
                put(
                    "version", #"{"name":"A","version":"1-000000"}"#, any,
                    "\(invalid) /version"),
                put("weak", #"{"name":"A"}"#, [.ifMatch: "W/\"1-0\""], failed),
                put("no name", "{}", any, "\(invalid) /name"),
                put("unknown", #"{"name":"A","age":7}"#, any, "\(invalid) /age"),
                put(
                    "script", #"{"name":"A","website":"javascript:0"}"#, any,
                    "\(invalid) /website"),
                put(
                    "read-only",
                    """
                    {"id":"\(Samples.ghost)","name":"A","createdAt":"2020-01-01T00:00:00Z",\
                    "updatedAt":"2020-01-01T00:00:00Z","revision":2}
                    """, any, "\(invalid) /id /createdAt /updatedAt /revision"),
                Scenario(
                    "not there yet", .editor, new, #"{"name":"A"}"#, with: any,
                    gives: failed),
                Scenario(
                    "new with a revision", .editor, new, #"{"name":"A","revision":1}"#,
                    gives: "\(invalid) /revision"),
                Scenario(
                    "no id", .editor, "PUT /v1/authors/mina", #"{"name":"A"}"#,
                    gives: "400 malformed-request ?id"),
                Scenario(
                    "no id", .anonymous, "GET /v1/authors/mina",
                    gives: "400 malformed-request ?id"),
                Scenario(
                    "nobody", .editor, "GET /v1/authors/\(Samples.nobody)",
                    gives: "404 not-found"),
                Scenario(
                    "a parameter", .anonymous, "GET \(Self.mina)?fields=id",
                    gives: "400 malformed-request ?fields"),
                Scenario(
                    "a parameter", .anonymous, "GET /v1/authors?sort=name",
                    gives: "400 malformed-request ?sort"),
            ]
        ).playWithoutChange()
    }

    @Test func `authors are paged by id, and anonymous clients see those with public articles`()
        async throws
    {
        try await TestBackend.run(samples: false) { server in
            for number in 1...6 {
                try server.send(
                    "PUT /v1/authors/\(Samples.id(number))", as: .editor, #"{"name":"A\#(number)"}"#
                )
                let status = number % 2 == 0 ? "published" : "draft"
                try server.send(
                    "POST /v1/articles", as: .editor,
                    """
                    {"title":"T","status":"\(status)","authors":[{"id":"\(Samples.id(number))"}]}
                    """)
            }
            for (sender, numbers) in [(Sender.anonymous, [2, 4, 6]), (.editor, Array(1...6))] {
                var target: String? = "/v1/authors?limit=2"
                var ids: [String] = []
                while let next = target {
                    let response = try server.send("GET \(next)", as: sender)
                    ids += try Page<Author>(mapping: response.body).items.map(\.id.description)
                    target = response.nextTarget
                }
                #expect(ids == numbers.map { Samples.id($0) })
            }
        }
    }
}
