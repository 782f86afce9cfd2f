import ArticleAPI
import ArticleAdminAPI
import ArticleStore
import BroadsheetTestSupport
import Synchronization
import Testing

func titles(in store: some ArticleStore) async throws -> [String] {
    let query = ArticleQuery(audience: .everyone)
    return try await store.articles(query).items.map(\.title)
}

final class LastChange: ChangeObserver {
    let sequence = Atomic<Int64>(0)
    func didCommit(_ changes: CommitChanges) {
        sequence.store(changes.sequence, ordering: .relaxed)
    }
}

/// The examples of articles in a store: written, listed, and as they were before.
@Suite struct ArticleStoreExamples {
    private let time = Timestamp(milliseconds: 1_767_225_600_000)
    private let id = Article.ID(at: Timestamp(milliseconds: 1_767_225_600_000))
    private var edit: Edit { Edit(at: time, by: .operator) }

    /// The content of a public article.
    private func content(_ title: String = "Bread") -> ArticleContent {
        let draft = Article.Draft(
            title: title, body: "Flour and water.", tags: ["Baking"], status: .published,
            publishedAt: time)
        return ArticleContent(
            draft, slug: .like(title.lowercased()), measure: TextMeasure(draft.body))
    }

    @Test func `a process of several`() async throws {
        try await ExampleStore.run { store in
            let commit = store.node.lastCommit
            let isSeen = await store.node.waitUntilCurrent(with: commit)
            #expect(isSeen && store.node.isLeader)
        }
    }

    @Test func `a store`() async throws {
        try await ExampleStore.run { store in
            _ = try await store.createArticle(id, content(), by: edit)
            #expect(try await titles(in: store) == ["Bread"])
        }
    }

    @Test func `the content of an article`() {
        let draft = Article.Draft(title: "Bread", body: "Flour and water.")
        let content = ArticleContent(draft, slug: .like("bread"), measure: TextMeasure(draft.body))
        #expect(content.status == .draft && content.language == "und")
    }

    @Test func `edits`() async throws {
        try await ExampleStore.run { store in
            let content = content()
            let edit = Edit(at: time, by: .key(id: "editor"))
            let article = try await store.createArticle(id, content, by: edit)
            #expect(article.slug == "bread" && article.createdAt == time)
            let update = ArticleUpdate(.changes(Article.Changes(title: .set("Rye bread"))))
            let edited = try await store.updateArticle(id, update, expecting: .existing, by: edit)
            #expect(edited.title == "Rye bread" && edited.revision == 2 && edited.slug == "bread")
            let history = try await store.revisions(of: id, below: nil, limit: 20)
            let first = try await store.revision(1, of: id)
            #expect(history.items.map(\.number) == [2, 1] && first.title == "Bread")
        }
    }

    @Test func `a write that expects a state`() async throws {
        try await ExampleStore.run { store in
            let article = try await store.createArticle(id, content(), by: edit)
            await #expect(throws: StoreError.self) {
                try await store.deleteArticle(id, expecting: .versions(["1-x1y2z3"]), by: edit)
            }
            let seen = Precondition.versions([article.version ?? ""])
            try await store.deleteArticle(article.id, expecting: seen, by: edit)
            #expect(try await store.articleCount() == 0)
        }
    }

    @Test func `an article that does not exist`() async throws {
        try await ExampleStore.run { store in
            var article: Article?
            do throws(StoreError) {
                article = try await store.article(.slug("bread"), visibleTo: .editors)
            } catch {
                guard case .notFound = error else { throw error }
            }
            #expect(article == nil)
        }
    }

    @Test func `a rendered body`() async throws {
        try await ExampleStore.run { store in
            let article = try await store.createArticle(id, content(), by: edit)
            let html = BodyHTML(renderer: "cmark-gfm 1", html: "<p>Flour and water.</p>")
            try await store.keepBodyHTML(html, of: article.id, revision: article.revision)
            #expect(try await store.bodyHTML(of: [article], by: "cmark-gfm 1") == [html])
        }
    }

    @Test func `an article with the time of its last change`() async throws {
        try await ExampleStore.run { store in
            _ = try await store.createArticle(id, content(), by: edit)
            let edition = try await store.edition(of: .slug("bread"), visibleTo: .editors)
            let isUnchanged = edition.changedAt <= time
            #expect(isUnchanged && edition.article.id == id)
        }
    }

    @Test func `versions in a history`() {
        let (high, low) = (UInt64(1), UInt64(2))
        let time = Timestamp(milliseconds: 1_700_000_000_000)
        let epoch = Epoch(high: high, low: low)
        let version = epoch.version(of: id, revision: 7, at: time)
        #expect(version.hasPrefix("7-") && version.utf8.count == 2 + Epoch.markLength)
        #expect(Epoch(high: 3, low: low).version(of: id, revision: 7, at: time) != version)
    }

    @Test func `notices for an operator`() async {
        let (texts, continuation) = AsyncStream.makeStream(of: String.self)
        let notices = StoreNotices()
        notices.receive { continuation.yield($0) }
        notices.add("The database was set back.")
        continuation.finish()
        for await text in texts { #expect(text == "The database was set back.") }
    }

    @Test func `purging an article`() async throws {
        try await ExampleStore.run { store in
            let article = try await store.createArticle(id, content(), by: edit)
            let removed = try await store.purge(article.id, revisions: [], by: edit)
            #expect(removed.revisions > 0)
            await #expect(throws: StoreError.self) {
                try await store.article(.id(article.id), visibleTo: .editors)
            }
        }
    }

    @Test func `pages of articles`() async throws {
        try await ExampleStore.run { store in
            let names = ["Bread", "Cake", "Pretzel"]
            for name in names {
                _ = try await store.createArticle(Article.ID(at: time), content(name), by: edit)
            }
            var titles: [String] = []
            var query = ArticleQuery(audience: .editors)
            query.limit = 2
            repeat {
                let slice = try await store.articles(query)
                titles += slice.items.map(\.title)
                query.after = slice.next
            } while query.after != nil
            #expect(titles.count == 3 && Set(titles) == Set(names))
            let slice = try await store.articles(query)
            query.after = slice.items.last.map { ArticlePosition(of: $0, in: query.sort) }
            #expect(query.after == slice.next)
        }
    }

    @Test func `a query`() async throws {
        try await ExampleStore.run { store in
            _ = try await store.createArticle(id, content(), by: edit)
            var query = ArticleQuery(audience: .everyone)
            query.filter.tags = [ArticleTag(named: "Baking").key]
            query.sort = .updatedLast
            let slice = try await store.articles(query)
            #expect(slice.items.map(\.id) == [id])
        }
    }

    @Test func `tags`() async throws {
        try await ExampleStore.run { store in
            _ = try await store.createArticle(id, content(), by: edit)
            let slice = try await store.tags(after: nil, limit: 100, visibleTo: .everyone)
            let names = slice.items.map(\.tag.name)
            #expect(names == ["Baking"])
        }
    }

    @Test func `the positions of webhooks`() async throws {
        try await ExampleStore.run { store in
            let digest = [UInt8](repeating: 7, count: 32)
            let page = ChangePage<Article>(changes: [], next: "epoch.sealed", more: false)
            var record = WebhookRecord(url: digest, token: page.next)
            try await store.putWebhook(record)
            record.failingSince = time
            try await store.putWebhook(record)
            try await store.removeWebhooks(except: [digest])
            #expect(try await store.webhooks() == [record])
        }
    }

    @Test func `the index of a search`() async throws {
        try await ExampleStore.run { store in
            var query = ChangeQuery(audience: .everyone)
            query.startsNow = true
            let position = try await store.changes(query).position
            let blocks = [SearchBlockRecord(number: 0, first: [2, 97], data: [2, 97, 0, 1])]
            try await store.putSearchBlocks(blocks, of: 1)
            let segment = SearchSegmentRecord(number: 1, level: 0, bytes: 4, dead: [0])
            let progress = SearchProgress(version: 1, position: position)
            try await store.commitSearch(SearchCommit(progress, added: [segment]))
            let keys = try await store.searchKeys(of: 1)
            let range = SearchBlockRange(segment: 1, blocks: 0..<1)
            let found = try await store.searchBlocks(SearchBlockQuery([range]))
            #expect(keys == [SearchKeyRecord(first: [2, 97], block: 0)])
            #expect(found == [[[2, 97, 0, 1]]])
        }
    }

    @Test func `the publication of scheduled articles`() async throws {
        try await ExampleStore.run { store in
            var content = content()
            content.draft.status = .scheduled
            _ = try await store.createArticle(id, content, by: edit)
            let counts = try await store.scheduledCounts(at: time)
            let total = counts.upcoming + counts.overdue
            #expect(total == 1 && counts.overdue == 1)
            let done = try await store.publishDueArticles(at: time, limit: 100)
            let hasMore = done.next.map { $0 <= time } ?? false
            #expect(done.published == 1 && !hasMore)
        }
    }

    @Test func `the history that is kept`() async throws {
        var rules = RetentionRules()
        rules.revisions = 100
        rules.revisionMilliseconds = 90 * RetentionRules.day
        try await ExampleStore.run { store in
            _ = try await store.createArticle(id, content(), by: edit)
            var walk = RetentionProgress()
            while !walk.isComplete { walk = try await store.removeHistory(rules, at: time, walk) }
            #expect(walk.revisions == 0 && walk.articles == 0)
        }
    }

    @Test func `authors`() async throws {
        try await ExampleStore.run { store in
            let id = Author.ID(at: time)
            let replacement = Author.Replacement(name: "Ada Lovelace")
            let saved = try await store.putAuthor(id, replacement, expecting: .nothing, by: edit)
            #expect(saved.author.name == "Ada Lovelace" && saved.isNew)
        }
    }

    @Test func `changes and their observer`() async throws {
        try await ExampleStore.run { store in
            let observer = LastChange()
            store.observeChanges(observer)
            _ = try await store.createArticle(id, content(), by: edit)
            let changes = try await store.changes(after: 0, limit: 100)
            let subjects = changes.filter { $0.isPublic }.map(\.subject)
            #expect(subjects == [.article(id)])
            #expect(observer.sequence.load(ordering: .relaxed) == changes.last?.sequence)
        }
    }

    @Test func `changes that a cache takes over`() async throws {
        try await ExampleStore.run { store in
            let announced = AnnouncedChanges()
            store.observeChanges(announced)
            _ = try await store.createArticle(id, content(), by: edit)
            let batch = announced.take()
            #expect(batch.failure == nil && batch.changes?.sequence == batch.visible)
        }
    }

    @Test func `a copy that follows changes`() async throws {
        try await ExampleStore.run { store in
            _ = try await store.createArticle(id, content(), by: edit)
            var copy: [Article.ID: Article] = [:]
            var query = ChangeQuery(audience: .editors)
            query.filter.tags = [ArticleTag(named: "Baking").key]
            var isCurrent = false
            while !isCurrent {
                let slice = try await store.changes(query)
                for case (_, .putArticle(let article, _)) in slice.items {
                    copy[article.id] = article
                }
                for case (_, .deleteArticle(let id, _)) in slice.items { copy[id] = nil }
                query.position = slice.position
                isCurrent = slice.isLast
            }
            #expect(copy.values.map(\.title) == ["Bread"])
        }
    }
}
