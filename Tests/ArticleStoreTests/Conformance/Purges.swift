import ArticleAPI
import ArticleAdminAPI
import ArticleDatabase
import ArticleStore
import Testing

extension ArticleStoreConformance {
    @Suite struct Purges {
        private static let purger = Edit(at: .start + 100, by: .operator)

        /// An article with three revisions, of which the second one has other texts.
        private static func article(in store: any ArticleStore) async throws -> Article {
            let made = try await store.createArticle(
                .make(), .sample("One", tags: ["Kept"]), by: .first)
            _ = try await store.updateArticle(made.id, expecting: .anything, by: .later(1)) {
                article in
                .of(article) {
                    $0.draft.title = "Libel"
                    $0.draft.body = "Libel."
                    $0.draft.tags = ["Libel"]
                    $0.slug = .exactly("libel")
                }
            }
            return try await store.updateArticle(made.id, expecting: .anything, by: .later(2)) {
                article in
                .of(article) {
                    $0.draft = made.draft
                    $0.slug = .exactly("one")
                }
            }
        }

        private static func expectNothing(
            at key: Article.Key, in store: any ArticleStore
        ) async throws {
            let error = try await failure {
                _ = try await store.edition(of: key, visibleTo: .editors)
            }
            guard case .notFound = error else { throw error }
        }

        @Test(arguments: Engine.all)
        func `a purged revision leaves a gap, and takes its slug and tags with it`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let article = try await Self.article(in: store)
                let before = try await Exports.exported(store)
                for expected in [1, 0] {
                    let counts = try await store.purge(
                        article.id, revisions: [2], by: Self.purger)
                    #expect(counts == PurgeCounts(revisions: expected, comments: 0))
                }
                let history = try await store.revisions(of: article.id, below: nil, limit: 9)
                #expect(history.items.map(\.number) == [3, 1])
                let error = try await failure { _ = try await store.revision(2, of: article.id) }
                guard case .notFound = error else { throw error }
                try await Self.expectNothing(at: .slug("libel"), in: store)
                let edition = try await store.edition(of: .slug("one"), visibleTo: .everyone)
                #expect(edition.article == article)
                let tags = try await store.tags(after: nil, limit: 9, visibleTo: .editors)
                #expect(tags.items.map(\.tag.name) == ["Kept"])

                // It does not come back, and the gap is carried on.
                let records = try await Exports.exported(store)
                #expect("\(records)".contains("One") && !"\(records)".contains("ibel"))
                #expect(try await store.restore(before, dryRun: false).added == 0)
                #expect(try await Exports.exported(store) == records)
                try await engine.with { other in
                    _ = try await other.restore(records, dryRun: false)
                    #expect(try await Exports.exported(other) == records)
                    _ = try await other.restoreArticle(
                        article.id, to: 1, expecting: .anything, by: .later(200))
                    let again = try await other.restore(records, dryRun: false)
                    #expect(again.added == 0)
                }
            }
        }

        @Test(arguments: Engine.all)
        func `the last revision, and what never was, cannot be purged`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let article = try await Self.article(in: store)
                let last = try await failure {
                    _ = try await store.purge(article.id, revisions: [2, 3], by: Self.purger)
                }
                guard case .conflict = last else { throw last }
                #expect(try await store.revision(2, of: article.id).title == "Libel")
                for (id, revisions) in [(article.id, [4]), (article.id, [0]), (.make(), [])] {
                    let error = try await failure {
                        _ = try await store.purge(id, revisions: revisions, by: Self.purger)
                    }
                    guard case .notFound = error else { throw error }
                }
            }
        }

        @Test(arguments: Engine.all, [false, true])
        func `nothing is left of a purged article but its id`(
            _ engine: Engine, _ isDeletedBefore: Bool
        ) async throws {
            try await engine.with { store in
                let article = try await Self.article(in: store)
                let kept = try await store.createArticle(
                    .make(), .sample("Other", tags: ["Kept"]), by: .first)
                let user = UserRecord.sample()
                try await store.createUser(user, using: nil, at: .start)
                let comment = CommentContent(article: article.id, body: "Libel", writer: user.id)
                _ = try await store.createComment(
                    .make(), comment, under: .giving(.visible), by: .later(3))
                _ = try await store.putBookmark(
                    of: article.id, for: user.id, position: nil, seeing: .everyone, at: .start)
                let before = try await Exports.exported(store)
                var query = ChangeQuery(audience: .everyone)
                query.filter.tags = ["libel"]
                query.position = try await store.changes(
                    ChangeQuery(audience: .everyone)
                ).position
                if isDeletedBefore {
                    try await store.deleteArticle(
                        article.id, expecting: .anything, by: .later(4))
                    query.position = nil
                }
                let counts = try await store.purge(article.id, revisions: [], by: Self.purger)
                #expect(counts.comments == 1)
                #expect(counts.revisions == (isDeletedBefore ? 4 : 3))
                let again = try await store.purge(article.id, revisions: [], by: Self.purger)
                #expect(again == PurgeCounts(revisions: 0, comments: 0))

                let keys: [Article.Key] = [.id(article.id), .slug("one"), .slug("libel")]
                for key in keys { try await Self.expectNothing(at: key, in: store) }
                let history = try await failure {
                    _ = try await store.revisions(of: article.id, below: nil, limit: 9)
                }
                guard case .notFound = history else { throw history }
                let deleted = try await store.deletedArticles(
                    after: nil, limit: 9, visibleTo: .editors)
                #expect(deleted.items.isEmpty)
                let taken = try await failure {
                    _ = try await store.createArticle(article.id, .sample(), by: .later(9))
                }
                guard case .idTaken = taken else { throw taken }
                #expect(try await store.articleCount() == 1)

                let changes = try await store.changes(query).items.map(\.change)
                if isDeletedBefore {
                    #expect(changes.isEmpty)
                } else {
                    guard case .deleteArticle(article.id, _)? = changes.first else {
                        Issue.record("\(changes)")
                        return
                    }
                }
                let records = try await Exports.exported(store)
                #expect(!"\(records)".contains("ibel"))
                #expect("\(records)".contains("\(kept.id)"))
                #expect(try await store.restore(before, dryRun: false).added == 0)
                #expect(try await Exports.exported(store) == records)
                try await engine.with { other in
                    _ = try await other.restore(records, dryRun: false)
                    try await Self.expectNothing(at: .id(article.id), in: other)
                }
            }
        }

        @Test(arguments: Engine.all)
        func `a purge is remembered until the index of the search has forgotten`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let article = try await Self.article(in: store)
                #expect(try await store.searchPurges().isEmpty)
                _ = try await store.purge(article.id, revisions: [2], by: Self.purger)
                #expect(try await store.searchPurges() == [article.id: 3])
                _ = try await store.purge(article.id, revisions: [], by: Self.purger)
                #expect(try await store.searchPurges() == [article.id: 4])
                try await store.eraseSearch()
                #expect(try await store.searchPurges().isEmpty)
            }
        }
    }
}
