import ArticleAPI
import ArticleStore
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

extension ArticleStoreConformance {
    /// Copies that follow the changes of an audience.
    @Suite struct Following {
        private static let seeds = [UInt64](1...(Thoroughness.isFull ? 30 : 3))
        /// Short and long ones. Each takes longer than the one before, as the lists grow.
        private static let histories = Thoroughness.isFull ? (40, 8) : (12, 3)

        @Test(arguments: Engine.all, seeds)
        func `a copy that is current is what the lists show`(
            _ engine: Engine, _ seed: UInt64
        ) async throws {
            try await engine.with { store in
                var model = SyncModel(store, seed: seed)
                try await model.run(histories: Self.histories.0, writes: 4)
                try await model.run(histories: Self.histories.1, writes: 20)
            }
        }

        @Test(arguments: Engine.all)
        func `a hidden change after an article left does not conceal that it left`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let id = try await store.createArticle(.make(), .sample(), by: .first).id
                var copy = SyncCopy(for: .everyone)
                #expect(try await copy.catchUp(with: store) == [.put(id, 1)])
                var late = copy
                try await update(id, in: store) { $0.draft.status = .draft }
                #expect(try await copy.catchUp(with: store) == [.delete(id, 2)])
                let position = copy.position
                try await update(id, in: store) { $0.draft.title = "Hidden" }
                try await store.deleteArticle(id, expecting: .anything, by: .later(9))
                #expect(try await copy.catchUp(with: store) == [])
                #expect(copy.position == position)
                #expect(try await late.catchUp(with: store) == [.delete(id, 2)])
                #expect(late.position == position)
                var new = SyncCopy(for: .everyone)
                #expect(try await new.catchUp(with: store) == [])
                #expect(new.position == position)
                var editor = SyncCopy(for: .editors)
                #expect(try await editor.catchUp(with: store) == [])
                #expect(editor.position?.sequence == 4)
            }
        }

        @Test(arguments: Engine.all)
        func `what was never in sight is neither put nor deleted`(_ engine: Engine) async throws {
            try await engine.with { store in
                var copy = SyncCopy(for: .everyone)
                #expect(try await copy.follow(store).isLast)
                let start = copy.position
                let draft = ArticleContent.sample(authors: [.name("Ann")], status: .draft)
                let id = try await store.createArticle(.make(), draft, by: .first).id
                try await update(id, in: store) { $0.draft.status = .archived }
                try await store.deleteArticle(id, expecting: .anything, by: .later(9))
                #expect(try await copy.catchUp(with: store) == [])
                #expect(copy.position == start && copy.position?.sequence == 0)
            }
        }

        @Test(arguments: Engine.all)
        func `a snapshot misses nothing that is committed between its pages`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                var ids: [Article.ID] = []
                for title in ["a", "b", "c", "d"] {
                    ids.append(
                        try await store.createArticle(.make(), .sample(title), by: .first).id)
                }
                var copy = SyncCopy(for: .everyone)
                let first = try await copy.follow(store, limit: 2)
                #expect(first.items.map(\.sequence) == [1, 2] && !first.isLast)
                #expect(first.position.base == 4)
                // One that the copy has left, one changed; one that it does not have left.
                try await update(ids[0], in: store) { $0.draft.status = .draft }
                try await update(ids[1], in: store) { $0.draft.title = "B" }
                try await store.deleteArticle(ids[2], expecting: .anything, by: .later(9))
                let steps = try await copy.catchUp(with: store, limit: 1)
                #expect(
                    steps == [
                        .put(ids[3], 1), .delete(ids[0], 2), .put(ids[1], 2), .delete(ids[2], 2),
                    ])
                try await copy.expectCurrent(in: store)
                #expect(copy.position?.sequence == 7 && copy.position?.base == 7)
            }
        }

        @Test(arguments: Engine.all)
        func `what no longer matches the filter is deleted, and what never did does not come`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                var copy = SyncCopy(for: .everyone) {
                    $0.filter.tags = [ArticleTag(named: "Food").key]
                }
                try await copy.catchUp(with: store)
                let food = ArticleContent.sample("a", tags: ["food"])
                let id = try await store.createArticle(.make(), food, by: .first).id
                let other = try await store.createArticle(.make(), .sample("b"), by: .first).id
                #expect(try await copy.catchUp(with: store) == [.put(id, 1)])
                var late = copy
                try await update(id, in: store) { $0.tags = [] }
                try await update(id, in: store) { $0.draft.title = "A" }
                try await update(other, in: store) { $0.draft.title = "B" }
                try await store.deleteArticle(other, expecting: .anything, by: .later(9))
                #expect(try await copy.catchUp(with: store) == [.delete(id, 2)])
                try await store.deleteArticle(id, expecting: .anything, by: .later(9))
                #expect(try await copy.catchUp(with: store) == [])
                #expect(try await late.catchUp(with: store) == [.delete(id, 2)])
                // It matched only between two requests.
                _ = try await store.restoreArticle(
                    id, to: 1, expecting: .anything, by: .later(10))
                try await update(id, in: store) { $0.draft.status = .draft }
                #expect(try await copy.catchUp(with: store) == [.delete(id, 6)])
                try await copy.expectCurrent(in: store)
            }
        }

        @Test(arguments: Engine.all)
        func `what left the filter before the end of a page is deleted in a later one`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let food = ArticleContent.sample(tags: ["food"])
                let id = try await store.createArticle(.make(), food, by: .first).id
                var copy = SyncCopy(for: .everyone) {
                    $0.filter.tags = [ArticleTag(named: "Food").key]
                }
                try await copy.catchUp(with: store)
                try await update(id, in: store) { $0.tags = [] }
                let other = try await store.createArticle(.make(), food, by: .first).id
                try await update(id, in: store) { $0.draft.title = "Rye" }
                let slice = try await copy.follow(store, limit: 1)
                #expect(slice.items.map { SyncCopy.Step($0.change) } == [.put(other, 1)])
                #expect(slice.position.sequence == 3 && slice.position.base == 1)
                #expect(try await copy.catchUp(with: store) == [.delete(id, 2)])
            }
        }

        @Test(arguments: Engine.all)
        func `authors come and go with their public articles, each with a number of its own`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let ann = Author.ID.make()
                try await rename(ann, "Ann", in: store)
                var copy = SyncCopy(for: .everyone)
                var editor = SyncCopy(for: .editors)
                #expect(try await copy.catchUp(with: store) == [])
                #expect(try await editor.catchUp(with: store) == [.putAuthor(ann, 1)])
                let content = ArticleContent.sample(authors: [.id(ann, name: nil)])
                let id = try await store.createArticle(.make(), content, by: .first).id
                #expect(try await copy.catchUp(with: store) == [.put(id, 1), .putAuthor(ann, 1)])
                #expect(try await editor.catchUp(with: store) == [.put(id, 1)])
                try await rename(ann, "Anna", in: store)
                #expect(try await copy.catchUp(with: store) == [.putAuthor(ann, 2)])
                #expect(try await editor.catchUp(with: store) == [.putAuthor(ann, 2)])
                // Neither a second article nor the departure of the first concerns her.
                let other = try await store.createArticle(.make(), content, by: .first).id
                #expect(try await copy.catchUp(with: store) == [.put(other, 1)])
                try await update(id, in: store) { $0.draft.status = .archived }
                #expect(try await copy.catchUp(with: store) == [.delete(id, 2)])
                try await update(other, in: store) { $0.draft.status = .archived }
                #expect(
                    try await copy.catchUp(with: store) == [
                        .delete(other, 2), .deleteAuthor(ann, 2),
                    ])
                try await rename(ann, "Annie", in: store)
                #expect(try await copy.catchUp(with: store) == [])
                #expect(
                    try await store.changes(after: 0, limit: 10).map(\.subject) == [
                        .author(ann), .article(id), .author(ann), .author(ann), .article(other),
                        .article(id), .article(other), .author(ann), .author(ann),
                    ])
                #expect(copy.position?.sequence == 8 && editor.position?.sequence == 4)
            }
        }

        @Test(arguments: Engine.all)
        func `only requested types come, and filters do not concern authors`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let content = ArticleContent.sample(authors: [.name("Ann")])
                let made = try await store.createArticle(.make(), content, by: .first)
                let ann = try #require(made.authors.first).id
                var authors = SyncCopy(for: .everyone) { $0.kinds = [.author] }
                #expect(try await authors.catchUp(with: store) == [.putAuthor(ann, 1)])
                var articles = SyncCopy(for: .everyone) { $0.kinds = [.article] }
                #expect(try await articles.catchUp(with: store) == [.put(made.id, 1)])
                var german = SyncCopy(for: .everyone) { $0.filter.language = "de" }
                #expect(try await german.catchUp(with: store) == [.putAuthor(ann, 1)])
            }
        }

        @Test(arguments: Engine.all)
        func `a copy may begin now`(_ engine: Engine) async throws {
            try await engine.with { store in
                _ = try await store.createArticle(.make(), .sample("Old"), by: .first)
                _ = try await store.createArticle(.make(), .sample(status: .draft), by: .first)
                var copy = SyncCopy(for: .everyone) { $0.startsNow = true }
                let slice = try await copy.follow(store)
                #expect(slice.items.isEmpty && slice.isLast)
                #expect(slice.position.sequence == 1 && slice.position.base == 1)
                copy.query.startsNow = false
                let id = try await store.createArticle(.make(), .sample("New"), by: .first).id
                #expect(try await copy.catchUp(with: store) == [.put(id, 1)])
            }
        }

        @Test(arguments: Engine.all)
        func `a position of another history is rejected`(_ engine: Engine) async throws {
            try await engine.with { store in
                _ = try await store.createArticle(.make(), .sample(), by: .first)
                let end = try await store.changes(ChangeQuery(audience: .everyone)).position
                let other = Epoch(high: end.epoch.high, low: end.epoch.low ^ 1)
                for (epoch, sequence, base, mark) in [
                    (other, 0, 1, end.mark), (end.epoch, 2, 1, end.mark),
                    (end.epoch, 0, 2, end.mark), (end.epoch, 1, 1, end.mark ^ 1),
                    (end.epoch, 0, 1, 0), (end.epoch, 0, 0, end.mark),
                ] as [(Epoch, Int64, Int64, Int64)] {
                    let position = ChangePosition(
                        epoch: epoch, sequence: sequence, base: base,
                        seen: max(sequence, base), mark: mark)
                    for startsNow in [false, true] {
                        let error = try await failure {
                            var query = ChangeQuery(audience: .everyone)
                            query.position = position
                            query.startsNow = startsNow
                            _ = try await store.changes(query)
                        }
                        guard case .otherHistory = error else { throw error }
                    }
                }
            }
        }

        @Test(arguments: Engine.all)
        func `the copy of an export is followed anew`(_ engine: Engine) async throws {
            try await engine.with { store in
                var model = SyncModel(store, seed: 99)
                try await model.run(histories: 5, writes: 10)
                let records = Lock([ExportRecord]())
                try await store.export { record in records.withLock { $0.append(record) } }
                var copies = [SyncCopy(for: .everyone), SyncCopy(for: .editors)]
                for index in copies.indices { try await copies[index].catchUp(with: store) }
                try await engine.with { other in
                    _ = try await other.restore(records.withLock { $0 }, dryRun: false)
                    for var copy in copies {
                        let error = try await failure { _ = try await copy.follow(other) }
                        guard case .otherHistory = error else { throw error }
                        copy = SyncCopy(ChangeQuery(audience: copy.query.audience))
                        try await copy.catchUp(with: other, limit: 2)
                        try await copy.expectCurrent(in: other)
                        #expect(copy.deleted.isEmpty)
                    }
                }
            }
        }
    }
}

private func update(
    _ id: Article.ID, in store: any ArticleStore,
    _ change: @escaping @Sendable (inout ArticleContent) -> Void
) async throws {
    _ = try await store.updateArticle(id, expecting: .anything, by: .later(1)) { .of($0, change) }
}

private func rename(_ id: Author.ID, _ name: String, in store: any ArticleStore) async throws {
    _ = try await store.putAuthor(
        id, Author.Replacement(name: name), expecting: .anything,
        by: Edit(at: .start, by: .operator))
}
