import ArticleAPI
import ArticleAdminAPI
import ArticleStore
import Testing

@testable import ArticleDatabase

extension ArticleStoreConformance {
    /// Histories, deleted articles and names that are removed. Each test ends with a check.
    @Suite struct Retention {
        private static let hour: Int64 = 3_600_000

        /// Walks over the whole store, and checks it after each step.
        @discardableResult
        private static func remove(
            from store: any ArticleStore, at milliseconds: Int64 = 1_000 * hour,
            _ change: (inout RetentionRules) -> Void
        ) async throws -> RetentionProgress {
            var rules = RetentionRules()
            change(&rules)
            var walk = RetentionProgress()
            while !walk.isComplete {
                walk = try await store.removeHistory(rules, at: .start + milliseconds, walk)
                guard let file = store as? any StoreMaintenance else { continue }
                #expect(try await file.check().findings == [])
            }
            return walk
        }

        private static func numbers(
            _ id: Article.ID, in store: any ArticleStore
        ) async throws -> [Int] {
            try await store.revisions(of: id, below: nil, limit: 100).items.map(\.number)
        }

        private static func save(
            _ id: Article.ID, _ body: String, at minutes: Int64, in store: any ArticleStore,
            tags: [String] = []
        ) async throws {
            _ = try await store.updateArticle(
                id, expecting: .anything, by: .later(minutes * 60_000)
            ) {
                .of($0) {
                    $0.draft.body = body
                    $0.tags = tags.map { ArticleTag(named: $0) }
                }
            }
        }

        /// The numbers of facets and of actors.
        private static func counts(in store: any ArticleStore) async throws -> [Int] {
            let store = try #require(store as? any SQLStore)
            return try await store.read { (state) throws(StoreError) in
                var counts: [Int] = []
                for table in ["facets", "actors"] {
                    let lines = try state.connection.lines(of: "SELECT count(*) FROM \(table)")
                    counts += lines.compactMap { Int($0) }
                }
                return counts
            }
        }

        @Test(arguments: Engine.all)
        func `a history keeps so many revisions and goes on`(_ engine: Engine) async throws {
            try await engine.with { store in
                let id = try await store.createArticle(.make(), .sample(), by: .first).id
                let other = try await store.createArticle(
                    .make(), .sample("Other", slug: .like("other")), by: .first
                ).id
                var filtered = SyncCopy(for: .everyone) {
                    $0.filter.tags = [ArticleTag(named: "old").key]
                }
                for number in 1...3 {
                    try await Self.save(
                        id, "\(number)", at: Int64(number), in: store, tags: ["old"])
                }
                try await filtered.catchUp(with: store)
                for number in 4...70 {
                    try await Self.save(id, "\(number)", at: Int64(number), in: store)
                }
                var copy = SyncCopy(for: .everyone)
                try await copy.catchUp(with: store)
                // A closure within `#expect` would be compiled as the one of another walk.
                var walk = try await Self.remove(from: store) { _ in }
                #expect(walk.revisions == 0)
                walk = try await Self.remove(from: store) { $0.revisions = 5 }
                #expect(walk.revisions == 66 && walk.articles == 0)
                #expect(try await Self.numbers(id, in: store) == [71, 70, 69, 68, 67])
                #expect(try await Self.numbers(other, in: store) == [1])
                walk = try await Self.remove(from: store) { $0.revisions = 5 }
                #expect(walk.revisions == 0)
                // Followers learn what they need to, and nothing else.
                #expect(try await copy.catchUp(with: store) == [])
                #expect(try await filtered.catchUp(with: store) == [.delete(id, 67)])
                try await Self.save(id, "on", at: 80, in: store)
                #expect(try await copy.catchUp(with: store) == [.put(id, 72)])
                let back = try await store.restoreArticle(
                    id, to: 67, expecting: .anything, by: .later(90 * 60_000))
                #expect(back.body == "66" && back.revision == 73)
                let error = try await failure {
                    _ = try await store.restoreArticle(
                        id, to: 3, expecting: .anything, by: .later(91 * 60_000))
                }
                guard case .notFound = error else { throw error }
            }
        }

        @Test(arguments: Engine.all)
        func `revisions go by age, but not what a repeated write still needs`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let id = try await store.createArticle(.make(), .sample(), by: .first).id
                let key = IdempotencyKey(
                    scope: [UInt8](repeating: 1, count: 32),
                    request: [UInt8](repeating: 2, count: 32), principal: "editor")
                _ = try await store.updateArticle(
                    id, expecting: .anything,
                    by: Edit(at: .start + 1, by: .key(id: "editor"), key: key)
                ) { .of($0) { $0.draft.body = "kept" } }
                try await Self.save(id, "2", at: 1, in: store)
                try await Self.save(id, "3", at: 120, in: store)
                try await Self.remove(from: store, at: 3 * Self.hour) {
                    $0.revisionMilliseconds = 2 * Self.hour
                }
                #expect(try await Self.numbers(id, in: store) == [4, 3, 2])
                let record = try await store.idempotencyRecord(key.scope, at: .start + 2)
                guard case .done(_, _, "kept")? = record?.outcome else {
                    Issue.record("the outcome is missing")
                    return
                }
                let late: Int64 = 48 * Self.hour
                while try await store.removeExpiredOutcomes(at: .start + late) > 0 {}
                try await Self.remove(from: store, at: late) {
                    $0.revisionMilliseconds = 2 * Self.hour
                }
                #expect(try await Self.numbers(id, in: store) == [4])
            }
        }

        @Test(arguments: Engine.all)
        func `nothing but the id is left of an article that was deleted long ago`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let thread = try await CommentThread(store)
                let id = thread.article
                let first = try await thread.comment("one", by: thread.ada)
                _ = try await thread.comment("two", by: thread.bob, to: first.id)
                for number in 1...60 {
                    try await Self.save(id, "\(number)", at: Int64(number), in: store)
                }
                _ = try await store.putBookmark(
                    of: id, for: thread.ada.id, position: nil, seeing: .everyone, at: .start)
                try await store.deleteArticle(
                    id, expecting: .anything, by: .later(2 * Self.hour))
                // The last change of all stays, so that its number is not given again.
                var walk = try await Self.remove(from: store) { $0.deletedMilliseconds = Self.hour }
                #expect(walk.articles == 0)
                let next = try await store.createArticle(
                    .make(), .sample("Next", slug: .like("next")), by: .later(2 * Self.hour))
                walk = try await Self.remove(from: store, at: 3 * Self.hour) {
                    $0.deletedMilliseconds = Self.hour
                }
                #expect(walk.articles == 0)
                walk = try await Self.remove(from: store) { $0.deletedMilliseconds = Self.hour }
                #expect(walk.articles == 1)
                let list = try await store.deletedArticles(
                    after: nil, limit: 9, visibleTo: .editors)
                #expect(list.items == [])
                let error = try await failure { _ = try await Self.numbers(id, in: store) }
                guard case .notFound = error else { throw error }
                #expect(try await store.comments(CommentQuery(status: .visible)).items == [])
                // Its slug is free, and its id is not.
                let same = try await store.createArticle(
                    .make(), .sample(), by: .later(3 * Self.hour))
                #expect(same.slug == "bread")
                let taken = try await failure {
                    _ = try await store.createArticle(id, .sample("New"), by: .later(4 * Self.hour))
                }
                guard case .idTaken = taken else { throw taken }
                var copy = SyncCopy(for: .everyone)
                #expect(
                    try await copy.catchUp(with: store) == [.put(next.id, 1), .put(same.id, 1)])
            }
        }

        @Test(arguments: Engine.all)
        func `who has not followed until a removed deletion begins again`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let id = try await store.createArticle(.make(), .sample(), by: .first).id
                let draft = ArticleContent.sample(
                    "Draft", slug: .like("draft"), status: .draft)
                let hidden = try await store.createArticle(.make(), draft, by: .first).id
                var (early, current) = (SyncCopy(for: .everyone), SyncCopy(for: .everyone))
                var editor = SyncCopy(for: .editors)
                try await early.catchUp(with: store)
                var late = early
                try await store.deleteArticle(id, expecting: .anything, by: .later(1))
                try await current.catchUp(with: store)
                try await editor.catchUp(with: store)
                try await store.deleteArticle(hidden, expecting: .anything, by: .later(2))
                let last = try await store.createArticle(
                    .make(), .sample("Last", slug: .like("last"), status: .draft), by: .later(3)
                ).id
                var complete = SyncCopy(for: .editors)
                try await complete.catchUp(with: store)
                let walk = try await Self.remove(from: store) {
                    $0.deletedMilliseconds = Self.hour
                }
                #expect(walk.articles == 2)
                // What the public never saw does not concern its followers.
                let position = current.position
                #expect(try await current.catchUp(with: store) == [])
                #expect(current.position == position)
                for copy in [early, editor] {
                    var copy = copy
                    let error = try await failure { _ = try await copy.follow(store) }
                    guard case .otherHistory = error else { throw error }
                }
                late.query.position = nil
                #expect(try await late.catchUp(with: store) == [])
                #expect(late.position == position)
                #expect(try await late.catchUp(with: store) == [])
                #expect(try await complete.catchUp(with: store) == [])
                _ = try await store.updateArticle(last, expecting: .anything, by: .later(4)) {
                    .of($0) { $0.draft.status = .published }
                }
                #expect(try await current.catchUp(with: store) == [.put(last, 2)])
                #expect(try await complete.catchUp(with: store) == [.put(last, 2)])
            }
        }

        @Test(arguments: Engine.all)
        func `tags and actors that no revision has go, and come back with one`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let content = ArticleContent.sample(language: "la", tags: ["Past", "Kept"])
                let id = try await store.createArticle(
                    .make(), content, by: Edit(at: .start, by: .key(id: "guest"))
                ).id
                for number in 1...3 {
                    _ = try await store.updateArticle(
                        id, expecting: .anything, by: .later(Int64(number) * 60_000)
                    ) {
                        .of($0) {
                            $0.draft.body = "\(number)"
                            $0.draft.language = "en"
                            $0.tags = [ArticleTag(named: "Kept")]
                        }
                    }
                }
                let before = try await Self.counts(in: store)
                try await Self.remove(from: store) { $0.revisions = 1 }
                let after = try await Self.counts(in: store)
                #expect(after == [before[0] - 2, before[1] - 1])
                try await Self.save(id, "on", at: 9, in: store, tags: ["Past"])
                let tags = try await store.tags(after: nil, limit: 9, visibleTo: .everyone)
                #expect(tags.items.map(\.tag.name) == ["Past"])
                #expect(try await Self.counts(in: store) == [after[0] + 1, after[1]])
            }
        }

        @Test(arguments: Engine.all)
        func `space is given back between writes`(_ engine: Engine) async throws {
            try await engine.with { store in
                let id = try await store.createArticle(.make(), .sample(), by: .first).id
                let file = try #require(store as? any StoreMaintenance)
                func vacuum() async throws {
                    var progress = VacuumProgress()
                    while !progress.isComplete { progress = try await file.vacuum(progress) }
                }
                let text = String(repeating: "Flour and water. ", count: 1_200)
                for number in 1...40 {
                    try await Self.save(id, "\(number) \(text)", at: Int64(number), in: store)
                }
                let sqlite = store as? SQLiteStore
                try await vacuum()
                let before = sqlite?.fileBytes?.database ?? 0
                try await Self.remove(from: store) { $0.revisions = 2 }
                try await vacuum()
                try await vacuum()
                #expect(try await Self.numbers(id, in: store) == [41, 40])
                if let after = sqlite?.fileBytes?.database {
                    // Once it was rewritten, it gets shorter in steps.
                    #expect(before > 800_000 && after < 800_000)
                }
                try await Self.save(id, "on", at: 60, in: store)
                #expect(try await file.check().findings == [])
            }
        }
    }
}
