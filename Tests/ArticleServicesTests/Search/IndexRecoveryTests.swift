import ArticleAPI
import ArticleDatabase
import ArticleSearch
import ArticleStore
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@testable import ArticleResources
@testable import ArticleServiceCore
@testable import ArticleServices

/// The index across ends of the process, wherever they come.
@Suite struct IndexRecoveryTests {
    @Test(arguments: [1, 2, 3])
    func `an index that follows equals one that is made at once`(seed: UInt64) async throws {
        let fixture = try await IndexFixture()
        try await fixture.write(30, seed: seed)
        let indexer = fixture.indexer()
        let task = Task { await indexer.run() }
        for round in 0..<6 {
            try #require(await eventually { indexer.isCurrent })
            try await fixture.expectExactness(indexer, "round \(round)")
            try await fixture.write(12, seed: seed * 100 + UInt64(round))
        }
        try #require(await eventually { indexer.isCurrent })
        try await fixture.expectExactness(indexer, "the end")
        #expect(indexer.statistics.segments > 1)
        #expect(indexer.statistics.bytes > 0 && indexer.statistics.progress == 1)
        #expect(fixture.notices.values.isEmpty)
        task.cancel()
        await task.value
        try await fixture.close()
    }

    @Test func `a failure to index has a line in the log, and so has its end`() async throws {
        let fixture = try await IndexFixture()
        try await fixture.write(60, seed: 6)
        fixture.faulty.fail(at: 1)
        let clock = ManualClock(at: TestBackend.opening)
        let indexer = fixture.indexer(system: clock.system)
        let task = Task { await indexer.run() }
        await clock.waitUntilAsleep()
        #expect(fixture.faulty.hasFailed && fixture.notices.values.count == 1)
        fixture.faulty.fail(at: nil)
        clock.advance(milliseconds: 1_000)
        #expect(await eventually { fixture.notices.values.count == 2 })
        #expect(
            fixture.notices.values == [
                "search: cannot index articles: the process has ended",
                "search: articles are being indexed again",
            ])
        task.cancel()
        await task.value
        try await fixture.close()
    }

    @Test func `an index that was stopped goes on where it was`() async throws {
        let fixture = try await IndexFixture()
        try await fixture.write(60, seed: 4)
        let first = try await fixture.indexed()
        try await fixture.expectExactness(first, "the first")
        let position = try #require(try await fixture.store.searchIndex().progress?.position)
        #expect(position.sequence > 30)
        let writes = fixture.faulty.writes
        let second = try await fixture.indexed()
        try await fixture.expectExactness(second, "the second")
        #expect(fixture.notices.values.isEmpty)
        // Only the tail was read again; one write sees that nothing is left over.
        #expect(fixture.faulty.writes <= writes + 1)
        try await fixture.close()
    }

    /// The ends of the process: at every write of an index, before or after it was done.
    @Test(arguments: [false, true])
    func `nothing is lost or doubled by a crash at any step`(isLate: Bool) async throws {
        let base = try await IndexFixture()
        try await base.write(120, seed: 5)
        await base.store.close()
        var step = isLate ? 2 : 1
        var hasFailed = true
        while hasFailed {
            let fixture = try await IndexFixture(copying: base)
            hasFailed = false
            for round in 0..<2 {
                fixture.faulty.fail(at: step, isLate: isLate)
                let indexer = fixture.indexer()
                try await fixture.run(indexer) { fixture.faulty.hasFailed || indexer.isCurrent }
                hasFailed = hasFailed || fixture.faulty.hasFailed
                try await fixture.write(6, seed: UInt64(6 + round))
            }
            fixture.faulty.fail(at: nil)
            let indexer = try await fixture.indexed()
            try await fixture.expectExactness(indexer, "step \(step)")
            let record = try await fixture.store.searchIndex()
            #expect(Set(record.segments.map(\.number)).count == record.segments.count)
            #expect(record.segments.contains { $0.level > 0 }, "segments were merged")
            // Nothing is left over.
            #expect(try await !fixture.store.removeObsoleteSearchBlocks(except: [], limit: 1))
            try await fixture.close()
            step += Thoroughness.isFull ? 1 : 11
        }
        #expect(step > 30, "there are steps of seals, merges and removals")
    }

    @Test(arguments: [1, 77])
    func `an index of another tokenizer is built again`(version: Int) async throws {
        let fixture = try await IndexFixture()
        try await fixture.write(40, seed: 8)
        try await fixture.indexed(version: version)
        #expect(try await fixture.store.searchIndex().progress?.version == version)
        let indexer = try await fixture.indexed()
        #expect(try await fixture.store.searchIndex().progress?.version == SearchTokenizer.version)
        try await fixture.expectExactness(indexer, "after")
        try await fixture.close()
    }

    @Test func `an index of another history is built again`() async throws {
        let fixture = try await IndexFixture()
        try await fixture.write(40, seed: 9)
        try await fixture.indexed()
        let before = try #require(try await fixture.store.searchIndex().progress?.position.epoch)
        let id = Author.ID(at: TestBackend.opening)
        let author = Author(
            id: id, name: "Restored", about: "", website: nil, createdAt: TestBackend.opening,
            updatedAt: TestBackend.opening, revision: 1)
        _ = try await fixture.store.restore([.author(author)], dryRun: false)
        let indexer = try await fixture.indexed()
        let after = try #require(try await fixture.store.searchIndex().progress?.position.epoch)
        #expect(after != before)
        try await fixture.expectExactness(indexer, "after")
        try await fixture.close()
    }

    @Test func `a damaged index is built again, and nothing is found meanwhile`() async throws {
        let fixture = try await IndexFixture()
        try await fixture.write(40, seed: 10)
        let first = try await fixture.indexed()
        // A search finds damage.
        let plan = SearchPlan(SearchQuery("bread"))
        await #expect(throws: ServiceError.self) {
            try await first.reading(plan.ranges) { (_, _) throws(SearchIndexError) in
                throw .corrupt("for a test")
            }
        }
        #expect(throws: ServiceError.self) { try first.view() }
        try await fixture.run(first) { first.isCurrent }
        try await fixture.expectExactness(first, "after a search")

        // A start finds damage.
        let record = try await fixture.store.searchIndex()
        let progress = try #require(record.progress)
        let segment = try #require(record.segments.first)
        try await fixture.store.commitSearch(
            SearchCommit(progress, dead: [segment.number: segment.dead + [0]]))
        let second = try await fixture.indexed()
        try await fixture.expectExactness(second, "after a start")
        try await fixture.close()
    }

    @Test func `blocks that are missing are damage, and the index is built again`() async throws {
        let fixture = try await IndexFixture()
        try await fixture.write(40, seed: 14)
        let indexer = try await fixture.indexed()
        let record = try await fixture.store.searchIndex()
        // The store loses all blocks behind the index's back.
        try await fixture.store.commitSearch(
            SearchCommit(
                try #require(record.progress), removed: record.segments.map(\.number)))
        while try await fixture.store.removeObsoleteSearchBlocks(except: [], limit: 100) {}
        let plan = SearchPlan(SearchQuery("bread"))
        await #expect(throws: ServiceError.self) {
            try await indexer.reading(plan.ranges) { (_, _) throws(SearchIndexError) in () }
        }
        #expect(throws: ServiceError.self) { try indexer.view() }
        try await fixture.run(indexer) { indexer.isCurrent }
        try await fixture.expectExactness(indexer, "after")
        try await fixture.close()
    }

    @Test func `a search that reads too much of the index is rejected`() async throws {
        let fixture = try await IndexFixture()
        try await fixture.write(40, seed: 15)
        var limits = IndexFixture.limits
        limits.searchBytes = 100
        let indexer = fixture.indexer(limits: limits)
        try await fixture.run(indexer) { indexer.isCurrent }
        let plan = SearchPlan(SearchQuery("b"))
        do {
            try await indexer.reading(plan.ranges) { (_, _) throws(SearchIndexError) in () }
            Issue.record("it was not rejected")
        } catch {
            let problem = error.problem(instance: "")
            #expect(problem.status == 400)
            let detail = "matches too much: add letters to its last word"
            #expect(problem.errors.map(\.detail) == [detail])
        }
        #expect(try indexer.view().liveCount > 0)
        try await fixture.close()
    }

    @Test func `a check finds what the index lacks, and blocks that it should not have`()
        async throws
    {
        let fixture = try await IndexFixture()
        try await fixture.write(40, seed: 13)
        try await fixture.indexed()
        func findings() async throws -> Int {
            let report = try await fixture.store.check()
            #expect(report.searchFindings == report.findings)
            return report.findings.count
        }
        #expect(try await findings() == 0)
        let record = try await fixture.store.searchIndex()
        let progress = try #require(record.progress)
        let segment = try #require(record.segments.first)
        try await fixture.store.commitSearch(SearchCommit(progress, removed: [segment.number]))
        #expect(try await findings() == 1)
        try await fixture.store.commitSearch(SearchCommit(progress, added: [segment]))
        #expect(try await findings() == 0)
        let other = segment.dead.map { $0 ^ 1 }
        try await fixture.store.commitSearch(
            SearchCommit(progress, dead: [segment.number: other]))
        #expect(try await findings() == 1)
        try await fixture.store.commitSearch(
            SearchCommit(progress, dead: [segment.number: segment.dead]))
        #expect(try await findings() == 0)
        let block = SearchBlockRecord(number: 5_000, first: [2, 0xFE], data: [0])
        try await fixture.store.putSearchBlocks([block], of: segment.number)
        #expect(try await findings() == 1)

        // The server that is asked for the check builds the index again.
        let indexer = try await fixture.indexed()
        indexer.reportDamage("for a test")
        try await fixture.run(indexer) { indexer.isCurrent }
        #expect(try await findings() == 0)
        try await fixture.expectExactness(indexer, "after")
        try await fixture.close()
    }

    @Test func `searches go on while segments are merged and removed`() async throws {
        let fixture = try await IndexFixture()
        try await fixture.write(20, seed: 11)
        let indexer = fixture.indexer()
        let task = Task { await indexer.run() }
        try #require(await eventually { indexer.isCurrent })
        let plan = SearchPlan(SearchQuery("bread"))
        let isDone = Signal()
        let searches = Task {
            var count = 0
            while !isDone.isGiven {
                let hits = try await indexer.reading(plan.ranges) {
                    (view, blocks) throws(SearchIndexError) in
                    try view.hits(plan, blocks, after: nil, limit: 10)
                }
                #expect(hits.hits.count <= 10)
                count += 1
            }
            return count
        }
        try await fixture.write(120, seed: 12)
        try #require(await eventually { indexer.isCurrent })
        isDone.give()
        #expect(try await searches.value > 0)
        #expect(try indexer.view().segments.contains { $0.level > 0 })
        #expect(fixture.notices.values.isEmpty)
        try await fixture.expectExactness(indexer, "the end")
        task.cancel()
        await task.value
        try await fixture.close()
    }
}
