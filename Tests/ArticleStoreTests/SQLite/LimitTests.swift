import ArticleAPI
import ArticleDatabase
import ArticleStore
import BroadsheetPlatform
import BroadsheetTestSupport
import Glibc
import Testing

@Suite struct LimitTests {
    private static func open(
        _ folder: TemporaryFolder, _ change: (inout SQLiteConfiguration) -> Void
    ) throws -> SQLiteStore {
        var configuration = SQLiteConfiguration()
        change(&configuration)
        return try SQLiteStore.open(
            path: folder.file("a.db"), mode: .create, configuration: configuration)
    }

    /// Articles that alternately have the tag `even` and the author `odd`: none has both.
    private static func fill(_ store: SQLiteStore, _ count: Int) async throws -> Author.ID {
        for start in stride(from: 0, to: count, by: 500) {
            var items: [ImportItem] = []
            for number in start..<min(start + 500, count) {
                let isEven = number % 2 == 0
                let content = ArticleContent.sample(
                    "n\(number)", slug: .keep, body: "", authors: isEven ? [] : [.name("odd")],
                    tags: isEven ? ["even"] : [], at: .start + Int64(number))
                items.append(
                    ImportItem(path: "\(number)", digest: [0], id: .make(), content: content))
            }
            _ = try await store.importArticles(items, by: .later(10_000), dryRun: false)
        }
        let authors = try await store.authors(after: nil, limit: 1, visibleTo: .editors)
        return try #require(authors.items.first?.id)
    }

    @Test(arguments: ArticleSort.allCases)
    func `a page with few matches in many rows is short and has a cursor`(
        _ sort: ArticleSort
    ) async throws {
        let folder = try TemporaryFolder()
        let store = try Self.open(folder) { $0.examinedRowsPerPage = 100 }
        var query = ArticleQuery(audience: .everyone)
        query.filter.author = try await Self.fill(store, 2_000)
        query.filter.tags = ["even"]
        query.sort = sort
        var pages = 0
        repeat {
            let page = try await store.articles(query)
            #expect(page.items.isEmpty)
            query.after = page.next
            pages += 1
        } while query.after != nil
        // A thousand rows under the rarer facet (or all 2,000), each with one or two probes.
        #expect((15...60).contains(pages))
        await store.close()
    }

    @Test func `counting stops at the row limit and reports an inexact count`() async throws {
        let folder = try TemporaryFolder()
        let store = try Self.open(folder) { $0.examinedRowsPerCount = 100 }
        var query = ArticleQuery(audience: .everyone)
        query.counts = true
        query.filter.author = try await Self.fill(store, 300)
        // 150 rows under either name; those that are also probed for the other one count twice.
        #expect(try await store.articles(query).count == PageCount(value: 100, isExact: false))
        query.filter.tags = ["even"]
        #expect(try await store.articles(query).count == PageCount(value: 0, isExact: false))
        query.filter.tags = ["nowhere"]
        #expect(try await store.articles(query).count == PageCount(value: 0, isExact: true))
        await store.close()
    }

    @Test func `counting stops at ten thousand`() async throws {
        let folder = try TemporaryFolder()
        let store = try Self.open(folder) { _ in }
        var query = ArticleQuery(audience: .editors)
        query.counts = true
        _ = try await Self.fill(store, 10_000)
        #expect(try await store.articles(query).count == PageCount(value: 10_000, isExact: true))
        _ = try await store.createArticle(.make(), .sample("more"), by: .first)
        #expect(try await store.articles(query).count == PageCount(value: 10_000, isExact: false))
        await store.close()
    }

    private static func key(_ number: Int, of principal: String = "a") -> IdempotencyKey {
        var scope = [UInt8](repeating: 0, count: 32)
        scope[0] = UInt8(number)
        scope[1] = principal.utf8.first ?? 0
        return IdempotencyKey(
            scope: scope, request: [UInt8](repeating: 0, count: 32), principal: principal)
    }

    private static func write(
        _ number: Int, of principal: String = "a", at milliseconds: Int64, in store: SQLiteStore
    ) async throws {
        let edit = Edit(at: .start + milliseconds, by: .operator, key: key(number, of: principal))
        _ = try await store.createArticle(
            .make(), .sample("n\(number)", slug: .like("n")), by: edit)
    }

    private static let day: Int64 = 24 * 60 * 60 * 1_000

    @Test func `idempotent writes are stored up to a limit per principal, and expire`()
        async throws
    {
        let folder = try TemporaryFolder()
        let store = try Self.open(folder) { $0.idempotencyRecordsPerPrincipal = 20 }
        for number in 0..<20 { try await Self.write(number, at: Int64(number), in: store) }
        let error = try await failure { try await Self.write(20, at: 20, in: store) }
        guard case .tooMany = error else { throw error }
        // Another principal has a separate limit.
        try await Self.write(1, of: "b", at: 21, in: store)
        #expect(try await store.articleCount() == 21)
        for number in 20..<40 {
            try await Self.write(number, at: Self.day + Int64(number), in: store)
        }
        await store.close()
        // Each of the twenty deleted old ones, and added a new one.
        let plain = try RawSQLite(folder.file("a.db"))
        #expect(plain.number("SELECT count(*) FROM kept_writes") == 20)
        #expect(plain.number("SELECT done FROM kept_counts WHERE principal = 'a'") == 20)
        #expect(plain.number("SELECT count(*) FROM kept_counts") == 1)
        #expect(try SQLiteStore.check(path: folder.file("a.db")).findings == [])
    }

    @Test func `rejected writes do not count towards the limit of successful ones`() async throws {
        let folder = try TemporaryFolder()
        let store = try Self.open(folder) {
            $0.idempotencyRecordsPerPrincipal = 2
            $0.rejectionsPerPrincipal = 3
        }
        for number in 0..<9 {
            try await store.keepRejection([1], of: Self.key(number), at: .start)
        }
        // The oldest was deleted.
        for number in 0..<9 {
            let kept = try await store.idempotencyRecord(Self.key(number).scope, at: .start)
            #expect((kept != nil) == (number >= 6), "\(number)")
        }
        for number in 10..<12 { try await Self.write(number, at: 0, in: store) }
        let error = try await failure { try await Self.write(12, at: 0, in: store) }
        guard case .tooMany = error else { throw error }
        await store.close()
        #expect(try SQLiteStore.check(path: folder.file("a.db")).findings == [])
    }

    @Test func `a clock that was ahead for a while blocks writes for at most a day`()
        async throws
    {
        let folder = try TemporaryFolder()
        let store = try Self.open(folder) { $0.idempotencyRecordsPerPrincipal = 3 }
        for number in 0..<3 { try await Self.write(number, at: 1_000 * Self.day, in: store) }
        _ = try await failure { try await Self.write(4, at: 0, in: store) }
        // Another principal's writes redate them, and they expire a day later.
        try await Self.write(5, of: "b", at: 1, in: store)
        #expect(try await store.idempotencyRecord(Self.key(0).scope, at: .start + 2) != nil)
        try await Self.write(6, of: "b", at: Self.day + 2, in: store)
        for number in 7..<10 { try await Self.write(number, at: Self.day + 3, in: store) }
        await store.close()
    }

    @Test func `short pages omit and repeat nothing`() async throws {
        let folder = try TemporaryFolder()
        let store = try Self.open(folder) { $0.examinedRowsPerPage = 7 }
        _ = try await Self.fill(store, 300)
        var query = ArticleQuery(audience: .editors)
        query.filter.tags = ["even"]
        query.sort = .createdFirst
        var titles: [String] = []
        repeat {
            let page = try await store.articles(query)
            titles += page.items.map(\.title)
            query.after = page.next
        } while query.after != nil
        #expect(titles.sorted() == stride(from: 0, to: 300, by: 2).map { "n\($0)" }.sorted())
        await store.close()
    }

    @Test func `a full file rejects writes, can still be read, and recovers`() async throws {
        let folder = try TemporaryFolder()
        let store = try Self.open(folder) { $0.fileLimitBytes = 1 << 20 }
        let text = String(repeating: "x", count: 100_000)
        var ids: [Article.ID] = []
        var last: StoreError?
        while last == nil, ids.count < 100 {
            do {
                let made = try await store.createArticle(
                    .make(), .sample("n\(ids.count)", body: text), by: .first)
                ids.append(made.id)
            } catch { last = error }
        }
        guard case .full = last else { throw last ?? .notFound }
        #expect(ids.count > 3)
        let count = ids.count
        // Small writes are not lost if they share a commit with one that does not fit on the disk.
        let outcomes = await withTaskGroup(of: (Int, Bool).self) { group in
            for number in 0..<20 {
                group.addTask {
                    let body = number % 5 == 0 ? text : ""
                    let made = try? await store.createArticle(
                        .make(), .sample("m\(number)", body: body), by: .first)
                    return (number, made != nil)
                }
            }
            return await group.reduce(into: [Int: Bool]()) { $0[$1.0] = $1.1 }
        }
        #expect(outcomes.allSatisfy { $0.value == ($0.key % 5 != 0) })
        for id in ids {
            #expect(try await store.article(.id(id), visibleTo: .editors).body == text)
        }
        #expect(try await store.articleCount() == count + 16)
        await store.close()
        #expect(try SQLiteStore.check(path: folder.file("a.db")).findings == [])
        let roomy = try Self.open(folder) { _ in }
        _ = try await roomy.createArticle(.make(), .sample("more", body: text), by: .first)
        #expect(try await roomy.changeSequence() == Int64(count + 17))
        await roomy.close()
    }

    @Test func `an export that holds the log is stopped before the log exceeds its limit`()
        async throws
    {
        let folder = try TemporaryFolder()
        let store = try Self.open(folder) {
            $0.logBytes = 256 << 10
            $0.logLimitBytes = 1 << 20
            $0.logPatienceMilliseconds = 20
        }
        let text = String(repeating: "x", count: 20_000)
        for number in 0..<30 {
            _ = try await store.createArticle(
                .make(), .sample("n\(number)", body: text), by: .first)
        }
        let (started, signal) = AsyncStream.makeStream(of: Void.self)
        let isWritten = Lock(false)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                let error = try await failure {
                    try await store.export { _ in
                        signal.finish()
                        while !isWritten.withLock({ $0 }) { sched_yield() }
                    }
                }
                guard case .unavailable = error else { throw error }
            }
            for await _ in started {}
            for number in 30..<200 {
                _ = try await store.createArticle(
                    .make(), .sample("n\(number)", body: text), by: .first)
                // The writer has interrupted the export by now, which ends when it continues.
                if number == 150 { isWritten.withLock { $0 = true } }
            }
            try await group.waitForAll()
        }
        var status = stat()
        #expect(stat(folder.file("a.db-wal"), &status) == 0 && status.st_size < 4 << 20)
        #expect(try await store.articleCount() == 200)
        await store.close()
    }
}
