import ArticleAPI
import ArticleAdminAPI
import ArticleStore
import BroadsheetPlatform
import BroadsheetSockets
import Testing

extension ArticleStoreConformance {
    @Suite struct Actors {
        private static func key(_ id: String, name: String) -> KeyRecord {
            KeyRecord(
                id: id, digest: [UInt8](repeating: 7, count: 32), name: name, role: "editor",
                createdAt: .start)
        }

        private static func key(_ id: String, _ name: String?) -> Revision.Actor {
            Revision.Actor(kind: .key, id: id, name: name)
        }

        /// An article with one revision by each of these.
        private static func write(
            _ actors: [Edit.Actor], to store: any ArticleStore
        ) async throws -> Article.ID {
            let id = Article.ID.make()
            for (number, actor) in actors.enumerated() {
                let edit = Edit(at: .start + Int64(number), by: actor)
                if number == 0 {
                    _ = try await store.createArticle(id, .sample(), by: edit)
                } else {
                    _ = try await store.updateArticle(id, expecting: .anything, by: edit) {
                        .of($0) { $0.draft.title = "\(number)" }
                    }
                }
            }
            return id
        }

        /// Returns the actors of the revisions, in their order.
        private static func actors(
            of id: Article.ID, in store: any ArticleStore
        ) async throws -> [Revision.Actor] {
            try await store.revisions(of: id, below: nil, limit: 100).items.map(\.actor).reversed()
        }

        private static func exported(_ store: any ArticleStore) async throws -> [ExportRecord] {
            let records = Lock([ExportRecord]())
            try await store.export { record in records.withLock { $0.append(record) } }
            return records.withLock { $0 }
        }

        @Test(arguments: Engine.all)
        func `the history shows the names of its actors`(_ engine: Engine) async throws {
            try await engine.with { store in
                for (id, name) in [("a", "desk"), ("b", "desk"), ("operator", "operator")] {
                    try await store.createKey(Self.key(id, name: name))
                }
                let id = try await Self.write(
                    [
                        .key(id: "a"), .key(id: "b"), .operator, .key(id: "operator"),
                        .key(id: "none"), .unrecorded(name: "desk"), .unrecorded(name: nil),
                    ], to: store)
                _ = try await store.revokeKey("a", at: .start)
                #expect(
                    try await Self.actors(of: id, in: store) == [
                        Self.key("a", "desk"), Self.key("b", "desk"),
                        Revision.Actor(kind: .operator, name: "operator"),
                        Self.key("operator", "operator"), Self.key("none", nil),
                        Revision.Actor(kind: .unrecorded, name: "desk"),
                        Revision.Actor(kind: .unrecorded),
                    ])
            }
        }

        @Test(arguments: Engine.all)
        func `deletions and restorations have actors, too`(_ engine: Engine) async throws {
            try await engine.with { store in
                let made = try await store.createArticle(
                    .make(), .sample(), by: Edit(at: .start, by: .key(id: "a")))
                try await store.deleteArticle(
                    made.id, expecting: .anything, by: Edit(at: .start, by: .operator))
                _ = try await store.restoreArticle(
                    made.id, to: 1, expecting: .anything,
                    by: Edit(at: .start, by: .key(id: "b")))
                let actors = try await Self.actors(of: made.id, in: store)
                #expect(actors.map(\.kind) == [.key, .operator, .key])
                #expect(actors.map(\.id) == ["a", nil, "b"])
            }
        }

        @Test(arguments: Engine.all)
        func `an actor whose step was undone can write later`(_ engine: Engine) async throws {
            try await engine.with { store in
                let edit = Edit(at: .start, by: .key(id: "a"))
                _ = try await store.createArticle(
                    .make(), .sample(slug: .exactly("taken")), by: .first)
                let taken = try await failure {
                    _ = try await store.createArticle(
                        .make(), .sample(slug: .exactly("taken")), by: edit)
                }
                guard case .slugTaken = taken else { throw taken }
                let item = ImportItem(path: "a.md", digest: [1], id: .make(), content: .sample())
                _ = try await store.importArticles([item], by: edit, dryRun: true)
                let made = try await store.createArticle(.make(), .sample(), by: edit)
                #expect(try await Self.actors(of: made.id, in: store) == [Self.key("a", nil)])
            }
        }

        @Test(arguments: Engine.all)
        func `restored actors keep their names until they can be looked up`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                for id in ["a", "b", "c"] {
                    try await store.createKey(Self.key(id, name: "Key \(id)"))
                }
                let id = try await Self.write(
                    [
                        .key(id: "a"), .key(id: "b"), .operator, .unrecorded(name: "desk"),
                        .key(id: "c"), .key(id: "a"),
                    ], to: store)
                let records = try await Self.exported(store)
                try await engine.with { other in
                    try await other.createKey(Self.key("b", name: "Here"))
                    _ = try await other.restore(records, dryRun: false)
                    let actors = try await Self.actors(of: id, in: other)
                    #expect(
                        actors == [
                            Self.key("a", "Key a"), Self.key("b", "Here"),
                            Revision.Actor(kind: .operator, name: "operator"),
                            Revision.Actor(kind: .unrecorded, name: "desk"),
                            Self.key("c", "Key c"), Self.key("a", "Key a"),
                        ])
                    let again = try await other.restore(records, dryRun: false)
                    #expect(again.added == 0 && again.unchanged == records.count)
                    try await other.createKey(Self.key("a", name: "New"))
                    let named = try await Self.actors(of: id, in: other)
                    #expect(
                        named.map(\.name) == ["New", "Here"] + actors[2...4].map(\.name) + ["New"])
                    try await engine.with { third in
                        let moved = try await Self.exported(other)
                        _ = try await third.restore(moved, dryRun: false)
                        #expect(try await Self.exported(third) == moved)
                    }
                }
            }
        }

        @Test(arguments: Engine.all)
        func `a restored revision must have the same actor`(_ engine: Engine) async throws {
            try await engine.with { store in
                try await store.createKey(Self.key("a", name: "Key a"))
                _ = try await Self.write([.key(id: "a"), .unrecorded(name: "desk")], to: store)
                let records = try await Self.exported(store)
                let actors: [(Int, Revision.Actor, fits: Bool)] = [
                    (1, Self.key("a", nil), true), (1, Self.key("a", "former name"), true),
                    (1, Self.key("b", "Key a"), false),
                    (1, Revision.Actor(kind: .user, id: "a", name: "Key a"), false),
                    (1, Revision.Actor(kind: .unrecorded, name: "Key a"), false),
                    (2, Revision.Actor(kind: .unrecorded, name: "Desk"), false),
                    (2, Revision.Actor(kind: .unrecorded), false),
                    (2, Self.key("a", "desk"), false),
                ]
                for (index, actor, fits) in actors {
                    guard case .revision(var revision) = records[index] else {
                        throw NothingWasThrown()
                    }
                    revision.actor = actor
                    let altered = revision
                    do {
                        _ = try await store.restore([.revision(altered)], dryRun: false)
                        #expect(fits, "\(actor)")
                    } catch StoreError.conflict(_) { #expect(!fits, "\(actor)") }
                }
            }
        }

        @Test(arguments: [
            Revision.Actor(kind: .key, name: "desk"), Revision.Actor(kind: .user, name: "Ann"),
            Revision.Actor(kind: .operator, id: "a"), Revision.Actor(kind: .unrecorded, id: "a"),
            Revision.Actor(kind: .unknown("robot"), id: "r2"),
        ])
        func `an actor that makes no sense is not restored`(_ actor: Revision.Actor) async throws {
            for engine in Engine.all {
                try await engine.with { store in
                    let id = try await Self.write([.operator], to: store)
                    var records = try await Self.exported(store)
                    guard case .revision(var revision)? = records.popLast() else {
                        throw NothingWasThrown()
                    }
                    revision.actor = actor
                    records.append(.revision(revision))
                    let altered = records
                    try await engine.with { other in
                        let error = try await failure {
                            _ = try await other.restore(altered, dryRun: false)
                        }
                        guard case .conflict(let place) = error else { throw error }
                        #expect(place.contains("\(id)"))
                        #expect(try await other.changeSequence() == 0)
                    }
                }
            }
        }
    }
}
