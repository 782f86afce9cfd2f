import ArticleAPI
import BroadsheetHTTP
import BroadsheetTestSupport
import Foundation
import Glibc
import Testing

@testable import ArticleImportExport
@testable import ArticleOperations
@testable import ArticleServices

/// Files that admins send, and the database as a download.
@Suite struct FileImportTests {
    private static let post = """
        ---
        title: Bread
        date: 2020-01-31
        ---
        # Flour

        Water and *salt*.
        """

    private func send(
        _ query: String, _ body: String, as sender: Sender = .admin, to server: TestBackend
    ) throws -> BackendResponse {
        try server.send(
            "POST /v1/admin/import?\(query)", as: sender, body,
            with: [.contentType: "application/octet-stream"])
    }

    private func report(_ response: BackendResponse) throws -> FileImportReport {
        try #require(response.status == 200, "\(response.text)")
        return try FileImportReport(strict: JSONParser.parse(response.body))
    }

    @Test func `the example for nginx lets through what the API takes`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Resources/nodes/nginx.conf")
        let text = try String(contentsOf: file, encoding: .utf8)
        let sizes = text.matches(of: #/client_max_body_size (\d+)m;/#).compactMap { Int($0.1) }
        #expect(sizes.map { $0 << 20 } == [HTTPLimits().bodyBytes, FileImportService.limitBytes])
    }

    @Test func `a file is imported once, and again when it has changed`() async throws {
        try await TestBackend.run(samples: false) { server in
            var counts: [[Int]] = []
            for body in [Self.post, Self.post, Self.post + "\nYeast.", Self.post + "\nYeast."] {
                let report = try report(send("name=bread.md", body, to: server))
                counts.append([report.created, report.updated, report.unchanged, report.failed])
            }
            #expect(counts == [[1, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 1, 0]])
            let article = try server.send("GET /v1/articles/bread")
            #expect(article.text.contains("Yeast."))
            let id = try Article(mapping: article.body).id
            let revisions = try server.send("GET /v1/articles/\(id)/revisions", as: .admin)
            #expect(revisions.text.contains(#""name":"admin's key""#), "who has sent the file")
        }
    }

    @Test func `a dry run and faults change nothing and are reported`() async throws {
        try await TestBackend.run(samples: false) { server in
            let before = try await server.changes()
            let trial = try report(send("name=bread.md&dryRun=true", Self.post, to: server))
            #expect(trial.created == 1)
            let lines = #"{"title":"Salt"}"# + "\n" + #"{"titel":"Yeast"}"# + "\n"
            let faulty = try report(
                send("name=more.ndjson&dryRun=true", lines, to: server))
            #expect(faulty.created == 1 && faulty.failed == 1)
            #expect(faulty.failures.map(\.line) == [2])
            #expect(faulty.failures[0].reason.contains("titel"))
            #expect(try await server.changes() == before)
            let real = try report(send("name=more.ndjson", lines, to: server))
            #expect(real.created == 1 && real.failed == 1)
        }
    }

    @Test func `everything can become drafts, and what was deleted can come back`() async throws {
        try await TestBackend.run(samples: false) { server in
            let query = "name=bread.md&asDrafts=true"
            let draft = try report(send(query, Self.post, to: server))
            #expect(draft.created == 1)
            #expect(try server.send("GET /v1/articles/bread").status == 404)
            let article = try server.send("GET /v1/articles/bread", as: .admin)
            let id = try Article(mapping: article.body).id
            #expect(try server.send("DELETE /v1/articles/\(id)", as: .admin).status == 204)
            let deleted = try report(send("name=bread.md", Self.post, to: server))
            #expect(deleted.deletedHere == 1 && deleted.updated == 0 && deleted.leftOut == 1)
            #expect(deleted.omissions[0].reason.contains("deleted here on 2027-01-15"))
            let restored = try report(
                send("name=bread.md&restoreDeleted=true", Self.post, to: server))
            #expect(restored.restored == 1 && restored.deletedHere == 0)
            #expect(try server.send("GET /v1/articles/bread").status == 200)
        }
    }

    @Test func `a file that the command has imported is recognized, and keeps its path`()
        async throws
    {
        try await TestBackend.run(samples: false) { server in
            let folder = try ImportFolder()
            for name in ["rye", "oats"] {
                try folder.write("site/\(name)/index.md", "---\ntitle: On \(name)\n---\n\(name)")
            }
            try folder.write("site/bread.md", Self.post)
            let importer = Importer(
                store: server.backend.store, language: try #require(LanguageTag("en")),
                system: .clock { TestBackend.opening })
            #expect(try await importer.run([folder.path("site")]).created == 3)
            let same = try report(send("name=bread.md", Self.post, to: server))
            #expect(same.unchanged == 1)
            let changed = try report(
                send("name=rye/index.md", "---\ntitle: On rye\n---\nMore", to: server))
            #expect(changed.updated == 1)
            let other = try report(
                send("name=rye/index.md", "---\ntitle: Something else\n---\nx", to: server))
            #expect(other.created == 1)
            // A name that every bundle has identifies none.
            let nameless = try send("name=index.md", "---\ntitle: On oats\n---\nx", to: server)
            #expect(nameless.status == 400 && nameless.text.contains("FOLDER/index.md"))
            try folder.write("site/rye/index.md", "---\ntitle: On rye bread\n---\nEven more")
            let again = try await importer.run([folder.path("site")])
            #expect(again.counts == ["updated": 1, "unchanged": 2])
        }
    }

    @Test func `exports of WordPress and Ghost are imported with the same report`() async throws {
        try await TestBackend.run(samples: false) { server in
            let items =
                WordPressImportTests.item(1, "a", content: "<script></script>x")
                + WordPressImportTests.item(
                    2, "b", status: "private",
                    more: """
                        <wp:postmeta><wp:meta_key>_wp_old_slug</wp:meta_key>
                        <wp:meta_value>former</wp:meta_value></wp:postmeta>
                        """) + WordPressImportTests.item(1, "c")
            let blog = WordPressImportTests.export(items)
            let trial = try report(send("name=blog.xml&dryRun=true", blog, to: server))
            #expect(trial.created == 2 && trial.failed == 1)
            #expect(try await server.changes() == 0)
            let first = try report(send("name=blog.xml", blog, to: server))
            #expect(first.created == 2 && first.failed == 1)
            #expect(first.failures.map(\.reason) == ["post:1 occurs twice"])
            #expect(
                first.omissions.map(\.reason) == [
                    "post:1: left out: scripts (1)",
                    "post:2: it was private, so it became a draft",
                ])
            #expect(first.omissions.allSatisfy { $0.line != nil })
            let again = try report(send("name=blog.xml", blog, to: server))
            #expect(again.unchanged == 2 && again.leftOut == 0)
            #expect(try server.send("GET /v1/articles/former").status == 404)
            #expect(try server.send("GET /v1/articles/former", as: .editor).status == 200)
            let other = try report(send("name=other.xml", "<feed/>", to: server))
            #expect(other.failed == 1)
        }
    }

    @Test func `an export of Ghost gets its addresses, but no redirects of this machine`()
        async throws
    {
        try await TestBackend.run(samples: false) { server in
            // Beside the database, where the file is received.
            let file = try #require(fopen(server.folder.file("redirects.json"), "w"))
            fputs(#"[{"from": "/secret", "to": "/hello"}]"#, file)
            fclose(file)
            let ghost = #"""
                {"db": [{"meta": {}, "data": {"posts": [{"id": "1", "title": "Hello",
                "slug": "hello", "status": "published", "visibility": "public",
                "html": "<a href=\"__GHOST_URL__/x\">x</a>"}]}}]}
                """#
            let site = "https%3A%2F%2Fblog.example.org"
            let made = try report(
                send("name=ghost.json&siteURL=\(site)", ghost, to: server))
            #expect(made.created == 1 && made.omissions.isEmpty, "\(made)")
            let article = try server.send("GET /v1/articles/hello")
            #expect(article.text.contains("[x](https://blog.example.org/x)"))
            #expect(try server.send("GET /v1/articles/secret", as: .editor).status == 404)
            let moved = try report(send("name=ghost.json", ghost, to: server))
            #expect(moved.updated == 1 && moved.leftOut == 1)
        }
    }

    @Test func `a post keeps the date and the address in its file's name`() async throws {
        try await TestBackend.run(samples: false) { server in
            _ = try report(send("name=2016-01-29-hello.md", "Text", to: server))
            let article = try server.send("GET /v1/articles/hello")
            #expect(article.text.contains(#""publishedAt":"2016-01-29T00:00:00.000Z""#))
        }
    }

    @Test func `an export of another server is restored`() async throws {
        var export = ""
        try await TestBackend.run { server in
            export = try server.send("GET /v1/admin/export", as: .admin).text
        }
        try await TestBackend.run(samples: false) { server in
            let report = try report(send("name=a.ndjson", export, to: server))
            #expect(report.created > 3 && report.failed == 0)
            #expect(try server.send("GET /v1/articles/\(Samples.bread)").status == 200)
        }
    }

    @Test func `only admins import and download, and what is not a file is rejected`()
        async throws
    {
        try await TestBackend.run(samples: false) { server in
            let before = try await server.changes()
            for (sender, summary) in [
                (Sender.anonymous, "401 unauthenticated"), (.reader, "403 forbidden"),
                (.editor, "403 forbidden"), (.revoked, "401 unauthenticated"),
            ] {
                let response = try send("name=a.md", Self.post, as: sender, to: server)
                #expect(response.summary == summary, "\(sender)")
                let backup = try server.send("GET /v1/admin/backup", as: sender)
                #expect(backup.summary == summary, "\(sender)")
            }
            for (query, body, summary) in [
                ("", Self.post, "400 malformed-request ?name"),
                ("name=a.md&x=1", Self.post, "400 malformed-request ?x"),
                ("name=a.md&dryRun=maybe", Self.post, "400 malformed-request ?dryRun"),
                ("name=a.json&siteURL=ftp%3A%2F%2Fa", "{}", "400 malformed-request ?siteURL"),
                ("name=a.md", "", "422 invalid-values #"),
            ] {
                let response = try send(query, body, to: server)
                #expect(response.summary == summary, "\(query): \(response.text)")
            }
            #expect(try await server.changes() == before)
            var left = glob_t()
            defer { globfree(&left) }
            let pattern = server.folder.file("*partial*")
            #expect(glob(pattern, 0, nil, &left) == GLOB_NOMATCH, "no file is left behind")
        }
    }

    @Test func `a file may be larger than other bodies, but not of any size`() async throws {
        try await TestBackend.run(samples: false) { server in
            let connection = try RawConnection(server.address)
            let key = try #require(server.keys.texts[.admin])
            try connection.send(
                "POST /v1/admin/import?name=a.md HTTP/1.1\r\nHost: t\r\n"
                    + "Authorization: Bearer \(key)\r\n"
                    + "Content-Length: \(FileImportService.limitBytes + 1)\r\n\r\n")
            #expect(try connection.response(to: .post).status == 413)
            let line = #"{"title":"A","body":"\#(String(repeating: "a ", count: 400_000))"}"# + "\n"
            let large = try report(
                send(
                    "name=large.ndjson&dryRun=true", String(repeating: line, count: 5),
                    to: server))
            #expect(large.failed + large.created == 5)
        }
    }

    @Test func `the download is a database with its length and a name`() async throws {
        try await TestBackend.run { server in
            let cookie = try server.signInToConsole(server.proof(of: .admin))
            let copy = try server.browse("GET /v1/admin/backup", cookie: cookie)
            #expect(copy.status == 200 && copy.fields[.cacheControl] == "no-store")
            #expect(copy.fields[.contentLength] == "\(copy.body.count)")
            #expect(copy.fields[.contentType] == "application/vnd.sqlite3")
            #expect(
                copy.fields[.contentDisposition]
                    == #"attachment; filename="broadsheet-2027-01-15.db""#)
            #expect(copy.body.starts(with: Array("SQLite format 3\0".utf8)))
            let other = try server.browse(
                "GET /v1/admin/backup", cookie: cookie, site: "cross-site")
            #expect(other.status == 401)
        }
    }
}
