import ArticleAPI
import ArticleClient
import BroadsheetCommandLine
import BroadsheetPlatform
import BroadsheetTestSupport
import Glibc
import Testing

@testable import broadsheet

/// A folder that follows a backend.
@Suite struct SyncRunTests {
    let fixture: SyncFixture
    var feed: ChangeFeed { fixture.feed }

    init() throws { fixture = try SyncFixture() }

    @Test func `the folder equals what the caller sees, after each run`() async throws {
        let mina = feed.addAuthor("Mina")
        let ids = (1...7).map { feed.add("a\($0)", body: "Text \($0).", authors: [mina]) }
        #expect(try await fixture.sync() == .init(written: 7))
        try fixture.expectEqual()
        feed.delete(ids[0])
        feed.change(ids[1]) { $0.body = "Another text." }
        feed.change(ids[2]) { $0.slug = "renamed" }
        feed.add("b1")
        #expect(try await fixture.sync() == .init(written: 3, removed: 2, unchanged: 4))
        try fixture.expectEqual()
        #expect(fixture.kept == [])
    }

    @Test func `a run with nothing new makes one request and changes nothing`() async throws {
        for number in 1...7 { feed.add("a\(number)") }
        try await fixture.sync()
        let requests = feed.requests
        let report = try await fixture.sync { effect throws(CommandFailure) in
            throw CommandFailure(.software, "\(effect)")
        }
        #expect(report == .init(unchanged: 7))
        #expect(feed.requests == requests + 1)
        #expect(fixture.backend.received(FetchArticleRequest.self).isEmpty)
        #expect(try fixture.names().filter { $0.hasPrefix(".") } == [".broadsheet-sync.json"])
    }

    @Test func `the state is for its owner only, and files are as the mask allows`() async throws {
        feed.add("a")
        try await fixture.sync()
        var status = stat()
        #expect(stat("\(fixture.path)/.broadsheet-sync.json", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(stat("\(fixture.path)/a.md", &status) == 0)
        let mask = umask(0o022)
        umask(mask)
        #expect(status.st_mode & 0o777 == 0o666 & ~mask)
    }

    @Test func `the rename of an author rewrites the by-lines of all their files`() async throws {
        let (mina, jonas) = (feed.addAuthor("Mina"), feed.addAuthor("Jonas"))
        for number in 1...150 { feed.add("a\(number)", authors: [jonas, mina]) }
        feed.add("b", authors: [jonas])
        try await fixture.sync()
        feed.rename(mina, "Mina \"M\" Kim")
        feed.add("c", authors: [mina])
        #expect(try await fixture.sync() == .init(written: 151, unchanged: 1))
        try fixture.expectEqual()
        #expect(fixture.backend.received(FetchArticleRequest.self).isEmpty)
    }

    @Test func `slugs that two articles exchange exchange their files`() async throws {
        let (a, b) = (feed.add("a", body: "A"), feed.add("b", body: "B"))
        try await fixture.sync()
        feed.change(a) { $0.slug = "c" }
        feed.change(b) { $0.slug = "a" }
        feed.change(a) { $0.slug = "b" }
        try await fixture.sync()
        try fixture.expectEqual()
        #expect(try fixture.read("a.md").hasSuffix("B"))
    }

    @Test func `a slug that passes on between two pages passes on its file`() async throws {
        let a = feed.add("a", body: "A")
        try await fixture.sync()
        feed.change(a) { $0.slug = "z" }
        feed.add("a", body: "New")
        for number in 1...5 { feed.add("b\(number)") }
        feed.change(a) { $0.body = "Later" }
        try await fixture.sync()
        try fixture.expectEqual()
    }

    @Test func `another filter or server starts anew`() async throws {
        feed.add("a", tags: ["x", "y"])
        feed.add("b", tags: ["x"])
        feed.add("c")
        try await fixture.sync(tags: ["x"])
        try fixture.expectEqual("x")
        #expect(try await fixture.sync(tags: ["y"]) == .init(removed: 1, unchanged: 1))
        try fixture.expectEqual("y")
        #expect(try await fixture.sync() == .init(written: 2, unchanged: 1))
        #expect(try await fixture.sync(server: "http://other") == .init(unchanged: 3))
        try fixture.expectEqual()
    }

    @Test func `the same tags in another order are the same filter`() async throws {
        feed.add("a", tags: ["x", "y"])
        try await fixture.sync(tags: ["x", "y"])
        try await fixture.sync(tags: ["y", "x"])
        let asked = fixture.backend.received(FetchChangesRequest.self)
        #expect(asked.map { $0.since != nil } == [false, true])
    }

    @Test func `a history that was replaced gives a new snapshot`() async throws {
        let ids = (1...7).map { feed.add("a\($0)") }
        try await fixture.sync()
        feed.delete(ids[3])
        feed.reset()
        feed.add("b")
        #expect(try await fixture.sync() == .init(written: 1, removed: 1, unchanged: 6))
        try fixture.expectEqual()
    }

    @Test func `a missing file is written again`() async throws {
        feed.add("a")
        feed.add("b")
        try await fixture.sync()
        try fixture.remove("a.md")
        #expect(try await fixture.sync() == .init(written: 1, unchanged: 1))
        try fixture.expectEqual()
    }

    @Test func `two runs at a time are one too many`() async throws {
        try await fixture.sync()
        let folder = try SyncFolder(fixture.path)
        let error = await #expect(throws: CommandFailure.self) { try await fixture.sync() }
        #expect(error?.status == .unavailable)
        withExtendedLifetime(folder) {}
    }

    @Test(arguments: [
        #"{"format":2,"server":"a","filter":"","files":[],"articles":[],"authors":[]}"#, "{",
        """
        {"format":1,"server":"a","filter":"","articles":[],"authors":[],
        "files":[{"name":"../a.md","digests":[],"size":1,"modified":1}]}
        """,
    ])
    func `a state that is not understood is an error, and stays`(text: String) async throws {
        try await fixture.sync()
        try fixture.write(text, ".broadsheet-sync.json")
        let error = await #expect(throws: CommandFailure.self) { try await fixture.sync() }
        #expect(error?.status == .dataError)
        #expect(try fixture.read(".broadsheet-sync.json") == text)
    }

    @Test func `a run does not wait for processes that have inherited its lock`() throws {
        var inherited: Int32?
        do {
            let folder = try SyncFolder(fixture.path)
            inherited = descriptor(of: fixture.path).map { dup($0) }
            withExtendedLifetime(folder) {}
        }
        let copy = Descriptor(try #require(inherited))
        _ = try SyncFolder(fixture.path)
        withExtendedLifetime(copy) {}
    }

    /// The open descriptor of a folder.
    private func descriptor(of path: String) -> Int32? {
        var wanted = stat()
        var found = stat()
        guard stat(path, &wanted) == 0 else { return nil }
        // Tests that run beside this one may have opened thousands before it.
        return (0..<Int32(clamping: sysconf(Int32(_SC_OPEN_MAX)))).first { raw in
            fstat(raw, &found) == 0 && found.st_dev == wanted.st_dev
                && found.st_ino == wanted.st_ino
        }
    }

    @Test func `a failing backend keeps what has arrived, and the next run continues`()
        async throws
    {
        for number in 1...7 { feed.add("a\(number)") }
        let feed = feed
        let failing = BackendService.stub { routes in
            routes.on(FetchChangesRequest.self) { request in
                if request.since?.hasPrefix("1.6") == true { throw Problem(.unavailable) }
                return try feed.page(request)
            }
        }
        var run = try SyncRun(
            SyncFolder(fixture.path), backend: failing, server: "http://localhost",
            filter: FetchChangesRequest(), force: false)
        let error = await #expect(throws: CommandFailure.self) { try await run.run() }
        #expect(error?.status == .unavailable)
        #expect(try fixture.files().count == 6)
    }
}

/// The names of files.
@Suite struct SyncFileNameTests {
    private func article(_ slug: String) -> Article {
        let time = Timestamp(milliseconds: 0)
        return Article(
            id: Article.ID("01890000-0000-7000-8000-000000000000")!, slug: slug, title: "A",
            body: nil, language: "en", status: .published, createdAt: time, updatedAt: time,
            wordCount: 0, readingMinutes: 0)
    }

    @Test(arguments: [
        ("a-b", "a-b.md"), ("안녕", "안녕.md"), ("-", "~01890000-0000-7000-8000-000000000000.md"),
        ("-rf", "~-rf.md"), ("../a", "~01890000-0000-7000-8000-000000000000.md"),
        (".a", "~01890000-0000-7000-8000-000000000000.md"),
        ("", "~01890000-0000-7000-8000-000000000000.md"),
    ])
    func `a file is named by the slug, or else by the id`(slug: String, name: String) {
        #expect(SyncFileName.of(article(slug)) == name)
        #expect(SyncFileName.isPlain(name))
    }

    @Test(arguments: [99, 100]) func `a long slug is cut`(count: Int) {
        let name = SyncFileName.of(article(String(repeating: "안", count: count)))
        #expect(name.utf8.count <= 255 && SyncFileName.isPlain(name))
        #expect(name.hasPrefix("안안") && name.contains("~01890000"))
    }

    @Test(arguments: ["", ".md", "a", "a/b.md", "../a.md", ".a.md", "/a.md"])
    func `other names are not ours`(name: String) {
        #expect(!SyncFileName.isPlain(name))
    }
}
