import BroadsheetHTTP
import BroadsheetTestSupport
import Glibc
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
        let served = try RunningServer(
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
        let served = try RunningServer(database, createsDatabase: true)
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
        #expect(restored.wait() == 77)
        #expect(restored.errors.rest().last?.contains("owner") == true)
        #expect(try bytes(of: database) == before)
    }

    // MARK: Links

    /// A folder of root's with a file that the server's user wants, and one that it wants created.
    private struct FilesOfRoot {
        let folder: TemporaryFolder
        var secret: String { folder.file("secret") }
        var made: String { folder.file("made") }

        init() throws {
            folder = try TemporaryFolder()
            try write("root's secret\n", to: secret)
            try #require(chmod(secret, 0o600) == 0)
            try write(#"{"title":"Hello","slug":"hello"}"#, to: folder.file("posts.ndjson"))
        }

        /// Runs the operator's commands as root; each must end.
        func runAll(on database: String) throws -> [Int32] {
            try [
                ["doctor"], ["check"], ["key", "list"], ["user", "list"],
                ["backup", "--overwrite", folder.file("b.db")],
                ["export", folder.file("e.ndjson")],
                ["import", folder.file("posts.ndjson")],
            ].map { try Program.start($0 + ["--database", database]).wait() }
        }

        func expectUntouched() throws {
            #expect(try OtherUser.owner(secret) == (0, 0, 0o600))
            #expect(try read(secret) == "root's secret\n")
            #expect(access(made, F_OK) != 0)
        }
    }

    @Test(arguments: [".lock", "-wal", "-shm", "-journal", ".moved"])
    func `no command of root's follows a link beside the database`(_ ending: String) throws {
        try serveAsUser()
        let files = try FilesOfRoot()
        for target in [files.secret, files.made] {
            unlink(database + ending)
            try #require(symlink(target, database + ending) == 0)
            try #require(lchown(database + ending, OtherUser.number, OtherUser.number) == 0)
            let statuses = try files.runAll(on: database)
            // `check` and `backup` read no note of a move: they also serve who has moved one.
            let readers = ending == ".moved" ? [1, 4] : []
            for (index, status) in statuses.enumerated() {
                #expect((status == 0) == readers.contains(index), "\(index): \(statuses)")
            }
            try files.expectUntouched()
        }
        unlink(database + ending)
        try serveAsUser()
    }

    @Test(arguments: [".lock", "-wal", "-shm"])
    func `another name of a file of root's, and a FIFO, are an error of each command`(
        _ ending: String
    ) throws {
        try serveAsUser()
        let files = try FilesOfRoot()
        unlink(database + ending)
        try #require(link(files.secret, database + ending) == 0)
        let statuses = try files.runAll(on: database)
        #expect(statuses.allSatisfy { $0 != 0 }, "\(statuses)")
        try files.expectUntouched()
        unlink(database + ending)
        try #require(mkfifo(database + ending, 0o600) == 0)
        try OtherUser.give(database + ending)
        let others = try files.runAll(on: database)
        #expect(others.allSatisfy { $0 != 0 }, "\(others)")
        unlink(database + ending)
        try serveAsUser()
    }

    @Test func `root does not follow the user's link to a database of root's`() throws {
        let files = try FilesOfRoot()
        let posts = files.folder.file("posts.ndjson")
        let precious = files.folder.file("a.db")
        #expect(try Program.run("import", posts, "--database", precious).status == 0)
        let before = try bytes(of: precious)
        try #require(symlink(precious, database) == 0)
        // A link of root's own is followed.
        #expect(try Program.run("check", "--database", database).status == 0)
        try #require(lchown(database, OtherUser.number, OtherUser.number) == 0)
        let ended = try Program.run("import", posts, "--database", database)
        #expect(ended.status == 74)
        #expect(ended.errors.last?.contains("root does not follow") == true, "\(ended.errors)")
        #expect(try bytes(of: precious) == before)
    }

    @Test func `what root writes replaces the user's link to a file of root's`() throws {
        try serveAsUser()
        let files = try FilesOfRoot()
        for (command, arguments) in [("backup", ["--overwrite"]), ("export", [])] {
            for target in [files.secret, files.made] {
                let output = folder.file(command)
                unlink(output)
                try #require(symlink(target, output) == 0)
                try #require(lchown(output, OtherUser.number, OtherUser.number) == 0)
                let program = try Program.start(
                    [command, output] + arguments + ["--database", database])
                #expect(program.wait() == 0, "\(program.errors.rest())")
                try files.expectUntouched()
                #expect(try OtherUser.owner(output) == (0, 0, 0o600))
            }
        }
        // A link of root's own leads to what is replaced.
        let output = files.folder.file("link")
        try #require(symlink(files.secret, output) == 0)
        #expect(try Program.run("export", output, "--database", database).status == 0)
        #expect(try read(files.secret) != "root's secret\n")
    }

    @Test func `root's commands leave a log that the server's user can open`() throws {
        try serveAsUser()
        let served = try RunningServer(database)
        #expect(try served.send(.post, "/v1/articles", #"{"title":"T"}"#).status == 201)
        served.program.signal(SIGKILL)
        _ = served.program.wait()
        #expect(try Program.run("check", "--database", database).status == 0)
        try expectOwned(["", "-wal", "-shm", ".lock"])
        try serveAsUser()
    }
}
