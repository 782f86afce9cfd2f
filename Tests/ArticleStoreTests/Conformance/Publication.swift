import ArticleAPI
import ArticleAdminAPI
import ArticleStore
import BroadsheetPlatform
import Testing

extension ArticleStoreConformance {
    @Suite struct Publication {
        /// Schedules articles for these numbers of milliseconds after the start.
        private static func schedule(
            _ delays: some Sequence<Int>, in store: any ArticleStore
        ) async throws -> [Article] {
            var articles: [Article] = []
            for delay in delays {
                articles.append(
                    try await store.createArticle(
                        .make(),
                        .sample("n\(delay)", status: .scheduled, at: .start + Int64(delay)),
                        by: .first))
            }
            return articles
        }

        private static func titles(
            _ audience: Audience, in store: any ArticleStore
        ) async throws -> [String] {
            var query = ArticleQuery(audience: audience)
            query.limit = 100
            return try await store.articles(query).items.map(\.title)
        }

        @Test(arguments: Engine.all)
        func `due articles are published in the order of their times, up to the limit`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let nothing = try await store.publishDueArticles(at: .start + 99, limit: 9)
                #expect(nothing == (0, nil))
                #expect(try await store.nextPublication() == nil)
                _ = try await Self.schedule([5, 3, 8, 4], in: store)
                for status in [Article.Status.draft, .published, .archived] {
                    _ = try await store.createArticle(
                        .make(), .sample("\(status)", status: status, at: .start), by: .first)
                }
                #expect(try await store.nextPublication() == .start + 3)
                let steps: [(time: Int64, limit: Int, published: Int, next: Int64?)] = [
                    (2, 9, 0, 3), (5, 2, 2, 5), (5, 2, 1, 8), (5, 2, 0, 8), (8, 2, 1, nil),
                    (8, 2, 0, nil),
                ]
                for step in steps {
                    let before = try await store.changeSequence()
                    let done = try await store.publishDueArticles(
                        at: .start + step.time, limit: step.limit)
                    #expect(done == (step.published, step.next.map { .start + $0 }), "\(step)")
                    #expect(
                        try await store.changeSequence() == before + Int64(step.published))
                }
                #expect(
                    try await Self.titles(.everyone, in: store)
                        == ["n8", "n5", "n4", "n3", "published"])
            }
        }

        @Test(arguments: Engine.all)
        func `a publication is a revision of the system with a change of its own`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let made = try await Self.schedule([7], in: store)[0]
                _ = try await store.publishDueArticles(at: .start + 9, limit: 1)
                let article = try await store.article(.id(made.id), visibleTo: .everyone)
                #expect(article.status == .published && article.revision == 2)
                #expect(article.publishedAt == .start + 7 && article.updatedAt == .start + 9)
                #expect(article.slug == made.slug && article.body == made.body)
                let history = try await store.revisions(of: made.id, below: nil, limit: 9).items
                #expect(history.map(\.actor.kind) == [.system, .key])
                #expect(history[0].action == .updated && history[0].createdAt == .start + 9)
                #expect(history.map(\.status) == [.published, .scheduled])
                let changes = try await store.changes(after: 0, limit: 9)
                #expect(changes.map(\.isPublic) == [false, true])
                #expect(changes.map(\.revision) == [1, 2])

                let records = Lock([ExportRecord]())
                try await store.export { record in records.withLock { $0.append(record) } }
                try await engine.with { other in
                    _ = try await other.restore(records.withLock { $0 }, dryRun: false)
                    let moved = try await other.revisions(of: made.id, below: nil, limit: 9)
                    #expect(moved.items == history)
                }
            }
        }

        @Test(arguments: Engine.all)
        func `a publication is not older than the revision before it`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let made = try await store.createArticle(
                    .make(), .sample(status: .scheduled, at: .start + 1), by: .later(50))
                // The clock was set back.
                _ = try await store.publishDueArticles(at: .start + 1, limit: 1)
                let history = try await store.revisions(of: made.id, below: nil, limit: 9).items
                #expect(history.map(\.createdAt) == [.start + 50, .start + 50])
            }
        }

        @Test(arguments: Engine.all)
        func `what was unpublished, moved or deleted is not published`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let made = try await Self.schedule(1...3, in: store)
                _ = try await store.updateArticle(
                    made[0].id, expecting: .anything, by: .later(1)
                ) { .of($0) { $0.draft.status = .draft } }
                _ = try await store.updateArticle(
                    made[1].id, expecting: .anything, by: .later(1)
                ) { .of($0) { $0.draft.publishedAt = .start + 30 } }
                try await store.deleteArticle(made[2].id, expecting: .anything, by: .later(1))
                let done = try await store.publishDueArticles(at: .start + 9, limit: 9)
                #expect(done == (0, .start + 30))
            }
        }

        @Test(arguments: Engine.all)
        func `scheduled articles are counted`(_ engine: Engine) async throws {
            try await engine.with { store in
                _ = try await Self.schedule([1, 2, 3], in: store)
                let counts = try await store.scheduledCounts(at: .start + 1)
                #expect(counts == ScheduledCounts(upcoming: 2, overdue: 1))
                _ = try await store.publishDueArticles(at: .start + 2, limit: 9)
                let rest = try await store.scheduledCounts(at: .start + 2)
                #expect(rest == ScheduledCounts(upcoming: 1, overdue: 0))
            }
        }

        @Test(arguments: Engine.all)
        func `concurrent publishers publish each article once`(_ engine: Engine) async throws {
            try await engine.with { store in
                let made = try await Self.schedule(0..<60, in: store)
                let published = try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<4 {
                        group.addTask {
                            var published = 0
                            var next: Timestamp?
                            repeat {
                                let done = try await store.publishDueArticles(
                                    at: .start + 100, limit: 7)
                                published += done.published
                                next = done.next
                            } while next != nil
                            return published
                        }
                    }
                    return try await group.reduce(0, +)
                }
                #expect(published == 60)
                for article in made {
                    let history = try await store.revisions(of: article.id, below: nil, limit: 9)
                    #expect(history.items.map(\.number) == [2, 1])
                }
            }
        }

        @Test(arguments: Engine.all)
        func `a writer gets its turn between the batches of very many publications`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let items = (0..<600).map { number in
                    ImportItem(
                        path: "\(number)", digest: [1], id: .make(),
                        content: .sample(
                            "n\(number)", status: .scheduled, at: .start + 1 + Int64(number)))
                }
                _ = try await store.importArticles(items, by: .first, dryRun: false)
                let (isStarted, isWritten) = (Lock(false), Lock(false))
                let batches = try await withThrowingTaskGroup(of: Int?.self) { group in
                    group.addTask {
                        isStarted.withLock { $0 = true }
                        _ = try await store.createArticle(.make(), .sample("new"), by: .later(1))
                        isWritten.withLock { $0 = true }
                        return nil
                    }
                    group.addTask {
                        var batches = 0
                        while !isStarted.withLock({ $0 }) { await Task.yield() }
                        while try await store.publishDueArticles(
                            at: .start + 5_000, limit: 30
                        ).next != nil {
                            batches += 1
                        }
                        #expect(isWritten.withLock { $0 })
                        return batches
                    }
                    return try await group.reduce(into: 0) { $0 += $1 ?? 0 }
                }
                #expect(batches == 19)
                #expect(try await store.changeSequence() == 1_201)
                let counts = try await store.scheduledCounts(at: .start)
                #expect(counts == ScheduledCounts(upcoming: 0, overdue: 0))
            }
        }

        @Test(arguments: Engine.all)
        func `an imported article is scheduled, published, and still updated by its file`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                func run(
                    _ title: String, _ digest: UInt8, at milliseconds: Int64
                ) async throws -> ImportOutcome {
                    let item = ImportItem(
                        path: "a.md", digest: [digest], id: .make(),
                        content: .sample(title, status: .published, at: .start + 5))
                    let edit = Edit(at: .start + milliseconds, by: .operator)
                    let outcomes = try await store.importArticles(
                        [item], by: edit, dryRun: false)
                    return try outcomes[0].get()
                }
                #expect(try await run("One", 1, at: 0) == .created)
                #expect(try await Self.titles(.everyone, in: store) == [])
                _ = try await store.publishDueArticles(at: .start + 5, limit: 1)
                #expect(try await Self.titles(.everyone, in: store) == ["One"])
                #expect(try await run("One", 1, at: 6) == .unchanged)
                #expect(try await run("Two", 2, at: 7) == .updated)
                #expect(try await Self.titles(.everyone, in: store) == ["Two"])
            }
        }
    }
}
