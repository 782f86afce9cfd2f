import ArticleAPI
import BroadsheetTestSupport
import Testing

@testable import broadsheet

/// Runs that end at any step, as by a signal or a power failure: the next one repairs.
@Suite struct SyncCrashTests {
    /// Crashes the run at each of its steps in turn; before the next run, `meanwhile` happens.
    private func crashEverywhere(
        from prepare: (ChangeFeed) -> Void = { _ in }, in change: (ChangeFeed) -> Void,
        meanwhile: (ChangeFeed) -> Void = { _ in }
    ) async throws {
        var step = 0
        var isDone = false
        // Terminates because a run has a limited number of steps.
        while !isDone {
            let fixture = try SyncFixture()
            prepare(fixture.feed)
            try await fixture.sync()
            try fixture.expectEqual()
            change(fixture.feed)
            let crash = Crash(after: step)
            do {
                try await fixture.sync(interrupt: crash.interrupt)
                isDone = true
            } catch { #expect("\(error)".contains("crash")) }
            meanwhile(fixture.feed)
            let report = try await fixture.sync()
            try fixture.expectEqual()
            #expect(report.kept == 0 && fixture.kept == [], "step \(step)")
            #expect(try fixture.names().filter { $0.hasPrefix(".") } == [".broadsheet-sync.json"])
            step += 1
        }
        #expect(step > 5)
    }

    private func addArticles(_ feed: ChangeFeed) {
        let mina = feed.addAuthor("Mina")
        for number in 1...5 { feed.add("a\(number)", authors: [mina]) }
    }

    @Test func `a snapshot`() async throws {
        try await crashEverywhere(in: addArticles)
    }

    @Test func `a snapshot whose articles are gone before the next run`() async throws {
        try await crashEverywhere(
            in: addArticles,
            meanwhile: { feed in
                for article in feed.articles.values { feed.delete(article.id) }
            })
    }

    @Test func `changes, renamed slugs and deletions`() async throws {
        try await crashEverywhere(
            from: addArticles,
            in: { feed in
                for (slug, article) in feed.articles.sorted(by: { $0.key < $1.key }) {
                    switch slug {
                    case "a1": feed.change(article.id) { $0.body = "New." }
                    case "a2": feed.change(article.id) { $0.slug = "b" }
                    case "a3": feed.delete(article.id)
                    default: feed.change(article.id) { $0.title = "New" }
                    }
                }
                if let id = feed.articles["a4"]?.id { feed.change(id) { $0.slug = "a2" } }
            },
            meanwhile: { feed in
                for article in feed.articles.values {
                    feed.change(article.id) { $0.body = "Newer." }
                }
            })
    }

    private func rename(_ feed: ChangeFeed, _ name: String) {
        if let id = feed.articles["a1"]?.authors.first?.id { feed.rename(id, name) }
    }

    @Test func `the rename of an author`() async throws {
        try await crashEverywhere(
            from: addArticles, in: { rename($0, "Mina Kim") },
            meanwhile: { rename($0, "Dr. Kim") })
    }

    @Test func `a history that was replaced`() async throws {
        try await crashEverywhere(
            from: addArticles,
            in: { feed in
                feed.reset()
                if let id = feed.articles["a1"]?.id { feed.delete(id) }
                if let id = feed.articles["a2"]?.id { feed.change(id) { $0.body = "New." } }
            })
    }

    @Test func `an incomplete line of the journal is ignored, and those after it are not`()
        async throws
    {
        let fixture = try SyncFixture()
        fixture.feed.add("a")
        let crash = Crash(after: 2)
        _ = try? await fixture.sync(interrupt: crash.interrupt)
        #expect(crash.hasHappened)
        let journal = try fixture.read(".broadsheet-sync.journal")
        #expect(try fixture.files().count == 1)
        try fixture.write("{\"name\":\"b.md\",\"dig" + journal, ".broadsheet-sync.journal")
        let id = try #require(fixture.feed.articles["a"]?.id)
        fixture.feed.change(id) { $0.body = "New." }
        #expect(try await fixture.sync().kept == 0)
        try fixture.expectEqual()
    }
}
