import ArticleAPI
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetTestSupport
import Glibc
import Testing

@testable import broadsheet

/// `broadsheet sync` as a program, with a server that has a feed in memory.
@Suite struct SyncCommandTests {
    let feed = ChangeFeed()
    let folder: TemporaryFolder
    var path: String { folder.file("posts") }

    init() throws { folder = try TemporaryFolder() }

    /// - Parameter before: called with the number of each page before it is sent.
    private func serving(
        before: @escaping @Sendable (Int) async -> Void = { _ in },
        _ body: (String) async throws -> Void
    ) async throws {
        var routes = HTTPRouterBuilder()
        let pages = Counter()
        let feed = feed
        routes.on(.get, "/v1/changes") { request, _ in
            await before(pages.next())
            var asked = FetchChangesRequest()
            let query = String(decoding: request.target.query ?? [], as: UTF8.self)
            for pair in query.split(separator: "&") {
                if pair.hasPrefix("since=") { asked.since = String(pair.dropFirst(6)) }
                if pair.hasPrefix("tag=") { asked.tags.append(String(pair.dropFirst(4))) }
            }
            do throws(Problem) {
                let body = try feed.page(asked).json(
                    FieldSelection(
                        Self.fields(query).map(String.init)))
                return HTTPResponse(
                    .ok, fields: [.contentType: "application/json"], body: .bytes(body))
            } catch {
                return HTTPResponse(
                    HTTPStatus(error.status) ?? .internalServerError,
                    fields: [.contentType: Problem.mediaType], body: .bytes(error.json()))
            }
        }
        try await TestServer.run(try routes.build()) { test in
            try await body("http://\(test.address)")
        }
    }

    private static func fields(_ query: String) -> [Substring] {
        let pair = query.split(separator: "&").first { $0.hasPrefix("fields=") }
        return (pair?.dropFirst(7) ?? "").replacing("%2C", with: ",").split(separator: ",")
    }

    private func start(_ server: String, _ more: String...) throws -> RunningProgram {
        try RunningProgram(
            builtProgram("broadsheet"), ["sync", path, "--server", server] + more,
            environment: ["XDG_CONFIG_HOME": folder.file("config")])
    }

    private struct Ended {
        let status: Int32
        let output: [String]
        let errors: [String]
    }

    private func sync(_ server: String, _ more: String...) throws -> Ended {
        let program = try RunningProgram(
            builtProgram("broadsheet"), ["sync", path, "--server", server] + more,
            environment: ["XDG_CONFIG_HOME": folder.file("config")])
        let output = program.output.rest()
        let errors = program.errors.rest()
        return Ended(status: program.wait(), output: output, errors: errors)
    }

    private func edit(_ name: String, _ text: String) throws {
        let file = try #require(fopen("\(path)/\(name)", "w"))
        defer { fclose(file) }
        #expect(fputs(text, file) >= 0)
    }

    @Test func `a run reports what it did, as JSON for programs`() async throws {
        for number in 1...5 { feed.add("a\(number)", tags: ["x"]) }
        feed.add("b")
        try await serving { server in
            let first = try sync(server, "--tag", "x")
            #expect(first.status == 0 && first.errors == [])
            #expect(first.output == [#"{"written":5,"removed":0,"unchanged":0,"kept":0}"#])
            let second = try sync(server, "--tag", "x", "--json")
            #expect(second.output == [#"{"written":0,"removed":0,"unchanged":5,"kept":0}"#])
            let all = try sync(server)
            #expect(all.output == [#"{"written":1,"removed":0,"unchanged":5,"kept":0}"#])
        }
    }

    @Test func `a changed file is named, and the status is not 0 unless forced`() async throws {
        feed.add("a")
        feed.add("b")
        try await serving { server in
            #expect(try sync(server).status == 0)
            // A real backend is asked for the article itself; here, the page brings it.
            try edit("a.md", "Mine.")
            let kept = try sync(server)
            #expect(kept.status == 65)
            #expect(kept.output == [#"{"written":0,"removed":0,"unchanged":1,"kept":1}"#])
            #expect(
                kept.errors == [
                    "a.md: changed locally; kept as it is",
                    "broadsheet: 1 file differs from the backend's articles",
                ])
            let id = try #require(feed.articles["a"]?.id)
            feed.change(id) { $0.body = "New." }
            #expect(try sync(server, "--force").status == 0)
        }
    }

    @Test(arguments: [SIGKILL, SIGTERM, SIGINT])
    func `a run that a signal ends is continued by the next one`(number: Int32) async throws {
        for number in 1...8 { feed.add("a\(number)") }
        let (asked, released) = (Signal(), Signal())
        try await serving { page in
            guard page == 2 else { return }
            asked.give()
            await released.wait()
        } _: { server in
            let program = try start(server)
            await asked.wait()
            // A second run is rejected meanwhile.
            let other = try sync(server)
            #expect(other.status == 69)
            #expect(other.errors == ["broadsheet: another sync of \(path) is running"])
            program.signal(number)
            _ = program.wait()
            released.give()
            #expect(access("\(path)/a6.md", F_OK) == 0 && access("\(path)/a7.md", F_OK) != 0)
            let next = try sync(server)
            #expect(next.status == 0 && next.errors == [])
            #expect(next.output == [#"{"written":2,"removed":0,"unchanged":6,"kept":0}"#])
        }
    }

    @Test func `wrong arguments and an unreachable server are reported with one line`() throws {
        let program = try RunningProgram(builtProgram("broadsheet"), ["sync"])
        #expect(program.errors.rest() == ["broadsheet: sync needs one DIRECTORY"])
        #expect(program.wait() == 64)
        let offline = try sync("http://127.0.0.1:1")
        #expect(offline.status == 69 && offline.errors.count == 1)
    }
}
