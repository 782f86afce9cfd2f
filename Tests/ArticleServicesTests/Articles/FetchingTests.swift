import ArticleAPI
import BroadsheetHTTP
import Testing

/// `GET /v1/articles/{id}`, byte for byte, with its fields.
@Suite struct FetchingTests {
    private static let bread = """
        {"id":"\(Samples.bread)","slug":"fresh-bread","title":"Fresh bread",\
        "summary":"How to bake.","body":"Flour, water, salt.","language":"en",\
        "authors":[{"id":"\(Samples.mina)","name":"Mina","revision":1}],\
        "tags":[{"key":"bread","name":"Bread"},{"key":"home","name":"Home"}],\
        "heroImage":{"url":"https://example.org/b.png","alternativeText":"A loaf"},\
        "status":"published","publishedAt":"2027-01-14T08:00:00.000Z",\
        "createdAt":"2027-01-15T08:00:00.000Z","updatedAt":"2027-01-15T08:00:00.000Z",\
        "revision":1,"source":{"name":"Wire","url":"https://example.org/1"},\
        "wordCount":3,"readingMinutes":1}
        """

    private static let upper = Samples.bread.uppercased()

    @Test func `an article is found by its id and its slug`() async throws {
        try await TestBackend.run { server in
            server.pass(milliseconds: 61_000)
            for key in [Samples.bread, Self.upper, "fresh-bread", "%66resh-bread"] {
                let response = try server.send("GET /v1/articles/\(key)")
                #expect(response.summary == "200")
                #expect(response.unversioned == Self.bread)
                #expect(response.fields[.contentType] == "application/json")
                #expect(response.fields[.contentLength] == "\(response.body.count)")
                #expect(response.fields[.cacheControl] == "public, no-cache")
                #expect(response.fields[.vary] == "Accept-Encoding, Authorization")
                #expect(response.fields[.lastModified] == "Fri, 15 Jan 2027 08:00:01 GMT")
                #expect(response.revision == 1)
                #expect(response.fields[.etag]?.hasPrefix("\"1-") == true)
                for name in [HTTPFieldName.location, .link, .wwwAuthenticate] {
                    #expect(!response.fields.contains(name))
                }
            }
        }
    }

    @Test(arguments: [
        "FRESH-BREAD", "fresh-bread/", "fresh%2Fbread", "nothing", "%20", "\(Samples.bread)%20",
        "01900000-0000-4000-8000-100000000001", String(repeating: "a", count: 101),
        "%EA%B0%80%EB%82%98",
    ])
    func `other keys do not find an article`(key: String) async throws {
        try await TestBackend.run { server in
            for sender in [Sender.anonymous, .editor] {
                let response = try server.send("GET /v1/articles/\(key)", as: sender)
                #expect(response.summary == "404 not-found")
            }
        }
    }

    @Test(arguments: [
        ("id", ""), ("title", #","title":"Fresh bread""#), ("id,slug", #","slug":"fresh-bread""#),
        ("slug,title,slug", #","slug":"fresh-bread","title":"Fresh bread""#),
        ("body", #","body":"Flour, water, salt.""#),
        ("authors.name", #","authors":[{"id":"\#(Samples.mina)","name":"Mina"}]"#),
        ("tags.key", #","tags":[{"key":"bread"},{"key":"home"}]"#),
        (
            "tags.key,tags",
            #","tags":[{"key":"bread","name":"Bread"},{"key":"home","name":"Home"}]"#
        ),
        ("heroImage.url", #","heroImage":{"url":"https://example.org/b.png"}"#),
        ("source.name", #","source":{"name":"Wire"}"#),
        ("revision,wordCount", #","revision":1,"wordCount":3"#),
    ])
    func `a reader gets the selected attributes`(fields: String, rest: String) async throws {
        try await TestBackend.run { server in
            let whole = #"{"id":"\#(Samples.bread)"\#(rest)}"#
            let one = try server.send("GET /v1/articles/fresh-bread?fields=\(fields)")
            #expect(one.text == whole)
            #expect(one.revision == 1)
            let all = try server.send("GET /v1/articles?fields=\(fields)")
            #expect(all.text == #"{"items":[\#(whole)]}"#)
        }
    }

    @Test func `lists only contain bodies on request`() async throws {
        try await TestBackend.run { server in
            let plain = try server.send("GET /v1/articles")
            let withoutBody = Self.bread.replacing(#""body":"Flour, water, salt.","#, with: "")
            #expect(plain.unversioned == #"{"items":[\#(withoutBody)]}"#)
            #expect(plain.fields[.lastModified] == nil)
            #expect(plain.fields[.cacheControl] == "public, no-cache")
            #expect(plain.fields[.vary] == "Accept-Encoding, Authorization")
            #expect(plain.nextTarget == nil)
            let tag = plain.fields[.etag] ?? ""
            #expect(tag.hasPrefix("\"") && !tag.contains("-"))
        }
    }

    @Test func `validators depend on the selected attributes`() async throws {
        try await TestBackend.run { server in
            var tags: Set<String> = []
            for query in ["", "?fields=id", "?fields=title", "?fields=title,summary"] {
                let response = try server.send("GET /v1/articles/fresh-bread\(query)")
                tags.insert(response.fields[.etag] ?? "")
                #expect(response.revision == 1)
            }
            #expect(tags.count == 4)
            let same = try server.send("GET /v1/articles/fresh-bread?fields=summary,title")
            #expect(tags.contains(same.fields[.etag] ?? ""))
        }
    }
}
