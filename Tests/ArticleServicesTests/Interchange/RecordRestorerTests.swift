import ArticleAPI
import ArticleAdminAPI
import ArticleDatabase
import ArticleStore
import Testing

@testable import ArticleImportExport
@testable import ArticleServiceCore
@testable import ArticleServices

@Suite struct RecordRestorerTests {
    /// The lines of an export of some articles.
    private func exported(
        _ fill: (ImportFixture) async throws -> Void = ExportTests.fill
    ) async throws -> [String] {
        var lines: [String] = []
        try await ImportFixture.with { fixture in
            try await fill(fixture)
            try await fixture.export("one.ndjson")
            let text = String(decoding: try fixture.bytes("one.ndjson"), as: UTF8.self)
            lines = text.split(separator: "\n").map(String.init)
        }
        return lines
    }

    private func restore(_ lines: [String], _ fixture: ImportFixture) async throws -> ImportReport {
        try fixture.write("one.ndjson", lines.joined(separator: "\n"))
        return try await fixture.run("one.ndjson")
    }

    @Test func `a truncated export restores nothing`() async throws {
        let lines = try await exported()
        try await ImportFixture.with { fixture in
            for count in 1..<lines.count {
                let report = try await restore(Array(lines[..<count]), fixture)
                #expect(
                    report.failures.map(\.description) == [
                        "\(fixture.path("one.ndjson")):\(count): the export is truncated; "
                            + "nothing was restored"
                    ])
            }
            for index in 1..<lines.count {
                var fewer = lines
                fewer.remove(at: index)
                #expect(try await restore(fewer, fixture).failed == 1, "without line \(index + 1)")
                var more = lines
                more.insert(lines[index], at: index)
                #expect(try await restore(more, fixture).failed == 1, "line \(index + 1) twice")
            }
            #expect(try await fixture.store.changeSequence() == 0)
            #expect(try await restore(lines, fixture).counts == ["created": 4])
        }
    }

    @Test func `a damaged line is reported, and nothing is restored`() async throws {
        let lines = try await exported()
        try await ImportFixture.with { fixture in
            let changes: [(from: String, to: String, reason: String)] = [
                (#""kind":"end""#, #""kind":"fin""#, "$.kind is not"),
                (#""title":"Alpha""#, #""title":1"#, "$.article.title must be a single line"),
                (#""slug":"alpha""#, #""slug":"A b""#, "$.article.slug may contain"),
                (#""aliases":["beta"]"#, #""aliases":["beta"],"x":1"#, "$.x is not an attribute"),
                (
                    #""aliases":["beta"]"#, #""aliases":["beta"],"formerSlugs":["A b"]"#,
                    "$.formerSlugs[0] may contain"
                ),
                (
                    #""aliases":["beta"]"#,
                    #""aliases":["beta"],"formerSlugs":["01a1fd86-3af0-78ef-a5da-61ff8be033ca"]"#,
                    "$.formerSlugs"
                ),
                (#""digest":""#, #""digest":"zz"#, "$.imported.digest must be 64"),
                (#""revision":2,"#, #""revision":3,"#, "$.article.revision is not the next"),
                (#"{"kind":"author""#, #"{"kind":"author"#, "unexpected `a`"),
                (
                    #"{"kind":"article","id":""#, #"{"kind":"article","id":"0"#,
                    "$.id must be a UUIDv7"
                ),
                (#""createdAt":"2026"#, #""createdAt":"2025"#, "$.article.createdAt differs"),
                (#""actor":{"#, #""editor":"E","actor":{"#, "$.editor is not an attribute"),
                (#""kind":"key""#, #""kind":"robot""#, "$.actor.kind must be one of"),
                (#""id":"E","#, "", "$.actor.id is missing"),
                (#""kind":"operator""#, #""kind":"operator","id":"E""#, "$.actor.id is not"),
                (#""name":"bob""#, #""name":"b b""#, "$.user.name must be the name of"),
                (#""role":"reader""#, #""role":"king""#, "$.user.role must be one of"),
                (
                    #""name":"bob""#, #""name":"bob","passwordHash":"x""#,
                    "$.user.passwordHash is not an attribute"
                ),
                (#""subject":"b-1""#, #""subject":"""#, "$.identities[0].subject is empty"),
                (#""status":"pending""#, #""status":"lost""#, "$.comment.status must"),
                (#""position":0.1"#, #""position":1.1"#, "$.bookmark.position must"),
            ]
            for change in changes {
                var damaged = lines
                // Preferably in a second revision, which can differ from the first one.
                let places = lines.indices.filter { lines[$0].contains(change.from) }
                let index = try #require(
                    places.last { lines[$0].contains(#""action":"updated""#) } ?? places.last)
                damaged[index] = lines[index].replacing(change.from, with: change.to)
                let report = try await restore(damaged, fixture)
                let fault = try #require(report.failures.first, "\(change)")
                #expect(report.failed == 1)
                #expect(
                    fault.line == index + 1 && fault.reason.hasPrefix(change.reason), "\(fault)")
                #expect(try await fixture.store.changeSequence() == 0)
            }
        }
    }

    @Test func `an export can only be restored to an empty store`() async throws {
        let lines = try await exported()
        try await ImportFixture.with { fixture in
            try fixture.write("a.md", "here already")
            _ = try await fixture.run("a.md")
            let report = try await restore(lines, fixture)
            #expect(
                report.failures.map(\.description) == [
                    "\(fixture.path("one.ndjson")):2: the database is not empty; "
                        + "an export can only be restored to an empty database"
                ])
            #expect(try await fixture.store.changeSequence() == 1)
        }
    }

    @Test func `edits after a restoration are kept`() async throws {
        let lines = try await exported()
        try await ImportFixture.with { fixture in
            _ = try await restore(lines, fixture)
            let article = try await fixture.article("alpha")
            _ = try await fixture.store.updateArticle(
                article.id, ArticleUpdate(.changes(Article.Changes(title: .set("Edited")))),
                expecting: .anything, by: Edit(at: ImportFixture.time(9), by: .key(id: "E")))
            #expect(try await restore(lines, fixture).counts == ["unchanged": 4])
            #expect(try await fixture.article("alpha").title == "Edited")
        }
    }

    @Test func `an interrupted restoration can be continued`() async throws {
        let lines = try await exported { fixture in
            let text = (0..<700).map { "{\"title\":\"Line \($0)\"}\n" }
            try fixture.write("many.ndjson", text.joined())
            _ = try await fixture.run("many.ndjson")
        }
        try await ImportFixture.with { fixture in
            // The power failed after the first batch.
            let records = try lines[1...ImportRun.restoreRecords].map { line in
                let value = try JSONParser.parse(Array(line.utf8))
                guard case .record(let record)? = try ExportLine(value) else {
                    throw LineFault(reason: line)
                }
                return record
            }
            _ = try await fixture.store.restore(records, dryRun: false)
            let report = try await restore(lines, fixture)
            #expect(report.counts == ["created": 450, "unchanged": 250])
            try await fixture.export("two.ndjson")
            let text = lines.joined(separator: "\n") + "\n"
            #expect(try fixture.bytes("two.ndjson") == Array(text.utf8))
        }
    }

    @Test func `conflicts between articles are reported with the line`() async throws {
        var lines = try await exported()
        let alias = try #require(lines.firstIndex { $0.contains(#""aliases":["beta"]"#) })
        lines[alias] = lines[alias].replacing(#"["beta"]"#, with: #"["alpha"]"#)
        // Articles are in the order of their ids: the later of the two is at fault.
        let slug = try #require(lines.firstIndex { $0.contains(#""slug":"alpha""#) })
        try await ImportFixture.with { fixture in
            let report = try await restore(lines, fixture)
            #expect(
                report.failures.map(\.description) == [
                    "\(fixture.path("one.ndjson")):\(max(alias, slug) + 1): the slug \"alpha\" is "
                        + "taken by another article; nothing from line 2 on was restored"
                ])
            #expect(try await fixture.store.changeSequence() == 0)
        }
    }

    @Test func `a dry run checks an export and writes nothing`() async throws {
        let lines = try await exported()
        try await ImportFixture.with { fixture in
            try fixture.write("one.ndjson", lines.joined(separator: "\n"))
            let dry = try await fixture.run("one.ndjson", isDryRun: true)
            #expect(dry.counts == ["created": 4])
            #expect(try await fixture.store.changeSequence() == 0)
            _ = try await fixture.run("one.ndjson")
            let again = try await fixture.run("one.ndjson", isDryRun: true)
            #expect(again.counts == ["unchanged": 4])
        }
    }

    @Test func `an export is restored beside users with other names`() async throws {
        let lines = try await exported()
        func user(named name: String) -> UserRecord {
            UserRecord(
                id: User.ID(at: ImportFixture.time(1)), name: name, nameKey: name,
                displayName: name,
                role: "admin", passwordHash: nil, createdAt: ImportFixture.time(1))
        }
        try await ImportFixture.with { fixture in
            try await fixture.store.createUser(
                user(named: "root"), using: nil, at: ImportFixture.time(1))
            #expect(try await restore(lines, fixture).counts == ["created": 4])
            #expect(try await fixture.store.userCount() == 3)
        }
        try await ImportFixture.with { fixture in
            try await fixture.store.createUser(
                user(named: "bob"), using: nil, at: ImportFixture.time(1))
            let fault = try #require(try await restore(lines, fixture).failures.first)
            #expect(fault.line == 3)
            #expect(fault.reason.contains("the name \"bob\" is taken by another user"))
            #expect(try await fixture.store.changeSequence() == 0)
            #expect(try await fixture.store.userCount() == 1)
        }
    }

    @Test func `a restoration is continued after any of its batches`() async throws {
        let lines = try await exported()
        let records = try lines[1..<lines.count - 1].map { line in
            guard case .record(let record)? = try ExportLine(JSONParser.parse(Array(line.utf8)))
            else { throw LineFault(reason: line) }
            return record
        }
        for count in 1..<records.count {
            try await ImportFixture.with { fixture in
                var comparing = ImportReport()
                _ = try await fixture.store.restore(Array(records[..<count]), dryRun: false)
                var restoration = RecordRestorer(try fixture.importer(), path: "one.ndjson")
                for (index, record) in records.enumerated() {
                    let line = LineReader.Line(number: index + 2, bytes: [])
                    try await restoration.take(record, line, &comparing)
                    // The batches of the interrupted restoration.
                    if index == count - 1 { try await restoration.flush(&comparing) }
                }
                try await restoration.flush(&comparing)
                #expect(comparing.failures.isEmpty, "after \(count) records")
                try await fixture.export("two.ndjson")
                let text = lines.joined(separator: "\n") + "\n"
                #expect(try fixture.bytes("two.ndjson") == Array(text.utf8))
            }
        }
    }

    /// The lines as before version 4, without users, comments and bookmarks.
    private static func withoutPeople(_ lines: some Sequence<String>) -> [String] {
        let kinds = ["user", "comment", "bookmark"].map { #"{"kind":"\#($0)""# }
        return lines.filter { line in !kinds.contains { line.hasPrefix($0) } }
            .map {
                $0.replacing(/"users":[0-9]+,/, with: "")
                    .replacing(/,"comments":[0-9]+,"bookmarks":[0-9]+/, with: "")
            }
    }

    /// The lines as in version 1, whose revisions have names instead of actors.
    private static func first(_ lines: [String]) -> [String] {
        let theOperator = #""actor":{"kind":"operator","name":"operator"},"#
        let key = #""actor":{"kind":"key","id":"E","name":"Eve's key"}"#
        return [#"{"format":"broadsheet-export","version":1}"#]
            + withoutPeople(lines.dropFirst()).map { line in
                line.replacing(theOperator, with: "")
                    .replacing(key, with: #""editor":"Eve's key""#)
            }
    }

    @Test func `exports of version 1 are restored with the names of editors`() async throws {
        let lines = Self.first(try await exported())
        #expect(lines.count { $0.contains(#","editor":"Eve's key","time":"#) } == 3)
        #expect(!lines.contains { $0.contains(#""actor""#) })
        try await ImportFixture.with { fixture in
            #expect(try await restore(lines, fixture).counts == ["created": 4])
            let moved = try await fixture.article("beta-moved")
            let history = try await fixture.store.revisions(of: moved.id, below: nil, limit: 9)
            #expect(
                history.items.map(\.actor) == [
                    Revision.Actor(kind: .unrecorded, name: "Eve's key"),
                    Revision.Actor(kind: .unrecorded),
                ])
            #expect(try await restore(lines, fixture).counts == ["unchanged": 4])
            let now = try await fixture.export("two.ndjson").revisions
            let text = String(decoding: try fixture.bytes("two.ndjson"), as: UTF8.self)
            #expect(now == 8 && text.hasPrefix(#"{"format":"broadsheet-export","version":4}"#))
            #expect(text.split(separator: #""actor":{"kind":"unknown"}"#).count == 6)
            try await ImportFixture.with { other in
                try other.write("two.ndjson", text)
                #expect(try await other.run("two.ndjson").counts == ["created": 4])
                try await other.export("three.ndjson")
                #expect(try other.bytes("three.ndjson") == fixture.bytes("two.ndjson"))
            }
        }
    }

    /// The lines as in version 2, in which a scheduled article has the status `published`.
    private static func second(_ lines: [String]) -> [String] {
        [#"{"format":"broadsheet-export","version":2}"#]
            + withoutPeople(lines.dropFirst()).map {
                $0.replacing(#""status":"scheduled""#, with: #""status":"published""#)
            }
    }

    @Test func `what is published in the future in an older export is scheduled`() async throws {
        let lines = try await exported { fixture in
            for (slug, seconds) in [("soon", 9), ("late", 99)] as [(String, Int64)] {
                try fixture.write(
                    "\(slug).md", "---\ndate: \(ImportFixture.time(seconds))\n---\n\(slug)")
            }
            _ = try await fixture.run("soon.md", "late.md")
        }
        let older = Self.second(lines)
        #expect(lines.count { $0.contains(#""status":"scheduled""#) } == 2)
        #expect(!older.contains { $0.contains(#""status":"scheduled""#) })
        func statuses(
            _ lines: [String], at seconds: Int64, in fixture: ImportFixture
        ) async throws -> [Article.Status] {
            try fixture.write("one.ndjson", lines.joined(separator: "\n"))
            let report = try await fixture.run("one.ndjson", at: seconds)
            #expect(report.failures.isEmpty)
            return try await [fixture.article("soon").status, fixture.article("late").status]
        }
        for text in [lines, older] {
            try await ImportFixture.with { fixture in
                let found = try await statuses(text, at: 5, in: fixture)
                #expect(found == [.scheduled, .scheduled])
                // The same file again, after one of the times has come.
                let again = try await statuses(text, at: 50, in: fixture)
                #expect(again == [.scheduled, .scheduled])
            }
        }
        // In an older server, the first one was public by then.
        try await ImportFixture.with { fixture in
            for seconds in [50, 150] as [Int64] {
                let found = try await statuses(older, at: seconds, in: fixture)
                #expect(found == [.published, .scheduled])
            }
        }
    }

    @Test func `the versions of an export are not mixed`() async throws {
        let lines = try await exported()
        let first = Self.first(lines)
        let place = try #require(lines.firstIndex { $0.contains(#""kind":"revision""#) })
        let older = try #require(first.first { $0.contains(#""kind":"revision""#) })
        try await ImportFixture.with { fixture in
            for (header, line, reason) in [
                (lines[0], older, "$.actor is missing"),
                (first[0], lines[place], "$.actor is not an attribute"),
            ] {
                var mixed = lines
                mixed[0] = header
                mixed[place] = line
                let fault = try await restore(mixed, fixture).failures.first
                #expect(fault?.line == place + 1 && fault?.reason.hasPrefix(reason) == true)
                #expect(try await fixture.store.changeSequence() == 0)
            }
        }
    }

    @Test(arguments: [
        (#"{"format":"broadsheet-export","version":5}"#, "the export has version 5"),
        (#"{"format":"broadsheet-export"}"#, "$.version is not"),
        (#"{"format":"else","version":1}"#, "$.format is not"),
    ])
    func `another format is rejected by its first line`(line: String, reason: String) async throws {
        try await ImportFixture.with { fixture in
            let report = try await restore([line, "{}", "{}"], fixture)
            #expect(report.counts == ["failed": 1])
            #expect(report.failures.first?.line == 1)
            #expect(report.failures.first?.reason.hasPrefix(reason) == true)
        }
    }
}
