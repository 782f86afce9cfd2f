import ArticleAPI
import ArticleStore
import Platform
import Sockets
import TestSupport
import Testing

@testable import SQLiteStore

/// Files that earlier versions wrote.
@Suite struct MigrationTests {
    /// An article with three revisions in the sixth version of the schema: by a key, by an import,
    /// and by the key again.
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
                '[]', NULL, NULL, NULL, NULL, 1, 1, 1, 5),
            (1 << 20 | 2, 1, 2, 1, NULL, 2000, 0, NULL, 2000, 'bread', 'Two', '', 'en', '[]',
                '[]', NULL, NULL, NULL, NULL, 1, 1, 1, 5),
            (1 << 20 | 3, 1, 3, 1, 'desk', 3000, 0, NULL, 3000, 'bread', 'Three', '', 'en', '[]',
                '[]', NULL, NULL, NULL, NULL, 1, 1, 1, 5);
        INSERT INTO changes (kind, subject, revision, is_deletion)
        VALUES (0, 1, 1, 0), (0, 1, 2, 0), (0, 1, 3, 0);
        INSERT INTO keys VALUES
            ('0123456789abcdef', zeroblob(32), 'desk', 'editor', 1000, NULL, NULL);
        """

    @Test func `revisions from before there were actors have only names`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("old.db")
        let older = DatabaseSchema(migrations: Array(DatabaseSchema.bundled.migrations.prefix(6)))
        do {
            let connection = try Connection(path: path, access: .create)
            try older.migrate(connection)
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
}
