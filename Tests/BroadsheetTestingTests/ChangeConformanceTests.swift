import ArticleAPI
import ArticleClient
import ArticleOffline
import BroadsheetPlatform
import BroadsheetTestSupport
import BroadsheetTesting
import Testing

/// Copies follow a backend in memory like a real one.
@Suite struct ChangeConformanceTests {
    private static func create(
        _ number: Int, _ title: String, tags: [String] = [], author: String = "Mina",
        status: Article.Status = .published, on tested: TestedBackend
    ) async throws {
        let draft = Article.Draft(
            id: .sample(number), title: title, body: "Text.", authors: [.name(author)],
            tags: tags, status: status)
        try await tested.editor.send(CreateArticleRequest(article: draft))
    }

    private static func lines(_ page: ChangePage<Article>) -> [String] {
        page.changes.map { change in
            switch change {
            case .putArticle(let article, let revision): "put \(article.title) \(revision)"
            case .deleteArticle(let id, let revision): "delete \(id) \(revision)"
            case .putAuthor(let author): "put \(author.name) \(author.revision)"
            case .deleteAuthor(_, let revision): "delete author \(revision)"
            case .putComment(let comment): "put \(comment.body) \(comment.status)"
            case .deleteComment(let id, let revision): "delete \(id) \(revision)"
            case .putBookmark(let bookmark): "put \(bookmark.articleID) \(bookmark.revision)"
            case .deleteBookmark(let id, let revision): "delete \(id) \(revision)"
            case .unknown(let type): type
            }
        }
    }

    @Test func `a copy is told what it needs, in pages`() async throws {
        let filters = [
            FetchChangesRequest(limit: 2), FetchChangesRequest(limit: 2, types: [.article]),
            FetchChangesRequest(limit: 3, types: [.article], tags: ["baking"]),
        ]
        let lines = try await TestedBackend.compare { tested in
            for number in 1...5 {
                try await Self.create(
                    number, "Article \(number)", tags: number % 2 == 0 ? ["Baking"] : [],
                    author: number < 4 ? "Mina" : "Leo \(number)", on: tested)
            }
            try await Self.create(6, "Draft", status: .draft, on: tested)
            var seen = Observations()
            var tokens: [[String?]] = [[nil, nil, nil], [nil, nil, nil]]
            func follow(_ name: String) async throws {
                for (reader, service) in [tested.reader, tested.editor].enumerated() {
                    for (number, filter) in filters.enumerated() {
                        let changes = service.changes(
                            since: tokens[reader][number], matching: filter)
                        for try await step in changes {
                            guard case .page(let page) = step else { continue }
                            tokens[reader][number] = page.next
                            // Which page has a change is not promised.
                            for line in Self.lines(page) {
                                seen.add("\(name) \(reader).\(number): \(line)")
                            }
                        }
                    }
                }
            }
            try await follow("snapshot")
            try await tested.editor.send(
                UpdateArticleRequest(id: .sample(2), changes: .init(title: .set("New title"))))
            try await tested.editor.send(
                UpdateArticleRequest(id: .sample(4), changes: .init(tags: .clear)))
            try await tested.editor.send(DeleteArticleRequest(id: .sample(1)))
            try await tested.editor.send(
                UpdateArticleRequest(id: .sample(3), changes: .init(status: .set(.archived))))
            try await tested.editor.send(
                UpdateArticleRequest(id: .sample(6), changes: .init(status: .set(.published))))
            try await follow("changes")
            try await follow("nothing")
            return seen.lines.sorted()
        }
        #expect(lines.contains("changes 0.2: delete \(Article.ID.sample(4)) 2"))
        #expect(!lines.contains { $0.hasPrefix("nothing") })
    }

    @Test func `comments and bookmarks are told, and tokens are checked`() async throws {
        let lines = try await TestedBackend.compare { tested in
            var seen = Observations()
            try await Self.create(1, "Bread", on: tested)
            let comments = FetchChangesRequest(types: [.comment], article: .sample(1))
            let bookmarks = FetchChangesRequest(types: [.bookmark])
            func changes(_ name: String, _ request: FetchChangesRequest, since: String? = nil) async
                -> String?
            {
                var request = request
                request.since = since
                var next: String?
                await seen.add(name) { [request] () throws(BackendError) in
                    let page = try await tested.editor.send(request)
                    next = page.next
                    return page
                } as: {
                    "\(Self.lines($0)) \($0.more)"
                }
                return next
            }
            for number in 1...2 {
                try await tested.editor.send(
                    CreateCommentRequest(
                        articleID: .sample(1),
                        comment: .init(id: .sample(number), body: "Comment \(number)")))
            }
            try await tested.editor.send(PutBookmarkRequest(articleID: .sample(1)))
            let first = await changes("comments", comments)
            let second = await changes("bookmarks", bookmarks)
            try await tested.editor.send(DeleteCommentRequest(id: .sample(1)))
            try await tested.editor.send(DeleteBookmarkRequest(articleID: .sample(1)))
            _ = await changes("comments since", comments, since: first)
            _ = await changes("bookmarks since", bookmarks, since: second)
            _ = await changes("from now", comments, since: "now")
            _ = await changes("another list", comments, since: second)
            _ = await changes("no token", comments, since: "x")
            _ = await changes("no article", FetchChangesRequest(types: [.comment]))
            _ = await changes("no comments", FetchChangesRequest(article: .sample(1)))
            _ = await changes(
                "a missing article", FetchChangesRequest(types: [.comment], article: .sample(9)))
            await seen.add("not signed in") { () throws(BackendError) in
                try await tested.reader.send(bookmarks)
            }
            return seen.lines
        }
        #expect(lines[5].contains("invalid-token"))
    }

    @Test func `a token of another backend starts the copy again`() async throws {
        let first = BackendService.inMemory()
        let token = try await first.send(FetchChangesRequest(limit: 500)).next
        let clock = TickingClock()
        let second = BackendService.inMemory(environment: clock.environment)
        var steps: [SyncStep] = []
        for try await step in second.changes(since: token) { steps.append(step) }
        #expect(steps.first == .restart && steps.count == 2)
    }

    @Test func `a library fills itself, follows, and sends what was written`() async throws {
        let backend = BackendService.inMemory(.samples, signedInAs: .sample())
        let library = try OfflineLibrary(.memory(of: "\(User.sample().id)"), on: backend)
        let running = Task { try await library.run() }
        defer { running.cancel() }
        let newest = Article.samples[2]
        for await known in library.store.article(newest.id) where known != nil { break }
        let other = backend.otherDevice(signedInAs: .sample(id: .sample(2), name: "leo"))
        // It follows a stream from now on.
        for await state in library.mirror.states where state == .live { break }
        try await other.send(
            UpdateArticleRequest(id: newest.id, changes: .init(title: .set("Sourdough"))))
        for await known in library.store.article(newest.id)
        where known?.article.title == "Sourdough" { break }
        let id = try await library.outbox.create(Article.Draft(title: "Cake", status: .published))
        for await state in library.outbox.states where state.entries.isEmpty { break }
        let created = try await other.send(FetchArticleRequest(key: .id(id)))
        #expect(created.slug == "cake" && created.status == .published)
    }

    @Test func `an edit that meets another one is a conflict`() async throws {
        let backend = BackendService.inMemory(.samples, signedInAs: .sample())
        let library = try OfflineLibrary(.memory(of: "\(User.sample().id)"), on: backend)
        #expect(try await library.refresh())
        let known = try #require(try await library.store.loadArticle(Article.samples[2].id))
        try await library.outbox.update(known.article, .init(title: .set("Mine")))
        try await backend.otherDevice(signedInAs: .sample()).send(
            UpdateArticleRequest(id: known.id, changes: .init(title: .set("Theirs"))))
        try await library.refresh()
        let conflict = try #require(await library.outbox.state.conflicts.first)
        guard case .conflict(let theirs) = conflict.status else { return }
        #expect(theirs?.title == "Theirs")
        try await library.outbox.resolve(conflict.number, .keepMine)
        try await library.refresh()
        let kept = try await backend.send(FetchArticleRequest(key: .id(known.id)))
        #expect(kept.title == "Mine" && kept.revision == 3)
    }
}
