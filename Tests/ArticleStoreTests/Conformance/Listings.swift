import ArticleAPI
import ArticleStore
import BroadsheetTestSupport
import Testing

extension ArticleStoreConformance {
    @Suite struct Listings {
        /// Sixty articles with cyclic attributes and ties in every sort key, as editors see them.
        /// A fifth of them belongs to each of these users.
        private static func fill(
            _ store: any ArticleStore, ownedBy users: [UserRecord] = []
        ) async throws -> [Article] {
            for user in users { try await store.createUser(user, using: nil, at: .start) }
            let statuses: [Article.Status] = [.published, .scheduled, .draft, .archived]
            var articles: [Article] = []
            for number in 0..<60 {
                var content = ArticleContent.sample(
                    "n\(number)", language: number % 2 == 0 ? "en" : "ko",
                    authors: [.name("author \(number % 3)")],
                    tags: ["t\(number % 2)", "u\(number % 5)"], status: statuses[number % 4],
                    at: number % 4 == 2 ? nil : .start + Int64(number / 3),
                    source: number % 6 == 0 ? "Wire" : nil)
                let owner = number % 5
                content.draft.owner = owner < users.count ? users[owner].id : nil
                articles.append(
                    try await store.createArticle(
                        .make(), content, by: .later(Int64(30 - number / 4))))
            }
            for index in stride(from: 0, to: 60, by: 7) {
                articles[index] = try await store.updateArticle(
                    articles[index].id, expecting: .anything, by: .later(100 + Int64(index / 14))
                ) { article in .of(article) { $0.draft.summary = "changed" } }
            }
            return articles
        }

        private static func all(
            _ query: ArticleQuery, _ store: any ArticleStore, limit: Int
        ) async throws -> [Article] {
            var query = query
            query.limit = limit
            query.withBodies = true
            var articles: [Article] = []
            repeat {
                let page = try await store.articles(query)
                #expect(page.items.count <= limit)
                articles += page.items
                query.after = page.next
            } while query.after != nil
            return articles
        }

        private static func key(_ article: Article, _ sort: ArticleSort) -> Int64 {
            switch sort {
            case .newestFirst, .oldestFirst:
                (article.publishedAt ?? article.createdAt).milliseconds
            case .createdLast, .createdFirst: article.createdAt.milliseconds
            case .updatedLast, .updatedFirst: article.updatedAt.milliseconds
            }
        }

        /// The same query answered by a plain filter and sort.
        private static func expected(_ articles: [Article], _ query: ArticleQuery) -> [Article] {
            let isDescending = query.sort.rawValue.hasPrefix("-")
            let filter = query.filter
            return articles.filter { article in
                let isOwn = article.owner.map { query.audience == .author($0) } ?? false
                guard query.audience == .editors || isOwn || article.status == .published else {
                    return false
                }
                if let status = filter.status, article.status != status { return false }
                if let after = filter.publishedAfter {
                    guard let time = article.publishedAt, time > after else { return false }
                }
                if let before = filter.publishedBefore {
                    guard let time = article.publishedAt, time < before else { return false }
                }
                let isByAuthor =
                    filter.author.map { id in article.authors.contains { $0.id == id } } ?? true
                return isByAuthor
                    && filter.tags.allSatisfy { key in article.tags.contains { $0.key == key } }
                    && (filter.language ?? article.language) == article.language
                    && (filter.source == nil || filter.source == article.source?.name)
            }.sorted { left, right in
                let (left, right) = isDescending ? (right, left) : (left, right)
                return (key(left, query.sort), left.id) < (key(right, query.sort), right.id)
            }.map { article in
                var article = article
                let isOwn = article.owner.map { query.audience == .author($0) } ?? false
                if query.audience != .editors, !isOwn { article.owner = nil }
                return article
            }
        }

        private static func queries(
            _ author: Author.ID, _ users: [UserRecord]
        ) -> [ArticleQuery] {
            var queries: [ArticleQuery] = []
            for audience in [.everyone, .editors] + users.map({ Audience.author($0.id) }) {
                let base = ArticleQuery(audience: audience)
                queries.append(base)
                func add(_ change: (inout ArticleQuery) -> Void) {
                    var query = base
                    change(&query)
                    queries.append(query)
                }
                add { $0.filter.tags = ["t1"] }
                add { $0.filter.tags = ["t0", "u3"] }
                add { $0.filter.tags = ["nowhere"] }
                add { $0.filter.author = author }
                add { ($0.filter.author, $0.filter.tags) = (author, ["u2"]) }
                add { $0.filter.author = .make() }
                add { $0.filter.language = "ko" }
                add { $0.filter.source = "Wire" }
                add { ($0.filter.source, $0.filter.language) = ("Wire", "ko") }
                for status in [Article.Status.draft, .scheduled, .published, .archived] {
                    add { $0.filter.status = status }
                    add { ($0.filter.status, $0.filter.tags) = (status, ["t0"]) }
                }
                add { $0.filter.publishedAfter = .start + 5 }
                add {
                    $0.filter.publishedAfter = .start + 5
                    $0.filter.publishedBefore = .start + 8
                }
                add { ($0.filter.publishedBefore, $0.filter.tags) = (.start + 12, ["u1"]) }
            }
            return queries
        }

        @Test(arguments: Engine.all)
        func `every filter, order and page size matches a plain search`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let users = ["ada", "ben"].map { UserRecord.sample($0, role: "author") }
                let articles = try await Self.fill(store, ownedBy: users)
                let author = try #require(articles[0].authors.first?.id)
                let nobody = UserRecord.sample("nobody")
                for var query in Self.queries(author, users + [nobody]) {
                    for sort in ArticleSort.allCases {
                        query.sort = sort
                        let expected = Self.expected(articles, query)
                        for limit in Thoroughness.isFull ? [1, 7, 100] : [7, 100] {
                            let found = try await Self.all(query, store, limit: limit)
                            #expect(found == expected, "\(query), \(limit) a page")
                        }
                        var counting = query
                        (counting.counts, counting.limit) = (true, 1)
                        let count = try await store.articles(counting).count
                        #expect(count == PageCount(value: expected.count, isExact: true))
                    }
                }
            }
        }

        @Test(arguments: Engine.all)
        func `bodies are only returned on request, and limit the page`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let text = String(repeating: "x", count: 1_500_000)
                for number in 1...5 {
                    _ = try await store.createArticle(
                        .make(), .sample("n\(number)", body: text), by: .first)
                }
                var query = ArticleQuery(audience: .editors)
                let light = try await store.articles(query)
                #expect(light.items.count == 5 && light.items.allSatisfy { $0.body == nil })
                query.withBodies = true
                let heavy = try await store.articles(query)
                #expect(heavy.items.count == 2 && heavy.next != nil)
                #expect(try await Self.all(query, store, limit: 100).count == 5)
            }
        }

        @Test(arguments: Engine.all)
        func `articles are counted on all pages, and only on request`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                _ = try await Self.fill(store)
                var query = ArticleQuery(audience: .editors)
                #expect(try await store.articles(query).count == nil)
                (query.counts, query.limit) = (true, 7)
                repeat {
                    let page = try await store.articles(query)
                    #expect(page.count == PageCount(value: 60, isExact: true))
                    query.after = page.next
                } while query.after != nil
            }
        }

        @Test(arguments: Engine.all)
        func `articles created while paging do not repeat or hide others`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                for number in 0..<10 {
                    _ = try await store.createArticle(
                        .make(), .sample("n\(number)", at: .start + Int64(number)), by: .first)
                }
                var query = ArticleQuery(audience: .editors)
                query.limit = 4
                let first = try await store.articles(query)
                _ = try await store.createArticle(
                    .make(), .sample("new", at: .start + 50), by: .first)
                query.after = first.next
                query.limit = 100
                let rest = try await store.articles(query)
                let titles = (first.items + rest.items).map(\.title)
                #expect(titles == (0..<10).reversed().map { "n\($0)" })
            }
        }
    }
}
