import ArticleAPI
import ArticleStore
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

@testable import ArticleDatabase

/// Several processes that use one database.
@Suite(.enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed"))
struct NodeTests {
    /// Remembers what was announced.
    private final class Listener: ChangeObserver {
        private struct State {
            var changes: [ChangeRecord?] = []
            var last: Int64 = 0
        }

        private let state = Lock(State())

        init(_ store: PostgresStore) { store.observeChanges(self) }

        /// `nil` for changes that were not listed.
        var changes: [ChangeRecord?] { state.withLock { $0.changes } }
        var last: Int64 { state.withLock { $0.last } }

        func didCommit(_ changes: CommitChanges) {
            state.withLock { state in
                state.changes += changes.records ?? [nil]
                state.last = changes.sequence
            }
        }
    }

    /// Remembers what was said of access.
    private final class AccessListener: Sendable {
        private let received = Lock<[AccessChange]>([])
        private let failures: Lock<Int>

        init(failing failures: Int = 0) { self.failures = Lock(failures) }

        var changes: [AccessChange] { received.withLock { $0 } }

        func apply(_ changes: [AccessChange]) throws(StoreError) {
            let fails = failures.withLock { count in
                count -= 1
                return count >= 0
            }
            if fails { throw .busy }
            received.withLock { $0 += changes }
        }
    }

    /// Two stores over one database.
    private func with(
        _ body: (PostgresStore, PostgresStore) async throws -> Void
    ) async throws {
        let address = try PostgresServer.shared.newSchema()
        let first = try PostgresStore.open(address)
        let second = try PostgresStore.open(address)
        do { try await body(first, second) } catch {
            await first.close()
            await second.close()
            throw error
        }
        await first.close()
        await second.close()
    }

    // MARK: Changes

    @Test func `what one commits, the others announce with all that is known of it`()
        async throws
    {
        try await with { first, second in
            let (here, there) = (Listener(first), Listener(second))
            let user = UserRecord.sample("ada")
            try await first.createUser(user, using: nil, at: .start)
            let article = try await first.createArticle(.make(), .sample("a"), by: .first)
            _ = try await first.putBookmark(
                of: article.id, for: user.id, position: 0.5, seeing: .everyone, at: .start)
            try await first.deleteArticle(article.id, expecting: .anything, by: .later(1))
            #expect(await second.node.becomesCurrent(with: first.node.lastCommit))
            #expect(there.changes == here.changes)
            #expect(there.changes.contains { $0?.bookmarker == user.id })
            #expect(there.last == here.last)
        }
    }

    @Test func `a limit of comments holds for all nodes together`() async throws {
        try await with { first, second in
            let thread = try await CommentThread(first)
            let accepted = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<30 {
                    group.addTask {
                        let content = CommentContent(
                            article: thread.article, body: "\(number)", writer: thread.ada.id)
                        let store = number % 2 == 0 ? first : second
                        let comment = try? await store.createComment(
                            .make(), content, under: CommentRules(),
                            by: .later(Int64(number * 7 % 30)))
                        return comment != nil
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(accepted == 10)
        }
    }

    @Test func `every observer is told of each change once and in order, whoever made it`()
        async throws
    {
        try await with { first, second in
            let listeners = [Listener(first), Listener(second)]
            try await withThrowingTaskGroup { group in
                for (name, store) in [("a", first), ("b", second)] {
                    for writer in 0..<4 {
                        group.addTask {
                            for number in 0..<20 {
                                let title = "\(name)\(writer)-\(number)"
                                _ = try await store.createArticle(
                                    .make(), .sample(title), by: .first)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let last = max(first.node.lastCommit, second.node.lastCommit)
            for (store, listener) in zip([first, second], listeners) {
                #expect(await store.node.becomesCurrent(with: last))
                #expect(listener.changes.map { $0?.sequence } == (1...160).map { $0 })
                #expect(try await store.articleCount() == 160)
            }
        }
    }

    @Test func `a reader sees what others have committed once it has waited for that`()
        async throws
    {
        try await with { first, second in
            let id = try await first.createArticle(.make(), .sample("0"), by: .first).id
            for number in 1...30 {
                let (writer, reader) = number % 2 == 0 ? (first, second) : (second, first)
                _ = try await writer.updateArticle(id, expecting: .anything, by: .later(1)) {
                    .of($0) { $0.draft.title = "\(number)" }
                }
                #expect(await reader.node.becomesCurrent(with: writer.node.lastCommit))
                #expect(
                    try await reader.article(.id(id), visibleTo: .editors).title == "\(number)")
            }
        }
    }

    @Test func `a commit that the database does not have is not waited for`() async throws {
        try await with { first, _ in
            #expect(await first.node.becomesCurrent(with: first.node.lastCommit))
            #expect(await first.node.becomesCurrent(with: first.node.lastCommit + 1))
        }
    }

    // MARK: Access

    @Test func `others are told who may do what, and this process is not`() async throws {
        try await with { first, second in
            let (here, there) = (AccessListener(), AccessListener(failing: 2))
            async let _: Void = first.node.followAccess {
                (changes) throws(StoreError) in try here.apply(changes)
            }
            async let _: Void = second.node.followAccess {
                (changes) throws(StoreError) in try there.apply(changes)
            }
            #expect(await eventually { here.changes == [.all] })
            let user = UserRecord.sample("ada")
            try await first.createUser(user, using: nil, at: .start)
            let key = KeyRecord(
                id: "00ff", digest: [UInt8](repeating: 1, count: 32), name: "app",
                role: "reader", createdAt: .start)
            try await first.createKey(key)
            _ = try await first.revokeKey(key.id, at: .start)
            var change = UserChange()
            change.role = "editor"
            _ = try await first.updateUser(user.id, expecting: nil, change, at: .start)
            #expect(await second.node.becomesCurrent(with: first.node.lastCommit))
            #expect(
                Set(there.changes).isSuperset(
                    of: [.key(key.id), .user(user.id, keeping: nil)]))
            #expect(await first.node.becomesCurrent(with: second.node.lastCommit))
            #expect(here.changes == [.all])
        }
    }

    @Test func `notes are read as they were written, and unknown ones mean everything`() {
        let user = User.ID.make()
        var effects = CommitEffects()
        let changes: [AccessChange] = [
            .purge(.make()),
            .key("00ff"), .session("0a", of: user), .renewal(ofSession: "0b"),
            .user(user, keeping: nil), .user(user, keeping: "0c"), .all,
        ]
        for change in changes { effects.add(change) }
        effects.add(
            ChangeRecord(
                sequence: 7, subject: .bookmark(.make()), revision: 1, isDeletion: false,
                isPublic: false, bookmarker: user))
        effects.add(
            ChangeRecord(
                sequence: 8, subject: .comment(.make(), on: .make()), revision: 1,
                isDeletion: false, isPublic: true, renamedWriter: user))
        let notes = CommitPayload(effects)
        #expect(CommitPayload(parsing: [notes.text ?? ""]) == notes)
        #expect(CommitPayload(CommitEffects()).text == nil)
        #expect(CommitPayload(parsing: ["a thing of tomorrow", "key"]).access == [.all, .all])
        var hostile = CommitEffects()
        hostile.add(.key("'; DROP TABLE articles; --"))
        #expect(CommitPayload(hostile).text == "all")
    }

    // MARK: Moving

    @Test func `a database of several processes does not move while they use it`() async throws {
        try await with { first, second in
            let folder = try TemporaryFolder()
            let migration = try LiveServerMigration(
                first, to: DatabaseReplacement(path: folder.file("a.db")))
            #expect {
                try migration.copy { _ in }
            } throws: { error in
                guard case .rejected(StoreOpeningError.owned) = error as? StoreError else {
                    return false
                }
                return true
            }
            migration.abandon()
            await second.close()
            try migration.copy { _ in }
            migration.abandon()
        }
    }

    // MARK: The leader

    @Test func `one process leads, and another one when it is closed`() async throws {
        let address = try PostgresServer.shared.newSchema()
        let first = try PostgresStore.open(address)
        let second = try PostgresStore.open(address)
        #expect(await second.node.becomesCurrent(with: 0))
        #expect(first.node.isLeader && !second.node.isLeader)
        try await first.resetSearch()
        let error = try await failure { try await second.resetSearch() }
        guard case .unavailable = error else { throw error }
        let term = first.node.term
        await first.close()
        #expect(!first.node.isLeader)
        await second.node.waitForLeadership()
        try await second.resetSearch()
        #expect(term != nil && second.node.isLeader)
        await second.close()
    }

    @Test func `a leader that is cut off stops to lead before another one begins`() async throws {
        let cluster = try PostgresServer.shared
        let address = try cluster.newSchema()
        let proxy = try PostgresProxy(to: cluster.folder)
        let first = try PostgresStore.open(proxy.address(of: address))
        let second = try PostgresStore.open(address)
        proxy.refuse(true)
        proxy.hold()
        await second.node.waitForLeadership()
        #expect(!first.node.isLeader)
        proxy.release()
        proxy.cutAll()
        proxy.refuse(false)
        #expect(await first.node.becomesCurrent(with: second.node.lastCommit))
        #expect(!first.node.isLeader && second.node.isLeader)
        await first.close()
        await second.close()
    }

    @Test func `a process leads behind a pooler that makes up the server's process`() async throws {
        let cluster = try PostgresServer.shared
        let address = try cluster.newSchema()
        let folder = try TemporaryFolder()
        let socket = ".s.PGSQL.5432"
        let proxy = try SocketProxy(
            on: .unix(folder.file(socket)), to: .unix("\(cluster.folder)/\(socket)")
        ) { piece in
            // BackendKeyData: 'K', the length, and the number of the process.
            let start: [UInt8] = [0x4B, 0, 0, 0, 12]
            guard piece.direction == .toClient, let found = piece.bytes.firstRange(of: start) else {
                return piece.pass()
            }
            var bytes = piece.bytes
            bytes[found.upperBound + 3] ^= 0x55
            return piece.pass(bytes[...])
        }
        let store = try PostgresStore.open(
            PostgresAddress(address.text.replacing(cluster.folder, with: folder.path)))
        #expect(store.node.isLeader)
        try await store.resetSearch()
        await store.close()
        withExtendedLifetime(proxy) {}
    }

    @Test func `a command does not lead`() async throws {
        let address = try PostgresServer.shared.newSchema()
        let command = try PostgresStore.open(address, path: "/nowhere/store", mode: .create)
        let server = try PostgresStore.open(address)
        #expect(!command.node.isLeader && server.node.isLeader)
        #expect(await eventually { command.node.serverCount == 1 })
        let other = try PostgresStore.open(address)
        #expect(await eventually { server.node.serverCount == 2 })
        await other.close()
        #expect(await eventually { server.node.serverCount == 1 })
        await command.close()
        await server.close()
    }
}

extension StoreNode {
    /// Waits for a commit for as long as a busy machine takes, which may be longer than a request
    /// waits.
    func becomesCurrent(with commit: Int64) async -> Bool {
        let end = ContinuousClock.now + .seconds(Patience.seconds)
        while await !waitUntilCurrent(with: commit) {
            guard ContinuousClock.now < end else { return false }
        }
        return true
    }
}
