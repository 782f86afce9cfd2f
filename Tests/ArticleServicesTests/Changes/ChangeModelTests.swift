import ArticleAPI
import BroadsheetHTTP
import BroadsheetTestSupport
import Testing

/// Random histories over HTTP: a copy that follows the changes equals the lists.
@Suite struct ChangeModelTests {
    private static let filters = [
        "", "tag=a", "tag=a&tag=b", "author=\(Samples.id(0xB1))", "language=ko", "source=Wire",
        "publishedAfter=2026-06-01T00:00:00Z", "status=published", "types=author",
    ]

    @Test(arguments: UInt64(1)...(Thoroughness.isFull ? 8 : 3))
    func `a copy equals the lists at every token`(seed: UInt64) async throws {
        try await TestBackend.run(samples: false) { server in
            var random = SplitMix64(seed: seed)
            var editor = RandomEditor(seed: seed)
            try editor.addUser(for: server)
            var followers = [Sender.anonymous, .reader, .editor].flatMap { sender in
                Self.filters.map { Follower(sender, $0) }
            }
            for _ in 0..<10 {
                for index in followers.indices where Bool.random(using: &random) {
                    for _ in 0..<Int.random(in: 1...3, using: &random) {
                        // A few pages, and then the rest after more edits.
                        let limit = Int.random(in: 1...4, using: &random)
                        _ = try followers[index].step(in: server, limit: limit)
                    }
                }
                for _ in 0..<Int.random(in: 1...4, using: &random) { try editor.edit(server) }
            }
            for index in followers.indices {
                try followers[index].catchUp(in: server)
                try followers[index].expectCurrent(in: server)
            }
            let tokens = followers.map(\.token)
            try editor.editInSecret(server)
            for index in followers.indices where followers[index].sender != .editor {
                try followers[index].catchUp(in: server)
                #expect(followers[index].token == tokens[index], "\(followers[index].query)")
            }
        }
    }
}

/// Edits a backend at random, the same way for a seed.
private struct RandomEditor {
    private var random: SplitMix64
    private var count = 0

    init(seed: UInt64) { random = SplitMix64(seed: seed &* 977) }

    /// Creates the authors.
    func addUser(for server: TestBackend) throws {
        for number in 0..<3 {
            let path = "/v1/authors/\(Samples.id(0xB0 + number))"
            try server.send("PUT \(path)", as: .editor, #"{"name":"Writer \#(number)"}"#)
        }
    }

    mutating func edit(_ server: TestBackend) throws {
        server.pass(milliseconds: 1_000)
        let existing = (0..<count).map { "/v1/articles/\(Samples.id(0x300 + $0))" }
        let target = existing.randomElement(using: &random)
        switch (Int.random(in: 0..<12, using: &random), target) {
        case (0...2, _), (_, nil): try create(server)
        case (3, let path?): try patch(path, #"{"tags":[\#(tags())]}"#, server)
        case (4, let path?): try patch(path, #"{"status":"published"}"#, server)
        case (5, let path?): try patch(path, #"{"status":"draft"}"#, server)
        case (6, let path?): try patch(path, #"{"authors":[{"id":"\#(author())"}]}"#, server)
        case (7, let path?): try patch(path, #"{"language":"ko"}"#, server)
        case (8, let path?): try server.send("DELETE \(path)", as: .editor)
        case (9, let path?):
            let number = Int.random(in: 1...3, using: &random)
            try server.send("POST \(path)/revisions/\(number)/restore", as: .editor)
        case (10, _):
            try server.send(
                "PUT /v1/authors/\(author())", as: .editor,
                #"{"name":"Name \#(Int.random(in: 0..<50, using: &random))"}"#,
                with: [.ifMatch: "*"])
        case (_, let path?):
            try patch(path, #"{"title":"T\#(random.next())"}"#, server)
        }
    }

    /// Only touches what the public does not see.
    mutating func editInSecret(_ server: TestBackend) throws {
        for number in 0..<3 {
            let made = try server.send(
                "POST /v1/articles", as: .editor,
                #"{"title":"Draft \#(number)","tags":["a","b"],"authors":[{"name":"Veiled"}]}"#)
            #expect(made.summary == "201", "\(made.text)")
            let path = "/v1/articles/\(try Article(mapping: made.body).id)"
            try patch(path, #"{"language":"ko","status":"archived"}"#, server)
            if number == 1 { try server.send("DELETE \(path)", as: .editor) }
        }
    }

    private mutating func create(_ server: TestBackend) throws {
        let status =
            ["draft", "published", "published", "archived"]
            .randomElement(using: &random) ?? "draft"
        let time = "2026-0\(Int.random(in: 1...9, using: &random))-10T00:00:00Z"
        let made = try server.send(
            "POST /v1/articles", as: .editor,
            """
            {"id":"\(Samples.id(0x300 + count))","title":"T\(count)","tags":[\(tags())],\
            "authors":[{"id":"\(author())"}],"source":{"name":"Wire"},"status":"\(status)",\
            "publishedAt":"\(time)"}
            """)
        #expect(made.summary == "201", "\(made.text)")
        count += 1
    }

    /// Edits what may have been deleted.
    private func patch(_ path: String, _ json: String, _ server: TestBackend) throws {
        let response = try server.send("PATCH \(path)", as: .editor, json)
        #expect([200, 404].contains(response.status), "\(response.text)")
    }

    private mutating func tags() -> String {
        ["a", "b", "c"].filter { _ in Bool.random(using: &random) }.map { "\"\($0)\"" }
            .joined(separator: ",")
    }

    private mutating func author() -> String {
        Samples.id(0xB0 + Int.random(in: 0..<3, using: &random))
    }
}
