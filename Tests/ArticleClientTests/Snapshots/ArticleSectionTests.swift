import ArticleAPI
import ArticleClient
import BroadsheetTestSupport
import Testing

/// Articles under headings.
@Suite struct ArticleSectionTests {
    private func titles(_ snapshot: Snapshot<ArticleSection, ArticleEntry>) -> [[String]] {
        snapshot.groups.map { $0.items.map(\.article.title) }
    }

    @Test func `days begin at midnight in the reader's time zone`() throws {
        let articles = [
            article(1, at: try time("2026-03-02T15:00:00Z")),
            article(2, at: try time("2026-03-02T14:59:59Z")),
            article(3, at: try time("2026-03-01T15:00:00Z")),
            article(4),
        ]
        typealias Days = Snapshot<ArticleSection, Article>
        let seoul = Days(byDay: articles) { _ in 9 * 3_600 }
        #expect(seoul.groups.map { $0.items.map(\.slug) } == [["a1"], ["a2", "a3"], ["a4"]])
        let days = seoul.groups.map { group in
            if case .day(let day) = group.section {
                "\(day.year)-\(day.month)-\(day.day)"
            } else {
                ""
            }
        }
        #expect(days == ["2026-3-3", "2026-3-2", "1970-1-1"])
        let london = Days(byDay: articles) { _ in 0 }
        #expect(london.groups.map { $0.items.map(\.slug) } == [["a1", "a2"], ["a3"], ["a4"]])
    }

    @Test func `an article is under each of its tags`() {
        let articles = [
            article(1, tags: ["Swift", "Baking"]), article(2), article(3, tags: ["baking"]),
        ]
        let snapshot = Snapshot<ArticleSection, ArticleEntry>(byTag: articles)
        #expect(
            snapshot.groups.map(\.section) == [
                .tag(ArticleTag(named: "Baking")), .tag(ArticleTag(named: "Swift")), .other,
            ])
        #expect(titles(snapshot) == [["Article 1", "Article 3"], ["Article 1"], ["Article 2"]])
    }

    @Test func `an article is under each of its authors`() {
        let articles = [
            article(1, authors: ["Bo", "Ada"]), article(2, authors: ["Ada"]), article(3),
        ]
        let snapshot = Snapshot<ArticleSection, ArticleEntry>(byAuthor: articles)
        let names = snapshot.groups.map { group in
            if case .author(let author) = group.section { author.name } else { "–" }
        }
        #expect(names == ["Ada", "Bo", "–"])
        #expect(titles(snapshot) == [["Article 1", "Article 2"], ["Article 1"], ["Article 3"]])
    }

    @Test func `a renamed author is an update of the section`() {
        let old = article(1, authors: ["Bo"])
        var new = old
        new.authors[0].name = "Bob"
        typealias Authors = Snapshot<ArticleSection, ArticleEntry>
        let steps = Authors(byAuthor: [new]).difference(from: Authors(byAuthor: [old])).steps
        let entry = ArticleEntry(new, in: .author(new.authors[0].id))
        #expect(
            steps == [
                .updateSection(.author(new.authors[0]), at: 0),
                .updateItem(entry, at: .init(section: 0, item: 0)),
            ])
    }
}
