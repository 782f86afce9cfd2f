import ArticleAPI
import ArticleDatabase
import ArticleStore
import BroadsheetTestSupport
import Glibc
import Testing

/// Files that were damaged while they were closed.
@Suite struct DamageTests {
    /// The files of a store that was killed: the log has all its commits.
    private struct DamagedFiles {
        var file: [UInt8]
        var log: [UInt8]
        /// Ids in the order of their commits, one for each.
        var ids: [Article.ID]

        init(_ count: Int) async throws {
            let folder = try TemporaryFolder()
            let path = folder.file("a.db")
            let store = try SQLiteStore.open(path: path, mode: .create)
            await store.close()
            let again = try SQLiteStore.open(path: path, mode: .create)
            ids = []
            for number in 0..<count {
                ids.append(
                    try await again.createArticle(.make(), .sample("n\(number)"), by: .first).id)
            }
            file = try FileBytes.read(path)
            log = try FileBytes.read(path + "-wal")
            await again.close()
        }

        /// Copies them to a new folder.
        func laid(log: [UInt8], file: [UInt8]? = nil) throws -> TemporaryFolder {
            let folder = try TemporaryFolder()
            try FileBytes.write(file ?? self.file, to: folder.file("a.db"))
            try FileBytes.write(log, to: folder.file("a.db-wal"))
            return folder
        }
    }

    /// With `make faults` every byte of the log, otherwise some around and between the ends of its
    /// frames; and whether to try a write, too, which takes most of the time.
    private static func places(in log: [UInt8]) -> [(place: Int, writes: Bool)] {
        let frame = 24 + 4_096
        return log.indices.compactMap { place in
            let within = (place - 32) % frame
            let isEnd = place < 32 || within < 24 || within > frame - 3
            if Thoroughness.isFull { return (place, isEnd || place % 11 == 0) }
            let isSample = place < 32 || within % 2_371 == 5 || (isEnd && place % 13 == 0)
            return isSample ? (place, true) : nil
        }
    }

    private static let commits = Thoroughness.isFull ? 2 : 3

    @Test func `a log truncated anywhere has the commits before the cut`() async throws {
        let remains = try await DamagedFiles(Self.commits)
        var counts: [Int] = []
        for (place, writes) in Self.places(in: remains.log) {
            let folder = try remains.laid(log: Array(remains.log[..<place]))
            counts.append(
                try await Self.verifyPrefix(folder, remains, writes: writes, "cut at \(place)"))
        }
        // More of the log never yields fewer commits, and the cuts hit commits.
        #expect(counts == counts.sorted() && Set(counts) == Set(0..<Self.commits))
    }

    @Test func `a log with a flipped bit anywhere has the commits before it`() async throws {
        let remains = try await DamagedFiles(Self.commits)
        var counts: Set<Int> = []
        for (place, writes) in Self.places(in: remains.log) {
            var log = remains.log
            log[place] ^= 1 << UInt8(place % 8)
            let folder = try remains.laid(log: log)
            counts.insert(
                try await Self.verifyPrefix(
                    folder, remains, writes: writes, "flipped at \(place)"))
        }
        #expect(counts.isSuperset(of: 0..<Self.commits))
    }

    /// The first commits are complete, and nothing of the others is visible; a write succeeds if it
    /// is tried.
    private static func verifyPrefix(
        _ folder: TemporaryFolder, _ remains: DamagedFiles, writes: Bool, _ what: Testing.Comment
    ) async throws -> Int {
        let store = try SQLiteStore.open(path: folder.file("a.db"), mode: .existing)
        let count = Int(try await store.changeSequence())
        for (index, id) in remains.ids.enumerated() {
            let article = try? await store.article(.id(id), visibleTo: .editors)
            #expect((article?.title) == (index < count ? "n\(index)" : nil), what)
        }
        if writes { _ = try await store.createArticle(.make(), .sample("after"), by: .first) }
        await store.close()
        guard writes else { return count }
        let report = try SQLiteStore.check(path: folder.file("a.db"))
        #expect(report.findings == [] && report.changes == count + 1, what)
        return count
    }

    @Test func `a corrupt page anywhere is detected and never read as something else`() async throws
    {
        let remains = try await DamagedFiles(40)
        let whole = try remains.laid(log: remains.log)
        let store = try SQLiteStore.open(path: whole.file("a.db"), mode: .existing)
        await store.close()
        let file = try FileBytes.read(whole.file("a.db"))
        var opened = 0
        for page in 0..<file.count / 4_096 {
            let folder = try remains.laid(log: [], file: file)
            corruptPage(folder.file("a.db"), page: Int64(page + 1))
            let report = try? SQLiteStore.check(path: folder.file("a.db"))
            #expect(report?.isClean != true, "page \(page + 1)")
            if await Self.use(folder.file("a.db"), remains.ids, "page \(page + 1)") { opened += 1 }
        }
        #expect(opened > 0, "not every page is read to open the file")
    }

    /// Reads and writes are correct or report corruption. Returns whether the file could be opened;
    /// if not, corruption must be the reason.
    private static func use(_ path: String, _ ids: [Article.ID], _ what: Testing.Comment) async
        -> Bool
    {
        let store: SQLiteStore
        do throws(StoreOpeningError) {
            store = try SQLiteStore.open(path: path, mode: .existing)
        } catch {
            switch error {
            // The first page contains the type of the file.
            case .foreign, .damaged: break
            // SQLITE_CORRUPT or SQLITE_NOTADB.
            case .failed(_, let reason):
                #expect(reason.hasPrefix("SQLite 11:") || reason.hasPrefix("SQLite 26:"), what)
            default: Issue.record("\(what): \(error)")
            }
            return false
        }
        for (index, id) in ids.enumerated() {
            do throws(StoreError) {
                let article = try await store.article(.id(id), visibleTo: .editors)
                #expect(article.title == "n\(index)" && article.body == "Flour and water.", what)
            } catch { expectDamage(error, what) }
        }
        do throws(StoreError) {
            _ = try await store.createArticle(.make(), .sample("more"), by: .first)
        } catch { expectDamage(error, what) }
        await store.close()
        return true
    }

    private static func expectDamage(_ error: StoreError, _ what: Testing.Comment) {
        switch error {
        case .corrupt, .unavailable: break
        default: Issue.record("\(what): \(error)")
        }
    }
}
