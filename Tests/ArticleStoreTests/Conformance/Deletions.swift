import ArticleAPI
import ArticleAdminAPI
import ArticleStore
import Testing

extension ArticleStoreConformance {
    /// The deleted articles, for those who may restore them.
    @Suite struct Deletions {
        private static let ada = UserRecord.sample("ada", role: "author")
        private static let ben = UserRecord.sample("ben", role: "author")

        /// The titles of all pages of two.
        private static func titles(
            in store: any ArticleStore, for audience: Audience = .editors
        ) async throws -> [String] {
            var titles: [String] = []
            var after: ArticlePosition?
            repeat {
                let page = try await store.deletedArticles(
                    after: after, limit: 2, visibleTo: audience)
                #expect(page.items.count <= 2 && (page.next == nil || page.items.count == 2))
                titles += page.items.map(\.title)
                after = page.next
            } while after != nil
            return titles
        }

        @Test(arguments: Engine.all)
        func `a deleted article is listed as it was until it is restored`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let made = try await store.createArticle(.make(), .sample("One"), by: .first)
                #expect(try await Self.titles(in: store) == [])
                try await store.deleteArticle(made.id, expecting: .anything, by: .later(5))
                let page = try await store.deletedArticles(
                    after: nil, limit: 9, visibleTo: .editors)
                let gone = try #require(page.items.first)
                #expect(
                    gone
                        == DeletedArticle(
                            id: made.id, slug: "one", title: "One", status: .published,
                            revision: 2, version: gone.version, deletedAt: .start + 5,
                            actor: Revision.Actor(kind: .key, id: "editor")))
                #expect(page.items.count == 1 && page.next == nil)
                // The revision of the deletion is what is restored, at the version of the list.
                let back = try await store.restoreArticle(
                    gone.id, to: gone.revision, expecting: .versions([gone.version]),
                    by: .later(6))
                #expect(back.title == "One" && back.status == .published && back.revision == 3)
                #expect(try await Self.titles(in: store) == [])
            }
        }

        @Test(arguments: Engine.all)
        func `the last deletion comes first, on each page`(_ engine: Engine) async throws {
            try await engine.with { store in
                var ids: [Article.ID] = []
                for number in 1...7 {
                    let content = ArticleContent.sample("\(number)", status: .draft)
                    ids.append(try await store.createArticle(.make(), content, by: .first).id)
                }
                // Three at the same time: then the id decides.
                let times: [(Int, Int64)] = [(3, 1), (0, 2), (5, 3), (6, 3), (1, 3), (2, 9)]
                for (index, time) in times {
                    try await store.deleteArticle(
                        ids[index], expecting: .anything, by: .later(time))
                }
                let same = [1, 5, 6].sorted { ids[$0] > ids[$1] }
                let order = ([2] + same + [0, 3]).map { "\($0 + 1)" }
                #expect(try await Self.titles(in: store) == order)
                #expect(try await Self.titles(in: store, for: .everyone) == [])

                // A page begins where the one before it ended, whatever happened in between.
                let first = try await store.deletedArticles(
                    after: nil, limit: 2, visibleTo: .editors)
                try await store.deleteArticle(ids[4], expecting: .anything, by: .later(10))
                _ = try await store.restoreArticle(
                    ids[2], to: 1, expecting: .anything, by: .later(11))
                let rest = try await store.deletedArticles(
                    after: first.next, limit: 100, visibleTo: .editors)
                #expect(rest.items.map(\.title) == Array(order.dropFirst(2)))
                #expect(rest.next == nil)
            }
        }

        @Test(arguments: Engine.all)
        func `authors see the deleted articles that they own now`(_ engine: Engine) async throws {
            try await engine.with { store in
                for user in [Self.ada, Self.ben] {
                    try await store.createUser(user, using: nil, at: .start)
                }
                let rows: [(String, Edit)] = [
                    ("a", .author(Self.ada)), ("b", .author(Self.ben)), ("c", .first),
                    ("d", .author(Self.ada)),
                ]
                for (index, (title, edit)) in rows.enumerated() {
                    let made = try await store.createArticle(
                        .make(), .sample(title, status: .draft), by: edit)
                    if title == "d" {
                        _ = try await store.updateArticle(
                            made.id, expecting: .anything, by: .later(1)
                        ) { .of($0) { $0.draft.owner = Self.ben.id } }
                    }
                    try await store.deleteArticle(
                        made.id, expecting: .anything, by: .later(Int64(10 + index)))
                }
                #expect(try await Self.titles(in: store) == ["d", "c", "b", "a"])
                let (ada, ben) = (Audience.author(Self.ada.id), Audience.author(Self.ben.id))
                #expect(try await Self.titles(in: store, for: ada) == ["a"])
                #expect(try await Self.titles(in: store, for: ben) == ["d", "b"])
                let own = try await store.deletedArticles(after: nil, limit: 1, visibleTo: ada)
                #expect(own.items.map(\.owner) == [Self.ada.id])
                // What is deleted stays so when its owner's account goes.
                try await store.deleteUser(Self.ada.id, expecting: nil, at: .start + 90)
                #expect(try await Self.titles(in: store) == ["d", "c", "b", "a"])
                #expect(try await Self.titles(in: store, for: ada) == [])
                let left = try await store.deletedArticles(
                    after: nil, limit: 9, visibleTo: .editors)
                #expect(left.items.last?.owner == nil)
            }
        }

        @Test func `an export carries deletions with their times`() async throws {
            try await Engine.sqlite.with { store in
                let made = try await store.createArticle(.make(), .sample("One"), by: .first)
                try await store.deleteArticle(made.id, expecting: .anything, by: .later(5))
                let records = try await Exports.exported(store)
                try await Engine.sqlite.with { copy in
                    _ = try await copy.restore(records, dryRun: false)
                    let page = try await copy.deletedArticles(
                        after: nil, limit: 9, visibleTo: .editors)
                    #expect(page.items.map(\.deletedAt) == [.start + 5])
                }
            }
        }
    }
}
