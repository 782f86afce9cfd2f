import ArticleAPI
import ArticleStore
import BroadsheetTestSupport
import Testing

@testable import ArticleDatabase

@Suite struct CheckTests {
    /// Statements that each violate one invariant, with an excerpt of the expected finding.
    private static let faults: [(sql: String, finding: String)] = [
        ("DELETE FROM changes WHERE sequence = 2", "the change sequence"),
        ("UPDATE changes SET sequence = 99 WHERE sequence = 3", "the change sequence"),
        ("UPDATE changes SET is_deletion = 1 WHERE sequence = 2", "refers to a missing revision"),
        ("UPDATE changes SET revision = 9 WHERE kind = 1", "refers to a missing author"),
        ("UPDATE authors SET revision = 5", "at a revision without a change"),
        ("DELETE FROM revisions WHERE number = 1", "is at revision"),
        ("UPDATE revisions SET editor = 'Ann' WHERE number = 2", "has an actor and an editor"),
        ("DELETE FROM actors", "refers to a missing row in actors"),
        ("UPDATE articles SET publication = 1", "differs from its last revision"),
        ("UPDATE articles SET revision = 0", "has no revision"),
        ("DELETE FROM transitions WHERE audience = 1", "article 1 lacks transition"),
        ("UPDATE transitions SET is_departure = 1 WHERE kind = 0", "article 1 has the wrong"),
        ("UPDATE transitions SET revision = 1 WHERE kind = 0", "article 1 has the wrong"),
        ("DELETE FROM transitions WHERE audience = 0 AND kind = 1", "lacks transition 3 for the"),
        ("UPDATE transitions SET is_departure = 1 WHERE kind = 1", "lacks transition "),
        ("UPDATE transitions SET revision = 9 WHERE kind = 1", "refers to another change"),
        ("DELETE FROM slugs", "is not reserved for its article"),
        ("DELETE FROM listings WHERE facet <> 1", "is not listed under"),
        ("UPDATE listings SET state = 0 WHERE facet = 1", "is not listed under"),
        ("INSERT INTO listings VALUES (1, 0, 0, x'00', 1)", "listing entries"),
        ("UPDATE facets SET live = live + 1 WHERE number = 1", "counts"),
        ("UPDATE facets SET key = x'00' WHERE kind = 2", "does not belong to an author"),
        ("UPDATE revisions SET tags = '[77]'", "refer to missing facets"),
        ("INSERT INTO bodies (text) VALUES ('lost')", "does not belong to a revision"),
        ("UPDATE bodies SET text = 'longer than before, by far'", "its recorded length"),
        ("UPDATE imports SET revision = 7", "refers to a future revision"),
        ("DELETE FROM bodies", "refers to a missing row"),
        ("DELETE FROM users", "refers to a missing row in users"),
        ("UPDATE user_count SET value = 9", "the number of users is 1, but their counter is 9"),
        ("DELETE FROM user_count", "their counter is missing"),
        ("DELETE FROM comments", "refers to a missing comment"),
        ("UPDATE comments SET visible_replies = 1", "visible replies, but has 0"),
        ("UPDATE comment_counts SET visible = 2", "visible comments, but has 1"),
        ("DELETE FROM comment_transitions WHERE audience = 0", "transition for the public"),
        ("DELETE FROM comment_transitions WHERE audience = 1", "transition for editors"),
        ("DELETE FROM comment_transitions WHERE audience > 1", "transition for its writer"),
        ("UPDATE bookmarks SET revision = 9", "by user 1 has the wrong transition"),
        ("DELETE FROM bookmarks", "by user 1 has the wrong transition"),
        ("DELETE FROM bookmark_transitions", "by user 1 has the wrong transition"),
    ]

    /// Writes what the statements above change.
    private func fill(_ store: some SQLStore) async throws {
        let made = try await store.createArticle(
            .make(), .sample(authors: [.name("Ann")], tags: ["Food"]), by: .first)
        _ = try await store.updateArticle(made.id, expecting: .anything, by: .first) {
            article in .of(article) { $0.draft.body = "New text" }
        }
        let item = ImportItem(
            path: "a.md", digest: [1], id: .make(), content: .sample("Imported"))
        _ = try await store.importArticles([item], by: .first, dryRun: false)
        let user = UserRecord.sample()
        try await store.createUser(user, using: nil, at: .start)
        _ = try await store.createSession(.sample(1, of: user), expecting: 0)
        _ = try await store.createComment(
            .make(), CommentContent(article: made.id, body: "Good", writer: user.id),
            under: .giving(.visible), by: .first)
        _ = try await store.putBookmark(
            of: made.id, for: user.id, position: nil, seeing: .everyone, at: .start)
    }

    private func expectClean(_ report: CheckReport) {
        #expect(report.isClean && report.articles == 2 && report.revisions == 3, "\(report)")
        #expect(report.changes == 7)
    }

    @Test func `each violation is found`() async throws {
        for fault in Self.faults {
            let folder = try TemporaryFolder()
            let path = folder.file("a.db")
            let store = try SQLiteStore.open(path: path, mode: .create)
            try await fill(store)
            await store.close()
            expectClean(try SQLiteStore.check(path: path))
            try RawSQLite(path).run("PRAGMA ignore_check_constraints = ON; " + fault.sql)
            let findings = try SQLiteStore.check(path: path).findings
            #expect(findings.contains { $0.contains(fault.finding) }, "\(fault.sql): \(findings)")
        }
    }

    @Test(.enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed"))
    func `each violation is found in PostgreSQL`() async throws {
        let address = try PostgresServer.shared.newSchema()
        let store = try PostgresStore.open(address)
        try await fill(store)
        expectClean(try await store.check())
        let session = try PostgresSession(address, settings: [])
        for (sql, finding) in Self.faults {
            // Neither its references nor its triggers are in the way of these.
            _ = try session.run("SET session_replication_role = replica; BEGIN")
            _ = try session.run(sql.replacing("x'00'", with: "'\\x00'"))
            let state = Snapshot(Connection(.postgres(session)), StoreLimits())
            let findings = try state.examine().findings
            #expect(findings.contains { $0.contains(finding) }, "\(sql): \(findings)")
            _ = try session.run("ROLLBACK")
        }
        expectClean(try PostgresStore.check(address))
        await store.close()
    }

    @Test func `a torn page is a finding, not a crash`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        let store = try SQLiteStore.open(path: path, mode: .create)
        for number in 0..<50 {
            _ = try await store.createArticle(.make(), .sample("n\(number)"), by: .first)
        }
        await store.close()
        let page = try RawSQLite(path).number(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'listings'")
        corruptPage(path, page: try #require(page))
        #expect(try !SQLiteStore.check(path: path).isClean)
        let torn = try SQLiteStore.open(path: path, mode: .existing)
        let error = try await failure {
            while true {
                _ = try await torn.articles(ArticleQuery(audience: .editors))
                _ = try await torn.createArticle(.make(), .sample("more"), by: .first)
            }
        }
        guard case .corrupt = error else { throw error }
        await torn.close()
    }
}
