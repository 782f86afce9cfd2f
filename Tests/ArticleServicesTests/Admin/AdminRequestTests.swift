import ArticleAPI
import ArticleStore
import BroadsheetHTTP
import BroadsheetPlatform
import Testing

@testable import ArticleAccounts
@testable import ArticleOperations
@testable import ArticleServiceCore
@testable import ArticleServices

/// Requests from commands to the file's owner arrive unchanged.
@Suite struct AdminRequestTests {
    private func arrived<Request: BackendAPIRequest>(_ request: Request) throws -> Request {
        try Request(parsing: RequestSource(RequestPrinter.print(request), path: [:]))
    }

    private func item(_ slug: SlugChoice, publishedAt: Timestamp?) throws -> ImportItem {
        let id = try #require(Article.ID("01a1fd86-3af0-78ef-a5da-61ff8be033ca"))
        let draft = Article.Draft(
            title: "아침", summary: "Short.", body: "Frost\non the window.", language: "ko",
            authors: [.name("Mina"), .id(try #require(Author.ID(id.description)), name: "Jun")],
            tags: ["Weather"], heroImage: .init(url: "https://example.org/a.png"),
            status: .published, publishedAt: publishedAt,
            source: .init(name: "Blog", url: "https://example.org/1"))
        return ImportItem(
            path: "posts/아침.md", digest: [UInt8](repeating: 7, count: 32), id: id,
            content: ArticleContent(imported: draft, slug: slug), keepsSlug: true)
    }

    @Test(arguments: [SlugChoice.keep, .exactly("아침"), .like("morning")])
    func `an imported article arrives with all editable attributes`(slug: SlugChoice) throws {
        for time in [nil, Timestamp(milliseconds: 1_795_000_000_123)] {
            let request = ImportArticlesRequest(
                batch: ImportBatch(items: [try item(slug, publishedAt: time)], isDryRun: true))
            #expect(try arrived(request) == request)
        }
    }

    @Test func `former slugs of an imported article arrive in any script`() throws {
        var item = try item(.like("morning"), publishedAt: nil)
        for slugs in [[], ["old"], ["아침", "früh"] + (3...50).map { "former-\($0)" }] {
            item.formerSlugs = slugs
            let request = ImportArticlesRequest(
                batch: ImportBatch(items: [item], isDryRun: false))
            #expect(try arrived(request) == request)
            let text = String(decoding: request.batch.json(), as: UTF8.self)
            // Older servers reject an attribute that they do not know.
            #expect(text.contains("formerSlugs") == !slugs.isEmpty)
        }
        item.formerSlugs = (1...51).map { "former-\($0)" }
        let tooMany = ImportArticlesRequest(batch: ImportBatch(items: [item], isDryRun: false))
        #expect(throws: (any Error).self) { try arrived(tooMany) }
    }

    @Test(
        arguments: [
            .path, .likeness(slug: nil), .likeness(slug: "아침"), .movedFrom("old/아침.md"),
        ] as [ImportItem.Recognition])
    func `an imported article arrives with how it is recognized`(
        recognition: ImportItem.Recognition
    ) throws {
        for restoresDeleted in [false, true] {
            var item = try item(.like("morning"), publishedAt: nil)
            item.recognition = recognition
            item.restoresDeleted = restoresDeleted
            let request = ImportArticlesRequest(
                batch: ImportBatch(items: [item], isDryRun: false))
            #expect(try arrived(request) == request)
        }
    }

    @Test func `each outcome of an import arrives`() throws {
        let outcomes: [ImportOutcome] = [
            .created, .updated, .unchanged, .keptEdits, .restored,
            .deleted(Timestamp(milliseconds: 1_795_000_000_123)), .similar(["a/b.md", "c/아침.md"]),
        ]
        let result = ImportResult(results: outcomes.map { .taken($0) } + [.rejected("Why")])
        let text = String(decoding: result.json(), as: UTF8.self)
        #expect(text.hasPrefix(#"{"results":[{"outcome":"created"},{"outcome":"updated"}"#))
        #expect(try ImportResult(strict: JSONParser.parse(result.json())) == result)
    }

    @Test func `records of an export arrive line by line`() throws {
        let id = try #require(Author.ID("01a1fd86-3af0-78ef-a5da-61ff8be033ca"))
        let author = Author(
            id: id, name: "Mina", about: "", website: nil,
            createdAt: Timestamp(milliseconds: 0), updatedAt: Timestamp(milliseconds: 1),
            revision: 1)
        let records: [ExportRecord] = [
            .author(author),
            .article(
                ExportedArticle(
                    id: try #require(Article.ID(id.description)), aliases: ["old"],
                    formerSlugs: ["früher", "old"], imported: nil)),
        ]
        for isDryRun in [true, false] {
            let request = try arrived(RestoreRecordsRequest(records, isDryRun: isDryRun))
            #expect(try request.records() == records)
            #expect(request.isDryRun == isDryRun)
        }
    }

    @Test func `a key's record keeps its digest and times`() throws {
        let key = APIKey(
            name: "phone", role: .editor, at: Timestamp(milliseconds: 5),
            expiresAt: Timestamp(milliseconds: 9), system: .real)
        let request = CreateKeyRequest(key: key.record)
        #expect(try arrived(request) == request)
    }
}
