import ArticleAPI
import BroadsheetHTTP
import BroadsheetTestSupport
import Testing

/// Accounts after a backup has replaced the database.
@Suite(.mayBlock) struct RestoredAccountsTests {
    private let folder: TemporaryFolder
    private let database: String
    private let backup: String

    init() throws {
        folder = try TemporaryFolder()
        database = folder.file("a.db")
        backup = folder.file("backup.db")
    }

    private static func create(_ name: String, _ role: String, at served: RunningServer) throws
        -> User
    {
        let made = try served.send(
            .post, "/v1/users",
            #"{"name":"\#(name)","password":"correct horse","role":"\#(role)"}"#)
        try #require(made.status == 201, "\(made.text)")
        return try User(mapping: made.body)
    }

    private func restore() throws -> [String] {
        let ended = try Program.run("restore", backup, "--replace", "--database", database)
        #expect(ended.status == 0, "\(ended.errors)")
        return ended.errors.filter { $0.contains("account ") }
    }

    @Test func `accounts that come back to life are named`() throws {
        let served = try RunningServer(database)
        let users = try ["deleted", "disabled", "demoted", "kept"].map { name in
            try Self.create(name, "editor", at: served)
        }
        #expect(try Program.run("backup", backup, "--database", database).status == 0)
        #expect(try served.send(.delete, "/v1/users/\(users[0].id)").status == 204)
        let patch = "application/merge-patch+json"
        let changes = [#"{"disabled":true}"#, #"{"role":"author"}"#]
        for (user, change) in zip(users[1...2], changes) {
            let changed = try served.send(.patch, "/v1/users/\(user.id)", change, type: patch)
            #expect(changed.status == 200)
        }
        #expect(served.stop() == 0)
        let messages = try restore()
        let expected = [
            "exists again: the replaced database has no such account",
            "is enabled again: the replaced database has disabled it",
            "has this role again: in the replaced database it is author",
        ]
        try #require(messages.count == expected.count, "\(messages)")
        for (user, text) in zip(users, expected) {
            let line = "account \(user.id) (editor, \(user.name ?? "")) \(text)"
            #expect(messages.contains { $0.contains(line) }, "\(messages)")
        }
        for command in ["disable deleted", "disable disabled", "role demoted author"] {
            let end = "; broadsheet user \(command) changes this"
            #expect(messages.contains { $0.hasSuffix(end) }, "\(messages)")
        }

        let again = try RunningServer(database)
        let session = #"{"name":"disabled","password":"correct horse"}"#
        #expect(try again.send(.post, "/v1/sessions", session).status == 201)
        #expect(again.stop() == 0)
    }

    @Test func `accounts are named if the replaced database cannot be read`() throws {
        let served = try RunningServer(database)
        _ = try Self.create("mina", "reader", at: served)
        #expect(served.stop() == 0)
        #expect(try Program.run("backup", backup, "--database", database).status == 0)
        try write("A shopping list.\n", to: database)
        #expect(
            try restore().contains {
                $0.contains("(reader, mina) is enabled") && $0.contains("could not be read")
            })
    }
}
