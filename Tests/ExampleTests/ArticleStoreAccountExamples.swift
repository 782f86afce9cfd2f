import ArticleAPI
import ArticleStore
import BroadsheetPlatform
import Testing

func signedIn(in store: some AccountRepository) async throws -> Int {
    try await store.allSessions(after: nil, limit: 1_000).items.count
}

/// The examples of users, sessions and invitations.
@Suite struct ArticleStoreAccountExamples {
    private let time = Timestamp(milliseconds: 1_767_225_600_000)
    private let digest = [UInt8](repeating: 7, count: 32)
    private let hash = "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA"

    @Test func `users`() async throws {
        try await ExampleStore.run { store in
            let user = UserRecord(
                id: UserRecord.ID(at: time), name: "Ada", nameKey: "ada", displayName: "Ada",
                role: "author", passwordHash: hash, createdAt: time)
            try await store.createUser(user, using: nil, at: time)
            let changed = try await store.updateUser(
                user.id, expecting: 1, UserChange(role: "editor"), at: time)
            #expect(changed.revision == 2)
        }
    }

    private func user() -> UserRecord {
        UserRecord(
            id: UserRecord.ID(at: time), name: "Ada", nameKey: "ada", displayName: "Ada",
            role: "author", passwordHash: hash, createdAt: time)
    }

    private func tokens(_ byte: UInt8) -> TokenRecord {
        TokenRecord(
            accessDigest: [UInt8](repeating: byte, count: 32),
            refreshDigest: [UInt8](repeating: byte + 1, count: 32),
            accessExpiresAt: time.advanced(byMilliseconds: 900_000),
            expiresAt: time.advanced(byMilliseconds: 5_184_000_000))
    }

    @Test func `identities`() async throws {
        try await ExampleStore.run { store in
            let user = user()
            let expiry = time.advanced(byMilliseconds: 600_000)
            let identity = IdentityRecord(
                issuer: "https://appleid.apple.com", subject: "001.ab.0042")
            try await store.useIdentityToken(digest, until: expiry, at: time)
            try await store.createUser(user, using: nil, identity: identity, at: time)
            let found = try await store.user(identifiedBy: identity)
            #expect(found == user)
        }
    }

    @Test func `sessions`() async throws {
        try await ExampleStore.run { store in
            let (user, tokens, newTokens) = (user(), tokens(1), tokens(3))
            try await store.createUser(user, using: nil, at: time)
            let session = SessionRecord(
                id: "0123456789abcdef", user: user.id, tokens: tokens, device: "Ada's phone",
                address: "203.0.113.7", createdAt: time)
            _ = try await store.createSession(session, expecting: user.accessEpoch)
            let next = try await store.rotateSession(
                session.id, from: tokens.refreshDigest, to: newTokens, at: time)
            if case .reused = next { try await store.endSession(session.id) }
            #expect(try await store.session(session.id).tokens == newTokens)
            #expect(try await signedIn(in: store) == 1)
        }
    }

    @Test func `exports of accounts`() async throws {
        try await ExampleStore.run { store in
            let user = user()
            try await store.createUser(user, using: nil, at: time)
            let kept = Lock<[AccountRecord]>([])
            try await store.exportAccount(user.id) { record in kept.withLock { $0.append(record) } }
            #expect(kept.withLock { $0 } == [.account(user)])
        }
    }

    @Test func `invitations`() async throws {
        try await ExampleStore.run { store in
            let user = user()
            let invitation = InvitationRecord(
                id: "i7", digest: digest, role: "author", createdBy: "k7", createdAt: time,
                expiresAt: time.advanced(byMilliseconds: 86_400_000))
            try await store.createInvitation(invitation)
            let found = try await store.invitation(withDigest: digest)
            try await store.createUser(user, using: found.id, at: time)
            #expect(try await store.invitations().map(\.usedBy) == [user.id])
        }
    }
}
