import ArticleAPI
import ArticleAdminAPI
import ArticleStore
import Testing

extension ArticleStoreConformance {
    @Suite struct Sources {
        private static let time = Timestamp.start
        private static func source(_ url: String = "https://example.org/feed") -> ContentSource {
            ContentSource(
                id: .make(), url: url, name: "A Feed", tags: ["Bread", "Rye & Co."],
                intervalSeconds: 60, createdAt: time, updatedAt: time)
        }

        private static func key(_ number: UInt8) -> [UInt8] {
            [UInt8](repeating: number, count: 32)
        }

        private static func content(
            _ title: String, status: Article.Status = .published, at publishedAt: Timestamp? = nil
        ) -> ArticleContent {
            let draft = Article.Draft(
                title: title, body: "Body of \(title)", language: "en", status: status,
                publishedAt: publishedAt)
            return ArticleContent(
                draft, slug: .like("slug"), measure: TextMeasure(draft.body))
        }

        /// An entry whose digest follows from its title.
        private static func item(
            _ number: UInt8, _ title: String, _ id: Article.ID = .make(),
            status: Article.Status = .published, at publishedAt: Timestamp? = nil
        ) -> SourceItem {
            let digest = [UInt8]((title + "\(status)").utf8) + Self.key(0)
            return SourceItem(
                key: key(number), digest: Array(digest.prefix(32)),
                change: .put(
                    id, content(title, status: status, at: publishedAt), keepsSlug: true))
        }

        private static func take(
            _ items: [SourceItem], _ source: ContentSource, round: Int = 0,
            at time: Timestamp = time + 1_000, in store: any ArticleStore
        ) async throws -> [SourceOutcome] {
            try await store.importItems(
                items, from: source.id, at: source.revision, round: round, time: time
            ).map { try $0.get() }
        }

        @Test(arguments: Engine.all)
        func `a source is created, changed and removed`(_ engine: Engine) async throws {
            try await engine.with { store in
                let made = try await store.createSource(Self.source(), by: .first)
                #expect(made.revision == 1 && made.version != nil)
                #expect(made.nextPollAt == Edit.first.time && made.lastPolledAt == nil)
                #expect(made.tags == ["Bread", "Rye & Co."] && made.intervalSeconds == 60)
                #expect(try await store.source(made.id) == made)
                let same = try await store.updateSource(
                    made.id, ContentSource.Changes(), expecting: .anything, at: Self.time + 1)
                #expect(same == made)
                let paused = try await store.updateSource(
                    made.id, ContentSource.Changes(name: .clear, isPaused: .set(true)),
                    expecting: .versions([made.version ?? ""]), at: Self.time + 2)
                #expect(paused.revision == 2 && paused.version != made.version)
                #expect(paused.isPaused && paused.name == nil && paused.nextPollAt == nil)
                await #expect(throws: StoreError.self) {
                    try await store.deleteSource(
                        made.id, expecting: .versions([made.version ?? ""]))
                }
                try await store.deleteSource(made.id, expecting: .existing)
                await #expect(throws: StoreError.self) { try await store.source(made.id) }
                #expect(try await store.changeSequence() == 0)
            }
        }

        @Test(arguments: Engine.all)
        func `no two sources have one URL or one id`(_ engine: Engine) async throws {
            try await engine.with { store in
                let made = try await store.createSource(Self.source(), by: .first)
                let other = try await store.createSource(
                    Self.source("https://example.org/other"), by: .first)
                await #expect {
                    try await store.createSource(Self.source(), by: .first)
                } throws: { if case StoreError.conflict = $0 { true } else { false } }
                await #expect {
                    var again = Self.source("https://example.org/third")
                    again.id = made.id
                    _ = try await store.createSource(again, by: .first)
                } throws: { if case StoreError.idTaken = $0 { true } else { false } }
                await #expect {
                    try await store.updateSource(
                        other.id, ContentSource.Changes(url: .set(made.url)),
                        expecting: .anything, at: Self.time)
                } throws: { if case StoreError.conflict = $0 { true } else { false } }
                let first = try await store.sources(after: nil, limit: 1)
                #expect(first.items.map(\.id) == [min(made.id, other.id)])
                let rest = try await store.sources(after: first.next, limit: 1)
                #expect(rest.items.map(\.id) == [max(made.id, other.id)] && rest.next == nil)
            }
        }

        @Test(arguments: Engine.all)
        func `entries become articles, and changed ones revisions of the source`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let source = try await store.createSource(Self.source(), by: .first)
                let id = Article.ID.make()
                let items = [Self.item(1, "One", id), Self.item(2, "Two")]
                #expect(try await Self.take(items, source, in: store) == [.created, .created])
                #expect(try await Self.take(items, source, in: store) == [.unchanged, .unchanged])
                let changed = Self.item(1, "One, again")
                let later = Self.time + 2_000
                #expect(
                    try await Self.take([changed], source, at: later, in: store) == [.updated])
                let article = try await store.article(.id(id), visibleTo: .everyone)
                #expect(article.title == "One, again" && article.revision == 2)
                #expect(article.slug == "slug" && article.updatedAt == later)
                // An undated entry keeps the time at which it was first taken over.
                #expect(article.publishedAt == Self.time + 1_000)
                let history = try await store.revisions(of: id, below: nil, limit: 9).items
                let actor = Revision.Actor(
                    kind: .source, id: source.id.description, name: "A Feed")
                #expect(history.map(\.actor) == [actor, actor])
                #expect(history.map(\.action) == [.updated, .created])
                let digests = try await store.digests(
                    of: [Self.key(1), Self.key(9)], from: source.id)
                #expect(digests == [changed.digest, nil])
                #expect(try await store.source(source.id).articleCount == 2)
            }
        }

        @Test(arguments: Engine.all)
        func `what was edited or deleted here is left alone`(_ engine: Engine) async throws {
            try await engine.with { store in
                let source = try await store.createSource(Self.source(), by: .first)
                let (edited, deleted) = (Article.ID.make(), Article.ID.make())
                _ = try await Self.take(
                    [Self.item(1, "One", edited), Self.item(2, "Two", deleted)], source,
                    in: store)
                let later = Edit(at: Self.time + 2_000, by: .operator)
                _ = try await store.updateArticle(edited, expecting: .existing, by: later) {
                    var draft = $0.draft
                    draft.title = "Edited"
                    return ArticleContent(draft, slug: .keep, measure: TextMeasure(draft.body))
                }
                try await store.deleteArticle(deleted, expecting: .existing, by: later)
                let sequence = try await store.changeSequence()
                let items = [Self.item(1, "One, again"), Self.item(2, "Two, again")]
                #expect(
                    try await Self.take(items, source, in: store) == [.keptEdits, .keptEdits])
                let removals = [1, 2].map {
                    SourceItem(key: Self.key($0), digest: [], change: .delete)
                }
                #expect(
                    try await Self.take(removals, source, in: store) == [.keptEdits, .keptEdits])
                #expect(try await store.changeSequence() == sequence)
                #expect(
                    try await store.article(.id(edited), visibleTo: .everyone).title == "Edited")
            }
        }

        @Test(arguments: Engine.all)
        func `what disappeared is deleted, and comes back with its entry`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let source = try await store.createSource(Self.source(), by: .first)
                let id = Article.ID.make()
                let item = Self.item(1, "One", id)
                let gone = SourceItem(key: Self.key(1), digest: [], change: .delete)
                let unknown = SourceItem(key: Self.key(9), digest: [], change: .delete)
                _ = try await Self.take([item], source, in: store)
                #expect(
                    try await Self.take([gone, unknown], source, in: store)
                        == [.deleted, .unchanged])
                #expect(try await Self.take([gone], source, in: store) == [.unchanged])
                await #expect(throws: StoreError.self) {
                    try await store.article(.id(id), visibleTo: .editors)
                }
                #expect(try await store.digests(of: [Self.key(1)], from: source.id) == [nil])
                #expect(try await Self.take([item], source, in: store) == [.updated])
                let article = try await store.article(.id(id), visibleTo: .everyone)
                #expect(article.title == "One" && article.revision == 3)
                let history = try await store.revisions(of: id, below: nil, limit: 9).items
                #expect(history.map(\.action) == [.restored, .deleted, .created])
            }
        }

        @Test(arguments: Engine.all)
        func `a complete snapshot deletes what it does not have`(_ engine: Engine) async throws {
            try await engine.with { store in
                let source = try await store.createSource(Self.source(), by: .first)
                let ids = (1...5).map { _ in Article.ID.make() }
                let items = ids.enumerated().map {
                    Self.item(UInt8($0.offset + 1), "Title \($0.offset)", $0.element)
                }
                _ = try await Self.take(items, source, round: 1, in: store)
                var edit = Edit(at: Self.time + 2_000, by: .operator)
                edit.key = nil
                _ = try await store.updateArticle(ids[4], expecting: .existing, by: edit) {
                    var draft = $0.draft
                    draft.summary = "Edited"
                    return ArticleContent(draft, slug: .keep, measure: TextMeasure(draft.body))
                }
                let seen = SourceItem(
                    key: items[1].key, digest: items[1].digest, change: .seen)
                _ = try await Self.take([items[0], seen], source, round: 2, in: store)
                var (deleted, steps, hasMore) = (0, 0, true)
                while hasMore {
                    let step = try await store.deleteMissing(
                        from: source.id, at: 1, round: 2, limit: 2, time: Self.time + 3_000)
                    (deleted, hasMore) = (deleted + step.deleted, step.hasMore)
                    steps += 1
                }
                #expect(deleted == 2 && steps == 2)
                let left = try await store.articles(ArticleQuery(audience: .everyone)).items
                #expect(Set(left.map(\.id)) == [ids[0], ids[1], ids[4]])
            }
        }

        @Test(arguments: Engine.all)
        func `an entry that cannot be taken over stops no other`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let source = try await store.createSource(Self.source(), by: .first)
                let taken = Article.ID.make()
                _ = try await store.createArticle(taken, .sample(), by: .first)
                let results = try await store.importItems(
                    [Self.item(1, "One", taken), Self.item(2, "Two")], from: source.id, at: 1,
                    round: 0, time: Self.time + 1_000)
                guard case .failure(.idTaken) = results[0], case .success(.created) = results[1]
                else {
                    Issue.record("\(results)")
                    return
                }
                #expect(try await store.source(source.id).articleCount == 1)
            }
        }

        @Test(arguments: Engine.all)
        func `a future entry is scheduled, and its publication is not an edit`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let source = try await store.createSource(Self.source(), by: .first)
                let id = Article.ID.make()
                let due = Self.time + 60_000
                _ = try await Self.take([Self.item(1, "One", id, at: due)], source, in: store)
                let waiting = try await store.article(.id(id), visibleTo: .editors)
                #expect(waiting.status == .scheduled)
                _ = try await store.publishDueArticles(at: due, limit: 10)
                let item = Self.item(1, "One, again", at: due)
                #expect(
                    try await Self.take([item], source, at: due + 1, in: store) == [.updated])
                let article = try await store.article(.id(id), visibleTo: .everyone)
                #expect(article.status == .published && article.title == "One, again")
            }
        }

        @Test(arguments: Engine.all)
        func `polls are recorded, and become due`(_ engine: Engine) async throws {
            try await engine.with { store in
                let source = try await store.createSource(Self.source(), by: .first)
                let time = Edit.first.time
                #expect(
                    try await store.dueSources(at: time)
                        == [DueSource(id: source.id, url: source.url)])
                let position = SourcePosition(
                    etag: "\"a\"", lastModified: "x", token: "t", round: 3, isListing: true)
                let taken = SourcePoll.Taken(
                    kind: .broadsheet, title: "Title", movedTo: "https://example.org/moved",
                    position: position, skippedCount: 2, skippedReason: "too long")
                try await store.recordPoll(
                    SourcePoll(
                        time: time + 1, revision: 1, nextPollAt: time + 60_000,
                        result: .taken(taken)), of: source.id)
                #expect(try await store.position(of: source.id) == position)
                #expect(try await store.dueSources(at: time + 59_999) == [])
                #expect(
                    try await store.dueSources(at: time + 60_000).map(\.url)
                        == ["https://example.org/moved"])
                try await store.recordPoll(
                    SourcePoll(
                        time: time + 2, revision: 1, nextPollAt: time + 90_000,
                        result: .failed("it is down")), of: source.id)
                let failing = try await store.source(source.id)
                #expect(failing.failures == 1 && failing.lastError == "it is down")
                #expect(failing.lastPolledAt == time + 2 && failing.lastSucceededAt == time + 1)
                #expect(failing.kind == .broadsheet && failing.title == "Title")
                #expect(failing.revision == 1 && failing.skippedCount == 2)
                #expect(
                    try await store.sourceCounts(at: time + 90_001)
                        == SourceCounts(
                            active: 0, failing: 1, paused: 0, dueSince: time + 90_000))
                try await store.recordPoll(
                    SourcePoll(
                        time: time + 3, revision: 1, nextPollAt: time + 99_000,
                        result: .unchanged), of: source.id)
                let healthy = try await store.source(source.id)
                #expect(healthy.failures == 0 && healthy.lastError == nil)
                #expect(try await store.position(of: source.id) == position)
                let asked = try await store.requestPoll(of: source.id, at: time + 4)
                #expect(asked.nextPollAt == time + 4)
            }
        }

        @Test(arguments: Engine.all)
        func `a changed source is compared anew, and abandons the poll in flight`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let source = try await store.createSource(Self.source(), by: .first)
                let taken = SourcePoll.Taken(
                    kind: .feed, title: "Title", movedTo: "https://example.org/moved",
                    position: SourcePosition(etag: "\"a\""), skippedCount: 0, skippedReason: nil)
                let poll = SourcePoll(
                    time: Self.time, revision: 1, nextPollAt: Self.time + 60_000,
                    result: .taken(taken))
                try await store.recordPoll(poll, of: source.id)
                let changed = try await store.updateSource(
                    source.id, ContentSource.Changes(publishes: .set(true)),
                    expecting: .existing, at: Self.time + 5)
                #expect(changed.nextPollAt == Self.time + 5 && changed.kind == .feed)
                #expect(changed.movedTo == "https://example.org/moved")
                #expect(try await store.position(of: source.id).etag == nil)
                await #expect(throws: StoreError.self) {
                    try await store.recordPoll(poll, of: source.id)
                }
                await #expect(throws: StoreError.self) {
                    try await store.importItems(
                        [Self.item(1, "One")], from: source.id, at: 1, round: 0, time: Self.time)
                }
                let moved = try await store.updateSource(
                    source.id,
                    ContentSource.Changes(url: .set("https://example.org/elsewhere")),
                    expecting: .existing, at: Self.time + 6)
                #expect(moved.kind == nil && moved.movedTo == nil && moved.title == nil)
            }
        }

        @Test(arguments: Engine.all)
        func `the articles of a removed source stay, and name it in their history`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let source = try await store.createSource(Self.source(), by: .first)
                let id = Article.ID.make()
                _ = try await Self.take([Self.item(1, "One", id)], source, in: store)
                _ = try await store.updateSource(
                    source.id, ContentSource.Changes(name: .set("Renamed")),
                    expecting: .existing, at: Self.time + 5)
                try await store.deleteSource(source.id, expecting: .anything)
                let history = try await store.revisions(of: id, below: nil, limit: 9).items
                #expect(
                    history.map(\.actor) == [
                        Revision.Actor(
                            kind: .source, id: source.id.description, name: "Renamed")
                    ])
                _ = try await store.article(.id(id), visibleTo: .everyone)
            }
        }
    }
}
