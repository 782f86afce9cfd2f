import ArticleAPI
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

/// `broadsheet search` with a backend that finds what a test says.
@Suite(.mayBlock) struct SearchCommandTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func page(correctedTo: String? = nil) throws -> SearchPage<Article> {
        let time = try #require(Timestamp("2026-01-31T23:59:59.999Z"))
        let article = Article(
            id: Article.ID(at: time), slug: "structures", title: "Structures in Swift", body: nil,
            language: "en", status: .published, publishedAt: time, createdAt: time,
            updatedAt: time, wordCount: 1, readingMinutes: 1)
        let hit = SearchHit(
            article: article,
            title: [
                SearchPiece(text: "Structures in "), SearchPiece(text: "Swift", isMatch: true),
            ],
            excerpt: [
                SearchPiece(text: "… of a\n"), SearchPiece(text: "구조체", isMatch: true),
                SearchPiece(text: "\u{1B}]0;x\u{7} …"),
            ])
        return SearchPage(items: [hit], next: "c1", correctedTo: correctedTo)
    }

    /// - Parameters:
    ///   - page: what each search finds.
    ///   - body: receives the URL of the backend.
    /// - Returns: the targets of the requests.
    private func targets(
        _ page: SearchPage<Article>, _ body: (String) async throws -> Void
    ) async throws -> [String] {
        let targets = Lock<[String]>([])
        let json = String(decoding: page.json(), as: UTF8.self)
        try await ScriptedServer.run { peer, _ in
            while let request = try await peer.request() {
                targets.withLock { $0.append("\(request.target)") }
                let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
                try await peer.send("\(head)\(json.utf8.count)\r\n\r\n\(json)")
            }
        } _: { server in
            try await body("http://\(server.address)")
        }
        return targets.withLock { $0 }
    }

    private func environment(_ server: String) -> [String: String] {
        ["BROADSHEET_SERVER": server, "XDG_CONFIG_HOME": folder.file("config")]
    }

    private func run(_ arguments: String..., at server: String) throws -> Program.Ended {
        let program = try Program.start(["search"] + arguments, environment: environment(server))
        let output = program.output.rest()
        return Program.Ended(
            status: program.wait(), output: output, errors: program.errors.rest())
    }

    /// Returns the content of a terminal.
    private func screen(
        _ arguments: String, at server: String, with variables: [String: String] = [:]
    ) throws -> [String] {
        let command = "\(try Program.path()) search \(arguments)"
        let terminal = try RunningProgram(
            "/usr/bin/script", ["-qefc", command, "/dev/null"],
            environment: environment(server).merging(variables) { $1 })
        return terminal.output.rest().map { $0.hasSuffix("\r") ? String($0.dropLast()) : $0 }
    }

    @Test func `words need no quotes, and programs get JSON`() async throws {
        let page = try Self.page()
        let targets = try await targets(page) { server in
            let found = try run("swift", "구조체", "--limit", "5", "--tag", "C++", at: server)
            #expect(found.status == 0 && found.errors == [])
            #expect(found.output == [String(decoding: page.json(), as: UTF8.self)])
            let excluding = try run("--source", "Wire", "--", "swift", "-ui", at: server)
            #expect(excluding.status == 0)
            let unknown = try run("swift", "-ui", at: server)
            let empty = try run(at: server)
            #expect(unknown.status == 64 && empty.status == 64)
        }
        let query = PercentEncoding.encodeSegment("구조체")
        #expect(
            targets == [
                "/v1/search?q=swift%20\(query)&limit=5&tag=C%2B%2B",
                "/v1/search?q=swift%20-ui&source=Wire",
            ])
    }

    @Test func `matches are bold on a terminal, unless colours are unwanted`() async throws {
        _ = try await targets(try Self.page()) { server in
            let bold = try screen("swift", at: server)
            let plain = try screen("swift", at: server, with: ["NO_COLOR": "1"])
            #expect(
                bold == [
                    "Structures in \u{1B}[1mSwift\u{1B}[22m",
                    "  … of a \u{1B}[1m구조체\u{1B}[22m\\u001b]0;x\\u0007 …",
                    "  2026-01-31  en  structures", "more: --cursor c1",
                ])
            #expect(
                plain == [
                    "Structures in Swift", "  … of a 구조체\\u001b]0;x\\u0007 …",
                    "  2026-01-31  en  structures", "more: --cursor c1",
                ])
        }
    }

    @Test func `a corrected query and an empty result are reported`() async throws {
        _ = try await targets(try Self.page(correctedTo: "swift structures")) { server in
            let found = try run("swift", "strutcures", at: server)
            #expect(found.status == 0 && found.output.count == 1)
            #expect(
                found.errors
                    == ["nothing was found; these are the results for: swift structures"])
        }
        _ = try await targets(SearchPage(items: [])) { server in
            let shown = try screen("zzz", at: server)
            let found = try run("zzz", at: server)
            #expect(shown == ["Nothing was found."] && found.output == [#"{"items":[]}"#])
        }
    }
}
