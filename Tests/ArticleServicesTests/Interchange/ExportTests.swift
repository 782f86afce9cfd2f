import ArticleAPI
import ArticleDatabase
import ArticleStore
import Glibc
import Testing

@testable import ArticleImportExport
@testable import ArticleServiceCore
@testable import ArticleServices

@Suite struct ExportTests {
    /// Articles with everything that an export must preserve: history, tombstones, former slugs,
    /// imports.
    static func fill(_ fixture: ImportFixture) async throws {
        try await fixture.store.createKey(
            KeyRecord(
                id: "E", digest: [UInt8](repeating: 0xEE, count: 32), name: "Eve's key",
                role: "editor", createdAt: ImportFixture.time(0)))
        try fixture.write(
            "blog/a.md", "---\ntitle: Alpha\nauthor: Ann\ncategory: One\n---\n\"a\"\n\u{C}")
        try fixture.write("blog/b.md", "---\ntitle: Beta\nauthor: [Ann, Bob]\nlang: ko\n---\n한글 😀")
        try fixture.write("blog/c.md", "---\ntitle: Gamma\npublished: false\n---\n")
        try fixture.write("blog/d.md", "---\ntitle: '?!'\nimage: https://example.org/x.png\n---\n")
        _ = try await fixture.run("blog")
        try fixture.write("blog/a.md", "---\ntitle: Alpha\nauthor: Ann\ncategory: One\n---\nmore")
        _ = try await fixture.run("blog", at: 1)
        for (slug, seconds) in [("beta", Int64(2)), ("gamma", 3)] {
            let article = try await fixture.article(slug)
            _ = try await fixture.store.updateArticle(
                article.id,
                ArticleUpdate(.changes(Article.Changes(slug: .set("\(slug)-moved")))),
                expecting: .anything,
                by: Edit(at: ImportFixture.time(seconds), by: .key(id: "E")))
        }
        let gone = try await fixture.article("gamma")
        try await fixture.store.deleteArticle(
            gone.id, expecting: .anything, by: Edit(at: ImportFixture.time(4), by: .key(id: "E")))
        let author = Author.ID(at: ImportFixture.time(0))
        for about in ["Idle", "Still idle"] {
            _ = try await fixture.store.putAuthor(
                author,
                Author.Replacement(name: "Idle", about: about, website: "https://example.org"),
                expecting: .anything, by: Edit(at: ImportFixture.time(5), by: .operator))
        }
        try await fixture.store.createKey(
            KeyRecord(
                id: "publicid", digest: [UInt8](repeating: 0xAB, count: 32), name: "secret key",
                role: "admin", createdAt: ImportFixture.time(0)))
        try await fillPeople(fixture)
    }

    /// Two users, of whom one has written and bookmarked something.
    private static func fillPeople(_ fixture: ImportFixture) async throws {
        let time = ImportFixture.time(6)
        let first = UserRecord(
            id: User.ID(at: ImportFixture.time(5)), name: "Änne", nameKey: "änne",
            displayName: "Änne \"A\"", role: "admin", passwordHash: "$argon2id$x", createdAt: time)
        try await fixture.store.createUser(first, using: nil, at: time)
        let second = UserRecord(
            id: User.ID(at: time), name: "bob", nameKey: "bob", displayName: "Bob", role: "reader",
            passwordHash: nil, createdAt: time)
        try await fixture.store.createUser(
            second, using: nil,
            identity: IdentityRecord(issuer: "https://id.example.org", subject: "b-1"), at: time)
        let article = try await fixture.article("alpha").id
        var parent: ArticleComment.ID?
        for status in [ArticleComment.Status.visible, .pending] {
            var rules = CommentRules()
            rules.policy = status == .pending ? .moderated : .open
            let content = CommentContent(
                article: article, parent: parent, body: "\(status) & *more*\n", writer: first.id)
            parent = try await fixture.store.createComment(
                ArticleComment.ID(at: time), content, under: rules,
                by: Edit(at: time, by: .operator)
            ).id
        }
        _ = try await fixture.store.putBookmark(
            of: article, for: second.id, position: 0.1, seeing: .everyone, at: time)
    }

    /// The last line of an export of these.
    static let end =
        #"{"kind":"end","users":2,"authors":3,"articles":4,"revisions":8,"comments":2,"#
        + #""bookmarks":1}"#

    @Test func `a restored store exports the same bytes, and imports continue`() async throws {
        try await ImportFixture.with { fixture in
            try await Self.fill(fixture)
            let report = try await fixture.export("one.ndjson")
            let bytes = try fixture.bytes("one.ndjson")
            #expect(report.authors == 3 && report.articles == 4 && report.revisions == 8)
            #expect(report.users == 2 && report.comments == 2 && report.bookmarks == 1)
            #expect(report.bytes == bytes.count)
            try await fixture.export("again.ndjson")
            #expect(try fixture.bytes("again.ndjson") == bytes)
            try await ImportFixture.with { other in
                try other.write("one.ndjson", bytes)
                let restored = try await other.run("one.ndjson", at: 100)
                #expect(restored.counts == ["created": 4])
                #expect(restored.users == 2 && restored.comments == 2 && restored.bookmarks == 1)
                try await other.export("two.ndjson")
                #expect(try other.bytes("two.ndjson") == bytes)
                #expect(
                    try await other.articles().map(\.unversioned)
                        == fixture.articles().map(\.unversioned))
                #expect(try await other.run("one.ndjson").counts == ["unchanged": 4])

                try other.write("blog/a.md", "---\ntitle: Alpha\nauthor: Ann\n---\nmost")
                try other.write("blog/b.md", "changed, but edited")
                try other.write("blog/c.md", "changed, but deleted")
                try other.write("blog/d.md", try fixture.bytes("blog/d.md"))
                let again = try await other.run("blog")
                #expect(
                    again.counts == [
                        "updated": 1, "keptEdits": 1, "deletedHere": 1, "unchanged": 1,
                    ])
            }
        }
    }

    @Test func `an export names its format and contains no keys`() async throws {
        try await ImportFixture.with { fixture in
            try await Self.fill(fixture)
            try await fixture.export("one.ndjson")
            let text = String(decoding: try fixture.bytes("one.ndjson"), as: UTF8.self)
            let lines = text.split(separator: "\n")
            #expect(lines.first == #"{"format":"broadsheet-export","version":4}"#)
            #expect(lines.last.map(String.init) == Self.end)
            #expect(lines.count == 22 && text.hasSuffix("}\n"))
            #expect(lines.count { $0.hasPrefix(#"{"kind":"author","author":{"id":""#) } == 3)
            #expect(lines.count { $0.hasPrefix(#"{"kind":"article","id":""#) } == 4)
            #expect(lines.count { $0.hasPrefix(#"{"kind":"revision","action":""#) } == 8)
            let imported = #""actor":{"kind":"operator","name":"operator"},"time":"#
            let edited = #""actor":{"kind":"key","id":"E","name":"Eve's key"},"time":"#
            #expect(lines.count { $0.contains(imported) } == 5)
            #expect(lines.count { $0.contains(edited) } == 3)
            #expect(lines.count { $0.contains(#""imported":{"path":"blog/"#) } == 4)
            #expect(lines.count { $0.contains(#""aliases":["beta"]"#) } == 1)
            let users = lines.filter { $0.hasPrefix(#"{"kind":"user","user":{"id":""#) }
            #expect(users.count == 2)
            let end = """
                "role":"reader","disabled":false,"createdAt":"2026-01-01T00:00:06.000Z",\
                "updatedAt":"2026-01-01T00:00:06.000Z","revision":1},"identities":\
                [{"issuer":"https://id.example.org","subject":"b-1"}]}
                """
            #expect(users.last?.hasSuffix(end) == true, "\(users)")
            #expect(lines.count { $0.hasPrefix(#"{"kind":"comment","comment":{"id":""#) } == 2)
            #expect(lines.count { $0.hasPrefix(#"{"kind":"bookmark","user":""#) } == 1)
            #expect(!text.contains("argon2"))
            #expect(!text.contains("secret") && !text.contains("publicid"))
            #expect(!text.contains("abababab") && !text.contains("eeeeeeee"))
        }
    }

    @Test func `an empty store can be exported`() async throws {
        try await ImportFixture.with { fixture in
            let report = try await fixture.export("one.ndjson")
            let end = Self.end.replacing(/[1-9]/, with: "0")
            let text = #"{"format":"broadsheet-export","version":4}"# + "\n\(end)\n"
            #expect(try fixture.bytes("one.ndjson") == Array(text.utf8))
            #expect(report.articles == 0 && report.bytes == text.utf8.count)
            #expect(try await fixture.run("one.ndjson").counts == [:])
        }
    }

    @Test func `an output that fails aborts the export`() async throws {
        try await ImportFixture.with { fixture in
            try await Self.fill(fixture)
            let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
            defer { close(full) }
            let error = await #expect(throws: InterchangeError.self) {
                try await Exporter(store: fixture.store).write(to: full)
            }
            #expect(
                error?.description
                    == "the export cannot be written: write: No space left on device")
        }
    }

    @Test func `an export can be written to a non-blocking pipe`() async throws {
        try await ImportFixture.with { fixture in
            let line = "{\"title\":\"x\",\"body\":\"\(String(repeating: "y", count: 90_000))\"}\n"
            try fixture.write("a.ndjson", String(repeating: line, count: 10))
            _ = try await fixture.run("a.ndjson")
            try await fixture.export("one.ndjson")
            var ends: [Int32] = [0, 0]
            #expect(pipe(&ends) == 0)
            let (input, output) = (ends[0], ends[1])
            _ = fcntl(output, F_SETFL, O_NONBLOCK)
            async let report = {
                defer { close(output) }
                return try await Exporter(store: fixture.store).write(to: output)
            }()
            let file = try #require(fdopen(input, "r"))
            defer { fclose(file) }
            var bytes: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 4_096)
            while case let count = fread(&chunk, 1, chunk.count, file), count > 0 {
                bytes += chunk[..<count]
            }
            #expect(try await report.bytes == bytes.count)
            #expect(try fixture.bytes("one.ndjson") == bytes)
        }
    }
}
