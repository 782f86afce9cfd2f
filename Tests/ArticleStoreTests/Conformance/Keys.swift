import ArticleAPI
import ArticleStore
import Testing

extension ArticleStoreConformance {
    @Suite struct Keys {
        private static func key(
            _ id: String, at time: Timestamp = .start, expiring: Timestamp? = nil
        ) -> KeyRecord {
            KeyRecord(
                id: id, digest: [UInt8](repeating: 7, count: 32), name: "Key \(id)",
                role: "editor", createdAt: time, expiresAt: expiring)
        }

        @Test(arguments: Engine.all)
        func `keys are listed oldest first, including revoked ones`(_ engine: Engine) async throws {
            try await engine.with { store in
                try await store.createKey(Self.key("b", at: .start + 1, expiring: .start + 9))
                try await store.createKey(Self.key("a"))
                let revoked = try await store.revokeKey("a", at: .start + 2)
                #expect(revoked.revokedAt == .start + 2)
                #expect(try await store.revokeKey("a", at: .start + 3) == revoked)
                let keys = try await store.keys()
                #expect(
                    keys == [revoked, Self.key("b", at: .start + 1, expiring: .start + 9)])
                #expect(try await store.changeSequence() == 0)
            }
        }

        @Test(arguments: Engine.all)
        func `a public id is used once, and an unknown one cannot be revoked`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                try await store.createKey(Self.key("a"))
                let taken = try await failure { try await store.createKey(Self.key("a")) }
                guard case .idTaken = taken else { throw taken }
                let unknown = try await failure {
                    _ = try await store.revokeKey("b", at: .start)
                }
                guard case .notFound = unknown else { throw unknown }
            }
        }

        @Test(arguments: Engine.all)
        func `there are at most a thousand valid keys`(_ engine: Engine) async throws {
            try await engine.with { store in
                await withTaskGroup { group in
                    for number in 1...1_000 {
                        let key = Self.key("\(number)", expiring: number == 1 ? .start + 5 : nil)
                        group.addTask { try? await store.createKey(key) }
                    }
                }
                let error = try await failure { try await store.createKey(Self.key("more")) }
                guard case .tooMany = error else { throw error }
                try await store.createKey(Self.key("after one expired", at: .start + 5))
                _ = try await store.revokeKey("2", at: .start)
                try await store.createKey(Self.key("after one was revoked", at: .start + 5))
            }
        }

        @Test(arguments: Engine.all)
        func `a secret is the same 32 bytes for all callers`(_ engine: Engine) async throws {
            try await engine.with { store in
                let secrets = await withTaskGroup(of: [UInt8]?.self) { group in
                    for _ in 1...20 {
                        group.addTask { try? await store.secret(named: "cursors") }
                    }
                    return await group.reduce(into: Set()) { $0.insert($1) }
                }
                #expect(secrets.count == 1 && secrets.first??.count == 32)
                let other = try await store.secret(named: "other")
                #expect(other != secrets.first)
            }
        }
    }
}
