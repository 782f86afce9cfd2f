import ArticleAPI
import ArticleStore
import Testing

extension ArticleStoreConformance {
    @Suite struct Sessions {
        /// Creates a user with sessions, each used a millisecond after the one before it.
        private static func make(
            _ numbers: ClosedRange<Int>, of name: String = "ada", in store: any ArticleStore
        ) async throws -> UserRecord {
            let user = UserRecord.sample(name)
            try await store.createUser(user, using: nil, at: .start)
            try await withThrowingTaskGroup { group in
                for number in numbers {
                    let session = SessionRecord.sample(
                        number, of: user, at: .start + Int64(number))
                    group.addTask { _ = try await store.createSession(session, expecting: 0) }
                }
                try await group.waitForAll()
            }
            return user
        }

        /// The numbers of a user's sessions, most recently used first.
        private static func numbers(
            of user: UserRecord, in store: any ArticleStore
        ) async throws -> [Int] {
            try await store.sessions(of: user.id).compactMap { Int($0.id, radix: 16) }
        }

        private static func expectNotFound(_ operation: () async throws -> Void) async throws {
            let error = try await failure(of: operation)
            guard case .notFound = error else { throw error }
        }

        @Test(arguments: Engine.all)
        func `a session is found by its id, and with those of its user`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let ada = try await Self.make(1...3, in: store)
                let bob = try await Self.make(4...4, of: "bob", in: store)
                let second = SessionRecord.sample(2, of: ada, at: .start + 2)
                #expect(try await store.session(.session(2)) == second)
                #expect(try await Self.numbers(of: ada, in: store) == [3, 2, 1])
                #expect(try await store.sessions(of: ada.id)[1] == second)
                #expect(try await Self.numbers(of: bob, in: store) == [4])
                #expect(try await store.sessions(of: .make()) == [])
                try await Self.expectNotFound { _ = try await store.session(.session(9)) }
            }
        }

        @Test(arguments: Engine.all)
        func `a session needs a user whose access is as expected`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let ada = try await Self.make(1...1, in: store)
                let taken = try await failure {
                    _ = try await store.createSession(.sample(1, of: ada), expecting: 0)
                }
                guard case .idTaken = taken else { throw taken }
                try await Self.expectNotFound {
                    _ = try await store.createSession(.sample(2, of: .sample()), expecting: 0)
                }
                // The password was changed after it had been verified.
                _ = try await store.updateUser(
                    ada.id, expecting: nil, UserChange(passwordHash: "new"), at: .start)
                let late = try await failure {
                    _ = try await store.createSession(.sample(2, of: ada), expecting: 0)
                }
                guard case .preconditionFailed(current: 1) = late else { throw late }
                _ = try await store.createSession(.sample(2, of: ada), expecting: 1)
                _ = try await store.updateUser(
                    ada.id, expecting: nil, UserChange(isDisabled: true), at: .start)
                try await Self.expectNotFound {
                    _ = try await store.createSession(.sample(3, of: ada), expecting: 2)
                }
                #expect(try await store.sessions(of: ada.id) == [])
            }
        }

        @Test(arguments: Engine.all)
        func `the least recently used of a hundred sessions ends for a new one`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let ada = try await Self.make(1...100, in: store)
                let bob = try await Self.make(101...101, of: "bob", in: store)
                try await store.touchSessions([
                    SessionUse(of: .session(1), at: .start + 500, from: "::1")
                ])
                let more = SessionRecord.sample(102, of: ada, at: .start + 501)
                #expect(try await store.createSession(more, expecting: 0) == [.session(2)])
                try await Self.expectNotFound { _ = try await store.session(.session(2)) }
                let numbers = try await Self.numbers(of: ada, in: store)
                let expected = [102, 1] + (3...100).reversed()
                #expect(numbers == expected)
                #expect(try await Self.numbers(of: bob, in: store) == [101])
            }
        }

        @Test(arguments: Engine.all)
        func `all sessions are listed in pages, in the order of their ids`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                #expect(try await store.allSessions(after: nil, limit: 9).items == [])
                let bob = try await Self.make(4...7, of: "bob", in: store)
                let ada = try await Self.make(1...3, in: store)
                var found: [SessionRecord] = []
                var sizes: [Int] = []
                var next: String?
                repeat {
                    let page = try await store.allSessions(after: next, limit: 3)
                    found += page.items
                    sizes.append(page.items.count)
                    next = page.next
                } while next != nil
                let expected = (1...7).map {
                    SessionRecord.sample($0, of: $0 < 4 ? ada : bob, at: .start + Int64($0))
                }
                #expect(found == expected && sizes == [3, 3, 1])
            }
        }

        @Test(arguments: Engine.all)
        func `a rotation needs the current refresh token`(_ engine: Engine) async throws {
            try await engine.with { store in
                let ada = try await Self.make(1...2, in: store)
                let id = String.session(1)
                func rotate(_ from: UInt8, to: UInt8, at time: Int64) async throws
                    -> SessionRotation
                {
                    try await store.rotateSession(
                        id, from: .refresh(from), to: .sample(to, at: .start + time),
                        at: .start + time)
                }
                var session = SessionRecord.sample(1, of: ada, at: .start + 1)
                session.previousRefreshDigest = .refresh(1)
                session.usedAt = .start + 5
                session.tokens = .sample(51, at: .start + 5)
                #expect(try await rotate(1, to: 51, at: 5) == .rotated(session))
                #expect(try await store.session(id) == session)
                // The same again, and nothing else.
                #expect(try await rotate(1, to: 51, at: 6) == .rotated(session))
                #expect(try await rotate(1, to: 99, at: 7) == .isPrevious(session))
                #expect(try await rotate(77, to: 99, at: 8) == .reused)
                #expect(try await store.session(id) == session)

                session.previousRefreshDigest = .refresh(51)
                session.usedAt = .start + 9
                session.tokens = .sample(52, at: .start + 9)
                #expect(try await rotate(51, to: 52, at: 9) == .rotated(session))
                #expect(try await rotate(1, to: 99, at: 10) == .reused)
                #expect(try await store.session(id) == session)
                let other = SessionRecord.sample(2, of: ada, at: .start + 2)
                #expect(try await store.session(.session(2)) == other)
            }
        }

        @Test(arguments: Engine.all)
        func `the token before the current one gets the same tokens until these are in use`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let ada = try await Self.make(1...1, in: store)
                let id = String.session(1)
                func rotate(_ from: UInt8, to: UInt8, at time: Int64) async throws
                    -> SessionRotation
                {
                    try await store.rotateSession(
                        id, from: .refresh(from), to: .sample(to, at: .start + time),
                        at: .start + time)
                }
                func use(_ number: UInt8, at time: Int64) async throws -> SessionRecord {
                    try await store.recordTokenUse(
                        ofSession: id, .refresh(number), at: .start + time)
                    return try await store.session(id)
                }
                // No token precedes the first one.
                var session = SessionRecord.sample(1, of: ada, at: .start + 1)
                #expect(try await use(1, at: 2) == session)

                session.previousRefreshDigest = .refresh(1)
                (session.tokens, session.usedAt) = (.sample(51, at: .start + 3), .start + 3)
                #expect(try await rotate(1, to: 51, at: 3) == .rotated(session))
                // Of the others, neither is the current one.
                #expect(try await use(1, at: 4) == session)
                #expect(try await use(99, at: 4) == session)
                // The access token has expired, so it gets another expiry.
                let late: Int64 = 13
                #expect(try await rotate(1, to: 51, at: late - 1) == .rotated(session))
                session.tokens = .sample(51, at: .start + late)
                session.usedAt = .start + late
                #expect(try await rotate(1, to: 51, at: late) == .rotated(session))
                #expect(try await store.session(id) == session)

                session.tokensUsedAt = .start + late + 1
                #expect(try await use(51, at: late + 1) == session)
                #expect(try await use(51, at: late + 2) == session)
                #expect(try await rotate(1, to: 51, at: late + 3) == .isPrevious(session))

                session.previousRefreshDigest = .refresh(51)
                session.tokensUsedAt = nil
                session.tokens = .sample(52, at: .start + late + 4)
                session.usedAt = .start + late + 4
                #expect(try await rotate(51, to: 52, at: late + 4) == .rotated(session))
                #expect(try await rotate(1, to: 51, at: late + 5) == .reused)
                try await store.recordTokenUse(ofSession: .session(9), .refresh(9), at: .start)
            }
        }

        @Test(arguments: Engine.all)
        func `a session that has expired or ended is not rotated`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                _ = try await Self.make(1...1, in: store)
                func rotate(_ number: Int, at time: Timestamp) async throws {
                    _ = try await store.rotateSession(
                        .session(number), from: .refresh(1), to: .sample(2, at: time), at: time)
                }
                try await Self.expectNotFound { try await rotate(9, at: .start) }
                try await Self.expectNotFound { try await rotate(1, at: .start + 1_001) }
                try await rotate(1, at: .start + 1_000)
                // It now expires a second later.
                try await Self.expectNotFound { try await rotate(1, at: .start + 2_000) }
                try await store.endSession(.session(1))
                try await Self.expectNotFound { try await rotate(1, at: .start) }
            }
        }

        @Test(arguments: Engine.all)
        func `of two rotations of one token, one happens`(_ engine: Engine) async throws {
            try await engine.with { store in
                _ = try await Self.make(1...1, in: store)
                @Sendable func rotate(to byte: UInt8) async throws -> SessionRotation {
                    try await store.rotateSession(
                        .session(1), from: .refresh(1), to: .sample(byte), at: .start + 1)
                }
                async let one = rotate(to: 51)
                async let other = rotate(to: 52)
                let rotations = try await [one, other]
                let session = try await store.session(.session(1))
                #expect(rotations.contains(.rotated(session)))
                #expect(rotations.contains(.isPrevious(session)))
            }
        }

        @Test(arguments: Engine.all)
        func `sessions end alone, with all others of the user, or all at once`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let ada = try await Self.make(1...5, in: store)
                let bob = try await Self.make(6...7, of: "bob", in: store)
                func left() async throws -> [Int] {
                    try await Self.numbers(of: bob, in: store) + Self.numbers(of: ada, in: store)
                }
                try await store.endSession(.session(4))
                try await Self.expectNotFound { try await store.endSession(.session(4)) }
                #expect(try await left() == [7, 6, 5, 3, 2, 1])
                try await store.endSessions(of: ada.id, except: .session(2))
                #expect(try await left() == [7, 6, 2])
                // One of another user is not kept.
                try await store.endSessions(of: ada.id, except: .session(7))
                #expect(try await left() == [7, 6])
                try await store.endSessions(of: .make(), except: nil)
                try await store.endSessions(of: ada.id, except: nil)
                #expect(try await left() == [7, 6])
                _ = try await store.createSession(.sample(1, of: ada), expecting: 0)
                try await store.endAllSessions()
                #expect(try await store.allSessions(after: nil, limit: 9).items == [])
                #expect(try await store.user(ada.id) == ada)
            }
        }

        @Test(arguments: Engine.all)
        func `a changed role, password or state of the account ends sessions`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let bob = try await Self.make(1...1, of: "bob", in: store)
                let changes = [
                    (UserChange(displayName: "A", keptSession: .session(11)), [13, 12, 11]),
                    (UserChange(passwordHash: "new", keptSession: .session(12)), [12]),
                    (UserChange(passwordHash: "new"), []),
                    (UserChange(role: "author", keptSession: .session(12)), []),
                    (UserChange(isDisabled: true), []),
                    (
                        UserChange(
                            role: "author", passwordHash: "new", keptSession: .session(12)), []
                    ),
                ]
                for (change, left) in changes {
                    let ada = try await Self.make(11...13, in: store)
                    _ = try await store.updateUser(
                        ada.id, expecting: 1, change, at: .start + 20)
                    #expect(try await Self.numbers(of: ada, in: store) == left, "\(change)")
                    try await store.deleteUser(ada.id, expecting: 2, at: .start)
                }
                #expect(try await Self.numbers(of: bob, in: store) == [1])
            }
        }

        @Test(arguments: Engine.all)
        func `a deleted user has no sessions`(_ engine: Engine) async throws {
            try await engine.with { store in
                let bob = try await Self.make(1...1, of: "bob", in: store)
                let ada = try await Self.make(2...4, in: store)
                try await store.deleteUser(ada.id, expecting: nil, at: .start)
                let left = try await store.allSessions(after: nil, limit: 9).items
                #expect(left.map(\.user) == [bob.id])
                try await Self.expectNotFound { _ = try await store.session(.session(3)) }
            }
        }

        @Test(arguments: Engine.all)
        func `uses are recorded together, and only later ones count`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let ada = try await Self.make(1...3, in: store)
                let uses = [
                    (1, 50, "::1"), (2, 60, "::2"), (9, 70, "::3"), (1, 55, "::4"), (2, 58, "::5"),
                    (3, 1, "::6"),
                ]
                try await store.touchSessions(
                    uses.map { number, time, address in
                        SessionUse(of: .session(number), at: .start + Int64(time), from: address)
                    })
                try await store.touchSessions([])
                let found = try await store.sessions(of: ada.id)
                #expect(found.map(\.id) == [.session(2), .session(1), .session(3)])
                let used = [60, 55, 3].map { Timestamp.start + $0 }
                #expect(found.map(\.usedAt) == used)
                #expect(found.map(\.address) == ["::2", "::4", "203.0.113.7"])
                let created = [2, 1, 3].map { Timestamp.start + $0 }
                #expect(found.map(\.createdAt) == created)
            }
        }

        @Test(arguments: Engine.all)
        func `expired sessions are removed a thousand at a time`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                for user in 0..<11 {
                    let numbers = user * 100 + 1...user * 100 + 100
                    _ = try await Self.make(numbers, of: "u\(user)", in: store)
                }
                // Each expires a second after its creation.
                let time = Timestamp.start + 2_051
                #expect(try await store.removeExpiredSessions(before: time) == 1_000)
                #expect(try await store.removeExpiredSessions(before: time) == 50)
                #expect(try await store.removeExpiredSessions(before: time) == 0)
                let left = try await store.allSessions(after: nil, limit: 1_000).items
                let expected = (1_051...1_100).map { String.session($0) }
                #expect(left.map(\.id) == expected)
            }
        }
    }
}
