import ArticleAPI
import ArticleStore
import Testing

extension ArticleStoreConformance {
    @Suite struct Invitations {
        private static func expectNotFound(_ operation: () async throws -> Void) async throws {
            let error = try await failure(of: operation)
            guard case .notFound = error else { throw error }
        }

        @Test(arguments: Engine.all)
        func `invitations are listed oldest first, and found by their digests`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let later = InvitationRecord.sample(1, at: .start + 1)
                let first = InvitationRecord.sample(2)
                try await store.createInvitation(later)
                try await store.createInvitation(first)
                #expect(try await store.invitations() == [first, later])
                #expect(try await store.invitation(withDigest: later.digest) == later)
                try await Self.expectNotFound {
                    _ = try await store.invitation(withDigest: InvitationRecord.sample(3).digest)
                }
            }
        }

        @Test(arguments: Engine.all)
        func `ids and digests are unique`(_ engine: Engine) async throws {
            try await engine.with { store in
                try await store.createInvitation(.sample(1))
                var sameID = InvitationRecord.sample(2)
                sameID.id = "i1"
                var sameDigest = InvitationRecord.sample(1)
                sameDigest.id = "i2"
                for invitation in [sameID, sameDigest] {
                    let error = try await failure { try await store.createInvitation(invitation) }
                    guard case .idTaken = error else { throw error }
                }
                #expect(try await store.invitations() == [.sample(1)])
            }
        }

        @Test(arguments: Engine.all)
        func `an invitation is used up by a user`(_ engine: Engine) async throws {
            try await engine.with { store in
                var invitation = InvitationRecord.sample(1)
                try await store.createInvitation(invitation)
                let ada = UserRecord.sample()
                try await store.createUser(ada, using: "i1", at: .start + 99)
                invitation.usedAt = .start + 99
                invitation.usedBy = ada.id
                #expect(try await store.invitations() == [invitation])
                #expect(try await store.invitation(withDigest: invitation.digest) == invitation)
                try await Self.expectNotFound {
                    try await store.createUser(.sample("bob"), using: "i1", at: .start + 99)
                }
                try await Self.expectNotFound { try await store.revokeInvitation("i1") }
                #expect(try await store.userCount() == 1)
                // It stays used after its user is deleted.
                try await store.deleteUser(ada.id, expecting: nil, at: .start)
                invitation.usedBy = nil
                #expect(try await store.invitations() == [invitation])
                try await Self.expectNotFound {
                    try await store.createUser(.sample("bob"), using: "i1", at: .start + 99)
                }
            }
        }

        @Test(arguments: Engine.all)
        func `an unknown, expired or revoked invitation creates no user`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                try await store.createInvitation(.sample(1))
                try await store.createInvitation(.sample(2))
                try await store.revokeInvitation("i2")
                try await Self.expectNotFound { try await store.revokeInvitation("i2") }
                for (id, time) in [("i9", 0), ("i1", 100), ("i2", 0)] {
                    try await Self.expectNotFound {
                        try await store.createUser(
                            .sample(), using: id, at: .start + Int64(time))
                    }
                }
                #expect(try await store.userCount() == 0)
                #expect(try await store.invitations() == [.sample(1)])
            }
        }

        @Test(arguments: Engine.all)
        func `a user that cannot be created uses up no invitation`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                try await store.createInvitation(.sample(1))
                try await store.createUser(.sample(), using: nil, at: .start)
                let error = try await failure {
                    try await store.createUser(.sample(), using: "i1", at: .start)
                }
                guard case .nameTaken = error else { throw error }
                #expect(try await store.invitations() == [.sample(1)])
                try await store.createUser(.sample("bob"), using: "i1", at: .start)
            }
        }

        @Test(arguments: Engine.all)
        func `of users created at once with one invitation, one uses it`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                try await store.createInvitation(.sample(1))
                let created = await withTaskGroup(of: Bool.self) { group in
                    for number in 0..<8 {
                        group.addTask {
                            let user = UserRecord.sample("u\(number)")
                            do {
                                try await store.createUser(user, using: "i1", at: .start)
                                return true
                            } catch { return false }
                        }
                    }
                    return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
                #expect(created == 1)
                #expect(try await store.userCount() == 1)
            }
        }

        @Test(arguments: Engine.all)
        func `there are at most a thousand unused invitations`(_ engine: Engine) async throws {
            try await engine.with { store in
                try await withThrowingTaskGroup { group in
                    for number in 1...1_000 {
                        group.addTask { try await store.createInvitation(.sample(number)) }
                    }
                    try await group.waitForAll()
                }
                let error = try await failure { try await store.createInvitation(.sample(0)) }
                guard case .tooMany("invitations") = error else { throw error }
                try await store.createUser(.sample(), using: "i1", at: .start)
                try await store.revokeInvitation("i2")
                try await store.createInvitation(.sample(1_001))
                try await store.createInvitation(.sample(1_002))
                // Those that have expired unused make room, and are removed.
                try await store.createInvitation(.sample(1_003, at: .start + 100))
                #expect(try await store.invitations().map(\.id) == ["i1", "i1003"])
            }
        }
    }
}
