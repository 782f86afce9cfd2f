import ArticleAPI
import ArticleClient
import BroadsheetCommandLine
import BroadsheetTestSupport
import Glibc
import Testing

@testable import broadsheet

/// Files that were changed locally, or that `sync` did not write.
@Suite struct SyncConflictTests {
    let fixture: SyncFixture
    var feed: ChangeFeed { fixture.feed }

    init() throws { fixture = try SyncFixture() }

    private let changed = "a.md: changed locally; kept as it is"
    private let foreign = "a.md: not written by sync; kept as it is"

    @Test func `a local change is kept and reported, and force undoes it`() async throws {
        feed.add("a")
        feed.add("b")
        try await fixture.sync()
        try fixture.write("Mine.", "a.md")
        for _ in 1...2 {
            #expect(try await fixture.sync() == .init(unchanged: 1, kept: 1))
            #expect(fixture.kept == [changed])
        }
        #expect(try fixture.read("a.md") == "Mine.")
        #expect(try await fixture.sync(force: true) == .init(written: 1, unchanged: 1))
        try fixture.expectEqual()
        #expect(try await fixture.sync() == .init(unchanged: 2))
    }

    @Test func `a remote change does not replace a local one, and the rest is done`()
        async throws
    {
        let id = feed.add("a")
        feed.add("b")
        try await fixture.sync()
        try fixture.write("Mine.", "a.md")
        feed.change(id) { $0.body = "Theirs." }
        feed.add("c")
        #expect(try await fixture.sync() == .init(written: 1, unchanged: 1, kept: 1))
        #expect(try fixture.read("a.md") == "Mine." && fixture.files().count == 3)
        // Without the local file, or with force, the change is not lost.
        try fixture.remove("a.md")
        #expect(try await fixture.sync() == .init(written: 1, unchanged: 2))
        try fixture.expectEqual()
    }

    @Test func `a change is kept that is made after the files were examined`() async throws {
        let ids = ["a", "b"].map { feed.add($0) }
        try await fixture.sync()
        for id in ids { feed.change(id) { $0.body = "Theirs." } }
        feed.add("c")
        let fixture = fixture
        let report = try await fixture.sync { (effect) throws(CommandFailure) in
            guard effect == .journal else { return }
            do {
                try fixture.write("Mine.", "b.md")
                try fixture.write("Mine, too.", "c.md")
            } catch { throw CommandFailure(.software, "\(error)") }
        }
        #expect(report == .init(written: 1, kept: 2))
        let files = try fixture.files()
        #expect(files["b.md"] == "Mine." && files["c.md"] == "Mine, too.")
        #expect(try await fixture.sync() == .init(unchanged: 1, kept: 2))
    }

    @Test func `a large file is known to be written by sync`() async throws {
        let id = feed.add("a", body: String(repeating: "Text. ", count: 2 << 20))
        try await fixture.sync()
        feed.change(id) { $0.body = "Short." }
        #expect(try await fixture.sync() == .init(written: 1))
        try fixture.expectEqual()
    }

    @Test func `force writes what came while the file was kept`() async throws {
        let author = feed.addAuthor("Mina")
        let id = feed.add("a", authors: [author])
        try await fixture.sync()
        try fixture.write("Mine.", "a.md")
        feed.change(id) { $0.body = "Theirs." }
        feed.rename(author, "Mina Kim")
        try await fixture.sync()
        #expect(try await fixture.sync(force: true) == .init(written: 1))
        try fixture.expectEqual()
    }

    @Test func `a by-line is not changed in a file that was changed locally`() async throws {
        let author = feed.addAuthor("Mina")
        feed.add("a", authors: [author])
        try await fixture.sync()
        try fixture.write(try fixture.read("a.md") + "Mine.", "a.md")
        feed.rename(author, "Mina Kim")
        #expect(try await fixture.sync() == .init(kept: 1))
        #expect(try fixture.read("a.md").hasSuffix("Mine."))
        #expect(try await fixture.sync(force: true) == .init(written: 1))
        try fixture.expectEqual()
    }

    @Test func `a deleted article's file is kept if it was changed`() async throws {
        let id = feed.add("a")
        try await fixture.sync()
        try fixture.write("Mine.", "a.md")
        feed.delete(id)
        for _ in 1...2 {
            #expect(try await fixture.sync() == .init(kept: 1))
            #expect(fixture.kept == [changed])
        }
        #expect(try await fixture.sync(force: true) == .init(removed: 1))
        #expect(try await fixture.sync() == .init())
        try fixture.expectEqual()
    }

    @Test func `a renamed article leaves its changed file behind`() async throws {
        let id = feed.add("a", body: "Text.")
        try await fixture.sync()
        try fixture.write("Mine.", "a.md")
        feed.change(id) { $0.slug = "b" }
        #expect(try await fixture.sync() == .init(written: 1, kept: 1))
        #expect(try fixture.read("a.md") == "Mine." && fixture.read("b.md").hasSuffix("Text."))
        try fixture.remove("a.md")
        #expect(try await fixture.sync() == .init(unchanged: 1))
        try fixture.expectEqual()
    }

    @Test(arguments: [false, true])
    func `a file that sync did not write is never touched`(force: Bool) async throws {
        try await fixture.sync()
        try fixture.write("Mine.", "a.md")
        try fixture.write("Notes.", "notes.txt")
        let id = feed.add("a")
        let requests = feed.requests
        for _ in 1...2 {
            #expect(try await fixture.sync(force: force) == .init(kept: 1))
            #expect(fixture.kept == [foreign])
        }
        #expect(feed.requests == requests + 2)
        #expect(fixture.backend.received(FetchArticleRequest.self).isEmpty)
        #expect(try fixture.files() == ["a.md": "Mine.", "notes.txt": "Notes."])
        feed.delete(id)
        #expect(try await fixture.sync(force: force) == .init())
        #expect(try fixture.files().count == 2)
    }

    @Test func `a file that makes room is written`() async throws {
        try await fixture.sync()
        try fixture.write("Mine.", "a.md")
        feed.add("a")
        try await fixture.sync()
        try fixture.remove("a.md")
        #expect(try await fixture.sync() == .init(written: 1))
        try fixture.expectEqual()
    }

    @Test func `a file that is as it should be belongs to sync`() async throws {
        feed.add("a")
        try await fixture.sync()
        let text = try fixture.read("a.md")
        try fixture.remove(".broadsheet-sync.json")
        #expect(try await fixture.sync() == .init(unchanged: 1))
        // Only its time has changed.
        try fixture.write(text, "a.md")
        #expect(try await fixture.sync() == .init(unchanged: 1))
        #expect(fixture.kept == [])
    }

    @Test func `links and folders are not followed`() async throws {
        let id = feed.add("a")
        try await fixture.sync()
        let target = fixture.parent.file("target")
        try fixture.remove("a.md")
        try fixture.write("Elsewhere.", "../target")
        #expect(symlink(target, "\(fixture.path)/a.md") == 0)
        mkdir("\(fixture.path)/b.md", 0o700)
        feed.change(id) { $0.body = "New." }
        feed.add("b")
        for force in [false, true] {
            #expect(try await fixture.sync(force: force).kept == 2)
        }
        #expect(try fixture.read("../target") == "Elsewhere.")
    }
}
