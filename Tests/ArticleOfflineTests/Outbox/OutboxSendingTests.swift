import ArticleAPI
import ArticleClient
import ArticleOffline
import BroadsheetHTTP
import BroadsheetTestSupport
import Testing

/// Writes that show at once and reach a real backend later.
@Suite struct OutboxSendingTests {
    @Test func `what is created and edited offline shows at once and is sent as one write`()
        async throws
    {
        try await TwoEditorBackend.run { room in
            let device = try Device(room)
            let draft = Article.Draft(title: "Bread", body: "Knead.", tags: ["baking"])
            let id = try await device.outbox.create(draft)
            let shown = try #require(try await device.shown(id))
            #expect(shown.article.title == "Bread" && shown.article.wordCount == 1)
            #expect(shown.pending == .waiting(until: nil))
            try await device.outbox.update(shown.article, .init(title: .set("Loaf")))
            let baking = ArticleQuery(tags: ["baking"])
            let listed = try await device.store.loadArticles(matching: baking)
            #expect(listed.map(\.article.title) == ["Loaf"])
            device.start()
            try await device.waitUntilEmpty()
            let sent = try #require(try await room.current(id))
            #expect(sent.title == "Loaf" && sent.revision == 1 && sent.body == "Knead.")
            let known = try #require(try await device.shown(id))
            #expect(known.article == sent && known.pending == nil)
            #expect(device.network.writes.map(\.method) == [.post])
            await device.stop()
        }
    }

    @Test func `what is created and deleted offline is never sent`() async throws {
        try await TwoEditorBackend.run { room in
            let device = try Device(room)
            let id = try await device.outbox.create(Article.Draft(title: "Bread"))
            let shown = try #require(try await device.shown(id))
            try await device.outbox.delete(shown.article)
            #expect(try await device.shown(id) == nil)
            device.start()
            try await device.waitUntilEmpty()
            await device.stop()
            #expect(device.network.writes.isEmpty)
        }
    }

    @Test func `a deleted article is hidden at once and stays deleted`() async throws {
        try await TwoEditorBackend.run { room in
            let bread = try await room.article()
            let device = try Device(room)
            try await device.see(bread)
            try await device.outbox.delete(bread)
            #expect(try await device.shown(bread.id) == nil)
            #expect(try await device.store.loadArticles().isEmpty)
            device.start()
            try await device.waitUntilEmpty()
            #expect(try await room.current(bread.id) == nil)
            // A response that was on its way does not bring it back.
            try await device.see(bread)
            #expect(try await device.shown(bread.id) == nil)
            await device.stop()
        }
    }

    @Test(arguments: [TestNetwork.DeliveryOutcome.requestLost, .responseLost, .offline])
    func `a write whose response is lost is carried out once`(fate: TestNetwork.DeliveryOutcome)
        async throws
    {
        try await TwoEditorBackend.run { room in
            room.clock.hurry()
            let bread = try await room.article()
            let fates = ScriptedOutcomes(fate, fate, fate)
            let device = try Device(room, network: TestNetwork { _ in fates.next })
            try await device.outbox.update(bread, .init(title: .set("Loaf")))
            let id = try await device.outbox.create(Article.Draft(title: "Rye"))
            device.start()
            try await device.waitUntilEmpty()
            await device.stop()
            #expect(try await room.current(bread.id)?.title == "Loaf")
            #expect(try await room.editors(of: bread.id) == ["somebody else", "ada"])
            #expect(try await room.editors(of: id) == ["ada"])
            for writes in Dictionary(grouping: device.network.writes, by: \.target).values {
                #expect(Set(writes.map(\.key)).count == 1 && Set(writes.map(\.body)).count == 1)
            }
        }
    }

    @Test func `writes of an article are sent in order, and a later edit sees the response`()
        async throws
    {
        try await TwoEditorBackend.run { room in
            let bread = try await room.article()
            let (arrived, released) = (Signal(), Signal())
            let device = try Device(
                room,
                network: TestNetwork { _ in
                    arrived.give()
                    await released.wait()
                    return .delivered
                })
            try await device.see(bread)
            try await device.outbox.update(bread, .init(title: .set("Loaf")))
            device.start()
            await arrived.wait()
            let shown = try #require(try await device.shown(bread.id))
            #expect(shown.pending == .sending && shown.article.title == "Loaf")
            try await device.outbox.update(shown.article, .init(title: .set("Rye loaf")))
            try await device.outbox.update(shown.article, .init(summary: .set("Rye")))
            #expect(await device.outbox.state.entries.count == 2)
            released.give()
            try await device.waitUntilEmpty()
            await device.stop()
            let sent = try #require(try await room.current(bread.id))
            #expect(sent.title == "Rye loaf" && sent.summary == "Rye" && sent.revision == 3)
            #expect(device.network.limitInFlight == 1)
        }
    }

    @Test func `different articles are sent side by side, up to the width`() async throws {
        try await TwoEditorBackend.run { room in
            let (count, both) = (Counter(), Signal())
            let device = try Device(
                room,
                network: TestNetwork { _ in
                    if count.next() == 1 { both.give() }
                    await both.wait()
                    return .delivered
                }, width: 2)
            for number in 0..<5 {
                try await device.outbox.create(Article.Draft(title: "Bread \(number)"))
            }
            device.start()
            try await device.waitUntilEmpty()
            await device.stop()
            #expect(device.network.limitInFlight == 2 && device.network.writes.count == 5)
        }
    }

    @Test func `what the backend rejects is taken back`() async throws {
        try await TwoEditorBackend.run { room in
            let (bread, rye) = (try await room.article("Bread"), try await room.article("Rye"))
            let device = try Device(room)
            try await device.see(bread)
            var values = device.store.article(bread.id).makeAsyncIterator()
            #expect(await values.next()??.article.slug == bread.slug)
            try await device.outbox.update(bread, .init(slug: .set(rye.slug)))
            let optimistic = await values.next() ?? nil
            #expect(optimistic?.article.slug == rye.slug)
            #expect(optimistic?.pending == .waiting(until: nil))
            device.start()
            let state = try await device.wait("rejected") { !$0.rejections.isEmpty }
            let shown = try #require(try await device.shown(bread.id))
            #expect(shown.article == bread && shown.pending == state.rejections.first?.status)
            var last = await values.next() ?? nil
            while last?.pending != shown.pending { last = await values.next() ?? nil }
            #expect(last?.article.slug == bread.slug)
            guard case .rejected(let problem)? = shown.pending else {
                Issue.record("it is not rejected")
                return
            }
            #expect(problem.kind == .slugTaken)
            try await device.outbox.discard(state.rejections[0].number)
            #expect(try await device.shown(bread.id)?.pending == nil)
            await device.stop()
        }
    }

    @Test func `an article that could not be created is created once it is corrected`()
        async throws
    {
        try await TwoEditorBackend.run { room in
            let rye = try await room.article("Rye")
            let device = try Device(room)
            device.start()
            let id = try await device.outbox.create(
                Article.Draft(slug: rye.slug, title: "Bread"))
            let state = try await device.wait("rejected") { !$0.rejections.isEmpty }
            #expect(try await device.shown(id) == nil)
            let draft = try #require(state.rejections.first)
            let corrected = try #require([draft].corrected(slug: "bread"))
            try await device.outbox.update(corrected.article, corrected.changes)
            try await device.waitUntilEmpty()
            await device.stop()
            #expect(try await room.current(id)?.slug == "bread")
        }
    }

    @Test func `what the backend would reject anyway is not stored`() async throws {
        let store = try ModelStore(.memory(of: "ada"))
        let outbox = Outbox(store: store, backend: .stub { _ in })
        let error = await #expect(throws: OfflineError.self) {
            try await outbox.create(Article.Draft(title: ""))
        }
        guard case .invalid(let fault)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(fault.details.count == 1)
        await #expect(throws: OfflineError.noSuchWrite) { try await outbox.sendAgain(1) }
        #expect(await outbox.state.entries.isEmpty)
        let anonymous = Outbox(store: try ModelStore(.memory), backend: .stub { _ in })
        await #expect(throws: OfflineError.noAccount) {
            try await anonymous.create(Article.Draft(title: "Bread"))
        }
    }

    @Test func `an outbox that nobody uses is released, and its states end`() async throws {
        let store = try ModelStore(.memory(of: "ada"))
        var outbox: Outbox? = Outbox(store: store, backend: .stub { _ in })
        weak let released = outbox
        var states = outbox?.states.makeAsyncIterator()
        #expect(await states?.next()?.pause == .notRunning)
        let running = Task { [outbox] in await outbox?.run() }
        running.cancel()
        await running.value
        outbox = nil
        #expect(await eventually { released == nil })
        while await states?.next() != nil {}
    }
}

extension [OutboxEntry] {
    /// The article that was not created, with another slug.
    fileprivate func corrected(slug: String) -> (article: Article, changes: Article.Changes)? {
        guard let entry = first, let id = entry.article, case .create(let draft) = entry.write
        else {
            return nil
        }
        let time = entry.createdAt
        let article = Article(
            id: id, slug: draft.slug ?? "", title: draft.title, body: draft.body,
            language: "en", status: .draft, createdAt: time, updatedAt: time, wordCount: 0,
            readingMinutes: 0)
        return (article, Article.Changes(slug: .set(slug)))
    }
}
