import ArticleAPI
import ArticleAdminAPI
import ArticleStore
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

@testable import ArticleDatabase

/// Files that earlier versions wrote.
@Suite struct MigrationTests {
    /// An article with three revisions in a file of the first release: by a key, by an import, and
    /// by the key again. They were made before there were actors.
    private static let history = """
        INSERT INTO articles VALUES
            (1, x'0198c0de000070008000000000000001', 0, 3, 1000, 1000, 3000);
        INSERT INTO facets (number, kind, key, live) VALUES (2, 3, 'en', 1);
        UPDATE facets SET live = 1 WHERE number = 1;
        INSERT INTO listings VALUES (1, 0, 1000, x'0198c0de000070008000000000000001', 1),
            (2, 0, 1000, x'0198c0de000070008000000000000001', 1);
        INSERT INTO slugs (slug, article) VALUES ('bread', 1);
        INSERT INTO bodies VALUES (1, 'Flour');
        INSERT INTO revisions VALUES
            (1 << 20 | 1, 1, 1, 0, 'desk', 1000, 0, NULL, 1000, 'bread', 'One', '', 'en', '[]',
                '[]', NULL, NULL, NULL, NULL, 1, 1, 1, 5, NULL),
            (1 << 20 | 2, 1, 2, 1, NULL, 2000, 0, NULL, 2000, 'bread', 'Two', '', 'en', '[]',
                '[]', NULL, NULL, NULL, NULL, 1, 1, 1, 5, NULL),
            (1 << 20 | 3, 1, 3, 1, 'desk', 3000, 0, NULL, 3000, 'bread', 'Three', '', 'en', '[]',
                '[]', NULL, NULL, NULL, NULL, 1, 1, 1, 5, NULL);
        INSERT INTO changes (kind, subject, revision, is_deletion)
        VALUES (0, 1, 1, 0), (0, 1, 2, 0), (0, 1, 3, 0);
        INSERT INTO keys VALUES
            ('0123456789abcdef', zeroblob(32), 'desk', 'editor', 1000, NULL, NULL);
        """

    /// The digests of what `sqlite_schema` says after each migration. A file of that version has
    /// this schema, whatever the scripts that made it.
    @Test(arguments: [
        (7, 0x2e12_8da2_1225_fb07 as UInt64), (23, 0xe682_f141_3bd0_819c),
    ])
    func `the schema of a version that files have never changes`(
        version: Int, expected: UInt64
    ) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("old.db")
        try DatabaseSchema.bundled.through(version)
            .migrate(Connection(path: path, access: .create))
        let plain = try RawSQLite(path)
        let sql = "SELECT coalesce(sql, '') FROM sqlite_schema ORDER BY type, name"
        // FNV-1a.
        let digest = plain.texts(sql, column: 0).joined(separator: "\n").utf8.reduce(
            0xcbf2_9ce4_8422_2325 as UInt64
        ) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        #expect(digest == expected)
    }

    @Test(arguments: [1, 6, 8, 22, 24, 26])
    func `a file of a version between the releases is rejected and not touched`(
        version: Int
    ) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("old.db")
        try await SQLiteStore.open(path: path, mode: .create).close()
        try RawSQLite(path).run("PRAGMA journal_mode = DELETE; PRAGMA user_version = \(version)")
        let before = OpeningTests.bytes(path)
        func expectRejected(_ body: () throws -> Void) {
            #expect { try body() } throws: { error in
                guard case .unsupported(path, version) = error as? StoreOpeningError else {
                    return false
                }
                return "\(error)".contains(
                    "schema version \(version), which this broadsheet cannot")
            }
        }
        expectRejected { _ = try SQLiteStore.open(path: path, mode: .existing) }
        expectRejected { _ = try SQLiteStore.check(path: path) }
        expectRejected { _ = try SQLiteStore.settle(copy: path) }
        #expect(OpeningTests.bytes(path) == before)
    }

    @Test func `revisions from before there were actors have only names`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("old.db")
        do {
            let connection = try Connection(path: path, access: .create)
            try DatabaseSchema.released.migrate(connection)
            try connection.execute(script: Self.history)
        }
        let store = try SQLiteStore.open(path: path, mode: .existing)
        let id = try await store.article(.slug("bread"), visibleTo: .editors).id
        let desk = Revision.Actor(kind: .unrecorded, name: "desk")
        let nobody = Revision.Actor(kind: .unrecorded)
        let old = try await store.revisions(of: id, below: nil, limit: 10).items
        #expect(old.map(\.actor) == [desk, nobody, desk])
        #expect(old.map(\.editor) == ["desk", nil, "desk"])

        let key = "0123456789abcdef"
        let edit = Edit(at: .start, by: .key(id: key))
        try await store.deleteArticle(id, expecting: .anything, by: edit)
        let new = try await store.revisions(of: id, below: nil, limit: 10).items
        let actors = [Revision.Actor(kind: .key, id: key, name: "desk"), desk, nobody, desk]
        #expect(new.map(\.actor) == actors)
        let exported = Lock([Revision.Actor]())
        try await store.export { record in
            guard case .revision(let revision) = record else { return }
            exported.withLock { $0.append(revision.actor) }
        }
        #expect(exported.withLock { $0 } == actors.reversed())
        await store.close()
        #expect(try SQLiteStore.check(path: path).findings == [])
    }

    /// Both versions are those of files that people have.
    @Test(arguments: [7, 23])
    func `what an older file's articles were deleted at is known`(version: Int) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("old.db")
        do {
            let connection = try Connection(path: path, access: .create)
            try DatabaseSchema.released.migrate(connection)
            try connection.execute(script: Self.history)
            try connection.execute(
                script: """
                    UPDATE articles SET state = 3, revision = 4;
                    UPDATE facets SET live = 0;
                    DELETE FROM listings;
                    INSERT INTO revisions VALUES
                        (1 << 20 | 4, 1, 4, 2, 'desk', 4000, 0, NULL, 3000, 'bread', 'Three', '',
                            'en', '[]', '[]', NULL, NULL, NULL, NULL, 1, 1, 1, 5, NULL);
                    INSERT INTO changes (kind, subject, revision, is_deletion)
                    VALUES (0, 1, 4, 1);
                    """)
            try DatabaseSchema.bundled.through(version).migrate(connection)
        }
        let store = try SQLiteStore.open(path: path, mode: .existing)
        let page = try await store.deletedArticles(after: nil, limit: 9, visibleTo: .editors)
        #expect(page.items.map(\.deletedAt.milliseconds) == [4_000])
        #expect(page.items.map(\.title) == ["Three"] && page.items.map(\.revision) == [4])
        await store.close()
        #expect(try SQLiteStore.check(path: path).findings == [])
    }

    @Test(
        arguments: [7, 23],
        [
            ("site/b/index.md", "copy/b/index.md", true),
            ("site/b/index.md", "copy/index.md", false),
            ("site/b/a.md", "copy/a.md", true), ("a.md", "b.md", false),
            ("index.md", "index.md", true),
            ("site/_index.ko.md", "x/site/_index.ko.md", true),
            ("b.xml#post:1", "b.xml#post:2", false),
        ])
    func `the files that an older file's articles came from are recognized`(
        version: Int, paths: (old: String, new: String, isSame: Bool)
    ) async throws {
        let (old, new, isSame) = paths
        let folder = try TemporaryFolder()
        let path = folder.file("old.db")
        do {
            let connection = try Connection(path: path, access: .create)
            try DatabaseSchema.released.migrate(connection)
            try connection.execute(script: Self.history)
            // Its second revision is that of the import.
            try connection.execute(
                script: "INSERT INTO imports VALUES ('\(old)', zeroblob(32), 1, 2)")
            try DatabaseSchema.bundled.through(version).migrate(connection)
        }
        let store = try SQLiteStore.open(path: path, mode: .existing)
        var item = ImportItem(
            path: new, digest: [UInt8](repeating: 0, count: 32), id: .make(),
            content: .sample("Two"))
        item.recognition = .likeness(slug: nil)
        let outcomes = try await store.importArticles([item], by: .first, dryRun: true)
        let recognized = old == new ? ImportOutcome.unchanged : .similar([old])
        #expect(try outcomes.map { try $0.get() } == [isSame ? recognized : .created])
        await store.close()
    }

    /// 2100-01-01T00:00:00Z.
    private static let future: Int64 = 4_102_444_800_000

    /// SQL for an article in a file of the first release, in the state of its last revision.
    private static func article(
        _ number: Int, _ slug: String, _ revisions: [(state: Int, publishedAt: Int64?, time: Int64)]
    ) -> String {
        let id = "x'0198c0de00007000800000000000000\(number)'"
        let last = revisions[revisions.count - 1]
        let publication = last.publishedAt ?? 1_000
        let publicFrom = last.state == 1 ? "\(publication)" : "NULL"
        var sql = """
            INSERT INTO articles VALUES (\(number), \(id), \(last.state), \(revisions.count),
                \(publication), 1000, \(last.time));
            INSERT INTO slugs VALUES ('\(slug)', \(number), \(publicFrom));
            UPDATE facets SET live = live + 1, published = published + (\(last.state) = 1);

            """
        for facet in 1...3 {
            sql += """
                INSERT INTO listings
                VALUES (\(facet), \(last.state), \(publication), \(id), \(number));

                """
        }
        for (index, revision) in revisions.enumerated() {
            let (row, time) = (index + 1, revision.publishedAt.map(String.init) ?? "NULL")
            sql += """
                INSERT INTO revisions VALUES (\(number) << 20 | \(row), \(number), \(row), 1, NULL,
                    \(revision.time), \(revision.state), \(time), \(revision.time), '\(slug)',
                    'Title', '', 'en', '[]', '[3]', NULL, NULL, NULL, NULL, 1, 1, 1, 5, 1);
                INSERT INTO changes (kind, subject, revision, is_deletion)
                VALUES (0, \(number), \(row), 0);

                """
        }
        return sql
    }

    @Test func `what is published in the future in an older file is scheduled`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("old.db")
        do {
            let connection = try Connection(path: path, access: .create)
            try DatabaseSchema.released.migrate(connection)
            try connection.execute(
                script: "INSERT INTO bodies VALUES (1, 'Flour');"
                    + "INSERT INTO facets (number, kind, key) VALUES (2, 3, 'en');"
                    + "INSERT INTO facets (number, kind, key, name) VALUES (3, 1, 't', 'T');"
                    + Self.article(1, "soon", [(0, nil, 1_000), (1, Self.future, 2_000)])
                    + Self.article(2, "out", [(1, 5_000, 1_000), (1, 5_000, 6_000)])
                    + Self.article(3, "draft", [(1, 2_000, 2_000), (0, 2_000, 3_000)]))
        }
        let store = try SQLiteStore.open(path: path, mode: .existing)
        #expect(try await store.changeSequence() == 6)
        func statuses(_ slug: String) async throws -> [Article.Status] {
            let article = try await store.article(.slug(slug), visibleTo: .editors)
            let history = try await store.revisions(of: article.id, below: nil, limit: 9).items
            return [article.status] + history.map(\.status)
        }
        #expect(try await statuses("soon") == [.scheduled, .scheduled, .draft])
        #expect(try await statuses("out") == [.published, .published, .scheduled])
        #expect(try await statuses("draft") == [.draft, .draft, .published])
        func shown() async throws -> [String] {
            let tags = try await store.tags(after: nil, limit: 9, visibleTo: .everyone)
            return try await store.articles(ArticleQuery(audience: .everyone)).items.map(\.slug)
                + tags.items.map { "\($0.articleCount)" }
        }
        #expect(try await shown() == ["out", "1"])
        let time = Timestamp(milliseconds: Self.future)
        let done = try await store.publishDueArticles(at: time, limit: 9)
        #expect(done == (1, nil))
        #expect(try await shown() == ["soon", "out", "2"])
        _ = try await store.article(.slug("soon"), visibleTo: .everyone)
        await store.close()
        #expect(try SQLiteStore.check(path: path).findings == [])
    }

    @Test func `a file from before there were accounts has none, and gets them`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("old.db")
        do {
            let connection = try Connection(path: path, access: .create)
            try DatabaseSchema.released.migrate(connection)
            try connection.execute(
                script: """
                    INSERT INTO keys VALUES ('k7', zeroblob(32), 'desk', 'editor', 1, NULL, NULL);
                    """)
        }
        let store = try SQLiteStore.open(path: path, mode: .existing)
        #expect(try await store.userCount() == 0)
        #expect(try await store.allSessions(after: nil, limit: 9).items == [])
        #expect(try await store.invitations() == [])
        let user = UserRecord.sample()
        try await store.createInvitation(.sample(1))
        try await store.createUser(user, using: "i1", at: .start)
        _ = try await store.createSession(.sample(1, of: user), expecting: 0)
        try await store.createUser(
            .sample("bob"), using: nil, identity: .sample("s1"), at: .start)
        #expect(try await store.userCount() == 2)
        #expect(try await store.keys().map(\.id) == ["k7"])
        await store.close()
        #expect(try SQLiteStore.check(path: path).findings == [])
    }
}
