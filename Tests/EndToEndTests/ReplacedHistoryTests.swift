import ArticleAPI
import BroadsheetHTTP
import BroadsheetTestSupport
import Glibc
import Testing

/// Tokens of changes, and the copies that hold them, when the history of a database is replaced.
@Suite(.mayBlock) struct ReplacedHistoryTests {
    let folder: TemporaryFolder
    let database: String
    let backup: String

    init() throws {
        folder = try TemporaryFolder()
        database = folder.file("a.db")
        backup = folder.file("backup.db")
    }

    private func run(_ arguments: String...) throws {
        let program = try Program.start(arguments)
        let errors = program.errors.rest()
        #expect(program.wait() == 0, "\(arguments): \(errors)")
    }

    /// A page of changes for an anonymous client: the status, or the problem, and the token.
    private func poll(_ served: RunningServer, since token: String) throws -> (
        String, token: String
    ) {
        let response = try served.client.get("/v1/changes?since=\(token)")
        guard response.status == 200 else {
            let problem = try Problem(mapping: response.body)
            return ("\(response.status) \(problem.kind?.rawValue ?? problem.type)", "")
        }
        return ("200", try ChangePage<Article>(mapping: response.body).next)
    }

    /// Runs a server over a database.
    private func serving<Result>(
        _ database: String, _ body: (RunningServer) throws -> Result
    ) throws -> Result {
        let served = try RunningServer(database)
        defer { #expect(served.stop() == 0) }
        return try body(served)
    }

    private func publish(_ title: String, on served: RunningServer) throws {
        let response = try served.send(
            .post, "/v1/articles", #"{"title":"\#(title)","status":"published"}"#)
        #expect(response.status == 201)
    }

    private func startSamples() throws -> String {
        let served = try RunningServer(database, ["--samples"])
        defer { #expect(served.stop() == 0) }
        return try poll(served, since: "now").token
    }

    @Test func `a token survives restarts`() throws {
        let token = try startSamples()
        for _ in 1...2 {
            let polled = try serving(database) { try poll($0, since: token) }
            #expect(polled == ("200", token))
        }
    }

    @Test func `after a backup was restored, tokens from before and after it end`() throws {
        let before = try startSamples()
        try run("backup", backup, "--database", database)
        let after = try serving(database) { served in
            try publish("Later", on: served)
            return try poll(served, since: before).token
        }
        try run("restore", backup, "--replace", "--database", database)
        try serving(database) { served in
            for token in [before, after] {
                #expect(try poll(served, since: token).0 == "410 sync-reset")
            }
            // The same numbers come again, for other articles.
            try publish("Another", on: served)
            #expect(try poll(served, since: after).0 == "410 sync-reset")
        }
    }

    @Test func `the copy of a backup has a history of its own`() throws {
        let token = try startSamples()
        try run("backup", backup, "--database", database)
        let other = try serving(backup) { served in
            #expect(try poll(served, since: token).0 == "410 sync-reset")
            return try poll(served, since: "now").token
        }
        try serving(database) { served in
            let own = try poll(served, since: token)
            #expect(own == ("200", token))
            #expect(try poll(served, since: other).0 == "410 sync-reset")
        }
    }

    @Test func `the import of an export, and a new file, have histories of their own`() throws {
        let token = try startSamples()
        let export = folder.file("export.ndjson")
        try run("export", export, "--database", database)
        let copy = folder.file("copy.db")
        try run("import", export, "--database", copy)
        for ending in ["", "-wal", "-shm"] { unlink(database + ending) }
        for file in [copy, database] {
            let polled = try serving(file) { try poll($0, since: token).0 }
            #expect(polled == "410 sync-reset")
        }
    }

    @Test func `a folder starts anew when a backup was restored, and equals the lists again`()
        throws
    {
        _ = try startSamples()
        try run("backup", backup, "--database", database)
        let posts = folder.file("posts")
        func sync(_ served: RunningServer) throws -> [String] {
            let ended = try Program.run("sync", posts, "--server", "http://\(served.addresses[0])")
            #expect(ended.status == 0, "\(ended)")
            return ended.output
        }
        try serving(database) { served in
            try publish("Later", on: served)
            let output = try sync(served)
            #expect(output == [#"{"written":18,"removed":0,"unchanged":0,"kept":0}"#])
        }
        try run("restore", backup, "--replace", "--database", database)
        try serving(database) { served in
            let output = try sync(served)
            #expect(output == [#"{"written":0,"removed":1,"unchanged":17,"kept":0}"#])
            #expect(access("\(posts)/later.md", F_OK) != 0)
        }
    }

    /// Puts the database back to the state in which it was copied to `backup`.
    private func setBack(noticed: Bool) throws {
        #expect(try RunningProgram("/bin/cp", [backup, database]).wait() == 0)
        if !noticed { try #require(truncate(database + ".lock", 0) == 0) }
    }

    @Test func `a file that is put back ends the tokens of what was lost, unnoticed`() throws {
        let before = try startSamples()
        #expect(try RunningProgram("/bin/cp", [database, backup]).wait() == 0)
        let lost = try serving(database) { served in
            for title in ["A4", "A5"] { try publish(title, on: served) }
            return try poll(served, since: before).token
        }
        try setBack(noticed: false)
        try serving(database) { served in
            #expect(try poll(served, since: lost).0 == "410 sync-reset")
            for title in ["B4", "B5", "B6"] { try publish(title, on: served) }
            #expect(try poll(served, since: lost).0 == "410 sync-reset")
            let page = try served.client.get("/v1/changes?since=\(before)")
            #expect(try ChangePage<Article>(mapping: page.body).changes.count == 3)
            let stream = try served.client.get("/v1/changes/stream?since=\(lost)")
            #expect(stream.status == 410)
        }
    }

    @Test func `a start with a file that is put back begins another history`() throws {
        let before = try startSamples()
        #expect(try RunningProgram("/bin/cp", [database, backup]).wait() == 0)
        try serving(database) { try publish("Lost", on: $0) }
        try setBack(noticed: true)
        let token = try serving(database) { served in
            #expect(try poll(served, since: before).0 == "410 sync-reset")
            return try poll(served, since: "now").token
        }
        let again = try serving(database) { try poll($0, since: token).0 }
        #expect(again == "200")
    }

    @Test func `renew begins another history, served or not`() throws {
        let first = try startSamples()
        try run("renew", "--database", database)
        try serving(database) { served in
            #expect(try poll(served, since: first).0 == "410 sync-reset")
            let second = try poll(served, since: "now").token
            let cached = try served.client.get("/v1/articles?limit=1")
            try run("renew", "--database", database)
            #expect(try poll(served, since: second).0 == "410 sync-reset")
            // What is cached has other versions, too.
            let later = try served.client.get("/v1/articles?limit=1")
            #expect(later.status == 200 && later.body != cached.body)
        }
    }
}
