import ArticleAPI
import BroadsheetHTTP
import Testing

/// `GET /v1/tags`.
@Suite struct TagTests {
    @Test func `tags are counted by key and have the first name`() async throws {
        try await TestBackend.run(samples: false) { server in
            for tags in [#""Über""#, #""ÜBER","빵""#, #""U\u0308ber","über""#] {
                let made = try server.send(
                    "POST /v1/articles", as: .editor,
                    #"{"title":"T","status":"published","tags":[\#(tags)]}"#)
                #expect(made.summary == "201")
            }
            let response = try server.send("GET /v1/tags")
            #expect(
                response.text == """
                    {"items":[{"key":"über","name":"Über","articleCount":3},\
                    {"key":"빵","name":"빵","articleCount":1}]}
                    """)
            #expect(response.fields[.contentType] == "application/json")
            #expect(response.fields[.cacheControl] == "public, no-cache")
            #expect(response.fields[.lastModified] == nil)
            let tag = try #require(response.fields[.etag])
            #expect(try server.send("GET /v1/tags", with: [.ifNoneMatch: tag]).summary == "304")
        }
    }

    @Test func `tags are paged, each once`() async throws {
        try await TestBackend.run(samples: false) { server in
            let names = (10..<35).map { "tag\($0)" }
            let list = names.map { "\"\($0)\"" }.joined(separator: ",")
            try server.send(
                "POST /v1/articles", as: .editor,
                #"{"title":"T","status":"published","tags":[\#(list)]}"#)
            for limit in [1, 7, 24, 25, 100] {
                var target: String? = "/v1/tags?limit=\(limit)"
                var keys: [String] = []
                var pages = 0
                while let next = target {
                    let response = try server.send("GET \(next)")
                    let page = try Page<ArticleTag.Usage>(mapping: response.body)
                    keys += page.items.map(\.tag.key)
                    pages += 1
                    target = response.nextTarget
                }
                #expect(keys == names && pages == (names.count + limit - 1) / limit)
            }
            let standard = try server.send("GET /v1/tags")
            #expect(try Page<ArticleTag.Usage>(mapping: standard.body).items.count == 20)
        }
    }

    @Test func `an invalid query is rejected`() async throws {
        let rows = ["limit=0", "limit=101", "cursor=x", "fields=key", "limit=1&limit=2"]
        try await ScenarioTable(
            "tags",
            rows.map { query in
                let name = query.prefix { $0 != "=" }
                return Scenario(
                    "wrong", .anonymous, "GET /v1/tags?\(query)",
                    gives: "400 malformed-request ?\(name)")
            }
        ).playWithoutChange()
    }
}
