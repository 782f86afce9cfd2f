import ArticleAPI
import ArticleStore
import BroadsheetPlatform
import Testing

extension ArticleStoreConformance {
    @Suite struct Changes {
        /// Records notifications, with what the store's readers see at that time.
        private final class RecordingObserver: ChangeObserver {
            enum Event: Equatable {
                case announced(through: Int64, [ChangeRecord.Subject]?)
                case visible(through: Int64)
                case failed(last: Int64)
            }

            private let seen = Lock<[Event]>([])
            var events: [Event] { seen.withLock { $0 } }

            func willCommit(_ changes: CommitChanges) {
                let subjects = changes.records?.map(\.subject)
                seen.withLock { $0.append(.announced(through: changes.sequence, subjects)) }
            }

            func didCommit(_ changes: CommitChanges) {
                seen.withLock { $0.append(.visible(through: changes.sequence)) }
            }

            func didNotCommit(beyond sequence: Int64) {
                seen.withLock { $0.append(.failed(last: sequence)) }
            }
        }

        @Test(arguments: Engine.all)
        func `every commit is announced and notified before its writer is resumed`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                _ = try await store.createArticle(.make(), .sample("Before"), by: .first)
                let witness = RecordingObserver()
                store.observeChanges(witness)
                let author = try await store.putAuthor(
                    .make(), Author.Replacement(name: "Mina"), expecting: .anything,
                    by: Edit(at: .start, by: .operator)
                ).author
                #expect(
                    witness.events == [
                        .announced(through: 2, [.author(author.id)]), .visible(through: 2),
                    ])
                let article = try await store.createArticle(.make(), .sample(), by: .first)
                try await store.deleteArticle(article.id, expecting: .anything, by: .later(1))
                #expect(
                    witness.events.dropFirst(2) == [
                        .announced(through: 3, [.article(article.id)]), .visible(through: 3),
                        .announced(through: 4, [.article(article.id)]), .visible(through: 4),
                    ])
                #expect(try await store.changeSequence() == 4)
            }
        }

        @Test(arguments: Engine.all)
        func `announced changes are merged until they are taken`(_ engine: Engine) async throws {
            try await engine.with { store in
                let announced = AnnouncedChanges()
                store.observeChanges(announced)
                let count = announced.count.value
                var ids: [Article.ID] = []
                for _ in 0..<2 {
                    ids.append(try await store.createArticle(.make(), .sample(), by: .first).id)
                }
                #expect(announced.count.value > count)
                var batch = announced.take()
                #expect(batch.changes?.records?.map(\.subject) == ids.map { .article($0) })
                #expect(batch.changes?.sequence == 2 && batch.visible == 2)
                #expect(batch.failure == nil && announced.take().changes == nil)
                // What was rolled back before it was taken has a visible number.
                let record = ChangeRecord(
                    sequence: 3, subject: .article(ids[0]), revision: 2, isDeletion: false,
                    isPublic: true)
                let changes = CommitChanges(sequence: 3, records: [record])
                announced.willCommit(changes)
                announced.didNotCommit(beyond: 2)
                batch = announced.take()
                #expect(batch.failure == 2 && batch.changes?.sequence == 2)
                // Too many are not listed.
                for sequence in Int64(3)...4_099 {
                    announced.willCommit(CommitChanges(sequence: sequence, records: [record]))
                }
                batch = announced.take()
                #expect(batch.changes == CommitChanges(sequence: 4_099, records: nil))
                #expect(batch.failure == nil && batch.visible == 2)
            }
        }

        @Test(arguments: Engine.all)
        func `writes that change nothing are not notified`(_ engine: Engine) async throws {
            try await engine.with { store in
                let witness = RecordingObserver()
                store.observeChanges(witness)
                _ = try await failure {
                    try await store.deleteArticle(.make(), expecting: .anything, by: .first)
                }
                try await store.createKey(
                    KeyRecord(
                        id: "one", digest: [UInt8](repeating: 0, count: 32), name: "one",
                        role: "admin", createdAt: .start))
                let item = ImportItem(path: "a", digest: [1], id: .make(), content: .sample())
                _ = try await store.importArticles([item], by: .first, dryRun: true)
                #expect(witness.events == [])
            }
        }

        @Test(arguments: Engine.all)
        func `observers are not retained`(_ engine: Engine) async throws {
            try await engine.with { store in
                weak var remembered: RecordingObserver?
                do {
                    let witness = RecordingObserver()
                    remembered = witness
                    store.observeChanges(witness)
                    _ = try await store.createArticle(.make(), .sample(), by: .first)
                    #expect(witness.events.count == 2)
                }
                #expect(remembered == nil)
                _ = try await store.createArticle(.make(), .sample("Untold"), by: .first)
                let other = RecordingObserver()
                store.observeChanges(other)
                _ = try await store.createArticle(.make(), .sample("Told"), by: .first)
                #expect(other.events.last == .visible(through: 3))
            }
        }

        @Test(arguments: Engine.all)
        func `too many changes in one commit are notified as one`(_ engine: Engine) async throws {
            try await engine.with { store in
                let witness = RecordingObserver()
                store.observeChanges(witness)
                let items = (0..<600).map { number in
                    ImportItem(
                        path: "\(number)", digest: [1], id: .make(),
                        content: .sample("Loaf \(number)"))
                }
                _ = try await store.importArticles(items, by: .first, dryRun: false)
                #expect(
                    witness.events == [
                        .announced(through: 600, nil), .visible(through: 600),
                    ])
            }
        }

        @Test(arguments: Engine.all)
        func `a write that fails in a shared commit is not announced, and the others are`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let witness = RecordingObserver()
                store.observeChanges(witness)
                let made = await withTaskGroup(of: Article.ID?.self) { group in
                    for number in 0..<60 {
                        // Every third one fails when its article and author have been inserted.
                        let slug: SlugChoice =
                            number % 3 == 0 ? .exactly("one") : .exactly("n-\(number)")
                        group.addTask {
                            try? await store.createArticle(
                                .make(), .sample(slug: slug, authors: [.name("a\(number)")]),
                                by: .first
                            ).id
                        }
                    }
                    return await group.reduce(into: Set<Article.ID>()) { made, id in
                        if let id { made.insert(id) }
                    }
                }
                #expect(made.count == 41)
                // What was announced but rolled back does not count.
                var announced: [ChangeRecord.Subject] = []
                var visible: Int64 = 0
                for event in witness.events {
                    switch event {
                    case .announced(let last, let subjects?) where last > visible:
                        announced += subjects
                    case .visible(let last): visible = last
                    default: Issue.record("\(event)")
                    }
                }
                let articles = announced.compactMap { subject in
                    if case .article(let id) = subject { id } else { nil }
                }
                #expect(articles.count == 41 && Set(articles) == made)
                // An article, its author, and that the author became public.
                #expect(announced.count == 123 && visible == 123)
            }
        }
    }
}
