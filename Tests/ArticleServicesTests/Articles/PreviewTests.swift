import ArticleAPI
import ArticleAdminAPI
import BroadsheetHTTP
import Testing

@testable import ArticleServices

/// `POST /v1/preview`.
@Suite struct PreviewTests {
    private static let line = "POST /v1/preview"
    private static let text = ##"{"body":"# Bread\n\nSome *salt*.\n\n<script>alert(1)</script>"}"##

    @Test func `editors see a body as readers will see it`() async throws {
        try await TestBackend.run { server in
            let before = try await server.changes()
            for sender in Sender.editors {
                let response = try server.send(Self.line, as: sender, Self.text)
                #expect(response.status == 200)
                #expect(response.fields[.cacheControl] == "no-store")
                let preview = try ArticlePreview(mapping: response.body)
                #expect(preview.bodyHTML.hasPrefix("<h1>Bread</h1>\n"))
                #expect(preview.bodyHTML.contains("<em>salt</em>"))
                #expect(!preview.bodyHTML.contains("<script"))
            }
            let article = try server.send(
                "POST /v1/articles", as: .editor,
                Self.text.replacing("{", with: #"{"title":"Bread","#, maxReplacements: 1))
            let id = try Article(mapping: article.body).id
            let shown = try server.send("GET /v1/articles/\(id)?fields=bodyHTML", as: .editor)
            let preview = try server.send(Self.line, as: .editor, Self.text)
            let html = try #require(preview.text.split(separator: #"{"bodyHTML":"#).last)
            #expect(shown.text.contains(html.dropLast()))
            #expect(try await server.changes() == before + 1, "a preview stores nothing")
        }
    }

    @Test func `authors may, and nobody below`() async throws {
        try await TestBackend.run(samples: false) { server in
            try server.addUser("writer", "author")
            try server.addUser("reader")
            let author = try server.signIn("writer")
            #expect(try server.send(Self.line, in: author, Self.text).status == 200)
            let reader = try server.signIn("reader")
            #expect(try server.send(Self.line, in: reader, Self.text).summary == "403 forbidden")
            for (sender, summary) in [
                (Sender.anonymous, "401 unauthenticated"), (.reader, "403 forbidden"),
                (.revoked, "401 unauthenticated"),
            ] {
                #expect(try server.send(Self.line, as: sender, Self.text).summary == summary)
            }
        }
    }

    @Test func `the body is limited as an article's is`() async throws {
        try await TestBackend.run(samples: false) { server in
            let long = String(repeating: "a", count: ArticleLimits.bodyBytes + 1)
            let nested = String(repeating: "> ", count: 20_000)
            for (json, summary) in [
                ("{}", "422 invalid-values /body"), (#"{"body":7}"#, "422 invalid-values /body"),
                (#"{"text":"a"}"#, "422 invalid-values /text /body"),
                (#"{"body":"\#(long)"}"#, "422 invalid-values /body"),
                (#"{"body":""}"#, "200"),
            ] {
                let response = try server.send(Self.line, as: .editor, json)
                #expect(response.summary == summary, "\(json.prefix(40))")
            }
            let article = try server.send(
                "POST /v1/articles", as: .editor, #"{"title":"A","body":"\#(nested)"}"#)
            let preview = try server.send(Self.line, as: .editor, #"{"body":"\#(nested)"}"#)
            #expect((preview.status == 200) == (article.status == 201))
        }
    }
}
