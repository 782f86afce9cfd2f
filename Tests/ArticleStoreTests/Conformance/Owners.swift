import ArticleAPI
import ArticleAdminAPI
import ArticleStore
import BroadsheetPlatform
import Testing

extension ArticleStoreConformance {
    /// Users who own articles.
    @Suite struct Owners {
        private static let ada = UserRecord.sample("ada", role: "author")
        private static let ben = UserRecord.sample("ben", role: "author")
        private static let eve = UserRecord.sample("eve", role: "editor")
        private static let ron = UserRecord.sample("ron", role: "reader")

        private static func with(
            _ engine: Engine, _ body: (any ArticleStore) async throws -> Void
        ) async throws {
            try await engine.with { store in
                for user in [ada, ben, eve, ron] {
                    try await store.createUser(user, using: nil, at: .start)
                }
                try await body(store)
            }
        }

        /// Hands an article over as an editor.
        private static func give(
            _ id: Article.ID, to user: UserRecord?, in store: any ArticleStore
        ) async throws(StoreError) -> Article {
            try await store.updateArticle(id, expecting: .anything, by: .later(50)) {
                .of($0) { $0.draft.owner = user?.id }
            }
        }

        private static func name(_ error: StoreError?) -> String {
            error.map { "\($0)" } ?? "done"
        }

        /// Returns the outcomes of each operation of a user on an article.
        private static func outcomes(
            of user: UserRecord, on id: Article.ID, in store: any ArticleStore
        ) async throws -> [String] {
            let edit = Edit.author(user, 60)
            let audience = Audience.author(user.id)
            let operations: [() async throws -> Void] = [
                { _ = try await store.article(.id(id), visibleTo: audience) },
                {
                    _ = try await store.revisions(
                        of: id, below: nil, limit: 9, visibleTo: audience)
                },
                { _ = try await store.revision(1, of: id, visibleTo: audience) },
                {
                    _ = try await store.updateArticle(id, expecting: .anything, by: edit) {
                        .of($0) { $0.draft.summary = "By \(user.name)" }
                    }
                },
                {
                    _ = try await store.restoreArticle(id, to: 1, expecting: .anything, by: edit)
                },
                { try await store.deleteArticle(id, expecting: .anything, by: edit) },
            ]
            var outcomes: [String] = []
            for operation in operations {
                do {
                    try await operation()
                    outcomes.append("done")
                } catch let error as StoreError { outcomes.append(name(error)) }
            }
            return outcomes
        }

        @Test(arguments: Engine.all)
        func `owners write their articles, and what others own is read if it is public`(
            _ engine: Engine
        ) async throws {
            try await Self.with(engine) { store in
                let statuses: [Article.Status] = [.draft, .scheduled, .published, .archived]
                for status in statuses {
                    let content = ArticleContent.sample("\(status)", status: status)
                    let made = try await store.createArticle(
                        .make(), content, by: .author(Self.ada))
                    #expect(made.owner == Self.ada.id)
                    let sequence = try await store.changeSequence()
                    let isPublic = status == .published
                    let reading = isPublic ? ["done"] : ["notFound"]
                    let denied = isPublic ? "notOwner" : "notFound"
                    let others = reading + Array(repeating: denied, count: 5)
                    #expect(try await Self.outcomes(of: Self.ben, on: made.id, in: store) == others)
                    #expect(try await store.changeSequence() == sequence)
                    let own = Array(repeating: "done", count: 6)
                    #expect(try await Self.outcomes(of: Self.ada, on: made.id, in: store) == own)
                    // It is deleted now: nobody finds it, but its owner restores it.
                    let hidden = Array(repeating: "notFound", count: 6)
                    #expect(try await Self.outcomes(of: Self.ben, on: made.id, in: store) == hidden)
                    let restored = try await Self.outcomes(of: Self.ada, on: made.id, in: store)
                    #expect(restored == ["notFound", "done", "done", "notFound", "done", "done"])
                }
            }
        }

        @Test(arguments: Engine.all)
        func `what has no owner is written by editors alone`(_ engine: Engine) async throws {
            try await Self.with(engine) { store in
                let made = try await store.createArticle(.make(), .sample(), by: .first)
                #expect(made.owner == nil)
                let outcomes = try await Self.outcomes(of: Self.ada, on: made.id, in: store)
                #expect(outcomes == ["done"] + Array(repeating: "notOwner", count: 5))
                let draft = try await store.createArticle(
                    .make(), .sample(status: .draft), by: .first)
                let hidden = try await Self.outcomes(of: Self.ada, on: draft.id, in: store)
                #expect(hidden == Array(repeating: "notFound", count: 6))
                let edit = Edit(at: .start, by: .key(id: "k"), as: .everyone)
                for (id, expected) in [(made.id, "notOwner"), (draft.id, "notFound")] {
                    let error = try await failure {
                        try await store.deleteArticle(id, expecting: .anything, by: edit)
                    }
                    #expect(Self.name(error) == expected)
                }
                let error = try await failure {
                    _ = try await store.createArticle(.make(), .sample(), by: edit)
                }
                #expect(Self.name(error) == "notOwner")
            }
        }

        @Test(arguments: Engine.all)
        func `only editors hand articles over, to users who may write`(
            _ engine: Engine
        ) async throws {
            try await Self.with(engine) { store in
                let made = try await store.createArticle(
                    .make(), .sample(status: .draft), by: .author(Self.ada))
                for (owner, isKept) in [(Self.ben.id, false), (nil, false), (Self.ada.id, true)] {
                    let edit = Edit.author(Self.ada, 1)
                    var error: StoreError?
                    do throws(StoreError) {
                        _ = try await store.updateArticle(
                            made.id, expecting: .anything, by: edit
                        ) { .of($0) { $0.draft.owner = owner } }
                    } catch let caught { error = caught }
                    #expect(Self.name(error) == (isKept ? "done" : "ownerFixed"))
                }
                let error = try await failure {
                    var content = ArticleContent.sample("Other")
                    content.draft.owner = Self.ben.id
                    _ = try await store.createArticle(
                        .make(), content, by: .author(Self.ada))
                }
                #expect(Self.name(error) == "ownerFixed")
                for user in [Self.ron, .sample("unknown", role: "author")] {
                    let error = try await failure {
                        _ = try await Self.give(made.id, to: user, in: store)
                    }
                    #expect(Self.name(error) == Self.name(.unknownOwner(user.id)))
                }
                #expect(try await store.article(.id(made.id), visibleTo: .editors).revision == 1)
                for (number, user) in [Self.ben, Self.eve, nil, Self.ada].enumerated() {
                    let given = try await Self.give(made.id, to: user, in: store)
                    #expect(given.owner == user?.id && given.revision == number + 2)
                    let again = try await Self.give(made.id, to: user, in: store)
                    #expect(again.revision == given.revision)
                }
                // The history says whose it was; an author sees that only of the own time.
                var owners: [[User.ID?]] = [[], []]
                for number in 1...5 {
                    for (index, audience) in [.editors, Audience.author(Self.ada.id)].enumerated() {
                        owners[index].append(
                            try await store.revision(number, of: made.id, visibleTo: audience)
                                .owner)
                    }
                }
                let (ada, ben, eve) = (Self.ada.id, Self.ben.id, Self.eve.id)
                #expect(owners == [[ada, ben, eve, nil, ada], [ada, nil, nil, nil, ada]])
            }
        }

        @Test(arguments: Engine.all)
        func `a restoration keeps the present owner`(_ engine: Engine) async throws {
            try await Self.with(engine) { store in
                let made = try await store.createArticle(
                    .make(), .sample(), by: .author(Self.ada))
                _ = try await Self.give(made.id, to: Self.ben, in: store)
                let restored = try await store.restoreArticle(
                    made.id, to: 1, expecting: .anything, by: .author(Self.ben, 60))
                #expect(restored.owner == Self.ben.id)
                #expect(restored.revision == 2)
                try await store.deleteArticle(
                    made.id, expecting: .anything, by: .author(Self.ben, 70))
                let back = try await store.restoreArticle(
                    made.id, to: 1, expecting: .anything, by: .author(Self.ben, 80))
                #expect(back.owner == Self.ben.id && back.revision == 4)
            }
        }

        @Test(arguments: Engine.all)
        func `an owner sees tags, authors and slugs of own articles, and no hidden ones of others`(
            _ engine: Engine
        ) async throws {
            try await Self.with(engine) { store in
                func create(
                    _ slug: String, _ user: UserRecord, _ status: Article.Status
                ) async throws -> Article {
                    try await store.createArticle(
                        .make(),
                        .sample(
                            slug, slug: .exactly(slug), authors: [.name("by \(slug)")],
                            tags: ["All", slug], status: status), by: .author(user))
                }
                let mine = try await create("mine", Self.ada, .draft)
                let shown = try await create("shown", Self.ada, .published)
                let theirs = try await create("theirs", Self.ben, .draft)
                let open = try await create("open", Self.ben, .published)
                // Names from before the publication stay hidden.
                _ = try await store.updateArticle(
                    open.id, expecting: .anything, by: .author(Self.ben, 5)
                ) { .of($0) { ($0.slug, $0.draft.status) = (.exactly("secret"), .draft) } }
                _ = try await store.updateArticle(
                    open.id, expecting: .anything, by: .author(Self.ben, 6)
                ) { .of($0) { ($0.slug, $0.draft.status) = (.exactly("opened"), .published) } }
                let audience = Audience.author(Self.ada.id)
                let tags = try await store.tags(after: nil, limit: 100, visibleTo: audience).items
                #expect(
                    tags.map { "\($0.tag.key) \($0.articleCount)" } == [
                        "all 3", "mine 1", "open 1", "shown 1",
                    ])
                let authors = try await store.authors(
                    after: nil, limit: 100, visibleTo: audience
                ).items
                #expect(Set(authors.map(\.name)) == ["by mine", "by open", "by shown"])
                let hidden = try #require(theirs.authors.first).id
                let error = try await failure {
                    _ = try await store.author(hidden, visibleTo: audience)
                }
                #expect(Self.name(error) == "notFound")
                let slugs = ["mine": mine.id, "shown": shown.id, "open": open.id]
                for slug in ["mine", "shown", "open", "opened", "secret", "theirs"] {
                    let found = try? await store.article(.slug(slug), visibleTo: audience)
                    let expected = slug == "opened" ? open.id : slugs[slug]
                    #expect(found?.id == expected, "\(slug)")
                    #expect(
                        found?.owner
                            == (found?.id == open.id
                                ? nil
                                : found.map { _ in
                                    Self.ada.id
                                }))
                }
            }
        }

        @Test(arguments: Engine.all)
        func `after a handover, one author sees an article leave and the other sees it come`(
            _ engine: Engine
        ) async throws {
            try await Self.with(engine) { store in
                let made = try await store.createArticle(
                    .make(), .sample(status: .draft), by: .author(Self.ada))
                var copies = [
                    .everyone, .editors, .author(Self.ada.id), Audience.author(Self.ben.id),
                ]
                .map { SyncCopy(for: $0) }
                func steps() async throws -> [[SyncCopy.Step]] {
                    var steps: [[SyncCopy.Step]] = []
                    for index in copies.indices {
                        steps.append(try await copies[index].catchUp(with: store))
                        try await copies[index].expectCurrent(in: store)
                    }
                    return steps
                }
                let id = made.id
                #expect(try await steps() == [[], [.put(id, 1)], [.put(id, 1)], []])
                _ = try await Self.give(id, to: Self.ben, in: store)
                #expect(
                    try await steps() == [[], [.put(id, 2)], [.delete(id, 2)], [.put(id, 2)]])
                _ = try await store.updateArticle(
                    id, expecting: .anything, by: .author(Self.ben, 60)
                ) { .of($0) { $0.draft.status = .published } }
                let all = Array(repeating: [SyncCopy.Step.put(id, 3)], count: 4)
                #expect(try await steps() == all)
                // A public one stays in sight.
                _ = try await Self.give(id, to: Self.ada, in: store)
                #expect(try await steps() == Array(repeating: [.put(id, 4)], count: 4))
                _ = try await store.updateArticle(
                    id, expecting: .anything, by: .author(Self.ada, 61)
                ) { .of($0) { $0.draft.status = .archived } }
                #expect(
                    try await steps() == [
                        [.delete(id, 5)], [.put(id, 5)], [.put(id, 5)], [.delete(id, 5)],
                    ])
                let positions = copies.map(\.position)
                try await store.deleteArticle(
                    id, expecting: .anything, by: .author(Self.ada, 62))
                #expect(try await steps() == [[], [.delete(id, 6)], [.delete(id, 6)], []])
                #expect(copies[0].position == positions[0] && copies[3].position == positions[3])
            }
        }

        @Test(arguments: Engine.all)
        func `when a user is deleted, articles have no owner and histories no name`(
            _ engine: Engine
        ) async throws {
            try await Self.with(engine) { store in
                let made = try await store.createArticle(
                    .make(), .sample("a", status: .draft), by: .author(Self.ada))
                let gone = try await store.createArticle(
                    .make(), .sample("b"), by: .author(Self.ada))
                try await store.deleteArticle(
                    gone.id, expecting: .anything, by: .author(Self.ada, 1))
                let actor = Revision.Actor(kind: .user, id: Self.ada.id.description)
                var named = actor
                named.name = "User ada"
                func actors() async throws -> [Revision.Actor] {
                    try await store.revisions(of: made.id, below: nil, limit: 9).items
                        .map(\.actor)
                }
                #expect(try await actors() == [named])
                _ = try await store.updateUser(
                    Self.ada.id, expecting: nil, UserChange(displayName: "Ada L."), at: .start)
                named.name = "Ada L."
                #expect(try await actors() == [named])
                var editor = SyncCopy(for: .editors)
                try await editor.catchUp(with: store)
                try await store.deleteUser(Self.ada.id, expecting: nil, at: .start + 90)
                #expect(try await editor.catchUp(with: store) == [.put(made.id, 2)])
                try await editor.expectCurrent(in: store)
                let system = Revision.Actor(kind: .system, name: "system")
                #expect(try await actors() == [system, actor])
                let left = try await store.article(.id(made.id), visibleTo: .editors)
                #expect(left.owner == nil && left.updatedAt == .start + 90)
                let restored = try await store.restoreArticle(
                    gone.id, to: 1, expecting: .anything, by: .later(99))
                #expect(restored.owner == nil)
                // The next user may get the same number.
                let next = UserRecord.sample("next", role: "author")
                try await store.createUser(next, using: nil, at: .start)
                var copy = SyncCopy(for: .author(next.id))
                #expect(try await copy.catchUp(with: store) == [.put(gone.id, 3)])
                try await copy.expectCurrent(in: store)
                let edit = Edit.author(Self.ada, 100)
                let error = try await failure {
                    _ = try await store.createArticle(.make(), .sample("c"), by: edit)
                }
                #expect(Self.name(error) == Self.name(.unknownOwner(Self.ada.id)))
            }
        }

        @Test(arguments: Engine.all)
        func `an export carries owners to where they exist`(_ engine: Engine) async throws {
            try await Self.with(engine) { store in
                let made = try await store.createArticle(
                    .make(), .sample(status: .draft), by: .author(Self.ada))
                _ = try await Self.give(made.id, to: Self.ben, in: store)
                let records = Lock([ExportRecord]())
                try await store.export { record in records.withLock { $0.append(record) } }
                // As in an export of an earlier version, which has no users.
                let exported = records.withLock { $0 }.filter {
                    if case .user = $0 { false } else { true }
                }
                for known in [[Self.ada, Self.ben], [Self.ada], []] {
                    try await engine.with { other in
                        for user in known {
                            try await other.createUser(user, using: nil, at: .start)
                        }
                        let counts = try await other.restore(exported, dryRun: false)
                        #expect(counts.unchanged == 0)
                        let again = try await other.restore(exported, dryRun: false)
                        #expect(again.added == 0)
                        let owner = try await other.article(.id(made.id), visibleTo: .editors).owner
                        #expect(owner == (known.count > 1 ? Self.ben.id : nil))
                        var copy = SyncCopy(for: .author(Self.ben.id))
                        let steps = try await copy.catchUp(with: other)
                        #expect(steps == (known.count > 1 ? [.put(made.id, 2)] : []))
                        let history = try await other.revisions(of: made.id, below: nil, limit: 9)
                        #expect(history.items.last?.actor.name == "User ada")
                        if known.contains(where: { $0.id == Self.ada.id }) {
                            try await other.deleteUser(Self.ada.id, expecting: nil, at: .start)
                            let erased = try await other.revisions(
                                of: made.id, below: nil, limit: 9)
                            #expect(erased.items.last?.actor.name == nil)
                        }
                    }
                }
            }
        }
    }
}
