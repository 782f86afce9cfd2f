import ArticleAPI
import ArticleStore
import Testing

extension ArticleStoreConformance {
    @Suite struct KeptWrites {
        private static let day: Int64 = 24 * 60 * 60 * 1_000

        /// An edit with the key of this number, for the request of that one.
        private static func edit(
            _ key: UInt8, _ request: UInt8 = 1, at milliseconds: Int64 = 0, keeps: Bool = true
        ) -> Edit {
            let refusal: @Sendable (StoreError) -> [UInt8]? = { _ in keeps ? [7] : nil }
            return Edit(
                at: .start + milliseconds, editor: "editor",
                key: WriteKey(
                    scope: [UInt8](repeating: key, count: 32),
                    request: [UInt8](repeating: request, count: 32), refusal: refusal))
        }

        /// What the store says of a write that it does not do again.
        private static func kept(
            _ operation: () async throws -> Void
        ) async throws -> KeptWrite {
            let error = try await failure(of: operation)
            guard case .repeated(let kept) = error else { throw error }
            return kept
        }

        @Test(arguments: Engine.all)
        func `each kind of write is done once`(_ engine: Engine) async throws {
            try await engine.with { store in
                let id = Article.ID.make()
                let author = Author.ID.make()
                let writes: [(KeptWrite, (Edit) async throws -> Void)] = [
                    (.made(id), { _ = try await store.createArticle(id, .sample(), by: $0) }),
                    (
                        .changed,
                        {
                            _ = try await store.updateArticle(id, expecting: .anything, by: $0) {
                                .of($0) { $0.title += "!" }
                            }
                        }
                    ),
                    (
                        .changed,
                        { try await store.deleteArticle(id, expecting: .anything, by: $0) }
                    ),
                    (
                        .changed,
                        {
                            _ = try await store.restoreArticle(
                                id, to: 1, expecting: .anything, by: $0)
                        }
                    ),
                    (
                        .made(nil),
                        {
                            _ = try await store.putAuthor(author, expecting: .anything, by: $0) {
                                _ in AuthorContent(name: "A", about: "", website: nil)
                            }
                        }
                    ),
                ]
                for (number, (expected, write)) in writes.enumerated() {
                    let key = UInt8(number)
                    try await write(Self.edit(key))
                    let sequence = try await store.changeSequence()
                    for _ in 0..<2 {
                        #expect(try await Self.kept { try await write(Self.edit(key)) } == expected)
                    }
                    let error = try await failure { try await write(Self.edit(key, 2)) }
                    guard case .keyReused = error else { throw error }
                    #expect(try await store.changeSequence() == sequence)
                }
                #expect(try await store.changeSequence() == 5)
            }
        }

        @Test(arguments: Engine.all)
        func `a refusal is kept where that is wanted, and nothing else of the write`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let made = try await store.createArticle(.make(), .sample(), by: .first)
                func update(_ edit: Edit, _ version: String?) async throws {
                    _ = try await store.updateArticle(
                        made.id, expecting: .versions([version ?? ""]), by: edit
                    ) { .of($0) { $0.title = "Cake" } }
                }
                for _ in 0..<2 {
                    let error = try await failure {
                        try await update(Self.edit(1, keeps: false), "2-000000")
                    }
                    guard case .preconditionFailed = error else { throw error }
                }
                let error = try await failure { try await update(Self.edit(1), "2-000000") }
                guard case .preconditionFailed = error else { throw error }
                #expect(try await store.changeSequence() == 1)
                // By now it would go through.
                try await update(.later(1), made.version)
                let kept = try await Self.kept { try await update(Self.edit(1), "2-000000") }
                #expect(kept == .refused([7]))
                // What fails in the middle leaves no author, no slug and no tag behind.
                let content = ArticleContent.sample(
                    "Tart", authors: [.name("New"), .id(.make(), name: nil)], tags: ["new"])
                _ = try await failure {
                    _ = try await store.createArticle(.make(), content, by: Self.edit(2))
                }
                let authors = try await store.authors(
                    after: nil, limit: 10, visibleTo: .editors)
                #expect(authors.items.isEmpty)
            }
        }

        @Test(arguments: Engine.all)
        func `what is kept is kept for a day`(_ engine: Engine) async throws {
            try await engine.with { store in
                func create(_ edit: Edit) async throws -> Article.ID {
                    try await store.createArticle(.make(), .sample(), by: edit).id
                }
                let first = try await create(Self.edit(1))
                let kept = try await Self.kept {
                    _ = try await create(Self.edit(1, at: Self.day - 1))
                }
                #expect(kept == .made(first))
                let second = try await create(Self.edit(1, 2, at: Self.day))
                #expect(second != first)
                let again = try await Self.kept {
                    _ = try await create(Self.edit(1, 2, at: Self.day + 1))
                }
                #expect(again == .made(second))
            }
        }
    }
}
