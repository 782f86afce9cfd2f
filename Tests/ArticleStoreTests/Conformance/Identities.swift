import ArticleAPI
import ArticleStore
import Testing

extension ArticleStoreConformance {
    @Suite struct Identities {
        private static func digest(_ byte: UInt8) -> [UInt8] {
            [UInt8](repeating: byte, count: 32)
        }

        @Test(arguments: Engine.all)
        func `a user is found by issuer and subject together, to the letter`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let (ada, bob) = (UserRecord.sample("ada"), UserRecord.sample("bob"))
                try await store.createUser(
                    ada, using: nil, identity: .sample("s1"), at: .start)
                try await store.createUser(
                    bob, using: nil, identity: .sample("s1", of: "https://id.test"), at: .start)
                #expect(try await store.user(identifiedBy: .sample("s1")) == ada)
                let other = IdentityRecord.sample("s1", of: "https://id.test")
                #expect(try await store.user(identifiedBy: other) == bob)
                let unknown: [IdentityRecord] = [
                    .sample("S1"), .sample("s1 "), .sample(""), .sample("s"),
                    .sample("s1", of: "https://id.example.org/"),
                    .sample("s1", of: "HTTPS://id.example.org"),
                ]
                for identity in unknown {
                    let error = try await failure {
                        _ = try await store.user(identifiedBy: identity)
                    }
                    guard case .notFound = error else { throw error }
                }
            }
        }

        @Test(arguments: Engine.all)
        func `a rejected user has no identity, and an identity has one user`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let ada = UserRecord.sample("ada")
                try await store.createUser(
                    ada, using: nil, identity: .sample("s1"), at: .start)
                let taken = try await failure {
                    try await store.createUser(
                        .sample("bob"), using: nil, identity: .sample("s1"), at: .start)
                }
                guard case .identityTaken = taken else { throw taken }
                let sameName = try await failure {
                    try await store.createUser(
                        .sample("ada"), using: nil, identity: .sample("s2"), at: .start)
                }
                guard case .nameTaken = sameName else { throw sameName }
                let uninvited = try await failure {
                    try await store.createUser(
                        .sample("eve"), using: "i1", identity: .sample("s2"), at: .start)
                }
                guard case .notFound = uninvited else { throw uninvited }
                let unknown = try await failure {
                    _ = try await store.user(identifiedBy: .sample("s2"))
                }
                guard case .notFound = unknown else { throw unknown }
                #expect(try await store.userCount() == 1)
            }
        }

        @Test(arguments: Engine.all)
        func `an invitation is used up with the identity`(_ engine: Engine) async throws {
            try await engine.with { store in
                try await store.createInvitation(.sample(1))
                let ada = UserRecord.sample("ada")
                try await store.createUser(
                    ada, using: "i1", identity: .sample("s1"), at: .start)
                #expect(try await store.invitations().map(\.usedBy) == [ada.id])
            }
        }

        @Test(arguments: Engine.all)
        func `a deleted user's identity is free again`(_ engine: Engine) async throws {
            try await engine.with { store in
                let ada = UserRecord.sample("ada")
                try await store.createUser(
                    ada, using: nil, identity: .sample("s1"), at: .start)
                try await store.deleteUser(ada.id, expecting: 1, at: .start)
                let error = try await failure {
                    _ = try await store.user(identifiedBy: .sample("s1"))
                }
                guard case .notFound = error else { throw error }
                let again = UserRecord.sample("ada", at: .start + 1)
                try await store.createUser(
                    again, using: nil, identity: .sample("s1"), at: .start + 1)
                #expect(try await store.user(identifiedBy: .sample("s1")) == again)
            }
        }

        @Test(arguments: Engine.all)
        func `a token is used once, until it has expired`(_ engine: Engine) async throws {
            try await engine.with { store in
                let digest = Self.digest(7)
                try await store.useIdentityToken(digest, until: .start + 10, at: .start)
                for delay: Int64 in [0, 1, 9, 10, 11] {
                    let error = try await failure {
                        try await store.useIdentityToken(
                            digest, until: .start + 10, at: .start + delay)
                    }
                    guard case .tokenUsed = error else { throw error }
                }
                try await store.useIdentityToken(
                    Self.digest(8), until: .start + 30, at: .start + 20)
                // Now the first one is forgotten, but it is too late to use it.
                let late = try await failure {
                    try await store.useIdentityToken(
                        digest, until: .start + 10, at: .start + 20)
                }
                guard case .tokenUsed = late else { throw late }
            }
        }

        @Test(arguments: Engine.all)
        func `of many uses of a token at once, one succeeds`(_ engine: Engine) async throws {
            try await engine.with { store in
                let count = await withTaskGroup(of: Bool.self) { group in
                    for _ in 0..<16 {
                        group.addTask {
                            do {
                                try await store.useIdentityToken(
                                    Self.digest(7), until: .start + 10, at: .start)
                                return true
                            } catch { return false }
                        }
                    }
                    return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
                #expect(count == 1)
            }
        }
    }
}
