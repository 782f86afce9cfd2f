import ArticleAPI
import ArticleStore
import BroadsheetTestSupport
import Testing

@testable import ArticleDatabase

/// The limits of what owners cause, and how their articles are found.
@Suite struct OwnerTests {
    let folder: TemporaryFolder
    let path: String
    private let ada = UserRecord.sample("ada", role: "author")
    private let ben = UserRecord.sample("ben", role: "author")

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("a.db")
    }

    private func open(
        _ change: (inout SQLiteConfiguration) -> Void = { _ in }
    ) async throws -> SQLiteStore {
        var configuration = SQLiteConfiguration()
        change(&configuration)
        let store = try SQLiteStore.open(path: path, mode: .create, configuration: configuration)
        for user in [ada, ben] { try await store.createUser(user, using: nil, at: .start) }
        return store
    }

    private func close(_ store: SQLiteStore) async throws {
        await store.close()
        #expect(try SQLiteStore.check(path: path).findings == [])
    }

    private func fill(
        _ store: SQLiteStore, _ count: Int, of user: UserRecord, _ content: ArticleContent
    ) async throws {
        for number in 0..<count {
            var content = content
            content.draft.title = "\(user.name) \(number)"
            _ = try await store.createArticle(
                .make(), content, by: .author(user, Int64(number)))
        }
    }

    @Test(arguments: ArticleSort.allCases)
    func `hidden articles of others do not shorten an author's pages`(
        _ sort: ArticleSort
    ) async throws {
        let store = try await open { ($0.examinedRowsPerPage, $0.examinedRowsPerCount) = (20, 20) }
        let draft = ArticleContent.sample(slug: .keep, tags: ["T"], status: .draft)
        try await fill(store, 60, of: ben, draft)
        try await fill(store, 3, of: ada, draft)
        var query = ArticleQuery(audience: .author(ada.id))
        (query.sort, query.counts) = (sort, true)
        for tags in [[], ["t"]] {
            query.filter.tags = tags
            let page = try await store.articles(query)
            #expect(page.items.count == 3 && page.next == nil)
            #expect(page.count == PageCount(value: 3, isExact: true))
        }
        let changes = try await store.changes(ChangeQuery(audience: .author(ada.id)))
        #expect(changes.items.count == 3 && changes.isLast)
        try await close(store)
    }

    @Test func `a user with many articles is deleted in several commits`() async throws {
        let store = try await open()
        let count = 2 * WriteStep.disownedPerCommit + 10
        try await fill(
            store, count, of: ada, .sample(slug: .keep, authors: [.name("Ann")], status: .draft))
        var editor = SyncCopy(for: .editors)
        try await editor.catchUp(with: store)
        let steps = store.statistics.steps
        let error = try await failure {
            try await store.deleteUser(ada.id, expecting: 9, at: .start)
        }
        guard case .preconditionFailed(1) = error else { throw error }
        try await store.deleteUser(ada.id, expecting: 1, at: .start)
        // The rejected step, one for comments, and three for articles.
        #expect(store.statistics.steps == steps + 5)
        #expect(try await editor.catchUp(with: store).count == count)
        try await editor.expectCurrent(in: store)
        try await close(store)
        let plain = try RawSQLite(path)
        #expect(plain.number("SELECT count(*) FROM transitions WHERE audience > 1") == 0)
        #expect(plain.number("SELECT count(*) FROM owned_facets") == 0)
        #expect(plain.number("SELECT count(*) FROM articles WHERE owner IS NOT NULL") == 0)
    }

    @Test func `a file from before there were owners has none, and gets them`() async throws {
        do {
            let connection = try Connection(path: path, access: .create)
            try DatabaseSchema.released.migrate(connection)
        }
        let store = try await open()
        let made = try await store.createArticle(.make(), .sample(), by: .author(ada))
        #expect(made.owner == ada.id)
        try await close(store)
    }

    /// All that find owners and what they own.
    private static let statements = [
        SQL.mayOwn, SQL.articleOwner, SQL.ownedArticles, SQL.clearOwner, SQL.ownedFacet,
        SQL.ownersOfFacet, SQL.removeOwnedFacet, SQL.removeSomeTransitions, SQL.deleteUser,
        SQL.displayName, SQL.forgetActorName, SQL.transitionOfSubject, SQL.transitionsAfter,
        SQL.ownByPublication, SQL.ownByPublicationDescending, SQL.ownByCreation,
        SQL.ownByCreationDescending, SQL.ownByUpdate, SQL.ownByUpdateDescending, SQL.ownDeleted,
    ]

    /// Those of the public, which do not know owners.
    private static let publicStatements: [(StaticString, String)] = [
        (SQL.byPublication, "listings USING PRIMARY KEY (facet=? AND state=?"),
        (SQL.byPublicationDescending, "listings USING PRIMARY KEY (facet=? AND state=?"),
        (SQL.byCreation, "articles USING COVERING INDEX articles_by_creation (state=?"),
        (SQL.byCreationDescending, "articles USING COVERING INDEX articles_by_creation (state=?"),
        (SQL.byUpdate, "articles USING COVERING INDEX articles_by_update (state=?"),
        (SQL.byUpdateDescending, "articles USING COVERING INDEX articles_by_update (state=?"),
        (SQL.deleted, "articles USING COVERING INDEX articles_by_deletion (deleted_at>? AND"),
    ]

    @Test func `what owners own is found by indexes alone, in the order of these`() async throws {
        try await close(try await open())
        let plain = try RawSQLite(path)
        for statement in Self.statements {
            let plan = plain.texts("EXPLAIN QUERY PLAN \(statement)", column: 3)
            #expect(plan.contains { $0.hasPrefix("SEARCH") }, "\(statement): \(plan)")
            let isSlow = plan.contains { $0.hasPrefix("SCAN") || $0.contains("TEMP B-TREE") }
            #expect(!isSlow, "\(statement): \(plan)")
        }
        for (statement, index) in Self.publicStatements {
            let plan = plain.texts("EXPLAIN QUERY PLAN \(statement)", column: 3)
            #expect(plan.count == 1 && plan[0].hasPrefix("SEARCH \(index)"), "\(plan)")
        }
    }
}
