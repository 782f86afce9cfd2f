import ArticleAPI
import ArticleStore
import BroadsheetTestSupport
import Testing

@testable import ArticleDatabase

/// The limits of accounts, and how they are found.
@Suite struct AccountTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("a.db")
    }

    private func open(_ change: (inout SQLiteConfiguration) -> Void) throws -> SQLiteStore {
        var configuration = SQLiteConfiguration()
        change(&configuration)
        return try SQLiteStore.open(path: path, mode: .create, configuration: configuration)
    }

    @Test func `users are limited`() async throws {
        let store = try open { $0.users = 3 }
        let users = (0..<3).map { UserRecord.sample("u\($0)") }
        for user in users { try await store.createUser(user, using: nil, at: .start) }
        let error = try await failure {
            try await store.createUser(.sample("more"), using: nil, at: .start)
        }
        guard case .tooMany("users") = error else { throw error }
        #expect(try await store.userCount() == 3)
        try await store.deleteUser(users[1].id, expecting: nil, at: .start)
        try await store.createUser(.sample("more"), using: nil, at: .start)
        await store.close()
        #expect(try SQLiteStore.check(path: path).findings == [])
    }

    @Test func `with a lower limit, all sessions above it end`() async throws {
        let user = UserRecord.sample()
        let roomy = try open { _ in }
        try await roomy.createUser(user, using: nil, at: .start)
        for number in 1...5 {
            let session = SessionRecord.sample(number, of: user, at: .start + Int64(number))
            _ = try await roomy.createSession(session, expecting: 0)
        }
        await roomy.close()
        let store = try open { $0.sessionsPerUser = 3 }
        let session = SessionRecord.sample(6, of: user, at: .start + 6)
        let ended = try await store.createSession(session, expecting: 0)
        #expect(ended == [.session(3), .session(2), .session(1)])
        let left = try await store.sessions(of: user.id).map(\.id)
        #expect(left == [.session(6), .session(5), .session(4)])
        await store.close()
    }

    @Test func `the last invitations that were used are kept`() async throws {
        let store = try open { $0.usedInvitations = 2 }
        for number in 1...4 {
            try await store.createInvitation(.sample(number))
            try await store.createUser(.sample("u\(number)"), using: "i\(number)", at: .start)
        }
        try await store.createInvitation(.sample(5))
        #expect(try await store.invitations().map(\.id) == ["i3", "i4", "i5"])
        await store.close()
    }

    @Test func `used tokens are limited, until they expire`() async throws {
        let store = try open { $0.usedTokens = 3 }
        func use(_ byte: UInt8, at time: Timestamp) async throws {
            try await store.useIdentityToken(
                [UInt8](repeating: byte, count: 32), until: .start + 10, at: time)
        }
        for byte: UInt8 in 1...3 { try await use(byte, at: .start) }
        let full = try await failure { try await use(4, at: .start + 9) }
        guard case .tooMany = full else { throw full }
        let again = try await failure { try await use(3, at: .start + 9) }
        guard case .tokenUsed = again else { throw again }
        try await store.useIdentityToken(
            [UInt8](repeating: 4, count: 32), until: .start + 20, at: .start + 10)
        await store.close()
        #expect(try SQLiteStore.check(path: path).findings == [])
        let plain = try RawSQLite(path)
        let left = plain.texts("SELECT hex(digest) FROM used_tokens", column: 0)
        #expect(left == [String(repeating: "04", count: 32)])
        #expect(plain.texts("SELECT value FROM used_token_count", column: 0) == ["1"])
    }

    /// All that find rows of accounts, except for the list of invitations, which is limited.
    private static let statements = [
        SQL.user, SQL.userByName, SQL.usersAfter, SQL.userNumber, SQL.userCount, SQL.updateUser,
        SQL.rehash, SQL.deleteUser, SQL.removeWritesOfUser, SQL.removeOldWrites, SQL.beginDeletion,
        SQL.deletion, SQL.unfinishedDeletions,
        SQL.session, SQL.sessionsOfUser, SQL.sessionsAfter,
        SQL.sessionsByUse, SQL.rotateSession, SQL.recordTokenUse, SQL.touchSession,
        SQL.endSession,
        SQL.endSessionsOfUser, SQL.removeExpiredSessions, SQL.invitationByDigest,
        SQL.isInvitation, SQL.usableInvitation, SQL.removeExpiredInvitations,
        SQL.unusedInvitationCount, SQL.useInvitation, SQL.revokeInvitation, SQL.forgetInvited,
        SQL.removeOldInvitations, SQL.userByIdentity, SQL.forgetIdentities, SQL.forgetUsedTokens,
        SQL.isUsedToken, SQL.usedTokenCount, SQL.identitiesOfUser, SQL.invitationOfUser,
        SQL.articlesOfUser, SQL.allCommentsOfUser,
    ]

    @Test func `accounts are found by indexes alone, in the order of these`() async throws {
        await (try open { _ in }).close()
        let plain = try RawSQLite(path)
        for statement in Self.statements {
            let plan = plain.texts("EXPLAIN QUERY PLAN \(statement)", column: 3)
            #expect(plan.contains { $0.hasPrefix("SEARCH") }, "\(statement): \(plan)")
            let isSlow = plan.contains { $0.hasPrefix("SCAN") || $0.contains("TEMP B-TREE") }
            #expect(!isSlow, "\(statement): \(plan)")
        }
    }
}
