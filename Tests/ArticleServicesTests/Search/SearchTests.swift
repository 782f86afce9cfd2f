import ArticleAPI
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetTestSupport
import Testing

@testable import ArticleResources
@testable import ArticleServices

/// The search over HTTP.
@Suite struct SearchTests {
    @Test func `everybody finds what is public, and nothing else`() async throws {
        try await TestBackend.run { server in
            try await server.waitUntilIndexed()
            let senders: [Sender] = [.anonymous, .reader, .editor, .admin, .operator]
            for sender in senders {
                let page = try server.search(SearchArticlesRequest(query: "bread"), as: sender)
                #expect(page.items.map { "\($0.article.id)" } == [Samples.bread], "\(sender)")
                #expect(page.next == nil && page.correctedTo == nil)
                for query in ["secret plan", "loaf", "old news", "gone", "hidden", "ghost"] {
                    let hidden = try server.search(
                        SearchArticlesRequest(query: query), as: sender)
                    #expect(hidden == SearchPage(items: []), "\(query) by \(sender)")
                }
            }
            let hit = try #require(
                try server.search(SearchArticlesRequest(query: "fresh")).items.first)
            #expect(hit.title.map(\.text).joined() == "Fresh bread")
            #expect(hit.title.filter(\.isMatch).map(\.text) == ["Fresh"])
            #expect(hit.article.body == nil)
        }
    }

    @Test func `filters and fields are those of lists`() async throws {
        try await TestBackend.run(samples: false) { server in
            let author = Samples.mina
            try server.send("PUT /v1/authors/\(author)", as: .editor, #"{"name":"Mina"}"#)
            try server.publish(
                "Rye bread",
                #","tags":["Baking","Home"],"authors":[{"id":"\#(author)"}],"body":"Flour.""#
                    + #","publishedAt":"2026-03-01T00:00:00Z""#)
            try server.publish(
                "White bread",
                #","tags":["Baking"],"language":"ko","source":{"name":"Wire"}"#
                    + #","publishedAt":"2026-05-01T00:00:00Z""#)
            try await server.waitUntilIndexed()
            func found(_ change: (inout SearchArticlesRequest) -> Void) throws -> [String] {
                var request = SearchArticlesRequest(query: "bread")
                change(&request)
                return try server.search(request).items.map(\.article.title).sorted()
            }
            #expect(try found { _ in } == ["Rye bread", "White bread"])
            #expect(try found { $0.tags = ["baking"] } == ["Rye bread", "White bread"])
            #expect(try found { $0.tags = ["BAKING", "home"] } == ["Rye bread"])
            #expect(try found { $0.author = Author.ID(author) } == ["Rye bread"])
            #expect(try found { $0.language = "ko" } == ["White bread"])
            #expect(try found { $0.source = "Wire" } == ["White bread"])
            #expect(try found { $0.source = "wire" } == [])
            let day = Timestamp("2026-04-01T00:00:00Z")
            #expect(try found { $0.publishedAfter = day } == ["White bread"])
            #expect(try found { $0.publishedBefore = day } == ["Rye bread"])

            let whole = try server.send("GET /v1/search?q=rye&fields=title,body")
            #expect(whole.text.contains(#""title":"Rye bread","body":"Flour."}"#))
            let html = try server.send("GET /v1/search?q=rye&fields=id,bodyHTML")
            #expect(html.text.contains(#"<p>Flour.</p>"#), "\(html.text)")
            let counted = try server.send("GET /v1/search?q=rye&fields=commentCount")
            #expect(counted.text.contains(#""commentCount":0}"#))
        }
    }

    @Test func `what a request must not contain is rejected`() async throws {
        try await TestBackend.run(samples: false, indexes: false) { server in
            for (query, summary) in [
                ("", "400 malformed-request ?q"), ("?q=", "400 malformed-request ?q"),
                ("?q=a&q=b", "400 malformed-request ?q"),
                ("?q=\(String(repeating: "a", count: 201))", "400 malformed-request ?q"),
                ("?q=a&status=draft", "400 malformed-request ?status"),
                ("?q=a&limit=101", "400 malformed-request ?limit"),
                ("?q=a&cursor=AAAA", "400 malformed-request ?cursor"),
            ] {
                let response = try server.send("GET /v1/search\(query)")
                #expect(response.summary == summary, "\(query)")
            }
        }
    }

    @Test func `only the search waits for its index`() async throws {
        try await TestBackend.run(indexes: false) { server in
            let early = try server.send("GET /v1/search?q=bread")
            #expect(early.summary == "503 unavailable -" || early.summary == "503 unavailable")
            #expect(early.fields[.retryAfter] == "5")
            #expect(try server.send("GET /v1/articles/\(Samples.bread)").summary == "200")
            #expect(try server.send("GET /readyz").status == 200)
            try await server.indexOnce()
            #expect(try server.titles("bread") == ["Fresh bread"])
        }
    }

    @Test func `nothing that a person types is an error`() async throws {
        try await TestBackend.run { server in
            try await server.waitUntilIndexed()
            for query in [
                "AND", "\"", "\"\"", "*", "c++", "NEAR(", "-", "-bread", "\" bread", "a-b", ":",
                "x:y",
                "'; DROP TABLE articles", "\u{301}", "\u{200B}", "ᄀ", "%", "\\", "((((", "\n", " ",
                String(repeating: "a ", count: 100), String(repeating: "-", count: 200),
                String(repeating: "구", count: 200),
            ] {
                _ = try server.search(SearchArticlesRequest(query: query))
            }
        }
    }

    // MARK: Freshness

    @Test func `a cached page is replaced when an article or the index changes`() async throws {
        try await TestBackend.run(samples: false) { server in
            let path = try server.publish("Rye bread")
            try await server.waitUntilIndexed()
            for _ in 0..<2 { #expect(try server.titles("bread") == ["Rye bread"]) }
            let hits = server.backend.cacheStatistics.hits
            #expect(hits == 1)
            try server.patch(path, #"{"title":"Dark bread"}"#)
            #expect(try server.titles("bread") == ["Dark bread"])
            try server.publish("White bread")
            try await server.waitUntilIndexed()
            #expect(try server.titles("bread").sorted() == ["Dark bread", "White bread"])
            try server.send("DELETE \(path)", as: .editor)
            #expect(try server.titles("bread") == ["White bread"])
        }
    }

    @Test func `what becomes hidden is not found from that moment on`() async throws {
        try await TestBackend.run(samples: false, indexes: false) { server in
            let names = ["archived", "draft", "scheduled", "deleted", "edited", "kept"]
            var paths: [String: String] = [:]
            for name in names { paths[name] = try server.publish("Bread \(name)") }
            try await server.indexOnce()
            #expect(try server.titles("bread").count == 6)
            // From here on, the index does not change.
            try server.patch(paths["archived"] ?? "", #"{"status":"archived"}"#)
            try server.patch(paths["draft"] ?? "", #"{"status":"draft"}"#)
            try server.patch(
                paths["scheduled"] ?? "",
                #"{"status":"scheduled","publishedAt":"2027-01-15T09:00:00Z"}"#)
            try server.send("DELETE \(paths["deleted"] ?? "")", as: .editor)
            try server.patch(paths["edited"] ?? "", #"{"title":"Cake edited"}"#)
            for name in names.dropLast() {
                #expect(try server.titles("bread \(name)") == [], "\(name)")
            }
            #expect(try server.titles("bread") == ["Bread kept"])
            // It has the former title.
            #expect(try server.titles("edited") == ["Cake edited"])
        }
    }

    @Test func `what is edited, restored or renamed is found as it is now`() async throws {
        try await TestBackend.run(samples: false) { server in
            let author = Samples.mina
            try server.send("PUT /v1/authors/\(author)", as: .editor, #"{"name":"Mina"}"#)
            let path = try server.publish("Rye", #","authors":[{"id":"\#(author)"}]"#)
            try await server.waitUntilIndexed()
            #expect(try server.titles("mina") == ["Rye"])
            let renamed = try server.send(
                "PUT /v1/authors/\(author)", as: .editor, #"{"name":"Zelda"}"#,
                with: [.ifMatch: "*"])
            #expect(renamed.summary == "200", "\(renamed.text)")
            try await server.waitUntilIndexed()
            #expect(try server.titles("zelda") == ["Rye"])
            #expect(try server.titles("mina") == [])

            try server.patch(path, #"{"title":"Spelt"}"#)
            try await server.waitUntilIndexed()
            #expect(try server.titles("spelt") == ["Spelt"])
            #expect(try server.titles("rye") == [])
            try server.send("DELETE \(path)", as: .editor)
            try await server.waitUntilIndexed()
            #expect(try server.titles("spelt") == [])
            let restored = try server.send(
                "POST \(path)/revisions/1/restore", as: .editor, with: [.ifMatch: "*"])
            #expect(restored.summary == "200", "\(restored.text)")
            try await server.waitUntilIndexed()
            #expect(try server.titles("rye") == ["Rye"])
            #expect(server.backend.indexer.statistics.documents == 1)
        }
    }
}
