import ArticleAPI
import ArticleStore
import BroadsheetTestSupport
import Testing

extension ArticleStoreConformance {
    @Suite struct ExportedPeople {
        @Test(arguments: Engine.all, 1...(Thoroughness.isFull ? 12 : 3))
        func `users, comments and bookmarks restored to an empty store export the same`(
            _ engine: Engine, seed: Int
        ) async throws {
            try await engine.with { store in
                var readers = try await RandomReaders(seed: UInt64(seed), in: store)
                for _ in 0..<80 { try await readers.write(to: store) }
                let records = try await Exports.exported(store)
                let size = [1, 7, 1_000][seed % 3]
                try await engine.with { other in
                    for start in stride(from: 0, to: records.count, by: size) {
                        let batch = Array(records[start..<min(start + size, records.count)])
                        // What was restored so far accounts for all changes.
                        let found = try await other.restore(
                            Array(records[..<start]), dryRun: false)
                        #expect(found.added == 0)
                        #expect(try await Int64(found.changes) == other.changeSequence())
                        _ = try await other.restore(batch, dryRun: false)
                    }
                    #expect(try await Exports.exported(other) == records)
                    for article in readers.articles {
                        #expect(
                            try await other.commentCounts(of: [article])
                                == store.commentCounts(of: [article]))
                    }
                    for user in readers.users {
                        let here = try await Self.bookmarks(of: user, in: store)
                        #expect(try await Self.bookmarks(of: user, in: other) == here)
                    }
                    // What was restored can be changed like everything else.
                    for _ in 0..<20 { try await readers.write(to: other) }
                }
            }
        }

        private static func bookmarks(
            of user: UserRecord, in store: any ArticleStore
        ) async throws -> Set<Bookmark> {
            let page = try await store.bookmarks(
                of: user.id, seeing: .editors, after: nil, limit: 100)
            return Set(page.items)
        }

        @Test(arguments: Engine.all)
        func `an exported user has no secrets, and no password once restored`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let thread = try await CommentThread(store)
                _ = try await store.createSession(.sample(1, of: thread.ada), expecting: 0)
                let records = try await Exports.exported(store)
                #expect(!"\(records)".contains("argon2"))
                try await engine.with { other in
                    _ = try await other.restore(records, dryRun: false)
                    let user = try await other.user(thread.ada.id)
                    var expected = thread.ada
                    expected.passwordHash = nil
                    #expect(user == expected)
                    #expect(try await other.userCount() == 2)
                    #expect(try await other.sessions(of: user.id) == [])
                }
            }
        }

        @Test(arguments: Engine.all)
        func `a user whose name or identity is taken is rejected, and an equal one stays`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let ada = UserRecord.sample("ada")
                try await store.createUser(
                    ada, using: nil, identity: .sample("1"), at: .start)
                func failure(_ user: UserRecord, _ identity: String) async throws -> String {
                    let record = ExportedUser(user, identities: [.sample(identity)])
                    let error = try await ArticleStoreTests.failure {
                        _ = try await store.restore([.user(record)], dryRun: false)
                    }
                    guard case .conflict(let text) = error else { throw error }
                    return text
                }
                let namesake = UserRecord.sample("ada")
                #expect(
                    try await failure(namesake, "2")
                        == "user \(namesake.id): the name \"ada\" is taken by another user")
                let bob = UserRecord.sample("bob")
                #expect(
                    try await failure(bob, "1")
                        == "user \(bob.id): an identity is taken by another user")
                #expect(try await failure(ada, "2") == "user \(ada.id)")
                let same = ExportedUser(ada, identities: [.sample("1")])
                let counts = try await store.restore([.user(same)], dryRun: false)
                #expect(counts == RestoreCounts(unchanged: 1))
                #expect(try await store.user(ada.id) == ada)
                #expect(try await store.userCount() == 1)
            }
        }

        @Test(arguments: Engine.all)
        func `what refers to something that does not exist is rejected`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let thread = try await CommentThread(store)
                let top = try await thread.comment("top", by: thread.ada)
                let reply = try await thread.comment("reply", by: thread.bob, to: top.id)
                func expectConflict(
                    _ change: (inout ArticleComment) -> Void, line: Int = #line
                ) async throws {
                    var comment = reply
                    comment.id = .make()
                    change(&comment)
                    let record = ExportRecord.comment(comment)
                    let error = try await failure {
                        _ = try await store.restore([record], dryRun: false)
                    }
                    guard case .conflict = error else {
                        Issue.record(error, "line \(line)")
                        return
                    }
                }
                try await expectConflict { $0.articleID = .make() }
                try await expectConflict { $0.author = User(id: .make(), displayName: "X") }
                try await expectConflict { $0.parentID = .make() }
                // A reply has no replies.
                try await expectConflict { $0.parentID = reply.id }
                try await expectConflict { $0.body = "" }
                try await expectConflict { $0.status = .deleted }
                try await expectConflict { $0.status = .unknown("secret") }
                try await expectConflict { $0.revision = .max }
                for (user, article) in [
                    (thread.ada.id, Article.ID.make()), (User.ID.make(), thread.article),
                ] {
                    let bookmark = Bookmark(
                        articleID: article, createdAt: .start, updatedAt: .start)
                    let record = ExportedBookmark(user: user, bookmark: bookmark)
                    let error = try await failure {
                        _ = try await store.restore([.bookmark(record)], dryRun: false)
                    }
                    guard case .conflict = error else { throw error }
                }
            }
        }
    }
}
