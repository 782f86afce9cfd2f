import ArticleAPI
import ArticleAdminAPI
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Glibc
import Testing

/// Sources of a server that is killed, restarted or replaced, and of one that follows another.
@Suite(.mayBlock) struct SourceTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func serve(_ name: String, _ arguments: [String] = []) throws -> RunningServer {
        try RunningServer(folder.file(name), ["--allow-private-sources"] + arguments)
    }

    private func add(_ url: String, to served: RunningServer) throws -> ContentSource {
        let made = try served.send(.post, "/v1/sources", #"{"url":"\#(url)","publish":true}"#)
        try #require(made.status == 201, "\(made.text)")
        return try ContentSource(mapping: made.body)
    }

    private func source(_ id: ContentSource.ID, of served: RunningServer) throws -> ContentSource {
        try ContentSource(mapping: served.send(.get, "/v1/sources/\(id)").body)
    }

    /// Waits until the source is as the condition says.
    private func wait(
        for id: ContentSource.ID, of served: RunningServer, _ condition: (ContentSource) -> Bool
    ) async throws -> ContentSource {
        var last: ContentSource?
        let holds = await eventually {
            last = try? source(id, of: served)
            return last.map(condition) ?? false
        }
        guard holds, let last else { throw TestFailure("the source is \(last as Any)") }
        return last
    }

    /// Polls the source again, and waits until that is done.
    private func poll(_ id: ContentSource.ID, of served: RunningServer) async throws
        -> ContentSource
    {
        let before = try source(id, of: served).lastPolledAt
        #expect(try served.send(.post, "/v1/sources/\(id)/poll").status == 202)
        return try await wait(for: id, of: served) { $0.lastPolledAt != before }
    }

    /// The public articles with their bodies, by title.
    private func articles(of served: RunningServer) throws -> [String: Article] {
        let fields = "id,slug,title,summary,body,language,authors,tags,heroImage,status,publishedAt"
        let rest = "createdAt,updatedAt,revision,source,wordCount,readingMinutes"
        let page = try Page<Article>(
            mapping: served.client.get("/v1/articles?limit=100&fields=\(fields),\(rest)").body)
        return Dictionary(uniqueKeysWithValues: page.items.map { ($0.title, $0) })
    }

    private static let originals = [
        #"""
        {"title":"Rye & <Bread>","slug":"the-rye","summary":"All about *rye*.","status":"published",
         "body":"# Rye\n\nA *loaf*, a [link](https://a.example/?a=1&b=2), and `code`.\n\n- one\n",
         "language":"en","authors":[{"name":"Ada L."},{"name":"Bo"}],"tags":["Baking","C++"],
         "publishedAt":"2026-01-02T03:04:05.678Z",
         "heroImage":{"url":"https://a.example/x.jpg","alternativeText":"A \"loaf\""}}
        """#,
        #"""
        {"title":"안녕하세요 세상","summary":"","status":"published",
         "body":"한글 본문입니다.\n","language":"ko","authors":[{"name":"지민"}],"tags":["한국어"],
         "publishedAt":"2026-01-03T03:04:05.000Z"}
        """#,
        #"""
        {"title":"Wheat","summary":"Short.","status":"published","body":"Just text.",
         "language":"en","publishedAt":"2026-01-04T03:04:05.000Z"}
        """#,
    ]

    private func expectSame(_ here: [String: Article], _ there: [String: Article]) {
        #expect(Set(here.keys) == Set(there.keys))
        for (title, original) in there {
            guard let copy = here[title] else { continue }
            #expect(copy.id == original.id && copy.slug == original.slug)
            #expect(copy.summary == original.summary)
            #expect(copy.body == original.body)
            #expect(copy.language == original.language)
            #expect(copy.tags == original.tags)
            #expect(copy.authors.map(\.name) == original.authors.map(\.name))
            #expect(copy.heroImage == original.heroImage)
            #expect(copy.publishedAt == original.publishedAt)
            #expect(copy.status == .published && copy.source != nil)
        }
    }

    @Test(arguments: [
        "/", "/feeds/articles.atom", "/feeds/articles.rss", "/feeds/articles.json",
        "/feeds/articles.atom?limit=2", "/feeds/articles.rss?limit=2",
        "/feeds/articles.json?limit=2",
    ])
    func `another server gives the same articles, also after kill -9`(
        _ path: String
    ) async throws {
        let origin = try RunningServer(folder.file("origin.db"))
        for original in Self.originals {
            try #require(try origin.send(.post, "/v1/articles", original).status == 201)
        }
        let there = try articles(of: origin)
        var follower = try serve("follower.db")
        let url = "http://\(origin.addresses[0])\(path)"
        let id = try add(url, to: follower).id
        let source = try await wait(for: id, of: follower) { $0.lastPolledAt != nil }
        #expect(source.lastError == nil && source.skippedCount == 0, "\(source)")
        #expect(source.kind == (path == "/" ? .broadsheet : .feed))
        expectSame(try articles(of: follower), there)

        // Edited there, edited here, and deleted there.
        let edit = #"{"summary":"Longer.","body":"More *text*."}"#
        let (wheat, rye) = (try #require(there["Wheat"]), try #require(there["Rye & <Bread>"]))
        for article in [wheat, rye] {
            let edited = try origin.send(
                .patch, "/v1/articles/\(article.id)", edit, type: Self.patch)
            #expect(edited.status == 200)
        }
        let korean = try #require(there["안녕하세요 세상"])
        #expect(try origin.send(.delete, "/v1/articles/\(korean.id)").status == 204)
        let mine = try #require(try articles(of: follower)["Rye & <Bread>"])
        let own = try follower.send(
            .patch, "/v1/articles/\(mine.id)", #"{"summary":"Mine."}"#, type: Self.patch)
        #expect(own.status == 200)
        follower.program.signal(SIGKILL)
        #expect(follower.program.wait() == 128 + SIGKILL)

        follower = try serve("follower.db")
        _ = try await poll(id, of: follower)
        let after = try articles(of: follower)
        #expect(after["Wheat"]?.summary == "Longer." && after["Wheat"]?.body == "More *text*.")
        #expect(after["Wheat"]?.revision == 2)
        let kept = after["Rye & <Bread>"]
        #expect(kept?.summary == "Mine." && kept?.revision == 2)
        // Feeds only contain their newest entries: one that leaves is not deleted.
        #expect((after["안녕하세요 세상"] == nil) == (path == "/"))
        let again = try await poll(id, of: follower)
        #expect(again.lastError == nil && again.failures == 0)
        #expect(try articles(of: follower) == after)
        #expect(follower.stop() == 0 && origin.stop() == 0)
        let check = try Program.run("check", "--database", folder.file("follower.db"))
        #expect(check.status == 0, "\(check.errors)")
    }

    private static let patch = "application/merge-patch+json"

    @Test func `a poll in flight is repeated by the process that takes over`() async throws {
        let requests = Counter()
        let isSilent = Lock(true)
        try await ScriptedServer.run { peer, _ in
            while try await peer.request() != nil {
                requests.next()
                if isSilent.withLock({ $0 }) { return await peer.waitForEnd() }
                try await peer.respond(
                    #"{"version":"https://jsonfeed.org/version/1.1","title":"F","items":[]}"#)
            }
        } _: { server in
            let old = try serve("a.db")
            let id = try add("http://\(server.address)/feed.json", to: old).id
            #expect(await eventually { requests.value == 1 })
            isSilent.withLock { $0 = false }
            let new = try serve("a.db", ["--take-over"])
            #expect(old.program.wait() == 0)
            let source = try await wait(for: id, of: new) { $0.lastPolledAt != nil }
            #expect(source.title == "F" && source.lastError == nil && source.failures == 0)
            #expect(requests.value == 2)
            #expect(new.stop() == 0)
        }
    }

    @Test func `hostile servers cost little memory, and are named in log and metrics`()
        async throws
    {
        try await ScriptedServer.run { peer, number in
            guard try await peer.request() != nil else { return }
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\n"
            let piece = [UInt8](repeating: 0x20, count: 64 << 10)
            if number.isMultiple(of: 2) {
                try await peer.send(head + "Content-Length: 104857600\r\n\r\n")
            } else {
                try await peer.send(head + "\r\n<feed>")
            }
            while true { try await peer.send(piece) }
        } _: { hostile in
            let served = try serve("a.db", ["--admin-listen", "127.0.0.1:0"])
            let line = try #require(served.program.output.next())
            let address = line.dropFirst("metrics on http://".count).dropLast("/metrics".count)
            let admin = TestClient(try #require(try SocketAddress.resolve(String(address)).first))
            let port = hostile.address.port
            let ids = try (1...8).map { number in
                try add("http://127.0.0.1:\(port)/secret\(number)?key=hidden", to: served).id
            }
            for id in ids {
                let source = try await wait(for: id, of: served) { $0.failures > 0 }
                #expect(source.lastError?.contains("larger than 10485760 bytes") == true)
            }
            let page = try admin.get("/metrics").text
            #expect(page.contains(#"broadsheet_sources{state="failing"} 8"#))
            #expect(page.contains(#"broadsheet_source_polls_total{outcome="failed"} 8"#))
            #expect(page.contains("broadsheet_source_lag_seconds 0"))
            let peak = try peakKibibytes(of: served)
            #expect(peak < 256 << 10, "\(peak) KiB")
            #expect(served.stop() == 0)
            let log = served.program.errors.rest()
            let lines = log.filter { $0.contains("cannot poll the source") }
            #expect(lines.count == 8 && !log.contains { $0.contains("hidden") })
        }
    }

    /// The most memory that the process has had (proc(5), `VmHWM`).
    private func peakKibibytes(of served: RunningServer) throws -> Int {
        let status = try read("/proc/\(served.program.processID)/status")
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM") })
        return try #require(Int(line.filter(\.isNumber)))
    }

    @Test func `by default, sources are public`() throws {
        let served = try RunningServer(folder.file("a.db"))
        for url in ["http://\(served.addresses[0])/", "https://127.0.0.1/", "https://10.0.0.1/"] {
            let made = try served.send(.post, "/v1/sources", #"{"url":"\#(url)"}"#)
            #expect(made.status == 422 && made.text.contains("--allow-private-sources"))
        }
        #expect(served.stop() == 0)
    }

    @Test(arguments: [false, true])
    func `the command adds, lists, pauses and removes sources`(isServed: Bool) throws {
        let served = try RunningServer(folder.file("a.db"))
        if !isServed { #expect(served.stop() == 0) }
        func run(_ words: String...) throws -> Program.Ended {
            let program = try Program.start(
                ["sources"] + words + ["--database", folder.file("a.db")])
            let (output, errors) = (program.output.rest(), program.errors.rest())
            return Program.Ended(status: program.wait(), output: output, errors: errors)
        }
        let url = "https://feeds.invalid/feed"
        let added = try run("add", url, "--name", "A Feed", "--tag", "Rye", "--interval", "60")
        #expect(added.status == 0 && added.output.count == 1, "\(added)")
        let id = try #require(added.output.first?.split(separator: " ").dropFirst().first)
        #expect(try run("add", url).status == 65)
        #expect(try run("add", "http://a.example/").status == 65)
        #expect(try run("add", "no URL").status == 64)
        #expect(try run("add", url, "--interval", "59").status == 64)
        #expect(try run().output.first?.contains("\(url)\tA Feed") == true)
        #expect(try run("pause", "\(id)").output.first?.contains("paused") == true)
        let page = try run("show", "\(id)").output
        #expect(page.contains("state         paused") && page.contains("tags          Rye"))
        #expect(page.contains("articles      become drafts") && page.contains("interval      60 s"))
        #expect(try run("resume", "\(id)").output.first?.hasPrefix("resumed") == true)
        #expect(try run("poll", "\(id)").status == 0)
        #expect(try run("remove", "\(id)").output == ["removed \(id); its articles stay"])
        #expect(try run("show", "\(id)").status == 65)
        #expect(try run("show", "x").status == 64)
        #expect(try run("list").output.isEmpty)
        if isServed { #expect(served.stop() == 0) }
    }
}
