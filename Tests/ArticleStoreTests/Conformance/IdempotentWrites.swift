import ArticleAPI
import ArticleStore
import Testing

extension ArticleStoreConformance {
    @Suite struct IdempotentWrites {
        private static let day: Int64 = 24 * 60 * 60 * 1_000

        private static func scope(_ key: UInt8) -> [UInt8] { [UInt8](repeating: key, count: 32) }

        private static func key(_ key: UInt8, _ request: UInt8 = 1) -> IdempotencyKey {
            IdempotencyKey(
                scope: scope(key), request: [UInt8](repeating: request, count: 32),
                principal: "editor"
            ) { item in
                switch item {
                case .article(let article, _): Array(article.title.utf8)
                case .author(let author, _): Array(author.name.utf8)
                case .comment(let comment, _): Array(comment.body.utf8)
                case .nothing: []
                }
            }
        }

        /// An edit with the key of the first number, for the request of the second one.
        private static func edit(
            _ key: UInt8, _ request: UInt8 = 1, at milliseconds: Int64 = 0
        ) -> Edit {
            Edit(at: .start + milliseconds, by: .key(id: "editor"), key: Self.key(key, request))
        }

        @Test(arguments: Engine.all)
        func `each kind of write is executed once, and its result is stored`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let id = Article.ID.make()
                let author = Author.ID.make()
                func done(_ item: String, isNew: Bool, body: String?) -> IdempotencyRecord.Outcome {
                    .done(item: Array(item.utf8), isNew: isNew, body: body)
                }
                let text = "Flour and water."
                let writes: [(IdempotencyRecord.Outcome, (Edit) async throws -> Void)] = [
                    (
                        done("Bread", isNew: true, body: text),
                        { _ = try await store.createArticle(id, .sample(), by: $0) }
                    ),
                    (
                        done("Bread!", isNew: false, body: "Salt."),
                        {
                            _ = try await store.updateArticle(id, expecting: .anything, by: $0) {
                                .of($0) {
                                    $0.draft.title += "!"
                                    $0.draft.body = "Salt."
                                }
                            }
                        }
                    ),
                    (
                        done("", isNew: false, body: nil),
                        { try await store.deleteArticle(id, expecting: .anything, by: $0) }
                    ),
                    (
                        done("Bread", isNew: false, body: text),
                        {
                            _ = try await store.restoreArticle(
                                id, to: 1, expecting: .anything, by: $0)
                        }
                    ),
                    (
                        done("A", isNew: true, body: nil),
                        {
                            _ = try await store.putAuthor(author, expecting: .anything, by: $0) {
                                _ in AuthorContent(name: "A", about: "", website: nil)
                            }
                        }
                    ),
                ]
                for (number, (outcome, write)) in writes.enumerated() {
                    let key = UInt8(number)
                    #expect(try await store.idempotencyRecord(Self.scope(key), at: .start) == nil)
                    try await write(Self.edit(key))
                    let sequence = try await store.changeSequence()
                    let error = try await failure { try await write(Self.edit(key)) }
                    guard case .repeated = error else { throw error }
                    let other = try await failure { try await write(Self.edit(key, 2)) }
                    guard case .keyReused = other else { throw other }
                    #expect(try await store.changeSequence() == sequence)
                    let kept = try await store.idempotencyRecord(Self.scope(key), at: .start)
                    #expect(kept?.outcome == outcome && kept?.request == Self.key(key).request)
                }
                #expect(try await store.changeSequence() == 5)
                // Regardless of later changes of the article.
                try await store.deleteArticle(id, expecting: .anything, by: .later(9))
                for (number, (outcome, _)) in writes.enumerated() {
                    let kept = try await store.idempotencyRecord(
                        Self.scope(UInt8(number)), at: .start)
                    #expect(kept?.outcome == outcome)
                }
            }
        }

        @Test(arguments: Engine.all)
        func `a failed write stores nothing, and a rejection is stored as passed`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                // A write that fails halfway leaves no author, slug or tag behind.
                let content = ArticleContent.sample(
                    "Tart", authors: [.name("New"), .id(.make(), name: nil)], tags: ["new"])
                _ = try await failure {
                    _ = try await store.createArticle(.make(), content, by: Self.edit(1))
                }
                let authors = try await store.authors(after: nil, limit: 9, visibleTo: .editors)
                #expect(authors.items == [])
                #expect(try await store.idempotencyRecord(Self.scope(1), at: .start) == nil)
                try await store.keepRejection([7], of: Self.key(1), at: .start)
                for _ in 0..<2 {
                    let kept = try await store.idempotencyRecord(Self.scope(1), at: .start)
                    #expect(kept?.outcome == .rejected([7]))
                    try await store.keepRejection([8], of: Self.key(1), at: .start)
                }
                #expect(try await store.changeSequence() == 0)
            }
        }

        @Test(arguments: Engine.all)
        func `records of writes are kept for a day`(_ engine: Engine) async throws {
            try await engine.with { store in
                func create(_ edit: Edit) async throws -> Article.ID {
                    try await store.createArticle(.make(), .sample(), by: edit).id
                }
                func isKept(at milliseconds: Int64) async throws -> Bool {
                    try await store.idempotencyRecord(Self.scope(1), at: .start + milliseconds)
                        != nil
                }
                _ = try await create(Self.edit(1))
                #expect(try await isKept(at: Self.day - 1))
                #expect(try await !isKept(at: Self.day))
                _ = try await create(Self.edit(1, 2, at: Self.day))
                #expect(try await isKept(at: Self.day + 1))
                #expect(try await store.articleCount() == 2)
            }
        }
    }
}
