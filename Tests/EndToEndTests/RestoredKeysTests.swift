import BroadsheetHTTP
import BroadsheetTestSupport
import Glibc
import Testing

/// API keys after a backup has replaced the database.
@Suite(.mayBlock) struct RestoredKeysTests {
    let folder: TemporaryFolder
    let database: String
    let backup: String

    init() throws {
        folder = try TemporaryFolder()
        database = folder.file("a.db")
        backup = folder.file("backup.db")
        #expect(try RunningServer(database).stop() == 0)
    }

    private func createKey(_ name: String) throws -> (id: String, text: String) {
        let made = try Program.run(
            "key", "create", "--role", "editor", "--name", name, "--database", database)
        let text = try #require(made.output.first)
        let list = try Program.run("key", "list", "--database", database).output
        let line = try #require(list.first { $0.hasSuffix("\t\(name)") })
        return (String(line.prefix { $0 != " " }), text)
    }

    private func backUp() throws {
        #expect(
            try Program.run("backup", backup, "--overwrite", "--database", database).status == 0)
    }

    private func restore() throws -> [String] {
        let ended = try Program.run("restore", backup, "--replace", "--database", database)
        #expect(ended.status == 0, "\(ended.errors)")
        return ended.errors
    }

    private func status(with key: String) throws -> Int {
        let served = try RunningServer(database)
        defer { #expect(served.stop() == 0) }
        return try served.send(.get, "/v1/articles?status=draft", key: key).status
    }

    @Test func `a key that was revoked after the backup stays revoked`() throws {
        let (revoked, other) = (try createKey("lost phone"), try createKey("desk"))
        try backUp()
        #expect(try Program.run("key", "revoke", revoked.id, "--database", database).status == 0)
        let before = try Program.run("key", "list", "--database", database).output
        let messages = try restore()
        #expect(
            messages.contains("key \(revoked.id) (editor, lost phone) stays revoked"), "\(messages)"
        )
        #expect(!messages.contains { $0.contains(other.id) })
        #expect(try Program.run("key", "list", "--database", database).output == before)
        #expect(try status(with: revoked.text) == 401)
        #expect(try status(with: other.text) == 200)
    }

    @Test func `keys that the replaced database does not contain are named`() throws {
        let key = try createKey("old")
        try backUp()
        for ending in ["", "-wal", "-shm"] { unlink(database + ending) }
        #expect(try RunningServer(database).stop() == 0)
        let messages = try restore()
        #expect(
            messages.contains {
                $0.contains("key \(key.id) (editor, old) is valid again")
                    && $0.contains("has no such key")
            }, "\(messages)")
        #expect(try status(with: key.text) == 200)
    }

    @Test func `keys are named if the replaced database cannot be read`() throws {
        let key = try createKey("old")
        try backUp()
        for ending in ["-wal", "-shm"] { unlink(database + ending) }
        try write("A shopping list.\n", to: database)
        #expect(
            try restore().contains {
                $0.contains("key \(key.id)") && $0.contains("could not be read")
            })
    }
}
