import ArticleAPI
import ArticleModels
import Testing

/// The examples of what a screen shows.
@Suite struct ArticleModelsExamples {
    private let article = ExampleNewsroom.article

    @Test func `a difference of snapshots`() {
        var edited = article
        edited.title = "Rye bread"
        var changed: [Int: String] = [:]
        let before = Snapshot<ArticleSection, Article>(byDay: [article]) { _ in 9 * 3_600 }
        let after = Snapshot<ArticleSection, Article>(byDay: [edited]) { _ in 9 * 3_600 }
        for step in after.difference(from: before).steps {
            if case .updateItem(let item, let place) = step { changed[place.item] = item.title }
        }
        #expect(changed == [0: "Rye bread"])
    }

    @Test func `sections by tag`() {
        let byTag = Snapshot<ArticleSection, ArticleEntry>(byTag: [article])
        let titles = byTag.groups.flatMap(\.items).map(\.article.title)
        #expect(titles == ["Bread"])
    }
}
