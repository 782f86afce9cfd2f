import ArticleAPI
import ArticleStore
import BroadsheetPlatform
import Testing

extension ArticleStoreConformance {
    @Suite struct Exports {
        /// Articles with everything that an export must preserve: history, tombstones, aliases,
        /// imports.
        private static func fill(_ store: any ArticleStore) async throws {
            var ids: [Article.ID] = []
            for number in 0..<5 {
                let made = try await store.createArticle(
                    .make(),
                    .sample(
                        "n\(number)", slug: .exactly("n\(number)"),
                        body: "\u{D55C}\u{AE00} \(number)", authors: [.name("a\(number % 2)")],
                        tags: ["T\(number % 3)"], source: number == 0 ? "Wire" : nil),
                    by: .later(Int64(number)))
                ids.append(made.id)
            }
            for slug in ["m1", "n1"] {
                _ = try await store.updateArticle(ids[1], expecting: .anything, by: .later(10)) {
                    article in .of(article) { $0.slug = .exactly(slug) }
                }
            }
            try await store.deleteArticle(ids[2], expecting: .anything, by: .later(11))
            try await store.deleteArticle(ids[3], expecting: .anything, by: .later(12))
            _ = try await store.restoreArticle(
                ids[3], to: 1, expecting: .anything, by: .later(13))
            _ = try await store.importArticles(
                [
                    ImportItem(
                        path: "a.md", digest: [UInt8](repeating: 1, count: 32), id: .make(),
                        content: .sample("imported", at: nil), formerSlugs: ["former"])
                ], by: Edit(at: .start + 14, by: .operator), dryRun: false)
            _ = try await store.putAuthor(
                .make(), Author.Replacement(name: "Idle", about: "Writes nothing"),
                expecting: .nothing, by: Edit(at: .start, by: .operator))
            try await fillPeople(ids[0], store)
        }

        /// A user with a comment and a bookmark.
        private static func fillPeople(
            _ article: Article.ID, _ store: any ArticleStore
        ) async throws {
            let user = UserRecord.sample()
            try await store.createUser(user, using: nil, identity: .sample("ada"), at: .start)
            _ = try await store.createComment(
                .make(), CommentContent(article: article, body: "Good", writer: user.id),
                under: .giving(.visible), by: .later(15))
            _ = try await store.putBookmark(
                of: article, for: user.id, position: 0.1, seeing: .everyone, at: .start)
        }

        static func exported(_ store: any ArticleStore) async throws -> [ExportRecord] {
            let records = Lock([ExportRecord]())
            try await store.export { record in records.withLock { $0.append(record) } }
            return records.withLock { $0 }
        }

        @Test(arguments: Engine.all)
        func `an export restored to an empty store exports the same`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                try await Self.fill(store)
                let records = try await Self.exported(store)
                #expect(records.count == 23)
                for size in [1, 4, 1_000] {
                    try await engine.with { other in
                        var added = 0
                        for start in stride(from: 0, to: records.count, by: size) {
                            let batch = records[start..<min(start + size, records.count)]
                            added += try await other.restore(Array(batch), dryRun: false).added
                        }
                        #expect(added == records.count)
                        #expect(try await Self.exported(other) == records)
                        #expect(try await other.articleCount() == store.articleCount())
                        let changes = try await other.changes(after: 0, limit: 100)
                        #expect(changes.filter { $0.subject.isArticle }.count == 11)
                        let again = try await other.restore(records, dryRun: false)
                        let sequence = try await other.changeSequence()
                        #expect(
                            again
                                == RestoreCounts(
                                    unchanged: records.count, changes: Int(sequence)))
                        var query = ArticleQuery(audience: .editors)
                        query.sort = .updatedLast
                        let here = try await store.articles(query).items.map(\.unversioned)
                        let there = try await other.articles(query).items.map(\.unversioned)
                        #expect(there == here)
                    }
                }
            }
        }

        @Test(arguments: Engine.all)
        func `a record that differs from the existing one is rejected with its batch`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                try await Self.fill(store)
                let records = try await Self.exported(store)
                for (index, record) in records.enumerated() {
                    var altered: ExportRecord
                    switch record {
                    case .user(let user):
                        var named = user.record
                        named.displayName = "Altered"
                        altered = .user(ExportedUser(named, identities: []))
                    case .comment(var comment):
                        comment.body = "Altered"
                        altered = .comment(comment)
                    case .bookmark(var bookmark):
                        bookmark.bookmark.position = nil
                        altered = .bookmark(bookmark)
                    case .author(var author):
                        author.about = "Altered"
                        altered = .author(author)
                    case .article(var article):
                        if index.isMultiple(of: 2) {
                            article.aliases.append("altered")
                        } else {
                            article.formerSlugs.append("altered")
                        }
                        altered = .article(article)
                    case .revision(var revision):
                        revision.article.title = "Altered"
                        altered = .revision(revision)
                    }
                    let batch = [altered]
                    let error = try await failure {
                        _ = try await store.restore(batch, dryRun: false)
                    }
                    guard case .conflict = error else { throw error }
                    if index > 0 {
                        try await engine.with { other in
                            let error = try await failure {
                                _ = try await other.restore(
                                    records + batch, dryRun: false)
                            }
                            guard case .conflict = error else { throw error }
                            #expect(try await other.changeSequence() == 0)
                        }
                    }
                }
            }
        }

        @Test(arguments: Engine.all)
        func `an export stops when its receiver throws`(_ engine: Engine) async throws {
            struct Enough: Error {}
            try await engine.with { store in
                try await Self.fill(store)
                let error = try await failure { try await store.export { _ in throw Enough() } }
                guard case .rejected(let cause) = error, cause is Enough else { throw error }
            }
        }

        @Test(arguments: Engine.all)
        func `a dry-run restoration counts and stores nothing`(_ engine: Engine) async throws {
            try await engine.with { store in
                try await Self.fill(store)
                let records = try await Self.exported(store)
                try await engine.with { other in
                    let counts = try await other.restore(records, dryRun: true)
                    #expect(counts.added == records.count)
                    #expect(try await Self.exported(other).isEmpty)
                }
            }
        }
    }
}

extension ChangeRecord.Subject {
    fileprivate var isArticle: Bool { if case .article = self { true } else { false } }
}
