import ArticleAPI
import ArticleDatabase
import ArticleStore
import BroadsheetTestSupport
import Testing

/// Failing writes, flushes, truncations and removals: each of them, once and permanently.
@Suite struct DiskFaultTests {
    @Test(arguments: FaultyDisk.Failure.allCases)
    func `one failure anywhere loses nothing, and is never reported as success`(
        failure: FaultyDisk.Failure
    ) async throws {
        try await Self.everywhere { place in
            try await Self.fail(.failing(failure, from: place, count: 1), "\(failure) at \(place)")
        }
    }

    @Test(arguments: FaultyDisk.Failure.allCases)
    func `a failing disk can be read, rejects writes, and recovers`(
        failure: FaultyDisk.Failure
    ) async throws {
        try await Self.everywhere { place in
            try await Self.fail(
                .failing(failure, from: place, count: 1_000), "\(failure) from \(place) on")
        }
    }

    @Test func `a power failure anywhere preserves acknowledged writes`() async throws {
        try await Self.everywhere { place in
            let disk = try FaultyDisk(.powerCut(at: place))
            var workload = RecordedWorkload()
            if let store = try? RecordedWorkload.open(disk.databasePath) {
                await workload.work(on: store)
                await store.close()
            }
            guard disk.wasHit else { return false }
            for seed in UInt64(0)..<4 {
                let found = try disk.afterPowerCut(seed: seed)
                try await Self.verify(
                    workload, found.file("a.db"), "cut at \(place), seed \(seed)")
            }
            return true
        }
    }

    @Test(arguments: [("OFF", false), ("FULL", true)])
    func `a power failure loses unflushed writes`(flushing: String, stays: Bool) throws {
        let disk = try FaultyDisk(.none)
        let plain = try RawSQLite(disk.databasePath)
        plain.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = \(flushing)")
        plain.run("CREATE TABLE kept (number); INSERT INTO kept VALUES (7)")
        let folder = try disk.afterPowerCut(seed: 0)
        let found = try RawSQLite(folder.file("a.db"))
        #expect((found.number("SELECT number FROM kept") == 7) == stays)
    }

    /// Runs the body for fault positions until there are no more (`false`): all of them with `make
    /// faults`, some of them otherwise.
    private static func everywhere(_ body: (Int) async throws -> Bool) async throws {
        let step = Thoroughness.isFull ? 1 : 59
        var place = 1
        while try await body(place) { place += step }
        #expect(place > 100, "the fault was never met")
    }

    /// - Returns: whether the fault happened.
    private static func fail(_ fault: FaultyDisk.Fault, _ what: Testing.Comment) async throws
        -> Bool
    {
        let disk = try FaultyDisk(fault)
        var workload = RecordedWorkload()
        if let store = try? RecordedWorkload.open(disk.databasePath) {
            await workload.work(on: store)
            for error in workload.errors { expectStorage(error, what) }
            // Reads still work on the failing disk; after its repair, writes do, too.
            try await workload.verifyAcknowledged(in: store, what)
            try await workload.verifyFailed(in: store, what)
            disk.heal()
            let more = RecordedWorkload.Mark(id: .make(), revision: 1, body: "More")
            #expect(await workload.create(more, 99, on: store), what)
            try await workload.verifyAcknowledged(in: store, what)
            await store.close()
        }
        disk.heal()
        try await verify(workload, disk.databasePath, what, failuresToo: true)
        return disk.wasHit
    }

    /// A failing disk must be reported as such.
    private static func expectStorage(_ error: StoreError, _ what: Testing.Comment) {
        switch error {
        case .full, .unavailable: break
        default: Issue.record("\(what): \(error)")
        }
    }

    /// The file can be opened, contains all acknowledged writes, is intact and writable.
    private static func verify(
        _ workload: RecordedWorkload, _ path: String, _ what: Testing.Comment,
        failuresToo: Bool = false
    ) async throws {
        do {
            let store = try RecordedWorkload.open(path)
            try await workload.verifyAcknowledged(in: store, what)
            if failuresToo { try await workload.verifyFailed(in: store, what) }
            try await workload.verifyPublication(in: store, what)
            let sequence = try await store.changeSequence()
            #expect(sequence >= workload.acknowledged.count, what)
            _ = try await store.createArticle(.make(), .sample("after"), by: .first)
            await store.close()
            let report = try SQLiteStore.check(path: path)
            #expect(report.findings == [], what)
            #expect(report.changes == Int(sequence) + 1, what)
        } catch { Issue.record(error, what) }
    }
}
