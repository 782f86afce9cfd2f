import ArticleAPI
import HTTP
import TestSupport
import Testing

/// Every byte of the files after `broadsheet purge` and its request.
@Suite(.mayBlock) struct PurgeTests {
    /// In every text that is to go.
    private static let word = "qvzkx"

    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func has(_ path: String) -> Bool {
        Shell.succeeds("grep -rlaiF --exclude-dir=pg_wal \(Self.word) '\(path)'")
    }

    /// Writes an article with the word in its slug, title, tags and body, another one of which only
    /// the second of three revisions has it, and enough others for a stored index.
    private func fill(_ served: Served) async throws -> (article: String, edited: String) {
        let word = Self.word
        let fields: HTTPFields = [
            .authorization: "Bearer \(Served.adminKey)", .contentType: "application/json",
            .idempotencyKey: "k1",
        ]
        let made = try served.client.send(
            .post, "/v1/articles", fields: fields,
            body: Array(
                """
                {"title":"\(word) title","slug":"\(word)-slug","summary":"\(word)",
                "status":"published","tags":["\(word)-tag"],"body":"Some **\(word)** sentence.",
                "source":{"name":"\(word)"}}
                """.utf8))
        #expect(made.status == 201, "\(made.text)")
        let edited = try served.send(
            .post, "/v1/articles", #"{"title":"Plain","slug":"plain","status":"published"}"#)
        #expect(edited.status == 201)
        let place = try #require(edited.fields[.location])
        for (slug, text) in [("\(word)-2", word), ("plain", "")] {
            let changes = #"{"title":"Plain \#(text)","slug":"\#(slug)","body":"\#(text)"}"#
            let patched = try served.send(
                .patch, place, changes, type: "application/merge-patch+json")
            #expect(patched.status == 200, "\(patched.text)")
        }
        for number in 0..<280 {
            let other = try served.send(
                .post, "/v1/articles", #"{"title":"Number\#(number)","status":"published"}"#)
            #expect(other.status == 201)
        }
        #expect(
            await eventually {
                (try? served.client.get("/v1/search?q=number279"))?.status == 200
            })
        let id = { (place: String) in String(place.split(separator: "/").last ?? "") }
        return (id(try #require(made.fields[.location])), id(place))
    }

    private func expectGone(_ article: String, from served: Served) throws {
        #expect(try served.send(.get, "/v1/articles/\(article)").status == 404)
        #expect(try served.send(.get, "/v1/articles/\(article)/revisions").status == 404)
        let search = try served.client.get("/v1/search?q=\(Self.word)")
        #expect(search.status == 200 && !search.text.contains("\(Self.word)-slug"))
    }

    @Test func `no file has what was purged from a served file`() async throws {
        let database = folder.file("a.db")
        let served = try Served(database)
        let (article, edited) = try await fill(served)
        #expect(has(folder.path))
        let reason = ["--reason", "a court order", "--database", database]
        let missing = try Program.start(["purge", edited, "--database", database])
        #expect(missing.wait() == 64)
        let last = try Program.start(["purge", edited, "--revision", "3"] + reason)
        #expect(last.errors.rest().contains { $0.contains("with the whole article") })
        for _ in 1...2 {
            let revision = try Program.start(["purge", edited, "--revision", "2"] + reason)
            #expect(revision.wait() == 0, "\(revision.errors.rest())")
        }
        let body = #"{"articleID":"\#(article)","reason":"Article 17"}"#
        #expect(try served.send(.post, "/v1/admin/purge", body).text.contains(#""revisions":1"#))
        #expect(try served.send(.post, "/v1/admin/purge", body).text.contains(#""revisions":0"#))
        try expectGone(article, from: served)
        #expect(!has(folder.path))
        let files = [folder.file("b.db"), folder.file("e.ndjson")]
        for (command, file) in zip(["backup", "export"], files) {
            #expect(try Program.run(command, file, "--database", database).status == 0)
        }
        #expect(!has(folder.path))
        try served.waitForError("Article 17")
        #expect(served.stop() == 0)
        #expect(try Program.run("check", "--database", database).status == 0)
        #expect(!has(folder.path))
    }

    @Test func `no file has what was purged without a server`() async throws {
        let database = folder.file("a.db")
        let served = try Served(database)
        let (article, edited) = try await fill(served)
        #expect(served.stop() == 0)
        #expect(has(folder.path))
        for arguments in [[article], [edited, "--revision", "2"]] {
            let purge = try Program.start(
                ["purge"] + arguments + ["--reason", "leak", "--database", database])
            #expect(purge.wait() == 0, "\(purge.errors.rest())")
        }
        #expect(!has(folder.path))
        #expect(try Program.run("check", "--database", database).status == 0)
    }

    /// The write-ahead log of a server is archived and removed by it.
    /// Other databases of the tests' server may still read the tables when many tests run.
    @Test(
        .enabled(
            if: PostgresServer.isInstalled && Thoroughness.isFull, "it needs a server of its own"))
    func `no table of a server has what was purged`() async throws {
        let server = try PostgresServer.shared
        let program = try RunningProgram(
            "/usr/bin/env",
            [
                "-C", folder.path, Program.path(), "serve", "--listen", "127.0.0.1:0",
                "--database", server.newDatabase(),
            ], environment: ["BROADSHEET_ADMIN_KEY": Served.adminKey])
        let served = try Served(program)
        let (article, edited) = try await fill(served)
        try server.run("CHECKPOINT")
        #expect(has("\(server.folder)/data"))
        for (id, revisions) in [(edited, #""revisions":[2],"#), (article, "")] {
            let purged = try served.send(
                .post, "/v1/admin/purge",
                #"{"articleID":"\#(id)",\#(revisions)"reason":"a court order"}"#)
            #expect(purged.status == 200, "\(purged.text)")
        }
        try expectGone(article, from: served)
        try server.run("CHECKPOINT")
        #expect(!has("\(server.folder)/data"))
        #expect(served.stop() == 0)
    }
}
