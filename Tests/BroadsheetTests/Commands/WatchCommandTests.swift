import ArticleAPI
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetTestSupport
import Glibc
import Testing

@testable import broadsheet

/// `broadsheet watch` as a program, with a server whose streams the test writes.
@Suite struct WatchCommandTests {
    /// A stream that a test writes; its response waits until there is something to send.
    private final class Source: Sendable {
        private let pieces: AsyncStream<[UInt8]>
        private let writer: AsyncStream<[UInt8]>.Continuation
        let stop: @Sendable () -> Void

        init() {
            (pieces, writer) = AsyncStream.makeStream()
            stop = { [writer] in writer.finish() }
        }

        func send(_ text: String) { writer.yield(Array(text.utf8)) }

        var response: HTTPResponse {
            let body = HTTPBodyStream(stop: stop) { [pieces] in
                for await piece in pieces { return piece }
                return nil
            }
            return HTTPResponse(
                .ok, fields: [.contentType: "text/event-stream"], body: .stream(body))
        }
    }

    private static let id = Article.ID(at: Timestamp(milliseconds: 1))

    private static func rejection(_ problem: Problem) -> HTTPResponse {
        HTTPResponse(
            HTTPStatus(problem.status) ?? .internalServerError,
            fields: [.contentType: Problem.mediaType], body: .bytes(problem.json()))
    }

    private static func change(_ token: String, _ change: SyncChange<Article>) -> String {
        let data = String(decoding: change.json(), as: UTF8.self)
        return "event: change\nid: \(token)\ndata: \(data)\n\n"
    }

    /// - Parameter respond: gets the query of each request, and how many came before it.
    private func serving(
        _ respond: @escaping @Sendable (String, Int) -> HTTPResponse,
        _ body: (_ server: String) async throws -> Void
    ) async throws {
        var routes = HTTPRouterBuilder()
        let count = Counter()
        routes.on(.get, "/v1/changes/stream") { request, _ in
            respond(String(decoding: request.target.query ?? [], as: UTF8.self), count.next())
        }
        try await TestServer.run(try routes.build()) { test in
            try await body("http://\(test.address)")
        }
    }

    private func watch(_ server: String, _ more: String...) throws -> RunningProgram {
        let folder = try TemporaryFolder()
        return try RunningProgram(
            builtProgram("broadsheet"), ["watch", "--server", server] + more,
            environment: ["XDG_CONFIG_HOME": folder.file("config")])
    }

    @Test func `each change is a line at once, with its own token`() async throws {
        let source = Source()
        let queries = Lock([String]())
        try await serving { query, _ in
            queries.withLock { $0.append(query) }
            return source.response
        } _: { server in
            let program = try watch(server, "--tag", "x", "--language", "de")
            source.send(
                "event: ready\nid: t0\ndata: {}\n\n"
                    + Self.change("t1", .deleteArticle(Self.id, revision: 8))
                    + Self.change("t2", .deleteArticle(Self.id, revision: 9)))
            let removed = #"{"type":"article","action":"delete","id":"\#(Self.id)","revision":"#
            #expect(program.output.next() == removed + #"8,"token":"t1"}"#)
            #expect(program.output.next() == removed + #"9,"token":"t2"}"#)
            #expect(queries.withLock { $0 } == ["since=now&tag=x&language=de"])
            program.signal(SIGINT)
            #expect(program.wait() == 128 + SIGINT)
            #expect(program.errors.rest() == [])
        }
    }

    @Test func `an interruption is reported, and the stream resumed by its token`() async throws {
        let (first, second) = (Source(), Source())
        let queries = Lock([String]())
        try await serving { query, count in
            queries.withLock { $0.append(query) }
            return (count == 0 ? first : second).response
        } _: { server in
            let program = try watch(server, "--since", "t0")
            first.send(Self.change("t1", .deleteArticle(Self.id, revision: 1)))
            #expect(program.output.next()?.hasSuffix(#""token":"t1"}"#) == true)
            first.send("retry: 0\n")
            first.stop()
            second.send(Self.change("t2", .deleteArticle(Self.id, revision: 2)))
            #expect(program.output.next()?.hasSuffix(#""token":"t2"}"#) == true)
            let report = "broadsheet: interrupted: the backend has ended the stream; trying again"
            #expect(program.errors.next() == report)
            #expect(queries.withLock { $0 } == ["since=t0", "since=t1"])
        }
    }

    @Test func `a token that is no longer valid is reported, and the present followed`()
        async throws
    {
        let source = Source()
        let queries = Lock([String]())
        try await serving { query, count in
            queries.withLock { $0.append(query) }
            return count == 0 ? Self.rejection(Problem(.syncReset)) : source.response
        } _: { server in
            let program = try watch(server, "--since", "old")
            source.send(Self.change("t1", .deleteArticle(Self.id, revision: 1)))
            #expect(program.output.next()?.hasSuffix(#""token":"t1"}"#) == true)
            #expect(
                program.errors.next()
                    == "broadsheet: the token is no longer valid; continuing from now")
            #expect(queries.withLock { $0 } == ["since=old", "since=now"])
        }
    }

    @Test func `it ends when nobody reads its output, or when it is rejected`() async throws {
        let change = Array(Self.change("t", .deleteArticle(Self.id, revision: 1)).utf8)
        try await serving { query, _ in
            guard query == "since=now" else { return Self.rejection(Problem(.forbidden)) }
            return HTTPResponse(
                .ok, fields: [.contentType: "text/event-stream"],
                body: .stream(HTTPBodyStream { change }))
        } _: { server in
            let line = #""$0" watch --server "$1" | head -n 1"#
            let shell = try RunningProgram(
                "/bin/sh", ["-c", line, builtProgram("broadsheet"), server])
            #expect(shell.output.rest().count == 1)
            #expect(shell.wait() == 0)
            let rejected = try watch(server, "--tag", "x")
            #expect(rejected.errors.rest() == ["broadsheet: The role does not allow this"])
            #expect(rejected.wait() == 77)
        }
        let wrong = try RunningProgram(builtProgram("broadsheet"), ["watch", "posts"])
        #expect(wrong.errors.rest() == ["broadsheet: watch accepts options only; see --help"])
        #expect(wrong.wait() == 64)
    }

    @Test func `a line for people has the time of day, and no control characters`() throws {
        let time = Timestamp(milliseconds: 1_767_225_600_000)
        let article = Article(
            id: Self.id, slug: "bread", title: "A\u{1B}[2J\ttitle\n", body: "", language: "en",
            status: .draft, createdAt: time, updatedAt: time, wordCount: 1, readingMinutes: 1)
        let line = ChangeOutput.text(.putArticle(article, revision: 7), at: time)
        let parts = line.split(separator: "  ").map(String.init)
        #expect(parts[0].wholeMatch(of: #/\d\d:\d\d:00/#) != nil)
        #expect(
            parts.dropFirst() == [
                "changed", "article", "bread", "7", #"A\u001b[2J\u0009title\u000a"#,
            ])
        let removed = ChangeOutput.text(.deleteAuthor(Author.ID(at: time), revision: 2), at: time)
        #expect(removed.contains("  removed  author  ") && removed.hasSuffix("  2"))
        #expect(ChangeOutput.text(.unknown(type: "image"), at: time).hasSuffix("changed  image"))
        let json = ChangeOutput.json(.putArticle(article, revision: 7), token: #"a"b"#)
        #expect(json.hasSuffix(#"},"token":"a\"b"}"#))
    }
}
