import ArticleAPI
import ArticleDatabase
import ArticleStore
import Testing

@testable import ArticleImportExport
@testable import ArticleServices

/// Articles that were deleted here, and are imported again.
@Suite struct DeletedImportTests {
    private static let files = [
        ("post.md", "---\ntitle: Of a file\ndate: 2020-01-01\n---\ntext"),
        (
            "lines.ndjson",
            #"{"id":"01890a5d-ac96-7000-8000-000000000001","title":"A line","status":"published"}"#
        ),
        ("blog.xml", WordPressImportTests.export(WordPressImportTests.item(1, "of-wordpress"))),
        (
            "ghost.json",
            #"""
            {"db": [{"meta": {}, "data": {"posts": [{"id": "1", "title": "Of Ghost", "slug": "g",
            "html": "<p>x</p>", "status": "published", "published_at": "2020-01-01 00:00:00"}]}}]}
            """#
        ),
    ]

    @Test(arguments: files)
    func `it is reported, and restored if that is asked for`(
        name: String, text: String
    ) async throws {
        try await ImportFixture.with { fixture in
            try fixture.write(name, text)
            #expect(try await fixture.run(name).counts == ["created": 1])
            let article = try #require(try await fixture.articles().first)
            try await fixture.store.deleteArticle(
                article.id, expecting: .anything,
                by: Edit(at: ImportFixture.time(86_400), by: .key(id: "Eve")))
            for isDryRun in [true, false] {
                let report = try await fixture.run(name, at: 90_000, isDryRun: isDryRun)
                #expect(report.counts == ["deletedHere": 1])
                #expect(report.articles == 1 && report.omissions.count == 1)
                #expect(
                    report.omissions[0].reason.hasSuffix(
                        "it was deleted here on 2026-01-02, and was not imported"),
                    "\(report.omissions)")
            }
            #expect(try await fixture.articles().isEmpty)
            for isDryRun in [true, false] {
                let report = try await fixture.run(
                    name, at: 90_000, isDryRun: isDryRun, restoresDeleted: true)
                #expect(report.counts == ["restored": 1])
            }
            let restored = try #require(try await fixture.articles().first)
            #expect(restored.id == article.id && restored.slug == article.slug)
            #expect(restored.status == .published && restored.body == article.body)
            #expect(restored.publishedAt == article.publishedAt && restored.revision == 3)
            #expect(
                try await fixture.run(name, restoresDeleted: true).counts == ["unchanged": 1])
        }
    }

    @Test func `a line with the id of a deleted article says so in any file`() async throws {
        try await ImportFixture.with { fixture in
            let (name, text) = Self.files[1]
            try fixture.write(name, text)
            try fixture.write("elsewhere/other.ndjson", text)
            _ = try await fixture.run(name)
            let id = try #require(try await fixture.articles().first?.id)
            try await fixture.store.deleteArticle(
                id, expecting: .anything, by: Edit(at: ImportFixture.time(1), by: .key(id: "Eve")))
            let other = "elsewhere/other.ndjson"
            #expect(try await fixture.run(other).counts == ["deletedHere": 1])
            #expect(try await fixture.run(other, restoresDeleted: true).counts == ["restored": 1])
            #expect(try await fixture.articles().map(\.id) == [id])
        }
    }
}
