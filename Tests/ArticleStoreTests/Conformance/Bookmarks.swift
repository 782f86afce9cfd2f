import ArticleAPI
import ArticleStore
import Testing

extension ArticleStoreConformance {
    @Suite struct Bookmarks {
        private func articles(_ count: Int, in store: any ArticleStore) async throws -> [Article] {
            var articles: [Article] = []
            for number in 0..<count {
                articles.append(
                    try await store.createArticle(.make(), .sample("A\(number)"), by: .first))
            }
            return articles
        }

        private func list(
            _ user: UserRecord, seeing audience: Audience = .everyone, in store: any ArticleStore
        ) async throws -> [Bookmark] {
            var items: [Bookmark] = []
            var next: BookmarkPosition?
            repeat {
                let page = try await store.bookmarks(
                    of: user.id, seeing: audience, after: next, limit: 2)
                items += page.items
                next = page.next
            } while next != nil
            return items
        }

        @Test(arguments: Engine.all)
        func `the newest bookmark comes first`(_ engine: Engine) async throws {
            try await engine.with { store in
                let (ada, bob) = (UserRecord.sample("ada"), UserRecord.sample("bob"))
                for user in [ada, bob] {
                    try await store.createUser(user, using: nil, at: .start)
                }
                let articles = try await articles(5, in: store)
                // Two have the same time.
                for (article, milliseconds) in zip(articles, [1, 2, 2, 3, 4] as [Int64]) {
                    let saved = try await store.putBookmark(
                        of: article.id, for: ada.id, position: nil, seeing: .everyone,
                        at: .start + milliseconds)
                    #expect(saved.isNew && saved.bookmark.revision == 1)
                }
                #expect(
                    try await list(ada, in: store).map(\.articleID)
                        == articles.reversed().map(\.id))
                #expect(try await list(bob, in: store) == [])
                let error = try await failure {
                    _ = try await list(.sample("eve"), in: store)
                }
                guard case .notFound = error else { throw error }
            }
        }

        @Test(arguments: Engine.all)
        func `a bookmark has the position that was put last`(_ engine: Engine) async throws {
            try await engine.with { store in
                let ada = UserRecord.sample("ada")
                try await store.createUser(ada, using: nil, at: .start)
                let id = try await articles(1, in: store)[0].id
                func put(_ position: Double?, at milliseconds: Int64) async throws -> Bookmark {
                    try await store.putBookmark(
                        of: id, for: ada.id, position: position, seeing: .everyone,
                        at: .start + milliseconds
                    ).bookmark
                }
                let first = try await put(0.4, at: 1)
                #expect(
                    first
                        == Bookmark(
                            articleID: id, position: 0.4, createdAt: .start + 1,
                            updatedAt: .start + 1))
                let start = try await store.changeSequence()
                #expect(try await put(0.4, at: 2) == first)
                #expect(try await store.changeSequence() == start)
                let second = try await put(nil, at: 3)
                #expect(second.position == nil && second.revision == 2)
                #expect(second.createdAt == .start + 1 && second.updatedAt == .start + 3)
                #expect(try await list(ada, in: store) == [second])

                try await store.deleteBookmark(of: id, for: ada.id)
                #expect(try await list(ada, in: store) == [])
                let error = try await failure {
                    try await store.deleteBookmark(of: id, for: ada.id)
                }
                guard case .notFound = error else { throw error }
                // A copy of the removed one is older than the new one.
                #expect(try await put(1, at: 4).revision == 4)
            }
        }

        @Test(arguments: Engine.all)
        func `what is not visible is left out of the list, but not lost`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let ada = UserRecord.sample("ada")
                try await store.createUser(ada, using: nil, at: .start)
                let articles = try await articles(2, in: store)
                for article in articles {
                    _ = try await store.putBookmark(
                        of: article.id, for: ada.id, position: nil, seeing: .everyone, at: .start)
                }
                let hidden = articles[1].id
                func set(_ status: Article.Status) async throws {
                    _ = try await store.updateArticle(
                        hidden, expecting: .anything, by: .later(1)
                    ) { article in .of(article) { $0.draft.status = status } }
                }
                try await set(.archived)
                #expect(try await list(ada, in: store).map(\.articleID) == [articles[0].id])
                #expect(try await list(ada, seeing: .editors, in: store).count == 2)
                for id in [hidden, .make()] {
                    let error = try await failure {
                        _ = try await store.putBookmark(
                            of: id, for: ada.id, position: 1, seeing: .everyone, at: .start)
                    }
                    guard case .notFound = error else { throw error }
                }
                try await set(.published)
                #expect(try await list(ada, in: store).count == 2)
                try await set(.archived)
                try await store.deleteBookmark(of: hidden, for: ada.id)
                try await set(.published)
                #expect(try await list(ada, in: store).map(\.articleID) == [articles[0].id])
            }
        }

        @Test(arguments: Engine.all)
        func `bookmarks are removed with their user`(_ engine: Engine) async throws {
            try await engine.with { store in
                let ada = UserRecord.sample("ada")
                try await store.createUser(ada, using: nil, at: .start)
                let id = try await articles(1, in: store)[0].id
                func put(for user: UserRecord) async throws -> Bookmark {
                    try await store.putBookmark(
                        of: id, for: user.id, position: nil, seeing: .everyone, at: .start
                    ).bookmark
                }
                _ = try await put(for: ada)
                try await store.deleteUser(ada.id, expecting: nil, at: .start)
                // The number of the user's row may be that of the former one.
                let eve = UserRecord.sample("eve")
                try await store.createUser(eve, using: nil, at: .start)
                #expect(try await list(eve, in: store) == [])
                #expect(try await put(for: eve).revision == 1)
            }
        }
    }
}
