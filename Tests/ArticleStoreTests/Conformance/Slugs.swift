import ArticleAPI
import ArticleStore
import Testing

extension ArticleStoreConformance {
    @Suite struct Slugs {
        @Test(arguments: Engine.all)
        func `a slug that is taken gets the first free number`(_ engine: Engine) async throws {
            try await engine.with { store in
                var slugs: [String] = []
                for _ in 1...40 {
                    let made = try await store.createArticle(
                        .make(), .sample(slug: .like("bread")), by: .first)
                    slugs.append(made.slug)
                }
                #expect(slugs == ["bread"] + (2...40).map { "bread-\($0)" })
            }
        }

        @Test(arguments: Engine.all)
        func `a numbered slug is truncated to 100 characters`(_ engine: Engine) async throws {
            try await engine.with { store in
                let long = String(repeating: "한", count: 99) + "-"
                var slugs: [String] = []
                for _ in 1...2 {
                    slugs.append(
                        try await store.createArticle(
                            .make(), .sample(slug: .like(long)), by: .first
                        ).slug)
                }
                #expect(slugs == [long, String(repeating: "한", count: 98) + "-2"])
            }
        }

        @Test(arguments: Engine.all)
        func `a taken slug is rejected, and the write leaves nothing behind`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                _ = try await store.createArticle(
                    .make(), .sample(slug: .exactly("bread")), by: .first)
                let error = try await failure {
                    _ = try await store.createArticle(
                        .make(),
                        .sample(
                            slug: .exactly("bread"), authors: [.name("New")], tags: ["New"]),
                        by: .first)
                }
                guard case .slugTaken("bread") = error else { throw error }
                #expect(try await store.changeSequence() == 1)
                let authors = try await store.authors(after: nil, limit: 9, visibleTo: .editors)
                #expect(authors.items.isEmpty)
            }
        }

        @Test(arguments: Engine.all)
        func `a former slug is an alias, stays reserved, and can be reused`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let made = try await store.createArticle(
                    .make(), .sample(slug: .exactly("old")), by: .first)
                func rename(_ slug: String) async throws -> Article {
                    try await store.updateArticle(made.id, expecting: .anything, by: .later(1)) {
                        article in .of(article) { $0.slug = .exactly(slug) }
                    }
                }
                #expect(try await rename("new").slug == "new")
                #expect(try await store.article(.slug("old"), visibleTo: .editors).slug == "new")
                let other = try await store.createArticle(
                    .make(), .sample(slug: .like("old")), by: .first)
                #expect(other.slug == "old-2")
                #expect(try await rename("old").revision == 3)
                #expect(try await store.article(.slug("new"), visibleTo: .editors).slug == "old")
            }
        }

        @Test(arguments: Engine.all)
        func `the slug of a deleted article stays reserved`(_ engine: Engine) async throws {
            try await engine.with { store in
                let made = try await store.createArticle(
                    .make(), .sample(slug: .exactly("bread")), by: .first)
                try await store.deleteArticle(made.id, expecting: .anything, by: .first)
                let error = try await failure {
                    _ = try await store.createArticle(
                        .make(), .sample(slug: .exactly("bread")), by: .first)
                }
                guard case .slugTaken = error else { throw error }
                let hidden = try await failure {
                    _ = try await store.article(.slug("bread"), visibleTo: .editors)
                }
                guard case .notFound = hidden else { throw hidden }
            }
        }
    }
}
