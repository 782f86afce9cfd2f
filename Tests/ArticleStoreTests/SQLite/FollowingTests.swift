import ArticleAPI
import ArticleStore
import BroadsheetTestSupport
import Testing

@testable import ArticleDatabase

/// The limits of pages of changes, and the transitions of older files.
@Suite struct FollowingTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("a.db") }

    init() throws { folder = try TemporaryFolder() }

    private func open(
        _ change: (inout SQLiteConfiguration) -> Void = { _ in }
    ) throws -> SQLiteStore {
        var configuration = SQLiteConfiguration()
        change(&configuration)
        return try SQLiteStore.open(path: path, mode: .create, configuration: configuration)
    }

    private func close(_ store: SQLiteStore) async throws {
        await store.close()
        #expect(try SQLiteStore.check(path: path).findings == [])
    }

    @Test(arguments: [UInt64](101...(Thoroughness.isFull ? 108 : 104)))
    func `a copy that is current is what the lists show, however little a page examines`(
        _ seed: UInt64
    ) async throws {
        let store = try open {
            $0.examinedRowsPerPage = 6 + Int(seed % 4) * 2
            $0.bytesPerPage = 1_500
        }
        var model = SyncModel(store, seed: seed, isExact: false)
        try await model.run(histories: 20, writes: 8)
        try await close(store)
    }

    /// Articles in several imports, all with the same content except for their titles.
    private func fill(
        _ store: SQLiteStore, _ count: Int, like content: ArticleContent
    ) async throws -> [Article.ID] {
        let items = (0..<count).map { number in
            var content = content
            content.draft.title = "n\(number)"
            content.slug = .keep
            return ImportItem(path: "\(number)", digest: [0], id: .make(), content: content)
        }
        _ = try await store.importArticles(items, by: .first, dryRun: false)
        return items.map(\.id)
    }

    @Test func `a page without items ends after so many rows, and the next one continues`()
        async throws
    {
        let store = try open { $0.examinedRowsPerPage = 100 }
        _ = try await fill(store, 250, like: .sample())
        let id = try await store.createArticle(.make(), .sample(tags: ["Food"]), by: .first).id
        var copy = SyncCopy(for: .everyone) { $0.filter.tags = [ArticleTag(named: "Food").key] }
        var positions: [Int64] = []
        while true {
            let slice = try await copy.follow(store)
            positions.append(slice.position.sequence)
            #expect(slice.position.base == 251)
            if slice.isLast { break }
            #expect(slice.items.isEmpty)
        }
        #expect(positions == [100, 200, 251])
        #expect(Array(copy.contents.articles.keys) == [id])
        try await close(store)
    }

    @Test func `hidden changes cost the public nothing`() async throws {
        let store = try open { $0.examinedRowsPerPage = 5 }
        let id = try await store.createArticle(.make(), .sample(), by: .first).id
        var copy = SyncCopy(for: .everyone) { $0.filter.language = "en" }
        try await copy.catchUp(with: store)
        try await update(id, in: store) { $0.draft.status = .draft }
        for number in 0..<50 {
            try await update(id, in: store) { $0.draft.title = "Hidden \(number)" }
        }
        _ = try await fill(store, 300, like: .sample(status: .draft))
        let slice = try await copy.follow(store)
        #expect(slice.items.map { SyncCopy.Step($0.change) } == [.delete(id, 2)])
        #expect(slice.isLast && slice.position.sequence == 2)
        try await close(store)
    }

    @Test func `a log that is longer than a page examines does not keep a copy from going on`()
        async throws
    {
        let store = try open { $0.examinedRowsPerPage = 20 }
        var copy = SyncCopy(for: .everyone) { $0.filter.tags = [ArticleTag(named: "Food").key] }
        let kept = try await store.createArticle(
            .make(), .sample("a", tags: ["Food"]), by: .first
        ).id
        let left = try await store.createArticle(
            .make(), .sample("b", tags: ["Food"]), by: .first
        ).id
        #expect(try await copy.catchUp(with: store).count == 2)
        try await update(kept, in: store) { $0.draft.title = "A" }
        try await update(left, in: store) { $0.tags = [] }
        for number in 0..<50 { try await update(left, in: store) { $0.draft.title = "\(number)" } }
        let first = try await copy.follow(store)
        #expect(first.items.map { SyncCopy.Step($0.change) } == [.put(kept, 2)])
        #expect(!first.isLast && first.position.sequence == 3)
        let second = try await copy.follow(store)
        #expect(second.items.map { SyncCopy.Step($0.change) } == [.delete(left, 52)])
        #expect(second.isLast)
        try await copy.expectCurrent(in: store)
        try await close(store)
    }

    @Test func `a page is limited in bytes, and one larger item is sent`() async throws {
        let store = try open { $0.bytesPerPage = 20_000 }
        let body = String(repeating: "x", count: 8_000)
        _ = try await fill(store, 5, like: .sample(body: body))
        _ = try await store.createArticle(
            .make(), .sample(body: String(repeating: "y", count: 50_000)), by: .first)
        var copy = SyncCopy(for: .everyone) { $0.withBodies = true }
        var counts: [Int] = []
        repeat { counts.append(try await copy.follow(store).items.count) } while counts.count < 4
        #expect(counts == [2, 2, 1, 1])
        #expect(try await copy.follow(store).isLast)
        var light = SyncCopy(for: .everyone)
        #expect(try await light.follow(store).items.count == 6)
        try await close(store)
    }

    @Test(arguments: [UInt64](201...(Thoroughness.isFull ? 206 : 202)))
    func `an older file has the transitions that its revisions imply`(_ seed: UInt64) async throws {
        let store = try open()
        var model = SyncModel(store, seed: seed)
        try await model.run(histories: 5, writes: 20)
        try await close(store)
        try RawSQLite(path).run(
            """
            CREATE TABLE before AS SELECT * FROM transitions
                WHERE audience < 2 AND (audience = 1 OR kind = 0 OR NOT is_departure);
            DROP TABLE search_purges; DROP INDEX revisions_by_body;
            DROP INDEX revisions_by_actor; DROP TABLE floors; DROP TABLE retention;
            ALTER TABLE changes DROP COLUMN mark;
            DROP INDEX kept_writes_by_body;
            DROP INDEX imports_by_name; ALTER TABLE imports DROP COLUMN name;
            ALTER TABLE imports DROP COLUMN title;
            DROP INDEX kept_writes_by_comment; DROP INDEX kept_writes_by_principal;
            ALTER TABLE kept_writes DROP COLUMN comment_text;
            ALTER TABLE kept_writes DROP COLUMN comment;
            DROP TABLE source_entries; DROP TABLE sources;
            DROP INDEX articles_by_deletion; DROP INDEX articles_by_owner_deletion;
            ALTER TABLE articles DROP COLUMN deleted_at;
            DROP TABLE search_state; DROP TABLE search_segments;
            DROP TABLE search_blocks; DROP TABLE search_terms;
            DROP TABLE bookmark_transitions; DROP TABLE bookmarks;
            DROP TABLE comment_transitions; DROP TABLE comment_counts;
            DROP TABLE comments; ALTER TABLE revisions DROP COLUMN comments;
            DROP TABLE identities; DROP TABLE used_tokens; DROP TABLE used_token_count;
            DROP INDEX keys_by_owner; ALTER TABLE keys DROP COLUMN owner;
            DROP INDEX articles_by_owner; DROP INDEX articles_by_owner_creation;
            DROP INDEX articles_by_owner_update; DROP TABLE owned_facets;
            ALTER TABLE articles DROP COLUMN owner; ALTER TABLE revisions DROP COLUMN owner;
            DROP TABLE transitions; DROP INDEX changes_by_subject; DROP TABLE webhooks;
            DROP TABLE invitations; DROP TABLE sessions; DROP TABLE users; DROP TABLE user_count;
            -- Until here, scheduled articles were counted like published ones.
            UPDATE facets SET published = published + (
                SELECT count(*) FROM listings WHERE facet = facets.number AND state = 4);
            UPDATE revisions SET actor = 1
                WHERE actor IN (SELECT number FROM actors WHERE kind = 3);
            DELETE FROM actors WHERE kind = 3;
            PRAGMA user_version = 7;
            """)
        let migrated = try open()
        for audience in [Audience.everyone, .editors] {
            var copy = SyncCopy(for: audience)
            try await copy.catchUp(with: migrated, limit: 3)
            try await copy.expectCurrent(in: migrated)
        }
        try await close(migrated)
        let plain = try RawSQLite(path)
        #expect(plain.number("SELECT count(*) FROM before") ?? 0 > 5)
        for (one, other) in [("before", "transitions"), ("transitions", "before")] {
            let sql = "SELECT count(*) FROM (SELECT * FROM \(one) EXCEPT SELECT * FROM \(other))"
            #expect(plain.number(sql) == 0, "\(one)")
        }
    }

    private func update(
        _ id: Article.ID, in store: SQLiteStore,
        _ change: @escaping @Sendable (inout ArticleContent) -> Void
    ) async throws {
        _ = try await store.updateArticle(id, expecting: .anything, by: .later(1)) {
            .of($0, change)
        }
    }
}
