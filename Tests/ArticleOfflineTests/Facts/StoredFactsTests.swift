import ArticleAPI
import BroadsheetTestSupport
import Testing

@testable import ArticleOffline

/// Facts as bytes in a file.
@Suite struct StoredFactsTests {
    private static let id = Article.ID(at: Timestamp(milliseconds: 1_700_000_000_000))

    private static func facts(_ random: inout SplitMix64) throws -> ModelFacts<Article> {
        var merged: ModelFacts<Article>?
        for revision in 1...Int.random(in: 1...4, using: &random) {
            let article = Article(
                id: id, slug: "bread", title: "Bread \"\(revision)\"\n빵",
                body: Bool.random(using: &random) ? "Knead." : nil, language: "en",
                authors: [
                    Author.Reference(id: Author.ID(at: Timestamp(milliseconds: 5)), name: "A")
                ],
                status: .published, createdAt: Timestamp(milliseconds: -1),
                updatedAt: Timestamp(milliseconds: Int64(revision)), revision: revision,
                version: "\(revision)-abcdef", wordCount: 1, readingMinutes: 1)
            let names = Article.shape.properties.map(\.name).filter { name in
                name == "revision" || Bool.random(using: &random)
            }
            let time = Timestamp(milliseconds: Int64.random(in: -9...9, using: &random))
            let fields = FieldSelection(names)
            let part = ModelFacts<Article>(
                try PartialArticle(mapping: article.json(fields)), fields, seenAt: time)
            if merged?.merge(part) == nil { merged = part }
        }
        return try #require(merged)
    }

    @Test(arguments: UInt64(1)...50)
    func `facts come back from their bytes`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let facts = try Self.facts(&random)
        #expect(Self.read(facts.stored, facts.seenAt) == facts)
    }

    /// Reads bytes that were stored by an app with these attributes.
    private static func read(
        _ bytes: [UInt8], _ seenAt: Timestamp = Timestamp(milliseconds: 0),
        names: [String] = ModelFacts<Article>.storedNames
    ) -> ModelFacts<Article>? {
        ModelFacts(
            id, stored: bytes, seenAt: seenAt, places: ModelFacts<Article>.places(of: names))
    }

    @Test func `attributes are recognized by the names that the file has`() throws {
        var random = SplitMix64(seed: 7)
        let facts = try Self.facts(&random)
        // Another app had other attributes in another order.
        var names = ModelFacts<Article>.storedNames
        let place = try #require(names.firstIndex(of: "title"))
        names[place] = "mood"
        let read = try #require(Self.read(facts.stored, facts.seenAt, names: names + ["title"]))
        #expect(!read.attributes.contains("title"))
        #expect(read.origin(of: "revision") == facts.origin(of: "revision"))
        let known = facts.attributes.names.filter { $0 != "title" }
        #expect(read.attributes.names == known)
    }

    @Test func `facts of one origin have the same bytes when they are seen again`() throws {
        let article = Article(
            id: Self.id, slug: "a", title: "A", body: "B", language: "en", status: .draft,
            createdAt: Timestamp(milliseconds: 1), updatedAt: Timestamp(milliseconds: 1),
            wordCount: 1, readingMinutes: 1)
        let facts = (1...2).map {
            ModelFacts(article, knowing: .all, seenAt: Timestamp(milliseconds: $0))
        }
        #expect(facts[0].stored == facts[1].stored && facts[0].isStored(like: facts[1]))
        let fields = FieldSelection(["title", "revision"])
        var merged = facts[0]
        merged.merge(
            ModelFacts(
                try PartialArticle(mapping: article.json(fields)), fields,
                seenAt: Timestamp(milliseconds: 3)))
        #expect(merged.stored != facts[0].stored && !merged.isStored(like: facts[0]))
    }

    @Test(arguments: UInt64(1)...40)
    func `damaged bytes are rejected or read, and never crash`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let sound = try Self.facts(&random).stored
        for _ in 0..<200 {
            var bytes = sound
            switch Int.random(in: 0...2, using: &random) {
            case 0: bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
            case 1:
                for _ in 0..<Int.random(in: 1...8, using: &random) {
                    let index = Int.random(in: 0..<bytes.count, using: &random)
                    bytes[index] = UInt8.random(in: 0...255, using: &random)
                }
            default:
                bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
            }
            guard var read = Self.read(bytes) else { continue }
            _ = (read.model(), read.attributes, read.revision, read.seenAt)
            #expect(Self.read(read.stored, read.seenAt) == read)
            read.merge(try Self.facts(&random))
        }
    }

    @Test func `attributes of some origins can be left out`() throws {
        let article = Article(
            id: Self.id, slug: "a", title: "A", body: "B", language: "en", status: .draft,
            createdAt: Timestamp(milliseconds: 1), updatedAt: Timestamp(milliseconds: 1),
            wordCount: 1, readingMinutes: 1)
        var newer = article
        (newer.title, newer.body, newer.revision) = ("C", nil, 2)
        let inLists = AttributeSet<Article>.all.subtracting(["body"])
        var facts = ModelFacts(article, knowing: .all, seenAt: Timestamp(milliseconds: 1))
        facts.merge(ModelFacts(newer, knowing: inLists, seenAt: Timestamp(milliseconds: 1)))
        let left = try #require(facts.without { $0.revision < 2 })
        #expect(left.attributes == inLists && left.model()?.title == "C")
        #expect(facts.without { $0.revision < 1 } == facts)
        #expect(facts.without { _ in true } == nil)
    }
}
