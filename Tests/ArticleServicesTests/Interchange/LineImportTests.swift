import ArticleAPI
import ArticleDatabase
import ArticleStore
import BroadsheetTestSupport
import Testing

@testable import ArticleImportExport
@testable import ArticleServiceCore
@testable import ArticleServices

@Suite struct LineImportTests {
    @Test func `each line becomes an article, and a second run changes nothing`() async throws {
        try await ImportFixture.with { fixture in
            let id = Article.ID(at: ImportFixture.time(0))
            try fixture.write(
                "posts.ndjson",
                """
                \u{FEFF}{"title":"One","status":"published","authors":["Ann"],"tags":["A"]}\r

                  {"title":"Two","body":"text","slug":"second","language":"ko"}
                \t
                {"id":"\(id)","title":"Three","status":"archived","summary":"No more"}
                """)
            #expect(try await fixture.run("posts.ndjson", at: 7).counts == ["created": 3])
            let one = try await fixture.article("one")
            #expect(one.status == .published && one.publishedAt == ImportFixture.time(7))
            #expect(one.authors.map(\.name) == ["Ann"] && one.language == "en")
            let two = try await fixture.article("second")
            #expect(two.status == .draft && two.body == "text" && two.language == "ko")
            #expect(try await fixture.article("three").id == id)
            #expect(try await fixture.run("posts.ndjson", at: 9).counts == ["unchanged": 3])
        }
    }

    @Test func `lines are identified by id, slug or title, in any order`() async throws {
        try await ImportFixture.with { fixture in
            let id = Article.ID(at: ImportFixture.time(0))
            try fixture.write(
                "a.jsonl",
                """
                {"id":"\(id)","title":"With id"}
                {"slug":"with-slug","title":"With slug"}
                {"title":"With title"}
                {"title":"Twice","body":"1"}
                {"title":"Twice","body":"2"}
                """)
            #expect(try await fixture.run("a.jsonl").counts == ["created": 5])
            try fixture.write(
                "a.jsonl",
                """
                {"title":"New"}
                {"title":"Twice","body":"1"}
                {"title":"With title","body":"changed"}
                {"slug":"with-slug","title":"Changed"}
                {"id":"\(id)","title":"Changed too"}
                {"title":"Twice","body":"2, changed"}
                """)
            let report = try await fixture.run("a.jsonl", at: 1)
            #expect(report.counts == ["created": 1, "updated": 4, "unchanged": 1])
            #expect(try await fixture.article("with-title").body == "changed")
            #expect(try await fixture.article("with-slug").title == "Changed")
            let changed = try await fixture.article("with-id")
            #expect(changed.id == id && changed.title == "Changed too")
            #expect(try await fixture.article("twice-2").body == "2, changed")
            #expect(try await fixture.run("a.jsonl", at: 2).counts == ["unchanged": 6])
        }
    }

    @Test func `a faulty line is reported, and the others are imported`() async throws {
        try await ImportFixture.with { fixture in
            let taken = Article.ID(at: ImportFixture.time(0))
            let made = try ArticleContent(
                Article.Draft(slug: "taken", title: "Here"), rendered: RenderedBody(written: []),
                defaultLanguage: "en", at: ImportFixture.time(0))
            _ = try await fixture.store.createArticle(
                taken, made, by: Edit(at: ImportFixture.time(0), by: .key(id: "Eve")))
            let lines = [
                #"{"title":"Fine"}"#,
                #"{"title":"Open"#,
                #"{"title":"A","title":"B"}"#,
                #"{"titel":"A"}"#,
                #"{"title":"","extra":1}"#,
                #"["title"]"#,
                #"{"slug":"taken","title":"A"}"#,
                #"{"id":"\#(taken)","title":"A"}"#,
                #"{"title":"A","status":"scheduled"}"#,
                #"{"slug":"same","title":"A"}"#,
                #"{"slug":"same","title":"B"}"#,
                #"{"title":"A","authors":[{"id":"\#(taken)"}]}"#,
                #"{"title":"Last"}"#,
            ]
            try fixture.write("a.ndjson", Array(lines.joined(separator: "\n").utf8))
            let report = try await fixture.run("a.ndjson")
            #expect(report.counts == ["created": 3, "failed": 10])
            let path = fixture.path("a.ndjson")
            #expect(
                Set(report.failures.map(\.description)) == [
                    "\(path):2: the JSON text ends unexpectedly, at line 2, column 15 ($.title)",
                    "\(path):3: the name `title` occurs twice in an object, "
                        + "at line 3, column 14 ($)",
                    "\(path):4: $.titel is not an attribute that can be set here (and 1 more)",
                    "\(path):5: $.extra is not an attribute that can be set here (and 1 more)",
                    "\(path):6: $ must be an object, not an array",
                    "\(path):7: the slug \"taken\" is taken by another article",
                    "\(path):8: the id is taken by another article",
                    "\(path):9: /publishedAt is required for the status `scheduled`",
                    "\(path):11: $.slug was already used on line 10",
                    "\(path):12: $.authors[0].id: no author has the id \(taken)",
                ])
        }
    }

    @Test func `the format of a file without an extension is detected`() async throws {
        try await ImportFixture.with { fixture in
            try fixture.write("backup", "\n {\"title\":\"A line\"}\n")
            try fixture.write("notes", "# A post\n\n{}")
            #expect(try await fixture.run("backup", "notes").counts == ["created": 2])
            #expect(try await fixture.article("a-line").body == "")
            #expect(try await fixture.article("a-post").body == "# A post\n\n{}")
        }
    }

    @Test func `lines are read across chunks, and oversized ones are skipped`() throws {
        let folder = try ImportFolder()
        let long = String(repeating: "x", count: 600_000)
        try folder.write("a", "\u{FEFF}one\n\(long)\n\n\(long)y\nlast\r")
        var reader = try LineReader(folder.path("a"), limitBytes: 600_000)
        var lines: [(Int, Int?)] = []
        while let line = try reader.next() { lines.append((line.number, line.bytes?.count)) }
        #expect(lines.map(\.0) == [1, 2, 4, 5])
        #expect(lines.map(\.1) == [3, 600_000, nil, 5])
    }

    @Test func `many lines are imported in batches with progress`() async throws {
        try await ImportFixture.with { fixture in
            let text = (0..<2_000).map { "{\"title\":\"Line \($0)\",\"body\":\"text\"}\n" }
            try fixture.write("many.ndjson", text.joined())
            let importer = Importer(
                store: fixture.store, language: try #require(LanguageTag("en")),
                system: .clock { ImportFixture.time(0) })
            var seen: [ImportProgress] = []
            let report = try await importer.run([fixture.path("many.ndjson")]) { seen.append($0) }
            #expect(report.counts == ["created": 2_000])
            #expect(seen.count >= 10 && seen.map(\.done) == seen.map(\.done).sorted())
            #expect(seen.allSatisfy { $0.done <= $0.total })
            #expect(
                seen.last
                    == ImportProgress(
                        done: text.joined().utf8.count, total: text.joined().utf8.count,
                        articles: 2_000))
        }
    }
}
