import ArticleAPI
import ArticleAdminAPI
import ArticleStore
import Testing

extension ArticleStoreConformance {
    @Suite struct IdempotentWrites {
        private static let day: Int64 = 24 * 60 * 60 * 1_000

        private static func scope(_ key: UInt8) -> [UInt8] { [UInt8](repeating: key, count: 32) }

        private static func key(_ key: UInt8, _ request: UInt8 = 1) -> IdempotencyKey {
            IdempotencyKey(
                scope: scope(key), request: [UInt8](repeating: request, count: 32),
                principal: "editor")
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
                let text = "Flour and water."
                let writes: [(KeptResult, (Edit) async throws -> Void)] = [
                    (
                        KeptResult(name: "Bread", isNew: true, body: text),
                        { _ = try await store.createArticle(id, .sample(), by: $0) }
                    ),
                    (
                        KeptResult(name: "Bread!", isNew: false, body: "Salt."),
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
                        KeptResult(name: nil, isNew: false, body: nil),
                        { try await store.deleteArticle(id, expecting: .anything, by: $0) }
                    ),
                    (
                        KeptResult(name: "Bread", isNew: false, body: text),
                        {
                            _ = try await store.restoreArticle(
                                id, to: 1, expecting: .anything, by: $0)
                        }
                    ),
                    (
                        KeptResult(name: "A", isNew: true, body: nil),
                        {
                            _ = try await store.putAuthor(
                                author, Author.Replacement(name: "A"), expecting: .anything, by: $0)
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
                    #expect(
                        kept.map(KeptResult.init) == outcome
                            && kept?.request == Self.key(key).request)
                }
                #expect(try await store.changeSequence() == 5)
                // Regardless of later changes of the article.
                try await store.deleteArticle(id, expecting: .anything, by: .later(9))
                for (number, (outcome, _)) in writes.enumerated() {
                    let kept = try await store.idempotencyRecord(
                        Self.scope(UInt8(number)), at: .start)
                    #expect(kept.map(KeptResult.init) == outcome)
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

        @Test(arguments: Engine.all)
        func `the result of a comment is stored without the text once this is deleted`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let thread = try await CommentThread(store)
                let id = ArticleComment.ID.make()
                let content = CommentContent(
                    article: thread.article, body: "one", writer: thread.ada.id)
                _ = try await store.createComment(
                    id, content, under: .giving(.visible), by: Self.edit(1))
                _ = try await store.updateComment(
                    id, ArticleComment.Changes(body: .set("two")), html: nil, under: CommentRules(),
                    expecting: .anything, as: thread.viewer(thread.ada), by: Self.edit(2))
                func outcomes() async throws -> [KeptResult?] {
                    var outcomes: [KeptResult?] = []
                    for key: UInt8 in [1, 2] {
                        outcomes.append(
                            try await store.idempotencyRecord(Self.scope(key), at: .start)
                                .map(KeptResult.init))
                    }
                    return outcomes
                }
                #expect(
                    try await outcomes() == [
                        KeptResult(name: "", isNew: true, body: "one"),
                        KeptResult(name: "", isNew: false, body: "two"),
                    ])
                try await thread.delete(id, as: CommentThread.editor)
                #expect(
                    try await outcomes() == [
                        KeptResult(name: "", isNew: true, body: nil),
                        KeptResult(name: "", isNew: false, body: nil),
                    ])
            }
        }

        @Test(arguments: Engine.all)
        func `results are removed with their user, or when they have expired`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let user = UserRecord.sample("ada", role: "editor")
                try await store.createUser(user, using: nil, at: .start)
                try await store.createKey(
                    KeyRecord(
                        id: "k1", digest: [UInt8](repeating: 7, count: 32), name: "Key",
                        role: "editor", createdAt: .start, owner: user.id))
                func kept(_ principal: String, _ number: UInt8) async throws -> Bool {
                    var key = Self.key(number)
                    key.principal = principal
                    try await store.keepRejection([1], of: key, at: .start + Int64(number))
                    return try await exists(number)
                }
                func exists(_ number: UInt8) async throws -> Bool {
                    // Before it was written, nothing has expired.
                    try await store.idempotencyRecord(Self.scope(number), at: .start) != nil
                }
                #expect(try await kept("\(user.id)", 1))
                #expect(try await kept("k1", 2))
                for number: UInt8 in 3...5 { #expect(try await kept("editor", number)) }
                try await store.deleteUser(user.id, expecting: nil, at: .start)
                #expect(try await !exists(1))
                #expect(try await !exists(2))
                #expect(try await exists(3))
                #expect(try await store.removeExpiredOutcomes(at: .start + 100) == 0)
                let removed = try await store.removeExpiredOutcomes(at: .start + Self.day + 4)
                #expect(removed == 2)
                #expect(try await !exists(3))
                #expect(try await exists(5))
            }
        }
    }
}

/// The stored result of a write: the title of an article, the name of an author, or the body that
/// is stored with a comment, none.
private struct KeptResult: Equatable {
    var name: String?
    var isNew: Bool
    var body: String?

    init(name: String?, isNew: Bool, body: String?) {
        (self.name, self.isNew, self.body) = (name, isNew, body)
    }

    init(_ record: IdempotencyRecord) {
        guard case .done(let item, let isNew, let body) = record.outcome else {
            self.init(name: "rejected", isNew: false, body: nil)
            return
        }
        let name =
            (try? Article(mapping: item))?.title ?? (try? Author(mapping: item))?.name
            ?? (try? ArticleComment(mapping: item))?.body
        self.init(name: name, isNew: isNew, body: body)
    }
}
