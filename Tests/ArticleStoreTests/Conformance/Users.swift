import ArticleAPI
import ArticleStore
import BroadsheetPlatform
import Testing

extension ArticleStoreConformance {
    @Suite struct Users {
        @Test(arguments: Engine.all)
        func `a user is found by id and by the folded name`(_ engine: Engine) async throws {
            try await engine.with { store in
                var ada = UserRecord.sample("Ada")
                ada.nameKey = "ada"
                var bob = UserRecord.sample("bob", at: .start + 1)
                bob.passwordHash = nil
                bob.displayName = ""
                for user in [ada, bob] {
                    try await store.createUser(user, using: nil, at: .start)
                    #expect(try await store.user(user.id) == user)
                    #expect(try await store.user(named: user.nameKey) == user)
                }
                let operations: [() async throws -> Void] = [
                    { _ = try await store.user(named: "Ada") },
                    { _ = try await store.user(.make()) },
                ]
                for operation in operations {
                    let error = try await failure(of: operation)
                    guard case .notFound = error else { throw error }
                }
                #expect(try await store.userCount() == 2)
            }
        }

        @Test(arguments: Engine.all)
        func `ids and folded names are unique`(_ engine: Engine) async throws {
            try await engine.with { store in
                let ada = UserRecord.sample()
                try await store.createUser(ada, using: nil, at: .start)
                let sameID = try await failure {
                    try await store.createUser(
                        .sample("bob", id: ada.id), using: nil, at: .start)
                }
                guard case .idTaken = sameID else { throw sameID }
                let sameName = try await failure {
                    try await store.createUser(.sample(), using: nil, at: .start)
                }
                guard case .nameTaken = sameName else { throw sameName }
                #expect(try await store.userCount() == 1)
                try await store.deleteUser(ada.id, expecting: nil, at: .start)
                try await store.createUser(.sample(), using: nil, at: .start)
            }
        }

        @Test(arguments: Engine.all)
        func `of users created at once with one name, one gets it`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let users = (0..<16).map { UserRecord.sample("ada", at: .start + $0) }
                let outcomes = await withTaskGroup(of: Result<UserRecord, any Error>.self) {
                    group in
                    for user in users {
                        group.addTask {
                            do {
                                try await store.createUser(user, using: nil, at: .start)
                                return .success(user)
                            } catch { return .failure(error) }
                        }
                    }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                var created: [UserRecord] = []
                for outcome in outcomes {
                    do { created.append(try outcome.get()) } catch StoreError.nameTaken {}
                }
                #expect(created.count == 1)
                #expect(try await store.user(named: "ada") == created.first)
                #expect(try await store.userCount() == 1)
            }
        }

        @Test(arguments: Engine.all)
        func `users are listed in pages, in the order of their ids`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let users = (0..<7).map { UserRecord.sample("u\($0)") }
                for user in users { try await store.createUser(user, using: nil, at: .start) }
                let all = try await store.users(after: nil, limit: 100)
                #expect(all.next == nil && all.items == users.sorted { $0.id < $1.id })
                var items: [UserRecord] = []
                var sizes: [Int] = []
                var next: UserRecord.ID?
                repeat {
                    let page = try await store.users(after: next, limit: 3)
                    items += page.items
                    sizes.append(page.items.count)
                    next = page.next
                } while next != nil
                #expect(items == all.items && sizes == [3, 3, 1])
                // A position remains valid without its user.
                try await store.deleteUser(items[2].id, expecting: nil, at: .start)
                let rest = try await store.users(after: items[2].id, limit: 100)
                #expect(rest.items == Array(items[3...]))
                #expect(try await store.users(after: nil, limit: 0).items.count == 1)
            }
        }

        @Test(arguments: Engine.all)
        func `a change is a new revision, unless nothing is different`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                var user = UserRecord.sample()
                try await store.createUser(user, using: nil, at: .start)
                func change(_ change: UserChange, at milliseconds: Int64) async throws {
                    let changed = try await store.updateUser(
                        user.id, expecting: user.revision, change, at: .start + milliseconds)
                    #expect(changed == user || changed.revision == user.revision + 1)
                    user = changed
                    #expect(try await store.user(user.id) == changed)
                }
                try await change(UserChange(), at: 1)
                try await change(
                    UserChange(
                        displayName: user.displayName, role: "reader", isDisabled: false,
                        passwordHash: user.passwordHash), at: 2)
                #expect(user.revision == 1 && user.updatedAt == .start && user.accessEpoch == 0)
                try await change(UserChange(displayName: "Countess"), at: 3)
                #expect(user.displayName == "Countess" && user.updatedAt == .start + 3)
                #expect(user.revision == 2 && user.accessEpoch == 0)
                try await change(UserChange(role: "editor"), at: 4)
                #expect(user.role == "editor" && user.accessEpoch == 1)
                try await change(UserChange(isDisabled: true), at: 5)
                #expect(user.isDisabled && user.accessEpoch == 2)
                try await change(UserChange(isDisabled: false, passwordHash: "new"), at: 6)
                #expect(!user.isDisabled && user.passwordHash == "new" && user.accessEpoch == 3)
                #expect(user.revision == 5 && user.createdAt == .start)
            }
        }

        @Test(arguments: Engine.all)
        func `a change or a deletion may expect a revision`(_ engine: Engine) async throws {
            try await engine.with { store in
                let user = UserRecord.sample()
                try await store.createUser(user, using: nil, at: .start)
                let change = UserChange(displayName: "A")
                _ = try await store.updateUser(user.id, expecting: nil, change, at: .start)
                let operations: [() async throws -> Void] = [
                    {
                        _ = try await store.updateUser(
                            user.id, expecting: 1, UserChange(displayName: "B"), at: .start)
                    },
                    // Nothing would be different, but the caller has seen something else.
                    { _ = try await store.updateUser(user.id, expecting: 1, change, at: .start) },
                    { try await store.deleteUser(user.id, expecting: 3, at: .start) },
                ]
                for operation in operations {
                    let error = try await failure(of: operation)
                    guard case .preconditionFailed(current: 2) = error else { throw error }
                }
                #expect(try await store.user(user.id).displayName == "A")
                try await store.deleteUser(user.id, expecting: 2, at: .start)
                let late: [() async throws -> Void] = [
                    { _ = try await store.updateUser(user.id, expecting: 2, change, at: .start) },
                    { try await store.deleteUser(user.id, expecting: nil, at: .start) },
                ]
                for operation in late {
                    let error = try await failure(of: operation)
                    guard case .notFound = error else { throw error }
                }
                #expect(try await store.userCount() == 0)
            }
        }

        @Test(arguments: Engine.all)
        func `a password is hashed anew only if it is still the same`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                var user = UserRecord.sample()
                try await store.createUser(user, using: nil, at: .start)
                let session = SessionRecord.sample(1, of: user)
                _ = try await store.createSession(session, expecting: 0)
                let old = user.passwordHash ?? ""
                #expect(try await store.rehash(user.id, from: old, to: "stronger"))
                user.passwordHash = "stronger"
                #expect(try await store.user(user.id) == user)
                #expect(try await store.session(session.id) == session)
                #expect(try await !store.rehash(user.id, from: old, to: "other"))
                #expect(try await !store.rehash(.make(), from: old, to: "other"))
                #expect(try await store.user(user.id) == user)
            }
        }

        /// Counts what an observer was notified of.
        private final class Observer: ChangeObserver {
            let changes = Lock(0)
            func willCommit(_ changes: CommitChanges) { self.changes.withLock { $0 += 1 } }
            func didCommit(_ changes: CommitChanges) {}
        }

        @Test(arguments: Engine.all)
        func `accounts are part of neither the changes nor exports`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let observer = Observer()
                store.observeChanges(observer)
                let user = UserRecord.sample()
                try await store.createInvitation(.sample(1))
                try await store.createUser(user, using: "i1", at: .start)
                _ = try await store.createSession(.sample(1, of: user), expecting: 0)
                _ = try await store.updateUser(
                    user.id, expecting: nil, UserChange(role: "admin"), at: .start)
                try await store.deleteUser(user.id, expecting: nil, at: .start)
                #expect(try await store.changeSequence() == 0)
                #expect(observer.changes.withLock { $0 } == 0)
                let records = Lock(0)
                try await store.export { _ in records.withLock { $0 += 1 } }
                #expect(records.withLock { $0 } == 0)
            }
        }
    }
}
