import ArticleAPI
import BroadsheetHTTP
import Testing

/// Slugs in any script, their aliases, and titles without letters.
@Suite struct SlugTests {
    @Test(arguments: [
        ("Hello, World!", "hello-world", "hello-world"),
        ("안녕 세상", "안녕-세상", "%EC%95%88%EB%85%95-%EC%84%B8%EC%83%81"),
        ("It's Über", "its-über", "its-%C3%BCber"), ("2027", "2027", "2027"),
    ])
    func `a slug is derived from the title`(title: String, slug: String, encoded: String)
        async throws
    {
        try await TestBackend.run(samples: false) { server in
            let made = try server.send(
                "POST /v1/articles", as: .editor, #"{"title":"\#(title)","status":"published"}"#)
            #expect(try Article(mapping: made.body).slug == slug)
            #expect(try server.send("GET /v1/articles/\(encoded)").summary == "200")
            let second = try server.send(
                "POST /v1/articles", as: .editor, #"{"title":"\#(title)"}"#)
            #expect(try Article(mapping: second.body).slug == "\(slug)-2")
        }
    }

    @Test func `an article whose title has no letters has its id as slug`() async throws {
        try await TestBackend.run(samples: false) { server in
            let made = try server.send(
                "POST /v1/articles", as: .editor, #"{"title":"!?","status":"published"}"#)
            #expect(made.summary == "201", "\(made.text)")
            let article = try Article(mapping: made.body)
            #expect(article.slug == article.id.description)
            // Get, edit and put also works with it.
            let put = try server.send(
                "PUT /v1/articles/\(article.id)", as: .editor,
                made.text.replacing(#""title":"!?""#, with: #""title":"!!""#),
                with: [.ifMatch: made.fields[.etag] ?? ""])
            #expect(put.summary == "200", "\(put.text)")
            #expect(try Article(mapping: put.body).slug == article.slug)
            let patched = try server.send(
                "PATCH /v1/articles/\(article.id)", as: .editor, #"{"slug":"marks"}"#)
            #expect(try Article(mapping: patched.body).slug == "marks")
            for key in ["marks", article.slug] {
                #expect(try server.send("GET /v1/articles/\(key)").text.contains(#""marks""#))
            }
        }
    }

    @Test func `another article's id is not a valid slug`() async throws {
        try await TestBackend.run { server in
            for id in [Samples.bread, Samples.nobody] {
                let patched = try server.send(
                    "PATCH /v1/articles/\(Samples.secret)", as: .editor, #"{"slug":"\#(id)"}"#)
                #expect(patched.summary == "422 invalid-values /slug")
                let put = try server.send(
                    "PUT /v1/articles/\(Samples.secret)", as: .editor,
                    #"{"title":"A","slug":"\#(id)"}"#, with: [.ifMatch: "*"])
                #expect(put.summary == "422 invalid-values /slug")
            }
        }
    }

    @Test func `a slug is kept when the title changes, and an old one becomes an alias`()
        async throws
    {
        try await TestBackend.run { server in
            let path = "/v1/articles/\(Samples.bread)"
            func slug(_ json: String) throws -> String {
                let response = try server.send("PATCH \(path)", as: .editor, json)
                return try Article(mapping: response.body).slug
            }
            #expect(try slug(#"{"title":"Stale bread"}"#) == "fresh-bread")
            #expect(try slug(#"{"slug":"stale-bread"}"#) == "stale-bread")
            let old = try server.send("GET /v1/articles/fresh-bread")
            #expect(old.summary == "200" && old.text.contains(#""slug":"stale-bread""#))
            let other = try server.send(
                "POST /v1/articles", as: .editor, #"{"title":"Fresh bread","slug":"fresh-bread"}"#)
            #expect(other.summary == "409 slug-taken /slug")
            let like = try server.send(
                "POST /v1/articles", as: .editor, #"{"title":"Fresh bread"}"#)
            #expect(try Article(mapping: like.body).slug == "fresh-bread-2")
            #expect(try slug(#"{"slug":"fresh-bread"}"#) == "fresh-bread")
            #expect(try server.send("GET /v1/articles/stale-bread").summary == "200")
        }
    }
}
