import ArticleAPI
import ArticleAdminAPI
import ArticleDatabase
import ArticleStore
import BroadsheetTestSupport
import Glibc
import Testing

@Suite struct KillTests {
    static let rounds = getenv("BROADSHEET_KILL_ROUNDS").flatMap { Int(String(cString: $0)) } ?? 5

    /// One acknowledged write, as the tool printed it.
    private struct Acknowledged {
        var id: Article.ID
        var revision: Int
        var isDeletion: Bool

        init?(_ line: String) {
            let words = line.split(separator: " ").map(String.init)
            guard words.count == 3, let id = Article.ID(words[1]), let revision = Int(words[2])
            else { return nil }
            self.id = id
            self.revision = revision
            isDeletion = words[0] == "deletion"
        }
    }

    @Test func `kill -9 at any moment loses no acknowledged write`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        var random = SystemRandomNumberGenerator()
        var acknowledged: [Acknowledged] = []
        for round in 1...Self.rounds {
            let program = try RunningProgram(builtProgram("broadsheet-store-writer"), [path])
            // Some rounds end while the file is being created or opened.
            let patience = round % 5 == 0 ? 0 : Int.random(in: 1...400, using: &random)
            var lines: [String] = []
            while lines.count < patience, let line = program.output.next() { lines.append(line) }
            program.signal(SIGKILL)
            lines += program.output.rest()
            #expect(program.wait() == 128 + SIGKILL)
            let new = lines.compactMap(Acknowledged.init)
            #expect(new.count == lines.count && new.count >= patience)
            acknowledged += new
            try await Self.verify(path, new, total: acknowledged.count)
        }
        // Writes of the first rounds still exist after the last one.
        try await Self.verify(path, acknowledged, total: acknowledged.count)
    }

    private static func verify(_ path: String, _ new: [Acknowledged], total: Int) async throws {
        guard access(path, F_OK) == 0 else { return #expect(total == 0) }
        let store = try SQLiteStore.open(path: path, mode: .create)
        for write in new {
            let history = try await store.revisions(
                of: write.id, below: write.revision + 1, limit: 1)
            #expect(history.items.first?.number == write.revision)
            #expect(history.items.first.map { $0.action == .deleted } == write.isDeletion)
        }
        let sequence = try await store.changeSequence()
        #expect(sequence >= total)
        await store.close()
        let report = try SQLiteStore.check(path: path)
        #expect(report.findings == [] && report.changes == Int(sequence))
    }
}
