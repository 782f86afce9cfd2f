import ArticleAPI
import ArticleStore
import Testing

extension ArticleStoreConformance {
    /// The facts that users who own articles cannot learn by writing them.
    @Suite struct Disclosures {
        private static let ada = UserRecord.sample("ada", role: "author")
        private static let ben = UserRecord.sample("ben", role: "author")

        private static func with(
            _ engine: Engine, _ body: (any ArticleStore) async throws -> Void
        ) async throws {
            try await engine.with { store in
                for user in [ada, ben] { try await store.createUser(user, using: nil, at: .start) }
                try await body(store)
            }
        }

        @Test(arguments: Engine.all)
        func `an author's article does not disclose or publish hidden authors`(
            _ engine: Engine
        ) async throws {
            try await Self.with(engine) { store in
                let hidden = try await store.createArticle(
                    .make(), .sample("a", authors: [.name("Quiet")], status: .draft), by: .first
                ).authors[0].id
                let known = try await store.createArticle(
                    .make(), .sample("b", authors: [.name("Mina")]), by: .first
                ).authors[0].id
                func create(
                    _ mention: Author.Mention, by edit: Edit
                ) async throws(StoreError) -> Author.ID {
                    try await store.createArticle(
                        .make(), .sample(authors: [mention]), by: edit
                    ).authors[0].id
                }
                let own = Edit.author(Self.ada, 9)
                for name in ["Quiet", "Loud", nil] {
                    let error = try await failure {
                        _ = try await create(.id(hidden, name: name), by: own)
                    }
                    guard case .unknownAuthor(index: 0, hidden) = error else { throw error }
                }
                let named = try await create(.name("Quiet"), by: own)
                #expect(named != hidden)
                // From now on it is public, and found by its name.
                #expect(try await create(.name("Quiet"), by: .author(Self.ben)) == named)
                #expect(try await create(.name("Mina"), by: own) == known)
                let differs = try await failure {
                    _ = try await create(.id(known, name: "Loud"), by: own)
                }
                guard case .authorDiffers(index: 0, name: "Mina") = differs else { throw differs }
                let error = try await failure {
                    _ = try await store.author(hidden, visibleTo: .everyone)
                }
                guard case .notFound = error else { throw error }

                // Those on an author's own article are known to this author.
                let draft = try await store.createArticle(
                    .make(), .sample("c", authors: [.id(hidden, name: nil)], status: .draft),
                    by: .first)
                _ = try await store.updateArticle(
                    draft.id, expecting: .anything, by: .later(9)
                ) { .of($0) { $0.draft.owner = Self.ada.id } }
                #expect(try await create(.id(hidden, name: "Quiet"), by: own) == hidden)
                #expect(try await create(.name("Quiet"), by: .first) == hidden)
            }
        }

        @Test(arguments: Engine.all)
        func `an author's slug does not tell how many hidden articles have the title`(
            _ engine: Engine
        ) async throws {
            try await Self.with(engine) { store in
                var content = ArticleContent.sample("Bread", status: .draft)
                content.slug = .like("bread")
                for _ in 0..<3 {
                    _ = try await store.createArticle(.make(), content, by: .first)
                }
                let id = Article.ID.make()
                let made = try await store.createArticle(id, content, by: .author(Self.ada))
                #expect(made.slug == "bread-\(id.description.suffix(8))")
                let edited = try await store.createArticle(.make(), content, by: .first)
                #expect(edited.slug == "bread-4")
                content.slug = .exactly("bread-2")
                let taken = try await failure { [content] in
                    _ = try await store.createArticle(.make(), content, by: .author(Self.ada))
                }
                guard case .slugTaken("bread-2") = taken else { throw taken }
                content.slug = .like("cake")
                let free = try await store.createArticle(
                    .make(), content, by: .author(Self.ada))
                #expect(free.slug == "cake")
            }
        }
    }
}
