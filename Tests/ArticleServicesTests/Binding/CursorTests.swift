import ArticleAPI
import BroadsheetHTTP
import Testing

/// Cursors are opaque and bound to their list; paging with them finds each article once.
@Suite struct CursorTests {
    /// Creates published articles with ids 100, 101, …; each was published a day before the
    /// previous one, and some on the same day.
    private func publish(_ count: Int, from first: Int = 100, in server: TestBackend) throws {
        for number in first..<first + count {
            let day = 28 - (number - first) / 2
            let made = try server.send(
                "POST /v1/articles", as: .editor,
                """
                {"id":"\(Samples.id(number))","title":"T","tags":["t"],"status":"published",\
                "publishedAt":"2026-12-\(day < 10 ? "0" : "")\(day)T00:00:00Z"}
                """)
            #expect(made.summary == "201")
        }
    }

    /// The ids on all pages from the target on; `between` runs after each page.
    private func walk(
        _ first: String, as sender: Sender = .anonymous, in server: TestBackend,
        between: (Int) throws -> Void = { _ in }
    ) throws -> [String] {
        var target: String? = first
        var ids: [String] = []
        var pages = 0
        while let next = target {
            let response = try server.send("GET \(next)", as: sender)
            let page = try Page<PartialArticle>(mapping: response.body)
            ids += page.items.map(\.id.description)
            target = response.nextTarget
            #expect((page.next == nil) == (target == nil))
            if let cursor = page.next { #expect(target?.contains(cursor) == true) }
            pages += 1
            #expect(pages < 100)
            try between(pages)
        }
        return ids
    }

    @Test(arguments: [
        "publishedAt", "-publishedAt", "createdAt", "-createdAt", "updatedAt", "-updatedAt",
    ])
    func `paging in every order reaches the end with each article once`(sort: String) async throws {
        try await TestBackend.run(samples: false) { server in
            try publish(7, in: server)
            server.pass(milliseconds: 10)
            try publish(6, from: 107, in: server)
            for limit in [1, 4, 13, 100] {
                let ids = try walk("/v1/articles?sort=\(sort)&limit=\(limit)", in: server)
                #expect(ids.count == 13 && Set(ids).count == 13)
                let whole = try walk("/v1/articles?sort=\(sort)&limit=100", in: server)
                #expect(ids == whole)
            }
        }
    }

    @Test func `articles created and deleted while paging neither repeat nor hide others`()
        async throws
    {
        try await TestBackend.run(samples: false) { server in
            try publish(12, in: server)
            let before = (100..<112).map { Samples.id($0) }
            let ids = try walk("/v1/articles?limit=3&tag=t&fields=slug", in: server) { page in
                // New ones at the front, at the back and in the middle; and one is deleted that was
                // on an earlier page.
                for day in ["2027-01-01", "2020-01-01", "2026-12-27"] {
                    try server.send(
                        "POST /v1/articles", as: .editor,
                        """
                        {"title":"New","tags":["t"],"status":"published",\
                        "publishedAt":"\(day)T12:00:00Z"}
                        """)
                }
                try server.send("DELETE /v1/articles/\(Samples.id(99 + page))", as: .editor)
            }
            #expect(Set(ids).count == ids.count)
            #expect(ids.filter(before.contains).sorted() == before.sorted())
        }
    }

    @Test func `the link keeps the query and adds the cursor`() async throws {
        try await TestBackend.run(samples: false) { server in
            try publish(3, in: server)
            let response = try server.send(
                "GET /v1/articles?tag=T&fields=title&limit=2&sort=publishedAt&language=EN")
            let next = try Page<PartialArticle>(mapping: response.body).next ?? ""
            let target = "/v1/articles?limit=2&cursor=\(next)&tag=T&language=en"
            #expect(
                response.fields[.link]
                    == "<\(target)&sort=publishedAt&fields=title>; rel=\"next\", "
                    + "</feeds/articles.atom?tag=T&language=en>; rel=\"alternate\"; "
                    + "type=\"application/atom+xml\"")
            #expect(
                next.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) })
        }
    }

    @Test func `a cursor is only valid for its own list`() async throws {
        try await TestBackend.run(samples: false) { server in
            try publish(4, in: server)
            func cursor(_ target: String, _ sender: Sender) throws -> String {
                let text = try server.send("GET \(target)", as: sender).text
                return try #require(text.split(separator: "\"next\":\"").last).dropLast(2)
                    .description
            }
            let list = "/v1/articles?limit=1"
            let anonymous = try cursor(list, .anonymous)
            let editor = try cursor(list, .editor)
            let revisions = "/v1/articles/\(Samples.id(100))/revisions"
            try server.send("DELETE /v1/articles/\(Samples.id(100))", as: .editor)
            let history = try cursor("\(revisions)?limit=1", .editor)
            try server.send("DELETE /v1/articles/\(Samples.id(101))", as: .editor)
            let deleted = "/v1/deleted-articles?limit=1"
            let gone = try cursor(deleted, .editor)
            let rejected = "400 malformed-request ?cursor"
            let rows: [(String, Sender, String, String)] = [
                (deleted, .admin, gone, "200"), (deleted, .editor, editor, rejected),
                (list, .editor, gone, rejected),
                (list, .anonymous, anonymous, "200"), (list, .reader, anonymous, "200"),
                ("/v1/articles?fields=title&limit=2", .anonymous, anonymous, "200"),
                ("/v1/articles?sort=-publishedAt", .anonymous, anonymous, "200"),
                (list, .editor, anonymous, rejected), (list, .admin, editor, "200"),
                (list, .anonymous, editor, rejected), (list, .reader, editor, rejected),
                ("/v1/articles?tag=t", .anonymous, anonymous, rejected),
                ("/v1/articles?sort=publishedAt", .anonymous, anonymous, rejected),
                ("/v1/articles?status=published", .anonymous, anonymous, rejected),
                (
                    "/v1/articles?publishedAfter=2020-01-01T00:00:00Z", .anonymous, anonymous,
                    rejected
                ),
                ("/v1/tags?limit=1", .anonymous, anonymous, rejected),
                ("/v1/authors?limit=1", .anonymous, anonymous, rejected),
                ("\(revisions)?limit=1", .editor, editor, rejected),
                (list, .editor, history, rejected),
                ("\(revisions)?limit=1", .editor, history, "200"),
                (
                    "/v1/articles/\(Samples.id(101))/revisions?limit=1", .editor, history, rejected
                ),
            ]
            for (target, sender, cursor, summary) in rows {
                let response = try server.send("GET \(target)&cursor=\(cursor)", as: sender)
                #expect(response.summary == summary, "\(sender) \(target)")
            }
        }
    }

    @Test func `a modified cursor is rejected`() async throws {
        try await TestBackend.run(samples: false) { server in
            try publish(2, in: server)
            let page = try Page<Article>(mapping: server.send("GET /v1/articles?limit=1").body)
            let cursor = Array(try #require(page.next))
            var touched = [
                "x", "AAAA", String(cursor.dropLast()), String(cursor.dropFirst()),
                String(cursor) + "A", String(cursor) + "=", String(repeating: "A", count: 54),
                String(repeating: "A", count: 501),
            ]
            for place in cursor.indices {
                var other = cursor
                other[place] = cursor[place] == "A" ? "B" : "A"
                touched.append(String(other))
            }
            for text in touched {
                let response = try server.send("GET /v1/articles?limit=1&cursor=\(text)")
                #expect(response.summary == "400 malformed-request ?cursor", "\(text)")
            }
        }
    }
}
