import ArticleAPI
import ArticleStore
import BroadsheetPlatform
import BroadsheetTestSupport
import Glibc
import Testing

@testable import ArticleDatabase

@Suite struct CopyTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("a.db")
    }

    private func emptyFile(_ name: String) throws -> String {
        let path = folder.file(name)
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL, 0o600)
        try #require(descriptor >= 0)
        close(descriptor)
        return path
    }

    private static let text = String(repeating: "Flour and water. ", count: 1_000)

    /// The number of articles in a copy, which must be intact.
    private static func articles(in copy: String) throws -> Int {
        let report = try SQLiteStore.settle(copy: copy)
        #expect(report.isClean, "\(report.findings)")
        for ending in ["-wal", "-shm", "-journal"] { #expect(access(copy + ending, F_OK) != 0) }
        return report.articles
    }

    @Test func `a copy made during writes is complete, and does not block them`()
        async throws
    {
        let store = try SQLiteStore.open(path: path, mode: .create)
        for number in 0..<200 {
            _ = try await store.createArticle(
                .make(), .sample("before \(number)", body: Self.text), by: .first)
        }
        let steps = Lock<[CopyProgress]>([])
        let isOver = Lock(false)
        async let writes: Int = {
            var count = 0
            // A lower bound: the copy may end before the first.
            while count < 20 || !isOver.withLock({ $0 }) {
                _ = try await store.createArticle(
                    .make(), .sample("during \(count)", body: Self.text), by: .first)
                count += 1
            }
            return count
        }()
        let copy = try emptyFile("copy.db")
        try await store.copy(into: copy).make { progress in
            steps.withLock { $0.append(progress) }
        }
        isOver.withLock { $0 = true }
        let written = try await writes
        let copied = try Self.articles(in: copy)
        #expect((200...200 + written).contains(copied))
        let shown = steps.withLock { $0 }
        #expect(shown.count > 2, "it went in steps")
        #expect(shown.last.map { $0.pages == $0.total } == true)
        await store.close()

        let again = try SQLiteStore.open(path: copy, mode: .existing)
        _ = try await again.createArticle(.make(), .sample("after"), by: .first)
        await again.close()
        #expect(try SQLiteStore.check(path: copy).articles == copied + 1)
    }

    @Test func `a copy contains earlier writes`() async throws {
        let store = try SQLiteStore.open(path: path, mode: .create)
        for round in 1...5 {
            _ = try await store.createArticle(.make(), .sample("n\(round)"), by: .first)
            let copy = try emptyFile("\(round).db")
            try await store.copy(into: copy).make { _ in }
            #expect(try Self.articles(in: copy) == round)
        }
        await store.close()
    }

    @Test func `a copy has users and identities, but neither sessions nor unused invitations`()
        async throws
    {
        let store = try SQLiteStore.open(path: path, mode: .create)
        let user = UserRecord.sample()
        let identity = IdentityRecord.sample("s1")
        let used = InvitationRecord.sample(1)
        for invitation in [used, .sample(2)] { try await store.createInvitation(invitation) }
        try await store.createUser(user, using: used.id, identity: identity, at: .start)
        _ = try await store.createSession(.sample(1, of: user), expecting: 0)
        let copy = try emptyFile("copy.db")
        try await store.copy(into: copy).make { _ in }
        #expect(try Self.articles(in: copy) == 0)
        #expect(try await store.session(.session(1)).user == user.id)
        await store.close()
        let restored = try SQLiteStore.open(path: copy, mode: .existing)
        #expect(try await restored.user(user.id) == user)
        #expect(try await restored.user(identifiedBy: identity) == user)
        #expect(try await restored.allSessions(after: nil, limit: 9).items == [])
        #expect(try await restored.invitations().map(\.id) == [used.id])
        await restored.close()
    }

    @Test func `a copy may be unlinked while it is made`() async throws {
        let store = try SQLiteStore.open(path: path, mode: .create)
        _ = try await store.createArticle(.make(), .sample(), by: .first)
        let copy = try emptyFile("copy.db")
        let descriptor = open(copy, O_RDONLY)
        defer { close(descriptor) }
        let opened = try store.copy(into: copy)
        unlink(copy)
        try await opened.make { _ in }
        var header = [UInt8](repeating: 0, count: 16)
        #expect(pread(descriptor, &header, 16, 0) == 16)
        #expect(header.starts(with: Array("SQLite format 3\0".utf8)))
        #expect(access(copy, F_OK) != 0)
        await store.close()
    }

    @Test func `closing a store ends its copies`() async throws {
        let store = try SQLiteStore.open(path: path, mode: .create)
        await store.close()
        let copy = try store.copy(into: try emptyFile("copy.db"))
        let error = try await failure { try await copy.make { _ in } }
        guard case .unavailable = error else { throw error }
    }

    @Test func `a file that is not served is copied with its log, and not changed`()
        async throws
    {
        let store = try SQLiteStore.open(path: path, mode: .create)
        _ = try await store.createArticle(.make(), .sample(), by: .first)
        // As after a power failure.
        let image = [try FileBytes.read(path), try FileBytes.read(path + "-wal")]
        await store.close()
        let left = folder.file("left.db")
        for (bytes, name) in zip(image, [left, left + "-wal"]) {
            try FileBytes.write(bytes, to: name)
        }
        let copy = try emptyFile("copy.db")
        try SQLiteStore.copy(left, to: CopyDestination(path: copy)) { _ in }
        #expect(try Self.articles(in: copy) == 1)
        #expect(try FileBytes.read(left) == image[0])
        #expect(try FileBytes.read(left + "-wal") == image[1])
    }

    @Test func `newer, foreign and uninitialized files are not copied`() async throws {
        let store = try SQLiteStore.open(path: path, mode: .create)
        await store.close()
        try RawSQLite(path).run("PRAGMA journal_mode = DELETE; PRAGMA user_version = 99")
        #expect(throws: StoreOpeningError.self) { try SQLiteStore.settle(copy: path) }
        let other = folder.file("other.db")
        try RawSQLite(other).run("CREATE TABLE t (a)")
        for (file, isForeign) in [(path, false), (other, true)] {
            do throws(StoreOpeningError) {
                _ = try SQLiteStore.settle(copy: file)
                Issue.record("\(file) was taken")
            } catch {
                switch error {
                case .foreign: #expect(isForeign)
                case .newer(_, let version, _): #expect(!isForeign && version == 99)
                default: Issue.record("\(error)")
                }
            }
        }
        let empty = try emptyFile("empty.db")
        let destination = try CopyDestination(path: try emptyFile("copy.db"))
        do throws(StoreOpeningError) {
            try SQLiteStore.copy(empty, to: destination) { _ in }
            Issue.record("an empty file was copied")
        } catch {
            guard case .unfinished = error else { throw error }
        }
    }

    @Test func `an interrupted first start is reported in a clear sentence`() async throws {
        let store = try SQLiteStore.open(path: path, mode: .create)
        await store.close()
        // A journal with the file's previous state: empty.
        try FileBytes.write([1], to: path + "-journal")
        do throws(StoreOpeningError) {
            _ = try SQLiteStore.check(path: path)
            Issue.record("it was checked")
        } catch {
            guard case .unfinished = error else { throw error }
            #expect(error.description.contains("serve it to initialize"))
        }
    }
}
