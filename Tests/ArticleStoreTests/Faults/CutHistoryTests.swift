import ArticleAPI
import ArticleStore
import BroadsheetTestDatabases
import BroadsheetTestSupport
import Testing

@testable import ArticleDatabase

/// Databases that were set back in time: who follows them has what they have, or is told to begin
/// anew.
@Suite struct CutHistoryTests {
    private static let cuts = Thoroughness.isFull ? 1_000 : 12

    private func with<Result>(
        _ database: CutDatabase, _ body: (any SQLStore) async throws -> Result
    ) async throws -> Result {
        let store = try database.open()
        do {
            let result = try await body(store)
            await store.close()
            return result
        } catch {
            await store.close()
            throw error
        }
    }

    /// Every follower's next page; `false` for one that was told to begin anew.
    private func follows(
        _ copy: inout SyncCopy, _ store: any ArticleStore
    ) async throws -> Bool {
        do { try await copy.catchUp(with: store) } catch StoreError.otherHistory {
            copy.query.position = nil
            copy = SyncCopy(copy.query)
            try await copy.catchUp(with: store)
            return false
        }
        return true
    }

    /// Waits until the store says that another history begins. It does so if something was lost.
    private func notice(of store: any SQLStore) async {
        guard store is PostgresStore else { return }
        let isNoted = Signal()
        store.notices.receive { _ in isNoted.give() }
        await isNoted.wait()
    }

    private func cutOften(_ database: CutDatabase) async throws {
        var history = RandomHistory(seed: 4_040)
        var copies = [Audience.everyone, .editors].map { SyncCopy(for: $0) }
        copies.append(
            SyncCopy(for: .everyone) { $0.filter.tags = [ArticleTag(named: "Food").key] })
        var (told, kept) = (0, 0)
        for cut in 0..<Self.cuts {
            try await with(database) { store in
                for _ in 0..<(1 + history.below(4)) { try await history.write(to: store) }
                for index in copies.indices where history.isTrue(in: 2) {
                    _ = try await copies[index].follow(store, limit: 1 + history.below(4))
                }
            }
            try database.save()
            let saved = history
            try await with(database) { store in
                for _ in 0..<history.below(6) { try await history.write(to: store) }
                for index in copies.indices where history.isTrue(in: 2) {
                    _ = try await copies[index].follow(store, limit: 1 + history.below(4))
                }
            }
            let isNoticed = cut % 4 == 3
            try database.setBack(isNoticed: isNoticed)
            history = saved
            history.reseed(UInt64(cut))
            try await with(database) { store in
                if isNoticed { await notice(of: store) }
                for _ in 0..<history.below(9) { try await history.write(to: store) }
                for index in copies.indices {
                    if try await follows(&copies[index], store) { kept += 1 } else { told += 1 }
                    try await copies[index].expectCurrent(in: store, "\(database), cut \(cut)")
                }
            }
        }
        #expect(told > 0 && kept > 0)
    }

    @Test func `followers of a file that is set back have what it has`() async throws {
        try await cutOften(.file())
    }

    @Test(.enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed"))
    func `followers of a PostgreSQL database that is set back have what it has`() async throws {
        try await cutOften(.schema())
    }

    private static var databases: [CutDatabase] {
        get throws { PostgresServer.isInstalled ? [try .file(), try .schema()] : [try .file()] }
    }

    @Test func `a position of what was lost never counts again`() async throws {
        for database in try Self.databases {
            let made = try await with(database) { store in
                try await store.createArticle(.make(), .sample(status: .published), by: .first)
            }
            let before = try await with(database) { store in try await position(in: store) }
            try database.save()
            // Lost: two articles, and the second revision of the first one.
            let (lost, edited) = try await with(database) { store in
                let edited = try await store.updateArticle(
                    made.id, expecting: .anything, by: .later(1)
                ) { _ in .sample("Lost", status: .published) }
                for number in 2...3 {
                    _ = try await store.createArticle(
                        .make(), .sample("Lost \(number)", status: .published), by: .first)
                }
                return (try await position(in: store), edited)
            }
            try database.setBack(isNoticed: false)
            try await with(database) { store in
                #expect(try await isRejected(lost, in: store), "\(database)")
                let other = try await store.updateArticle(
                    made.id, expecting: .anything, by: .later(2)
                ) { _ in .sample("Other", status: .published) }
                #expect(other.revision == edited.revision && other.version != edited.version)
                for number in 4...8 {
                    _ = try await store.createArticle(
                        .make(), .sample("New \(number)", status: .published), by: .first)
                }
                #expect(try await isRejected(lost, in: store), "\(database)")
                #expect(try await !isRejected(before, in: store), "\(database)")
                var copy = SyncCopy(for: .everyone)
                copy.query.position = before
                #expect(try await copy.catchUp(with: store).count == 6)
                let error = try await failure {
                    try await store.deleteArticle(
                        made.id, expecting: .versions([edited.version ?? ""]), by: .later(3))
                }
                guard case .preconditionFailed = error else { throw error }
            }
        }
    }

    @Test func `a start with a database that was set back begins another history`() async throws {
        for database in try Self.databases {
            let before = try await with(database) { store in
                _ = try await store.createArticle(.make(), .sample(), by: .first)
                return try await position(in: store)
            }
            try database.save()
            try await with(database) { store in
                _ = try await store.createArticle(.make(), .sample("Lost"), by: .first)
            }
            try database.setBack(isNoticed: true)
            try await with(database) { store in
                let isNoted = Signal()
                store.notices.receive { _ in isNoted.give() }
                await isNoted.wait()
                let isRejected = try await isRejected(before, in: store)
                #expect(isRejected, "\(database)")
            }
            try await with(database) { store in
                store.notices.receive { Issue.record("\(database): \($0)") }
                let epoch = try await position(in: store).epoch
                try await store.beginHistory()
                let later = try await position(in: store).epoch
                #expect(later != epoch)
            }
        }
    }

    @Test(.enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed"))
    func `a server whose database loses commits begins another history`() async throws {
        let database = try CutDatabase.schema()
        try await with(database) { store in
            _ = try await store.createArticle(.make(), .sample(), by: .first)
        }
        try database.save()
        try await with(database) { store in
            for number in 0..<3 {
                _ = try await store.createArticle(.make(), .sample("\(number)"), by: .first)
            }
            let commit = store.node.lastCommit
            let epoch = try await position(in: store).epoch
            let isNoted = Signal()
            store.notices.receive { _ in isNoted.give() }
            try database.setBack(isNoticed: false)
            _ = try await store.createArticle(.make(), .sample("New"), by: .first)
            await isNoted.wait()
            #expect(try await position(in: store).epoch != epoch)
            // Nobody waits for a commit that is lost.
            #expect(await store.node.waitUntilCurrent(with: commit + 100))
        }
    }

    @Test func `a file that lacks nothing that was noted is not taken for another`() async throws {
        let database = try CutDatabase.file()
        guard case .file(let path, _) = database else { return }
        for number in 0..<3 {
            try await with(database) { store in
                store.notices.receive { Issue.record("\($0)") }
                _ = try await store.createArticle(.make(), .sample("\(number)"), by: .first)
            }
            // What was noted is older than the file, as after a crash.
            if number == 0 { try copy(path + ".lock", to: path + ".older") }
            if number == 1 { try copy(path + ".older", to: path + ".lock") }
        }
    }

    private func copy(_ path: String, to other: String) throws {
        #expect(try RunningProgram("/bin/cp", [path, other]).wait() == 0)
    }

    private func position(in store: any ArticleStore) async throws -> ChangePosition {
        var query = ChangeQuery(audience: .everyone)
        query.startsNow = true
        return try await store.changes(query).position
    }

    private func isRejected(
        _ position: ChangePosition, in store: any ArticleStore
    ) async throws -> Bool {
        var query = ChangeQuery(audience: .everyone)
        query.position = position
        do { _ = try await store.changes(query) } catch StoreError.otherHistory { return true }
        return false
    }
}
