import ArticleAPI
import ArticleClient
import ArticleOffline
import Testing

private struct Draft: Equatable {
    var title: String
}

/// The examples of what a screen shows.
@Suite struct ScreenExamples {
    private let article = ServedExampleBackend.article

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

    @Test func `changes of a snapshot`() {
        var draft = article
        draft.id = Article.ID(at: ServedExampleBackend.time)
        let snapshot = Snapshot<ArticleSection, Article>(byDay: [article]) { _ in 9 * 3_600 }
        var edited = snapshot
        edited.insert(draft, at: .init(section: 0, item: 0))
        edited.remove(article.id)
        #expect(edited.groups.flatMap(\.items).map(\.id) == [draft.id])
        var shown: [Int] = []
        let (before, after) = (snapshot, edited)
        for batch in after.batches(from: before) { shown.append(batch.snapshot.itemCount) }
        #expect(shown == [1])
    }

    @Test func `a row of a comment`() {
        let comment = ServedExampleBackend.comment
        let now = comment.createdAt.advanced(byMilliseconds: 300_000)
        let row = CommentPresentation(comment, in: .english, now: now) { _ in 9 * 3_600 }
        let lines = [row.authorText, row.dateText, row.text, row.noteText]
        #expect(lines[1] == "5 min ago" && lines[3] == nil)
    }

    @Test func `sections by tag`() {
        let byTag = Snapshot<ArticleSection, ArticleEntry>(byTag: [article])
        let titles = byTag.groups.flatMap(\.items).map(\.article.title)
        #expect(titles == ["Bread"])
    }

    @Test func `attributes of a response`() {
        let inLists = AttributeSet<Article>.all.subtracting([.body, .bodyHTML, .commentCount])
        let knowsBody = inLists.contains(.body)
        #expect(!knowsBody && inLists.contains("title"))
    }

    @Test func `what responses say about an article`() {
        var listed = article
        (listed.title, listed.body, listed.revision) = ("Rye bread", nil, article.revision + 1)
        let time = ServedExampleBackend.time
        let inLists = AttributeSet<Article>.all.subtracting([.body, .bodyHTML, .commentCount])
        var facts = ModelFacts(article, knowing: .all, seenAt: time)
        let changed = facts.merge(ModelFacts(listed, knowing: inLists, seenAt: time))
        let whole = facts.model()
        #expect(changed.names == ["title", "revision"])
        #expect(whole?.title == "Rye bread" && whole?.body == article.body)
    }

    @Test func `undo and redo`() {
        var changes: [String] = []
        let history = EditHistory(Draft(title: "Bread")) { old, new in
            changes.append("\(old.title) → \(new.title)")
        }
        history.edit(group: \Draft.title) { $0.title = "Rye" }
        history.edit(group: \Draft.title) { $0.title = "Rye bread" }
        history.undo()
        #expect(changes.first == "Bread → Rye" && history.value.title != "Rye bread")
    }

    @Test func `a row`() {
        let now = ServedExampleBackend.time.advanced(byMilliseconds: 300_000)
        let row = ArticlePresentation(article, in: .english, now: now) { _ in 9 * 3_600 }
        let lines = [row.titleText, row.bylineText, row.dateText, row.readingTimeText]
        let label = row.accessibilityLabel
        #expect(lines == ["Bread", "By Ada Lovelace", "5 min ago", "1 min read"])
        #expect(label == "Bread, By Ada Lovelace, 5 minutes ago, 1 minute to read")
    }

    @Test func `a relative date`() {
        let time = ServedExampleBackend.time
        let now = time.advanced(byMilliseconds: 300_000)
        let date = RelativeDate(time, now: now) { _ in 9 * 3_600 }
        let label = date.text(in: .english)
        #expect(label == "5 min ago")
    }

    @Test func `the reader's language`() {
        let language = PresentationLanguage(preferring: ["fr-CA", "ko-KR", "en"])
        #expect(language == .korean)
    }

    @MainActor @Test func `a list of a backend`() async {
        let backend = ServedExampleBackend.backend()
        var counts: [Int] = []
        let list = PagedList(backend, FetchTagsRequest(limit: 20)) { old, new in
            counts.append(new.items.count)
        }
        await list.refresh()
        if let last = list.items.last { await list.itemDidAppear(last) }
        await list.show(FetchTagsRequest(limit: 50))
        #expect(counts == [0, 1, 0, 1] && list.request.limit == 50)
    }

    @Test func `a list as a value`() async throws {
        let backend = ServedExampleBackend.backend()
        var list = PagedListState<Author, BackendError>()
        let load = list.refresh()
        let page = try await backend.send(FetchAuthorsRequest(cursor: load.cursor))
        list.receive(page, for: load)
        let isWhole = list.phase == .exhausted
        #expect(isWhole && list.items.map(\.name) == ["Ada Lovelace"])
    }
}
