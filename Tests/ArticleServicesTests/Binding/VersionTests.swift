import ArticleAPI
import ArticleStore
import BroadsheetHTTP
import Testing

/// `version` in articles and authors, which `If-Match` accepts in place of an `ETag`.
@Suite struct VersionTests {
    @Test(arguments: [nil, "fields=title,version", "fields=version"])
    func `an article from a list is edited by its version, once`(query: String?) async throws {
        try await TestBackend.run { server in
            let target = "/v1/articles?tag=home" + (query.map { "&\($0)" } ?? "")
            let list = try server.send("GET \(target)", as: .editor)
            let page = try PageResponseMapper<PartialArticle>().map(list.body)
            let article = try #require(page.items.first)
            let version = try #require(article.version)
            #expect(page.items.count == 1 && version.wholeMatch(of: /1-[0-9a-z]{6}/) != nil)
            func edit(_ title: String) throws -> BackendResponse {
                try server.send(
                    "PATCH /v1/articles/\(article.id)", as: .editor, #"{"title":"\#(title)"}"#,
                    with: [.ifMatch: "\"\(version)\""])
            }
            let edited = try edit("New")
            #expect(edited.summary == "200" && edited.version?.hasPrefix("2-") == true)
            #expect(try edit("Newer").summary == "412 precondition-failed @If-Match")
        }
    }

    @Test func `a tag begins with the version, whichever representation is requested`() async throws
    {
        try await TestBackend.run { server in
            let version = try #require(server.article(Samples.bread).version)
            let path = "/v1/articles/\(Samples.bread)"
            for sender in [Sender.anonymous, .reader, .editor] {
                for target in [path, path + "?fields=title", "/v1/articles/fresh-bread"] {
                    let response = try server.send("GET \(target)", as: sender)
                    let tag = try #require(response.fields[.etag])
                    #expect(tag.hasPrefix("\"\(version)") && tag.utf8.count == 26)
                }
            }
            let revision = try server.send("GET \(path)/revisions/1", as: .editor)
            #expect(revision.version == version)
        }
    }

    @Test func `an author from a list is edited by its version, once`() async throws {
        try await TestBackend.run { server in
            let list = try server.send("GET /v1/authors", as: .editor)
            let author = try #require(try PageResponseMapper<Author>().map(list.body).items.first)
            let version = try #require(author.version)
            for (name, summary) in [("A", "200"), ("B", "412 precondition-failed @If-Match")] {
                let put = try server.send(
                    "PUT /v1/authors/\(author.id)", as: .editor, #"{"name":"\#(name)"}"#,
                    with: [.ifMatch: "\"\(version)\""])
                #expect(put.summary == summary)
            }
        }
    }

    @Test func `the version of another article, author or revision does not match`()
        async throws
    {
        try await TestBackend.run { server in
            let other = try #require(server.article(Samples.secret).version)
            let author = try #require(
                server.send("GET /v1/authors/\(Samples.mina)", as: .editor).version)
            let mine = try #require(server.article(Samples.bread).version)
            #expect(Set([other, author, mine]).count == 3)
            let moved = "2" + mine.dropFirst()
            for version in [other, author, moved] {
                for condition in ["\"\(version)\"", "\"\(version)0123456789abcdef\""] {
                    let response = try server.send(
                        "DELETE /v1/articles/\(Samples.bread)", as: .editor,
                        with: [.ifMatch: condition])
                    #expect(response.summary == "412 precondition-failed @If-Match", "\(condition)")
                }
            }
        }
    }
}
