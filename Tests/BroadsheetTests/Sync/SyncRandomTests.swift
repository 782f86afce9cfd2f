import ArticleAPI
import BroadsheetTestSupport
import Testing

@testable import broadsheet

/// Random histories, with crashes and local changes in between: the folder equals the feed in the
/// end.
@Suite struct SyncRandomTests {
    private struct Life {
        let fixture: SyncFixture
        var random: SplitMix64
        var authors: [Author.ID] = []

        mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

        /// One of few slugs that no article has.
        mutating func freeSlug() -> String? {
            let taken = fixture.feed.articles
            return (0..<12).map { "s\($0)" }.filter { taken[$0] == nil }
                .randomElement(using: &random)
        }

        mutating func change() {
            let articles = fixture.feed.articles.values.sorted { $0.id < $1.id }
            let article = articles.randomElement(using: &random)
            switch (number(10), article) {
            case (0, _): authors.append(fixture.feed.addAuthor("Author \(number(100))"))
            case (1, _):
                if let author = authors.randomElement(using: &random) {
                    fixture.feed.rename(author, "Author \(number(100))")
                }
            case (2, let article?): fixture.feed.delete(article.id)
            case (3...4, let article?):
                if let slug = freeSlug() { fixture.feed.change(article.id) { $0.slug = slug } }
            case (5...6, let article?):
                let body = "Text \(number(1_000))."
                fixture.feed.change(article.id) { $0.body = body }
            default:
                guard let slug = freeSlug() else { return }
                let by = authors.filter { _ in Bool.random(using: &random) }
                fixture.feed.add(slug, authors: by, tags: Bool.random(using: &random) ? ["x"] : [])
            }
        }

        /// Changes or removes some of the files that a run wrote.
        mutating func meddle() throws {
            for name in try fixture.files().keys.sorted() where number(6) == 0 {
                if Bool.random(using: &random) {
                    try fixture.remove(name)
                } else {
                    try fixture.write("Mine \(number(1_000)).", name)
                }
            }
        }
    }

    @Test(arguments: Array(1...(Thoroughness.isFull ? 400 : 5)))
    func `a folder follows whatever happens`(seed: Int) async throws {
        let fixture = try SyncFixture()
        var life = Life(fixture: fixture, random: SplitMix64(seed: UInt64(seed)))
        for _ in 1...15 {
            for _ in 0..<life.number(12) { life.change() }
            if life.number(8) == 0 { fixture.feed.reset() }
            let crash = Crash(after: life.number(40))
            let tags = life.number(5) == 0 ? ["x"] : []
            do {
                let report = try await fixture.sync(
                    tags: tags, force: true, interrupt: crash.interrupt)
                #expect(report.kept == 0 && fixture.kept == [])
                try fixture.expectEqual(tags.first)
            } catch { #expect("\(error)".contains("crash")) }
            try life.meddle()
        }
        #expect(try await fixture.sync(force: true).kept == 0)
        try fixture.expectEqual()
        #expect(try await fixture.sync().written == 0)
    }
}
