import ArticleAPI
import ArticleAdminAPI
import BroadsheetHTTP
import Testing

/// Histories, earlier states, and restoring them.
@Suite struct RevisionTests {
    private static let bread = "/v1/articles/\(Samples.bread)"

    /// Creates the bread's revisions 2 (a title, by an admin), 3 (a deletion) and 4 (1 restored).
    private func live(_ server: TestBackend) throws {
        server.pass(milliseconds: 1)
        try server.send("PATCH \(Self.bread)", as: .admin, #"{"title":"Good","slug":"good"}"#)
        server.pass(milliseconds: 1)
        try server.send("DELETE \(Self.bread)", as: .operator)
        server.pass(milliseconds: 1)
        let restored = try server.send("POST \(Self.bread)/revisions/1/restore", as: .editor)
        #expect(restored.summary == "200", "\(restored.text)")
        #expect(restored.revision == 4)
    }

    @Test func `a history lists each step, the latest first`() async throws {
        try await TestBackend.run { server in
            try live(server)
            let history = try server.send("GET \(Self.bread)/revisions", as: .editor)
            #expect(history.summary == "200")
            #expect(history.fields[.cacheControl] == "private, no-cache")
            #expect(history.fields[.contentType] == "application/json")
            #expect(history.fields[.lastModified] == nil)
            let steps = try [
                ("4", "restored", "Fresh bread", "published", "3", Sender.editor),
                ("3", "deleted", "Good", "published", "2", .operator),
                ("2", "updated", "Good", "published", "1", .admin),
                ("1", "created", "Fresh bread", "published", "0", .editor),
            ].map { number, action, title, status, milliseconds, sender in
                let actor = try server.keys.actor(sender)
                let name = try #require(actor.name)
                return """
                    {"number":\(number),"action":"\(action)","title":"\(title)",\
                    "status":"\(status)","createdAt":"2027-01-15T08:00:00.00\(milliseconds)Z",\
                    "editor":"\(name)","actor":\(String(decoding: actor.json(), as: UTF8.self))}
                    """
            }
            #expect(history.text == #"{"items":[\#(steps.joined(separator: ","))]}"#)
        }
    }

    @Test func `a revision shows the article as it was`() async throws {
        try await TestBackend.run { server in
            let first = try server.send("GET \(Self.bread)", as: .editor)
            try live(server)
            let seen = try server.send("GET \(Self.bread)/revisions/1", as: .editor)
            #expect(seen.body == first.body && seen.fields[.etag] == first.fields[.etag])
            #expect(seen.fields[.cacheControl] == "private, no-cache")
            let second = try server.send("GET \(Self.bread)/revisions/2", as: .editor)
            #expect(second.text.contains(#""title":"Good""#) && second.revision == 2)
        }
    }

    @Test func `a deleted article is restored with all its slugs`() async throws {
        try await TestBackend.run { server in
            let path = "/v1/articles/\(Samples.gone)"
            let history = try server.send("GET \(path)/revisions", as: .editor)
            #expect(history.text.contains(#""action":"deleted""#))
            server.pass(milliseconds: 1_000)
            let restored = try server.send("POST \(path)/revisions/1/restore", as: .editor)
            #expect(restored.summary == "200" && restored.revision == 3)
            #expect(restored.fields[.cacheControl] == "no-store")
            #expect(!restored.fields.contains(.location))
            server.pass(milliseconds: 61_000)
            for target in [path, "/v1/articles/gone"] {
                let back = try server.send("GET \(target)")
                #expect(back.summary == "200" && back.body == restored.body)
                #expect(back.fields[.lastModified] == "Fri, 15 Jan 2027 08:00:02 GMT")
            }
            #expect(try server.send("GET /v1/tags").text.contains("lost"))
        }
    }

    @Test func `what is deleted is listed with who deleted it, and leaves when restored`()
        async throws
    {
        try await TestBackend.run { server in
            try server.send("POST \(Self.bread)/revisions/1/restore", as: .editor)
            server.pass(milliseconds: 7)
            try server.send("DELETE \(Self.bread)", as: .operator)
            let list = "GET /v1/deleted-articles"
            let response = try server.send(list, as: .editor)
            #expect(response.summary == "200")
            #expect(response.fields[.cacheControl] == "private, no-cache")
            let page = try Page<DeletedArticle>(mapping: response.body)
            #expect(page.items.map(\.id.description) == [Samples.bread, Samples.gone])
            #expect(page.items[0].actor.kind == .operator && page.items[0].status == .published)
            #expect(page.items[0].deletedAt == TestBackend.opening.advanced(byMilliseconds: 7))
            #expect(!response.text.contains("body") && !response.text.contains("summary"))
            // With the validator, a browser that looks again transfers nothing.
            let copy: HTTPFields = [.ifNoneMatch: try #require(response.fields[.etag])]
            #expect(try server.send(list, as: .editor, with: copy).summary == "304")

            let first = try server.send("\(list)?limit=1", as: .editor)
            let next = try #require(first.nextTarget)
            let second = try server.send("GET \(next)", as: .admin)
            #expect(try Page<DeletedArticle>(mapping: second.body).items == [page.items[1]])
            #expect(second.nextTarget == nil)
            try server.send("POST \(Self.bread)/revisions/2/restore", as: .editor)
            let left = try server.send(list, as: .editor)
            #expect(try Page<DeletedArticle>(mapping: left.body).items == [page.items[1]])
        }
    }

    @Test func `requests for deleted articles are checked`() async throws {
        let list = "GET /v1/deleted-articles"
        let rows: [(String, String)] = [
            ("limit=0", "?limit"), ("limit=101", "?limit"), ("limit=x", "?limit"),
            ("cursor=abc", "?cursor"), ("status=draft", "?status"), ("fields=title", "?fields"),
            ("sort=title", "?sort"),
        ]
        let scenarios = rows.map { query, place in
            Scenario(
                query, .editor, "\(list)?\(query)", gives: "400 malformed-request \(place)")
        }
        try await ScenarioTable("deleted articles", scenarios).playWithoutChange()
    }

    @Test func `the slug of a restored revision is current again`() async throws {
        try await TestBackend.run { server in
            try live(server)
            for slug in ["good", "fresh-bread"] {
                let found = try server.send("GET /v1/articles/\(slug)")
                #expect(found.text.contains(#""slug":"fresh-bread""#))
            }
        }
    }

    @Test func `restoring the current state creates no revision`() async throws {
        try await TestBackend.run { server in
            let before = try await server.changes()
            let same = try server.send("POST \(Self.bread)/revisions/1/restore", as: .editor)
            #expect(same.summary == "200" && same.revision == 1)
            #expect(try await server.changes() == before)
        }
    }

    @Test func `requests for missing or invalid revisions are rejected`() async throws {
        let stale: HTTPFields = [.ifMatch: "\"7-0\""]
        let restore = "\(Self.bread)/revisions/1/restore"
        try await ScenarioTable(
            "revisions",
            [
                Scenario(
                    "not made yet", .editor, "GET \(Self.bread)/revisions/2",
                    gives: "404 not-found"),
                Scenario(
                    "far off", .editor, "GET \(Self.bread)/revisions/9223372036854775807",
                    gives: "404 not-found"),
                Scenario(
                    "zero", .editor, "GET \(Self.bread)/revisions/0",
                    gives: "400 malformed-request ?number"),
                Scenario(
                    "no number", .editor, "GET \(Self.bread)/revisions/latest",
                    gives: "400 malformed-request ?number"),
                Scenario(
                    "a slug", .editor, "GET /v1/articles/fresh-bread/revisions",
                    gives: "400 malformed-request ?id"),
                Scenario(
                    "nobody's history", .editor, "GET /v1/articles/\(Samples.nobody)/revisions",
                    gives: "404 not-found"),
                Scenario(
                    "nobody's", .editor, "GET /v1/articles/\(Samples.nobody)/revisions/1",
                    gives: "404 not-found"),
                Scenario(
                    "back to nothing", .editor, "POST \(Self.bread)/revisions/2/restore",
                    gives: "404 not-found"),
                Scenario(
                    "nobody restored", .editor,
                    "POST /v1/articles/\(Samples.nobody)/revisions/1/restore",
                    gives: "404 not-found"),
                Scenario(
                    "stale", .editor, "POST \(restore)", with: stale,
                    gives: "412 precondition-failed @If-Match"),
                Scenario(
                    "stale and deleted", .editor,
                    "POST /v1/articles/\(Samples.gone)/revisions/1/restore", with: stale,
                    gives: "412 precondition-failed @If-Match"),
                Scenario(
                    "with a body", .editor, "POST \(restore)", "{}",
                    gives: "400 malformed-request #"),
                Scenario(
                    "a parameter", .editor, "GET \(Self.bread)/revisions/1?fields=id",
                    gives: "400 malformed-request ?fields"),
            ]
        ).playWithoutChange()
    }

    @Test func `a history is paged, even while it grows`() async throws {
        try await TestBackend.run { server in
            for number in 2...7 {
                try server.send(
                    "PATCH \(Self.bread)", as: .editor, #"{"title":"Bread \#(number)"}"#)
            }
            var target: String? = "\(Self.bread)/revisions?limit=3"
            var numbers: [Int] = []
            while let next = target {
                let response = try server.send("GET \(next)", as: .editor)
                let page = try Page<Revision>(mapping: response.body)
                numbers += page.items.map(\.number)
                target = response.nextTarget
                #expect((page.next == nil) == (target == nil))
                try server.send(
                    "PATCH \(Self.bread)", as: .editor, #"{"title":"New \#(numbers.count)"}"#)
            }
            #expect(numbers == [7, 6, 5, 4, 3, 2, 1])
        }
    }
}
