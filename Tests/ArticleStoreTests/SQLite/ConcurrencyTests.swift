import ArticleAPI
import ArticleStore
import BroadsheetPlatform
import BroadsheetTestSupport
import Dispatch
import Testing

@testable import ArticleDatabase

@Suite struct ConcurrencyTests {
    private static func open(
        _ folder: TemporaryFolder, _ system: SystemEnvironment = .real,
        _ change: (inout SQLiteConfiguration) -> Void = { _ in }
    ) throws -> SQLiteStore {
        var configuration = SQLiteConfiguration()
        change(&configuration)
        return try SQLiteStore.open(
            path: folder.file("a.db"), mode: .create, configuration: configuration, system: system)
    }

    @Test func `concurrent writers share commits, and a single one does not wait`() async throws {
        let folder = try TemporaryFolder()
        let store = try Self.open(folder)
        for number in 0..<10 {
            _ = try await store.createArticle(.make(), .sample("lone \(number)"), by: .first)
        }
        #expect(store.statistics.commits == 10)
        try await withThrowingTaskGroup { group in
            for writer in 0..<64 {
                group.addTask {
                    for number in 0..<10 {
                        _ = try await store.createArticle(
                            .make(), .sample("n \(writer) \(number)"), by: .first)
                    }
                }
            }
            try await group.waitForAll()
        }
        // Usually a sixth of that; under a sanitizer, writes arrive more slowly than flushes end.
        #expect(store.statistics.commits - 10 <= 640 * 9 / 10)
        // A write is counted when it is resumed, so all are when the store is closed.
        await store.close()
        #expect(store.statistics.writes == 650)
    }

    @Test func `a failed write does not affect others in its commit`() async throws {
        let folder = try TemporaryFolder()
        let store = try Self.open(folder)
        let won = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<60 {
                group.addTask {
                    let slug: SlugChoice =
                        number % 2 == 0 ? .exactly("one") : .exactly("own-\(number)")
                    let made = try? await store.createArticle(
                        .make(), .sample(slug: slug, authors: [.name("a\(number)")]), by: .first)
                    return made != nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(won == 31)
        // Each article with its author, who then becomes public.
        #expect(try await store.changeSequence() == 93)
        #expect(try await store.articleCount() == 31)
        await store.close()
        #expect(try SQLiteStore.check(path: folder.file("a.db")).findings == [])
    }

    @Test func `no reader ever sees a partial commit`() async throws {
        let folder = try TemporaryFolder()
        let store = try Self.open(folder)
        // Two articles that are always changed together, both with the tag of the round.
        @Sendable func write(_ round: Int) async throws {
            let items = (0..<2).map { number in
                ImportItem(
                    path: "\(number).md", digest: [UInt8](repeating: UInt8(round % 251), count: 32),
                    id: .make(),
                    content: .sample(
                        "round \(round)", slug: .exactly("n\(number)"), body: "round \(round)",
                        tags: ["r\(round % 5)"]))
            }
            for result in try await store.importArticles(items, by: .first, dryRun: false) {
                _ = try result.get()
            }
        }
        try await write(0)
        let isOver = Lock(false)
        try await withThrowingTaskGroup { group in
            group.addTask {
                for round in 1...200 { try await write(round) }
                isOver.withLock { $0 = true }
            }
            for _ in 0..<4 {
                group.addTask {
                    var query = ArticleQuery(audience: .everyone)
                    query.withBodies = true
                    while !isOver.withLock({ $0 }) {
                        let items = try await store.articles(query).items
                        #expect(items.count == 2 && Set(items.map(\.title)).count == 1)
                        #expect(items.allSatisfy { $0.body == $0.title })
                        #expect(Set(items.map(\.revision)).count == 1)
                        let tags = try await store.tags(
                            after: nil, limit: 9, visibleTo: .everyone)
                        #expect(tags.items.map(\.articleCount) == [2])
                    }
                }
            }
            try await group.waitForAll()
        }
        await store.close()
    }

    @Test func `no read misses a write that was acknowledged before it`() async throws {
        let folder = try TemporaryFolder()
        // One connection with more readers than it can serve, so that their reads share
        // transactions.
        let store = try Self.open(folder) {
            $0.readers = 1
            $0.logBytes = 64 << 10
            $0.logLimitBytes = 1 << 20
        }
        let made = try await store.createArticle(.make(), .sample("1"), by: .first)
        let acknowledged = Lock(1)
        let isOver = Lock(false)
        try await withThrowingTaskGroup { group in
            group.addTask {
                for revision in 2...300 {
                    let changed = try await store.updateArticle(
                        made.id, expecting: .anything, by: .first
                    ) { _ in .sample("\(revision)") }
                    acknowledged.withLock { $0 = changed.revision }
                }
                isOver.withLock { $0 = true }
            }
            for _ in 0..<32 {
                group.addTask {
                    var seen = 0
                    while !isOver.withLock({ $0 }) {
                        let least = max(seen, acknowledged.withLock { $0 })
                        seen = try await store.article(.id(made.id), visibleTo: .editors).revision
                        #expect(seen >= least)
                    }
                }
            }
            try await group.waitForAll()
        }
        // Continuous reading did not prevent emptying the log.
        #expect(try #require(store.fileBytes).log < 1 << 20)
        await store.close()
    }

    @Test func `a full queue rejects writes and keeps the queued ones`() async throws {
        let folder = try TemporaryFolder()
        let store = try Self.open(folder) { limits in
            limits.writeQueueDepth = 3
            // They wait however slow the machine is.
            limits.commitPatienceMilliseconds = 600_000
        }
        _ = try await store.createArticle(.make(), .sample(), by: .first)
        let isHeld = DispatchSemaphore(value: 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            let (started, signal) = AsyncStream.makeStream(of: Void.self)
            group.addTask {
                try await store.submit { _ in
                    signal.finish()
                    isHeld.wait()
                }
            }
            for await _ in started {}
            // The writer is blocked: of ten more, three are queued.
            let outcomes = Lock((taken: 0, rejected: 0))
            let (rejections, rejection) = AsyncStream.makeStream(of: Void.self)
            for number in 0..<10 {
                group.addTask {
                    do {
                        _ = try await store.createArticle(
                            .make(), .sample("n\(number)"), by: .first)
                        outcomes.withLock { $0.taken += 1 }
                    } catch let error as StoreError {
                        guard case .busy = error else { throw error }
                        outcomes.withLock { $0.rejected += 1 }
                        rejection.yield()
                    }
                }
            }
            var iterator = rejections.makeAsyncIterator()
            for _ in 0..<7 { await iterator.next() }
            isHeld.signal()
            try await group.waitForAll()
            #expect(outcomes.withLock { $0 } == (3, 7))
        }
        #expect(try await store.articleCount() == 4)
        await store.close()
    }

    @Test func `writes behind one that takes too long are rejected, and it is not`() async throws {
        let folder = try TemporaryFolder()
        let clock = ManualClock(at: Timestamp(milliseconds: 0))
        let store = try Self.open(folder, clock.system) { $0.commitPatienceMilliseconds = 2_000 }
        let made = try await store.createArticle(.make(), .sample(), by: .first)
        let isHeld = DispatchSemaphore(value: 0)
        let (started, signal) = AsyncStream.makeStream(of: Void.self)
        async let slow = store.submit { (step) throws(StoreError) in
            signal.finish()
            isHeld.wait()
            let changes = Article.Changes(title: .set("Changed"))
            return try step.updateArticle(
                made.id, ArticleUpdate(.changes(changes)), expecting: .anything, by: .first)
        }
        for await _ in started {}
        // Those of the first round wait for the clock, those of the second one do not.
        for round in 0..<2 {
            await withTaskGroup(of: Bool.self) { group in
                for number in 0..<10 {
                    group.addTask {
                        do throws(StoreError) {
                            _ = try await store.createArticle(
                                .make(), .sample("n\(number)"), by: .first)
                        } catch {
                            if case .delayed(.unknown) = error { return true }
                        }
                        return false
                    }
                }
                if round == 0 {
                    #expect(await eventually { store.statistics.waitingWrites == 10 })
                    await clock.waitUntilAsleep()
                    clock.advance(milliseconds: 2_000)
                }
                for await isDelayed in group { #expect(isDelayed) }
            }
        }
        isHeld.signal()
        #expect(try await slow.title == "Changed")
        _ = try await store.createArticle(.make(), .sample("next"), by: .first)
        #expect(try await store.articleCount() == 2)
        await store.close()
    }

    @Test func `closing finishes queued writes`() async throws {
        let folder = try TemporaryFolder()
        let store = try Self.open(folder)
        let made = await withTaskGroup(of: Article.ID?.self) { group in
            for number in 0..<100 {
                group.addTask {
                    try? await store.createArticle(
                        .make(), .sample("n\(number)"), by: .first
                    ).id
                }
            }
            group.addTask {
                await store.close()
                return nil
            }
            return await group.reduce(into: [Article.ID]()) { $0 += [$1].compactMap(\.self) }
        }
        let again = try Self.open(folder)
        for id in made { _ = try await again.article(.id(id), visibleTo: .editors) }
        #expect(try await again.articleCount() == made.count)
        await again.close()
    }
}
