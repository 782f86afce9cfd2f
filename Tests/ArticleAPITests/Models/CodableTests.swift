import ArticleAPI
import ArticleAdminAPI
import Foundation
import Testing

/// Models in Swift's coders and with Foundation's types.
@Suite struct CodableTests {
    private func expectKept<Model: Codable & Equatable>(_ model: Model) throws {
        let json = try JSONEncoder().encode([model])
        #expect(try JSONDecoder().decode([Model].self, from: json) == [model])
        let list = try PropertyListEncoder().encode([model])
        #expect(try PropertyListDecoder().decode([Model].self, from: list) == [model])
    }

    @Test func `every model survives JSON and property lists`() throws {
        try expectKept(Samples.article)
        try expectKept(Samples.bare)
        try expectKept(Samples.author)
        try expectKept(Samples.draft)
        try expectKept(Samples.replacement)
        try expectKept(Samples.authorReplacement)
        try expectKept(
            Page(items: [Samples.article], next: "c", count: .init(value: 1, isExact: true)))
        try expectKept(Samples.searchPage)
        try expectKept(ArticleTag.Usage(tag: ArticleTag(named: "Swift"), articleCount: 3))
        try expectKept(
            Revision(
                number: 2, action: .unknown("merged"), title: "T", status: .archived,
                createdAt: Samples.time,
                actor: Revision.Actor(kind: .unknown("robot"), id: "r2", name: "Ada")))
        try expectKept(Problem(.slugTaken, errors: [.init("is taken", at: .pointer("/slug"))]))
        try expectKept(Samples.id)
        try expectKept(Samples.time)
        try expectKept(Article.Status.scheduled)
        try expectKept(Revision.Action.restored)
        try expectKept(Revision.Actor.Kind.unrecorded)
        try expectKept(Author.Mention.name("Bo"))
    }

    @Test func `a patch distinguishes cleared and unchanged attributes`() throws {
        let json = try JSONEncoder().encode(Samples.changes)
        #expect(try JSONDecoder().decode(Article.Changes.self, from: json) == Samples.changes)
    }

    @Test func `a model is encoded in its wire form`() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let tag = try encoder.encode(ArticleTag(key: "swift", name: "Swift"))
        #expect(String(decoding: tag, as: UTF8.self) == #"{"key":"swift","name":"Swift"}"#)
        let time = try encoder.encode(Samples.time)
        #expect(String(decoding: time, as: UTF8.self) == #""2026-01-31T23:59:59.999Z""#)
    }

    @Test func `newer forms decode, and errors name the place`() throws {
        let newer = Data(#"{"key":"swift","name":"Swift","color":[1.5,true,null]}"#.utf8)
        #expect(
            try JSONDecoder().decode(ArticleTag.self, from: newer)
                == ArticleTag(named: "Swift"))
        let broken = Data(#"[{"key":"swift"}]"#.utf8)
        #expect {
            try JSONDecoder().decode([ArticleTag].self, from: broken)
        } throws: { error in
            guard case DecodingError.dataCorrupted(let context) = error else { return false }
            return context.codingPath.map(\.intValue) == [0]
                && context.debugDescription == "$.name: is missing"
        }
        let text = Data(#""yesterday""#.utf8)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Timestamp.self, from: text) }
    }

    @Test func `models have identities for lists`() {
        let revision = Revision(
            number: 2, action: .created, title: "", status: .draft, createdAt: Samples.time,
            actor: Revision.Actor(kind: .unrecorded))
        #expect(ArticleTag(named: "Swift").id == "swift" && revision.id == 2)
        #expect(
            ArticleTag.Usage(tag: ArticleTag(named: "Swift"), articleCount: 1).id == "swift"
        )
        #expect(Author.Reference(id: Samples.authorID, name: "Ada").id == Samples.authorID)
    }

    @Test func `times and URLs convert to Foundation's types`() throws {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        #expect(formatter.string(from: Samples.time.date) == "2026-01-31T23:59:59.999Z")
        #expect(Timestamp(Samples.time.date) == Samples.time)
        #expect(Timestamp(Date.distantFuture) > Samples.time)
        #expect(
            Timestamp(Date(timeIntervalSince1970: .infinity)).milliseconds
                == Timestamp.range.upperBound)
        #expect(Samples.article.heroImage?.address == URL(string: "https://a.example/x.jpg"))
        #expect(Samples.article.source?.address?.host == "b.example")
        #expect(Samples.author.address?.host == "ada.example")
    }
}
