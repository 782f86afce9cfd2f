import Glibc
import HTTP
import TestSupport
import Testing

/// Files that root creates for a server that runs as another user.
@Suite(.mayBlock, .enabled(if: OtherUser.isAvailable, "another user needs root"))
struct OwnershipTests {
    let folder: TemporaryFolder
    let database: String

    init() throws {
        folder = try TemporaryFolder()
        database = folder.file("a.db")
        try OtherUser.give(folder.path)
    }

    private func expectOwned(_ endings: [String], mode: mode_t = 0o600) throws {
        for ending in endings {
            let owner = try OtherUser.owner(database + ending)
            #expect(owner == (OtherUser.number, OtherUser.number, mode), "\(ending)")
        }
    }

    private func serveAsUser() throws {
        let served = try Served(
            OtherUser.start(["serve", "--database", database, "--listen", "127.0.0.1:0"]))
        #expect(try served.send(.post, "/v1/articles", #"{"title":"T"}"#).status == 201)
        #expect(served.stop() == 0)
    }

    @Test func `the server's user can serve a database that root imported`() throws {
        let posts = folder.file("posts.ndjson")
        try write(#"{"title":"Hello","slug":"hello"}"#, to: posts)
        #expect(try Program.run("import", posts, "--database", database).status == 0)
        try expectOwned(["", ".lock"])
        try serveAsUser()
        #expect(
            try Program.run("key", "create", "--role", "reader", "--database", database).status
                == 0)
        try expectOwned(["", ".lock"])
    }

    @Test func `the files of a server that root runs belong to the folder's owner`() throws {
        let served = try Served(database, createsDatabase: true)
        #expect(try served.send(.post, "/v1/articles", #"{"title":"T"}"#).status == 201)
        try expectOwned(["", "-wal", "-shm", ".lock", ".control"])
        #expect(served.stop() == 0)
        try serveAsUser()
    }

    @Test func `a restore by root keeps the owner and mode of the replaced database`() throws {
        try serveAsUser()
        let backup = folder.file("backup.db")
        #expect(try Program.run("backup", backup, "--database", database).status == 0)
        try #require(chmod(database, 0o640) == 0)
        let restored = try Program.run("restore", backup, "--replace", "--database", database)
        #expect(restored.status == 0, "\(restored.errors)")
        try expectOwned([""], mode: 0o640)
        try expectOwned([".lock"])
        try serveAsUser()
    }

    @Test func `a restore fails if it cannot keep the owner`() throws {
        try serveAsUser()
        let backup = folder.file("backup.db")
        let made = try OtherUser.start(["backup", backup, "--database", database])
        try #require(made.wait() == 0)
        try #require(chown(database, 0, 0) == 0 && chmod(database, 0o666) == 0)
        let before = try bytes(of: database)
        let restored = try OtherUser.start(
            ["restore", backup, "--replace", "--database", database])
        #expect(restored.wait() == 74)
        #expect(restored.errors.rest().last?.contains("owner") == true)
        #expect(try bytes(of: database) == before)
    }
}
