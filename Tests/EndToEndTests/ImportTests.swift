import BroadsheetHTTP
import BroadsheetTestSupport
import Glibc
import Testing

@Suite(.mayBlock) struct ImportTests {
    let folder: TemporaryFolder
    let database: String
    let posts: String

    init() throws {
        folder = try TemporaryFolder()
        database = folder.file("articles.db")
        posts = folder.file("posts")
        guard mkdir(posts, 0o700) == 0 else { throw TestFailure("mkdir \(posts)") }
        try write(
            """
            ---
            title: A cold morning
            date: 2016-1-29
            author: Mina
            category: weather
            ---
            Frost on the *window*.
            """, to: "\(posts)/2016-01-29-cold.md")
        try write(
            "---\ntitle: 아침\nlang: ko\ndate: 2016-02-01 18:00:00\n---\n창문의 서리.\n",
            to: "\(posts)/morning.md")
        try write("---\ntitle: Unready\npublished: false\n---\nNot yet.\n", to: "\(posts)/draft.md")
        try write("---\ntitle: Undated\n---\nSome day.\n", to: "\(posts)/undated.md")
    }

    private func importPosts(_ more: String...) throws -> Program.Ended {
        let program = try Program.start(["import", posts, "--database", database] + more)
        let output = program.output.rest()
        return Program.Ended(status: program.wait(), output: output, errors: program.errors.rest())
    }

    @Test func `posts are imported with their front matter`() throws {
        let ended = try importPosts()
        #expect(ended.status == 0 && ended.errors == [])
        #expect(ended.output == ["4 articles: 4 created"])
        let served = try RunningServer(database)
        let cold = try served.client.get("/v1/articles/cold").text
        for part in [
            #""title":"A cold morning""#, #""publishedAt":"2016-01-29T00:00:00.000Z""#,
            #""name":"Mina""#, #""language":"en""#, "Frost on the *window*.",
        ] { #expect(cold.contains(part), "\(part)") }
        let korean = try served.client.get("/v1/articles?language=ko").text
        #expect(korean.contains(#""title":"아침""#) && korean.contains("2016-02-01T18:00:00.000Z"))
        #expect(try served.client.get("/v1/articles").text.contains("Undated"))
        #expect(try !served.client.get("/v1/articles").text.contains("Unready"))
        #expect(try served.send(.get, "/v1/articles?status=draft").text.contains("Unready"))
        #expect(served.stop() == 0)
    }

    @Test func `a second import changes nothing`() throws {
        _ = try importPosts()
        let before = try exported()
        #expect(try importPosts().output == ["nothing changed (4 articles)"])
        #expect(try exported() == before)
    }

    @Test func `a changed file updates its article unless it was edited through the API`()
        throws
    {
        _ = try importPosts()
        let served = try RunningServer(database)
        let edit = #"{"title":"Edited here"}"#
        let type = "application/merge-patch+json"
        let id = try served.client.get("/v1/articles/cold").text.dropFirst(7).prefix(36)
        #expect(try served.send(.patch, "/v1/articles/\(id)", edit, type: type).status == 200)
        #expect(served.stop() == 0)

        try write("---\ntitle: Edited there\n---\nNew.\n", to: "\(posts)/2016-01-29-cold.md")
        try write("---\ntitle: Undated still\n---\nNew.\n", to: "\(posts)/undated.md")
        #expect(
            try importPosts().output == [
                "4 articles: 1 updated, 2 unchanged, 1 kept as edited here"
            ])
        let again = try RunningServer(database)
        #expect(try again.client.get("/v1/articles/cold").text.contains("Edited here"))
        #expect(try again.client.get("/v1/articles").text.contains("Undated still"))
        #expect(again.stop() == 0)
    }

    @Test func `an invalid file is named with its line, and the others are imported`() throws {
        try write("---\ntitle: Bad\nsummary: \u{0}\n---\n", to: "\(posts)/bad.md")
        let ended = try importPosts()
        #expect(ended.status == 65)
        #expect(ended.output == ["4 articles: 4 created"])
        #expect(ended.errors.first?.hasPrefix("broadsheet: \(posts)/bad.md:3: ") == true)
        #expect(ended.errors.last == "broadsheet: 1 could not be imported")
        #expect(ended.errors.count == 2)
    }

    @Test func `a dry run reports what would happen, and leaves nothing behind`() throws {
        let ended = try importPosts("--dry-run")
        #expect(ended.status == 0)
        #expect(ended.output == ["would be: 4 articles: 4 created"])
        #expect(access(database, F_OK) != 0)
        _ = try importPosts()
        #expect(try importPosts("--dry-run").output == ["would be: nothing changed (4 articles)"])
    }

    @Test func `posts are imported as drafts, from another folder and after they were deleted`()
        throws
    {
        let served = try RunningServer(database)
        let drafts = try importPosts("--as-drafts")
        #expect(drafts.status == 0 && drafts.output == ["4 articles: 4 created"])
        #expect(try served.client.get("/v1/articles").text == #"{"items":[]}"#)
        #expect(try importPosts().output == ["4 articles: 3 updated, 1 unchanged"])
        let moved = folder.file("moved")
        guard rename(posts, moved) == 0 else { throw TestFailure("rename \(posts)") }
        let same = try Program.run("import", moved, "--database", database)
        #expect(same.output == ["nothing changed (4 articles)"])

        let id = try served.client.get("/v1/articles/cold").text.dropFirst(7).prefix(36)
        #expect(try served.send(.delete, "/v1/articles/\(id)").status == 204)
        let deleted = try Program.run("import", moved, "--database", database)
        #expect(deleted.status == 0)
        #expect(deleted.output == ["4 articles: 3 unchanged, 1 deleted here"])
        #expect(deleted.errors.count == 2, "\(deleted.errors)")
        let note = "2016-01-29-cold.md: it was deleted here on"
        #expect(deleted.errors.first?.contains(note) == true)
        let restored = try Program.run(
            "import", moved, "--restore-deleted", "--database", database)
        #expect(restored.output == ["4 articles: 1 restored, 3 unchanged"])
        #expect(restored.errors == [])
        #expect(try served.client.get("/v1/articles/cold").status == 200)
        #expect(served.stop() == 0)
        #expect(try Program.run("check", "--database", database).status == 0)
    }

    @Test func `JSON lines are imported like the bodies of POST`() throws {
        let file = folder.file("more.ndjson")
        try write(
            #"{"title":"One","status":"published"}"# + "\n" + #"{"titel":"Two"}"# + "\n", to: file)
        let ended = try Program.run("import", file, "--database", database)
        #expect(ended.status == 65)
        #expect(ended.output == ["1 article: 1 created"])
        #expect(ended.errors.first?.hasPrefix("broadsheet: \(file):2: ") == true)
    }

    @Test func `an export restores everything into an empty file, byte for byte`() throws {
        _ = try importPosts()
        let served = try RunningServer(database)
        let made = try served.send(.post, "/v1/articles", #"{"title":"Gone","status":"published"}"#)
        let gone = try #require(made.fields[.location])
        #expect(try served.send(.delete, gone).status == 204)
        let cold = try served.client.get("/v1/articles/cold")
        #expect(served.stop() == 0)

        let text = try exported()
        let file = folder.file("everything.ndjson")
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)

        let copy = folder.file("copy.db")
        #expect(try Program.run("import", file, "--database", copy).status == 0)
        #expect(try exported(from: copy) == text)
        #expect(try Program.run("check", "--database", copy).status == 0)

        let restored = try RunningServer(copy)
        let same = try restored.client.get("/v1/articles/cold")
        // All but the version, which distinguishes entity tags of different histories.
        #expect(withoutVersion(same.body) == withoutVersion(cold.body))
        #expect(same.body != cold.body && same.fields[.etag] != cold.fields[.etag])
        #expect(try restored.client.get(gone).status == 404)
        #expect(try restored.send(.get, "\(gone)/revisions").status == 200)
        #expect(restored.stop() == 0)
        #expect(
            try Program.run("import", posts, "--database", copy).output == [
                "nothing changed (4 articles)"
            ])
    }

    @Test func `an export to a full device fails, and keeps the old file`() throws {
        _ = try importPosts()
        let full = try Program.run("export", "/dev/full", "--database", database)
        #expect(full.status == 74 && full.errors.count == 1)
        let nowhere = try Program.run("export", "/nowhere/at/all", "--database", database)
        #expect(nowhere.status == 73 && nowhere.errors.count == 1)
        let piped = try Program.run("export", "-", "--database", database)
        #expect(try piped.output.joined(separator: "\n") + "\n" == exported())
    }

    private func withoutVersion(_ body: [UInt8]) -> String {
        String(decoding: body, as: UTF8.self).replacing(/"version":"[^"]*",?/, with: "")
    }

    /// The text of an export.
    private func exported(from database: String? = nil) throws -> String {
        let file = folder.file("everything.ndjson")
        let ended = try Program.run("export", file, "--database", database ?? self.database)
        guard ended.status == 0 else { throw TestFailure("export: \(ended.errors)") }
        return try read(file)
    }
}
