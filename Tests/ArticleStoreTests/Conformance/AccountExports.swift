import ArticleAPI
import ArticleAdminAPI
import ArticleStore
import BroadsheetPlatform
import BroadsheetTestSupport
import Dispatch
import Testing

extension ArticleStoreConformance {
    /// The data kept about a user.
    @Suite struct AccountExports {
        private static let ada = UserRecord.sample("ada", role: "author")
        private static let bob = UserRecord.sample("bob", role: "author")

        private static func exported(
            _ user: UserRecord, from store: any ArticleStore
        ) async throws -> [AccountRecord] {
            let records = Lock<[AccountRecord]>([])
            try await store.exportAccount(user.id) { record in
                records.withLock { $0.append(record) }
            }
            return records.withLock { $0 }
        }

        /// Creates the account of a user with something of every kind; returns the records.
        private static func fill(
            _ store: any ArticleStore, _ user: UserRecord, _ number: Int, on article: Article.ID
        ) async throws -> [AccountRecord] {
            let invitation = InvitationRecord.sample(number)
            try await store.createInvitation(invitation)
            let identity = IdentityRecord.sample("s\(number)")
            try await store.createUser(
                user, using: invitation.id, identity: identity, at: .start + 1)
            var used = invitation
            (used.usedAt, used.usedBy) = (.start + 1, user.id)
            var records: [AccountRecord] = [
                .account(user), .invitation(used), .identity(identity),
            ]
            let sessions = [2, 1].map { place in
                SessionRecord.sample(number * 10 + place, of: user, at: .start + Int64(place))
            }
            for session in sessions {
                _ = try await store.createSession(session, expecting: 0)
                records.append(.session(session))
            }
            for (place, owner) in [user.id, nil].enumerated() {
                let byte = UInt8(number * 2 + place)
                let key = KeyRecord(
                    id: "k\(byte)", digest: [UInt8](repeating: byte, count: 32),
                    name: "Key \(place)", role: "author", createdAt: .start, owner: owner)
                try await store.createKey(key)
                if owner != nil { records.append(.key(key)) }
            }
            records += try await articles(of: user, in: store)
            records += try await comments(by: user, on: article, in: store)
            let bookmark = try await store.putBookmark(
                of: article, for: user.id, position: 0.4, seeing: .everyone, at: .start + 3)
            records.append(.bookmark(bookmark.bookmark))
            return records
        }

        /// A draft and a deleted article of the user.
        private static func articles(
            of user: UserRecord, in store: any ArticleStore
        ) async throws -> [AccountRecord] {
            var records: [AccountRecord] = []
            for title in ["Draft", "Gone"] {
                let made = try await store.createArticle(
                    .make(), .sample("\(title) \(user.name)", status: .draft, at: nil),
                    by: .author(user))
                if title == "Gone" {
                    try await store.deleteArticle(
                        made.id, expecting: .anything, by: .author(user, 1))
                }
                records.append(
                    .article(
                        AccountExport.OwnedArticle(
                            id: made.id, slug: made.slug, title: made.title,
                            status: title == "Gone" ? nil : .draft)))
            }
            return records
        }

        /// A comment in each state, the oldest first.
        private static func comments(
            by user: UserRecord, on article: Article.ID, in store: any ArticleStore
        ) async throws -> [AccountRecord] {
            let editor = CommentViewer(audience: .editors)
            var records: [AccountRecord] = []
            let states: [ArticleComment.Status] = [.visible, .pending, .hidden, .deleted]
            for (place, status) in states.enumerated() {
                let id = ArticleComment.ID.make()
                // Nobody may repeat a comment within a minute.
                let content = CommentContent(
                    article: article, body: "\(status) by \(user.name): \(id)", writer: user.id)
                let made = try await store.createComment(
                    id, content, as: status == .deleted ? .visible : status,
                    by: .later(Int64(place)))
                if status == .deleted {
                    try await store.deleteComment(
                        made.id, expecting: .anything, as: editor, by: .later(9))
                }
                let comment = try await store.comment(
                    made.id, visibleTo: CommentViewer(audience: .editors))
                records.append(.comment(comment))
            }
            return records
        }

        @Test(arguments: Engine.all)
        func `an export has everything of its user, and nothing of others`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let article = try await store.createArticle(.make(), .sample(), by: .first).id
                let ofAda = try await Self.fill(store, Self.ada, 1, on: article)
                let ofBob = try await Self.fill(store, Self.bob, 2, on: article)
                #expect(try await Self.exported(Self.ada, from: store) == ofAda)
                #expect(try await Self.exported(Self.bob, from: store) == ofBob)
                // Bookmarks and comments remain when their article is no longer seen.
                try await store.deleteArticle(article, expecting: .anything, by: .later(20))
                #expect(try await Self.exported(Self.ada, from: store) == ofAda)
            }
        }

        @Test(arguments: Engine.all)
        func `an account without anything is exported, and one that does not exist is not`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                try await store.createUser(Self.ada, using: nil, at: .start)
                #expect(try await Self.exported(Self.ada, from: store) == [.account(Self.ada)])
                let unknown = try await failure {
                    _ = try await Self.exported(Self.bob, from: store)
                }
                guard case .notFound = unknown else { throw unknown }
                struct Enough: Error {}
                let stopped = try await failure {
                    try await store.exportAccount(Self.ada.id) { _ in throw Enough() }
                }
                guard case .rejected(let cause) = stopped, cause is Enough else { throw stopped }
            }
        }

        @Test(.timeLimit(.minutes(Patience.minutes)), arguments: Engine.all)
        func `an export is one state of the database, and writers do not wait for it`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let article = try await store.createArticle(.make(), .sample(), by: .first).id
                let before = try await Self.fill(store, Self.ada, 1, on: article)
                let (began, isHeld) = (Signal(), DispatchSemaphore(value: 0))
                let records = Lock<[AccountRecord]>([])
                async let export: Void = store.exportAccount(Self.ada.id) { record in
                    records.withLock { $0.append(record) }
                    guard case .account = record else { return }
                    began.give()
                    isHeld.wait()
                }
                await began.wait()
                defer { isHeld.signal() }
                _ = try await Self.comments(by: Self.ada, on: article, in: store)
                try await store.deleteBookmark(of: article, for: Self.ada.id)
                try await store.endSessions(of: Self.ada.id, except: nil)
                isHeld.signal()
                try await export
                #expect(records.withLock { $0 } == before)
            }
        }
    }
}
