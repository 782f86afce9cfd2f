import ArticleAPI
import ArticleStore
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@testable import ArticleDatabase

/// A primary dies and its synchronous standby takes its place, again and again, while clients
/// write.
@Suite(.enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed"))
struct FailoverTests {
    /// The knowledge of the writers.
    private final class Ledger: Sendable {
        struct State {
            var acknowledged: [Article.ID: String] = [:]
            var rejected: Set<Article.ID> = []
            var isClosed = false
        }

        let state = Lock(State())
        private let acknowledgement: AsyncStream<Void>.Continuation

        init(_ acknowledgement: AsyncStream<Void>.Continuation) {
            self.acknowledgement = acknowledgement
        }

        func acknowledge(_ id: Article.ID, _ title: String) {
            state.withLock { $0.acknowledged[id] = title }
            acknowledgement.yield()
        }

        func reject(_ id: Article.ID) { state.withLock { _ = $0.rejected.insert(id) } }
    }

    private static func write(
        to store: PostgresStore, as writer: Int, _ ledger: Ledger
    ) async throws(StoreError) {
        var number = 0
        while !ledger.state.withLock({ $0.isClosed }) {
            let (id, title) = (Article.ID.make(), "\(writer)-\(number)")
            number += 1
            do throws(StoreError) {
                _ = try await store.createArticle(id, .sample(title), by: .first)
                ledger.acknowledge(id, title)
            } catch {
                // Or it would have waited for too long behind a commit that was in progress.
                switch error {
                case .unavailable, .busy, .delayed: ledger.reject(id)
                default: throw error
                }
            }
        }
    }

    @Test func `no acknowledged write is lost and none is stored twice`() async throws {
        let pair = try PostgresPair()
        let store = try PostgresStore.open(PostgresAddress(pair.url))
        let (acknowledgements, continuation) = AsyncStream<Void>.makeStream(
            bufferingPolicy: .bufferingOldest(20))
        let ledger = Ledger(continuation)
        try await withThrowingTaskGroup { group in
            for writer in 0..<8 {
                group.addTask { try await Self.write(to: store, as: writer, ledger) }
            }
            var acknowledged = acknowledgements.makeAsyncIterator()
            for _ in 0..<(Thoroughness.isFull ? 20 : 3) {
                // The primary dies while it has work.
                for _ in 0..<40 { _ = await acknowledged.next() }
                try pair.failOver()
            }
            ledger.state.withLock { $0.isClosed = true }
            try await group.waitForAll()
        }
        let known = ledger.state.withLock { $0 }
        for (id, title) in known.acknowledged {
            #expect(try await store.article(.id(id), visibleTo: .editors).title == title)
        }
        for id in known.rejected {
            let error = try await failure {
                _ = try await store.article(.id(id), visibleTo: .editors)
            }
            guard case .notFound = error else { throw error }
        }
        let count = known.acknowledged.count
        #expect(try await store.articleCount() == count)
        #expect(try await store.changeSequence() == count)
        await store.close()
    }

    @Test func `a write is acknowledged when the standby has it, however long that takes`()
        async throws
    {
        let pair = try PostgresPair()
        let address = try PostgresAddress(pair.url)
        var configuration = PostgresConfiguration()
        configuration.writeMilliseconds = 300
        let store = try PostgresStore.open(
            address, path: "/nowhere/store", mode: .create, configuration: configuration)
        let other = try PostgresSession(address, settings: [])
        try pair.stopStandby()
        let isAcknowledged = Lock(false)
        async let article = {
            let article = try await store.createArticle(.make(), .sample("a"), by: .first)
            isAcknowledged.withLock { $0 = true }
            return article
        }()
        // Until the commit has waited for longer than a statement may.
        let waiting = """
            SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'
                AND clock_timestamp() - query_start > '1 second'
            """
        #expect(await eventually { (try? other.value(waiting)) == "1" })
        #expect(isAcknowledged.withLock { !$0 })
        try pair.startStandby()
        #expect(try await article.title == "a")
        await store.close()
    }

    @Test func `writes behind a commit that waits for the standby are rejected after a while`()
        async throws
    {
        let pair = try PostgresPair()
        let address = try PostgresAddress(pair.url)
        var configuration = PostgresConfiguration()
        // Enough for a write that nothing holds up.
        configuration.limits.commitPatienceMilliseconds = 2_000
        let store = try PostgresStore.open(
            address, path: "/nowhere/store", mode: .create, configuration: configuration)
        let other = try PostgresSession(address, settings: [])
        try pair.stopStandby()
        async let first = store.createArticle(.make(), .sample("a"), by: .first)
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
        #expect(await eventually { (try? other.value(waiting)) == "1" })
        // The first of them may have to wait, the next ones need not.
        for title in ["b", "c"] {
            let error = try await failure {
                _ = try await store.createArticle(.make(), .sample(title), by: .first)
            }
            guard case .delayed(.standby) = error else { throw error }
        }
        #expect(store.statistics.waitingWrites == 0)
        #expect(store.statistics.commitDelay == .standby)
        #expect(store.statistics.commitSeconds >= 2)
        try pair.startStandby()
        // What became of the first one was not known until now.
        #expect(try await first.title == "a")
        #expect(try await store.createArticle(.make(), .sample("d"), by: .first).title == "d")
        #expect(try await store.articleCount() == 2)
        await store.close()
    }
}
