import ArticleAPI
import BroadsheetHTTP
import Testing

/// `PUT`, `PATCH` and `DELETE` of an article: preconditions, and what an edit does not change.
@Suite struct EditingTests {
    private static let bread = "/v1/articles/\(Samples.bread)"

    @Test func `get, edit and put works with the whole representation`() async throws {
        try await TestBackend.run { server in
            let got = try server.send("GET \(Self.bread)", as: .editor)
            let edited = got.text
                .replacing(#""title":"Fresh bread""#, with: #""title":"Good bread""#)
                .replacing("Flour, water, salt.", with: "Flour, water, salt, time.")
            server.pass(milliseconds: 5)
            let put = try server.send(
                "PUT \(Self.bread)", as: .editor, edited,
                with: [.ifMatch: got.fields[.etag] ?? ""])
            #expect(put.summary == "200", "\(put.text)")
            #expect(put.revision == 2)
            #expect(put.fields[.cacheControl] == "no-store")
            #expect(
                put.text
                    == edited.replacing(#""revision":1,"#, with: #""revision":2,"#)
                    .replacing(got.version ?? "none", with: put.version ?? "none")
                    .replacing(#""wordCount":3"#, with: #""wordCount":4"#)
                    .replacing(
                        #""updatedAt":"2027-01-15T08:00:00.000Z""#,
                        with: #""updatedAt":"2027-01-15T08:00:00.005Z""#))
            let now = try server.send("GET \(Self.bread)", as: .editor)
            #expect(now.body == put.body && now.fields[.etag] == put.fields[.etag])
        }
    }

    @Test func `attributes missing from a replacement get defaults, except for the slug`()
        async throws
    {
        try await TestBackend.run { server in
            let put = try server.send(
                "PUT \(Self.bread)", as: .editor, #"{"title":"Bare"}"#, with: [.ifMatch: "*"])
            let article = try Article(mapping: put.body)
            #expect(article.slug == "fresh-bread" && article.status == .draft)
            #expect(article.summary == "" && article.body == "" && article.publishedAt == nil)
            #expect(article.heroImage == nil && article.source == nil)
            #expect(article.tags == [] && article.authors == [])
        }
    }

    @Test func `an edit that changes nothing creates no revision`() async throws {
        try await TestBackend.run { server in
            let before = try await server.changes()
            let got = try server.send("GET \(Self.bread)", as: .editor)
            server.pass(milliseconds: 1_000)
            let put = try server.send(
                "PUT \(Self.bread)", as: .editor, got.text, with: [.ifMatch: "*"])
            let patch = try server.send(
                "PATCH \(Self.bread)", as: .editor, #"{"title":"Fresh bread"}"#)
            let empty = try server.send("PATCH \(Self.bread)", as: .editor, "{}")
            for response in [put, patch, empty] {
                #expect(response.summary == "200" && response.body == got.body)
                #expect(response.fields[.etag] == got.fields[.etag])
            }
            #expect(try await server.changes() == before)
        }
    }

    /// A merge patch, and the expected change in the article's representation.
    @Test(arguments: [
        (#"{"title":"B"}"#, #""title":"Fresh bread""#, #""title":"B""#),
        (#"{"summary":null}"#, #""summary":"How to bake.""#, #""summary":"""#),
        (
            #"{"tags":null}"#,
            #""tags":[{"key":"bread","name":"Bread"},{"key":"home","name":"Home"}]"#, #""tags":[]"#
        ),
        (#"{"tags":["home"]}"#, #"{"key":"bread","name":"Bread"},"#, ""),
        (
            #"{"authors":[]}"#,
            #""authors":[{"id":"\#(Samples.mina)","name":"Mina","revision":1}]"#,
            #""authors":[]"#
        ),
        (#"{"authors":null}"#, #"[{"id":"\#(Samples.mina)","name":"Mina","revision":1}]"#, "[]"),
        (
            #"{"heroImage":null}"#,
            #""heroImage":{"url":"https://example.org/b.png","alternativeText":"A loaf"},"#, ""
        ),
        (#"{"heroImage":{"alternativeText":null}}"#, #","alternativeText":"A loaf""#, ""),
        (#"{"heroImage":{"alternativeText":"B"}}"#, "A loaf", "B"),
        (#"{"source":{"name":"B"}}"#, "Wire", "B"),
        (#"{"source":{"url":null}}"#, #","url":"https://example.org/1""#, ""),
        (#"{"source":null}"#, #""source":{"name":"Wire","url":"https://example.org/1"},"#, ""),
        (#"{"language":"ko"}"#, #""language":"en""#, #""language":"ko""#),
        (#"{"status":null}"#, #""status":"published""#, #""status":"draft""#),
        (#"{"publishedAt":null}"#, "2027-01-14T08:00:00.000Z", "2027-01-15T08:00:00.000Z"),
    ])
    func `a merge patch changes what it names and nothing else`(
        patch: String, old: String, new: String
    ) async throws {
        try await TestBackend.run { server in
            let got = try server.send("GET \(Self.bread)", as: .editor)
            let before = got.text
            #expect(before.contains(old))
            let patched = try server.send("PATCH \(Self.bread)", as: .editor, patch)
            #expect(patched.summary == "200", "\(patched.text)")
            let expected = before.replacing(old, with: new)
                .replacing(#""revision":1,"#, with: #""revision":2,"#)
                .replacing(got.version ?? "none", with: patched.version ?? "none")
            #expect(patched.text == expected)
        }
    }

    /// Rejected edits of the bread, whose current revision is 2.
    private static let rejections: [Scenario] = {
        let title = #"{"title":"New"}"#
        func row(
            _ name: String, _ method: String, _ json: String?, _ ifMatch: String? = nil,
            _ summary: String
        ) -> Scenario {
            Scenario(
                name, .editor, "\(method) \(bread)", json,
                with: ifMatch.map { [.ifMatch: $0] } ?? [:], gives: summary)
        }
        let failed = "412 precondition-failed @If-Match"
        let invalid = "422 invalid-values"
        let writes = [("PUT", title), ("PATCH", title), ("DELETE", nil)]
        let stale = [
            "\"1-0123456789abcdef\"", "\"1\"", "\"x\"", "W/\"2-0\"", "\"3-0\", \"9-1\"",
            // Names the current revision, but was never issued.
            "\"2-0\"", "\"2-000000\"", "\"2-0123456789abcdef\"", "\"2\"", "\"2-\"",
        ]
        var rows = writes.flatMap { method, json in
            stale.map { row("stale", method, json, $0, failed) }
        }
        rows += writes.map { row("no tag", $0, $1, "2", "400 malformed-request @If-Match") }
        rows += [
            row("nothing expected", "PUT", title, nil, "428 precondition-required @If-Match"),
            row("revision", "PUT", #"{"title":"A","revision":1}"#, "*", "\(invalid) /revision"),
            row(
                "version", "PUT", #"{"title":"A","version":"2-000000"}"#, "*",
                "\(invalid) /version"),
            row(
                "no version", "PUT", #"{"title":"A","version":"2"}"#, "*", "\(invalid) /version"),
            row(
                "all that is read-only", "PUT",
                """
                {"id":"\(Samples.nobody)","title":"A","createdAt":"2020-01-01T00:00:00Z",\
                "updatedAt":"2020-01-01T00:00:00Z","revision":9}
                """, "*", "\(invalid) /id /createdAt /updatedAt /revision"),
            row("no title", "PUT", "{}", "*", "\(invalid) /title"),
            row("title null", "PATCH", #"{"title":null}"#, nil, "\(invalid) /title"),
            row("slug null", "PATCH", #"{"slug":null}"#, nil, "\(invalid) /slug"),
            row(
                "two nulls", "PATCH", #"{"title":null,"slug":null}"#, nil,
                "\(invalid) /title /slug"),
            row("read-only", "PATCH", #"{"revision":2}"#, nil, "\(invalid) /revision"),
            row(
                "read-only", "PATCH", #"{"version":"2-000000"}"#, nil, "\(invalid) /version"),
            row("id", "PATCH", #"{"id":"\#(Samples.bread)"}"#, nil, "\(invalid) /id"),
            row("a list", "PATCH", "[]", nil, "\(invalid) #"),
            row(
                "no address", "PATCH", #"{"heroImage":{"url":null}}"#, nil,
                "\(invalid) /heroImage/url"),
            row("taken", "PATCH", #"{"slug":"secret-plan"}"#, nil, "409 slug-taken /slug"),
            row("taken", "PUT", #"{"title":"A","slug":"gone"}"#, "*", "409 slug-taken /slug"),
            row("a body", "DELETE", "{}", nil, "400 malformed-request #"),
        ]
        for id in [Samples.gone, Samples.nobody] {
            for (method, json) in writes {
                rows.append(
                    Scenario(
                        "not there", .editor, "\(method) /v1/articles/\(id)", json,
                        with: [.ifMatch: "*"], gives: "404 not-found"))
            }
        }
        for (method, json) in writes {
            rows.append(
                Scenario(
                    "by its slug", .editor, "\(method) /v1/articles/fresh-bread", json,
                    with: [.ifMatch: "*"], gives: "400 malformed-request ?id"))
        }
        return rows
    }()

    @Test func `a rejected edit changes nothing`() async throws {
        try await TestBackend.run { server in
            let patched = try server.send(
                "PATCH \(Self.bread)", as: .editor, #"{"title":"Good bread"}"#)
            #expect(patched.revision == 2)
            let before = try await server.changes()
            for scenario in Self.rejections { try scenario.play(in: server) }
            #expect(try await server.changes() == before)
            #expect(try server.send("GET \(Self.bread)", as: .editor).body == patched.body)
        }
    }

    @Test(arguments: ["PUT", "PATCH", "DELETE"])
    func `a client with any tag of the latest revision may edit`(
        method: String
    ) async throws {
        try await TestBackend.run { server in
            // A tag for other attributes, another coding or an older hash also names this revision.
            let sparse = try server.send("GET \(Self.bread)?fields=title")
            let tag = try #require(sparse.fields[.etag])
            let response = try server.send(
                "\(method) \(Self.bread)", as: .editor,
                method == "DELETE" ? nil : #"{"title":"New"}"#, with: [.ifMatch: "\"7-0\", \(tag)"])
            #expect(response.summary == (method == "DELETE" ? "204" : "200"))
            // The same tag cannot be used again.
            let again = try server.send(
                "\(method) \(Self.bread)", as: .editor,
                method == "DELETE" ? nil : #"{"title":"Other"}"#, with: [.ifMatch: tag])
            #expect(
                again.summary
                    == (method == "DELETE"
                        ? "404 not-found" : "412 precondition-failed @If-Match"))
        }
    }

    @Test func `a deletion has no content, and the article disappears everywhere`() async throws {
        try await TestBackend.run { server in
            for line in ["GET /v1/articles", "GET /v1/tags", "GET /v1/authors"] {
                #expect(try !server.send(line).text.contains("[]"))
            }
            let deleted = try server.send("DELETE \(Self.bread)", as: .editor)
            #expect(deleted.summary == "204")
            #expect(deleted.fields[.cacheControl] == "no-store")
            #expect(!deleted.fields.contains(.contentType) && !deleted.fields.contains(.etag))
            for line in ["GET /v1/articles", "GET /v1/tags", "GET /v1/authors"] {
                #expect(try server.send(line).text == #"{"items":[]}"#)
            }
            for sender in [Sender.anonymous, .editor] {
                for target in [Self.bread, "/v1/articles/fresh-bread"] {
                    let gone = try server.send("GET \(target)", as: sender)
                    #expect(gone.summary == "404 not-found")
                }
            }
            let again = try server.send("DELETE \(Self.bread)", as: .editor)
            #expect(again.summary == "404 not-found")
        }
    }
}
