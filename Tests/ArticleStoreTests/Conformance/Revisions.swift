import ArticleAPI
import ArticleAdminAPI
import ArticleStore
import Testing

extension ArticleStoreConformance {
    @Suite struct Revisions {
        @Test(arguments: Engine.all)
        func `edits, deletions and restorations are revisions`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let made = try await store.createArticle(.make(), .sample("One"), by: .first)
                let second = try await store.updateArticle(
                    made.id, expecting: .anything, by: .later(1)
                ) { article in .of(article) { $0.draft.title = "Two" } }
                try await store.deleteArticle(made.id, expecting: .version(second), by: .later(2))
                let deleted = try await store.revision(3, of: made.id)
                let back = try await store.restoreArticle(
                    made.id, to: 1, expecting: .version(deleted),
                    by: Edit(at: .start + 3, by: .operator))
                #expect(back.revision == 4 && back.title == "One" && back.slug == "one")
                #expect(back.createdAt == .start && back.updatedAt == .start + 3)

                let history = try await store.revisions(of: made.id, below: nil, limit: 10)
                #expect(history.next == nil)
                #expect(history.items.map(\.number) == [4, 3, 2, 1])
                #expect(history.items.map(\.action) == [.restored, .deleted, .updated, .created])
                #expect(history.items.map(\.title) == ["One", "Two", "Two", "One"])
                #expect(history.items.map(\.actor.id) == [nil, "editor", "editor", "editor"])
                #expect(history.items.map(\.createdAt.milliseconds).sorted(by: >).count == 4)
                #expect(try await store.revision(2, of: made.id) == second)
                #expect(try await store.revision(3, of: made.id).title == "Two")
                let error = try await failure { _ = try await store.revision(5, of: made.id) }
                guard case .notFound = error else { throw error }
            }
        }

        @Test(arguments: Engine.all)
        func `a long history is paged`(_ engine: Engine) async throws {
            try await engine.with { store in
                let made = try await store.createArticle(.make(), .sample(), by: .first)
                for number in 2...7 {
                    _ = try await store.updateArticle(
                        made.id, expecting: .anything, by: .later(Int64(number))
                    ) { article in .of(article) { $0.draft.title = "\(number)" } }
                }
                var numbers: [Int] = []
                var next: Int?
                repeat {
                    let page = try await store.revisions(of: made.id, below: next, limit: 3)
                    numbers += page.items.map(\.number)
                    next = page.next
                } while next != nil
                #expect(numbers == [7, 6, 5, 4, 3, 2, 1])
            }
        }

        @Test(arguments: Engine.all)
        func `a deleted article keeps its history for editors`(_ engine: Engine) async throws {
            try await engine.with { store in
                let made = try await store.createArticle(.make(), .sample(), by: .first)
                try await store.deleteArticle(made.id, expecting: .existing, by: .later(1))
                let again = try await failure {
                    try await store.deleteArticle(made.id, expecting: .anything, by: .later(2))
                }
                guard case .notFound = again else { throw again }
                let history = try await store.revisions(of: made.id, below: nil, limit: 10)
                #expect(history.items.map(\.number) == [2, 1])
                #expect(try await store.revision(1, of: made.id) == made)
                let page = try await store.articles(
                    ArticleQuery(audience: .editors))
                #expect(page.items.isEmpty)
            }
        }

        @Test(arguments: Engine.all)
        func `restoring the current state creates no revision`(_ engine: Engine) async throws {
            try await engine.with { store in
                let made = try await store.createArticle(.make(), .sample(), by: .first)
                let same = try await store.restoreArticle(
                    made.id, to: 1, expecting: .anything, by: .later(1))
                #expect(same == made)
                #expect(try await store.changeSequence() == 1)
            }
        }
    }
}
