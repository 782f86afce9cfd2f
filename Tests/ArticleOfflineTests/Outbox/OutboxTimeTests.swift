import ArticleAPI
import ArticleClient
import ArticleOffline
import BroadsheetTestSupport
import Testing

/// The times at which writes are sent again, and the cases in which they are not without their
/// user.
@Suite struct OutboxTimeTests {
    @Test func `delays double up to five minutes`() async throws {
        try await TwoEditorBackend.run { room in
            room.clock.hurry()
            let attempts = Counter()
            let device = try Device(
                room,
                network: TestNetwork { _ in attempts.next() < 10 ? .offline : .delivered })
            try await device.outbox.create(Article.Draft(title: "Bread"))
            device.start()
            try await device.waitUntilEmpty()
            await device.stop()
            let delays = room.clock.delays.map(\.components.seconds)
            #expect(delays == [2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
        }
    }

    @Test func `the network's return sends at once`() async throws {
        try await TwoEditorBackend.run { room in
            let fates = ScriptedOutcomes(.offline)
            let device = try Device(room, network: TestNetwork { _ in fates.next })
            let id = try await device.outbox.create(Article.Draft(title: "Bread"))
            device.start()
            let state = try await device.wait("a delay") { $0.nextAttempt != nil }
            #expect(state.nextAttempt == room.clock.time.advanced(byMilliseconds: 2_000))
            device.backend.networkDidChange()
            try await device.waitUntilEmpty()
            await device.stop()
            #expect(try await room.current(id) != nil)
        }
    }

    @Test func `a delay ends by the clock`() async throws {
        try await TwoEditorBackend.run { room in
            let fates = ScriptedOutcomes(.offline)
            let device = try Device(room, network: TestNetwork { _ in fates.next })
            try await device.outbox.create(Article.Draft(title: "Bread"))
            device.start()
            try await device.wait("a delay") { $0.nextAttempt != nil }
            #expect(await eventually { !room.clock.delays.isEmpty })
            room.clock.pass(seconds: 2)
            try await device.waitUntilEmpty()
            await device.stop()
        }
    }

    /// A device whose first write, without a version, got no response a day ago.
    private func old(
        _ room: TwoEditorBackend, _ bread: Article, _ fate: TestNetwork.DeliveryOutcome
    ) async throws -> (Device, OutboxEntry) {
        let fates = ScriptedOutcomes(fate)
        let device = try Device(room, network: TestNetwork { _ in fates.next })
        try await device.see(bread)
        var unversioned = bread
        unversioned.version = nil
        try await device.outbox.update(unversioned, .init(title: .set("Loaf")))
        device.start()
        try await device.wait("a delay") { $0.nextAttempt != nil }
        await device.stop()
        room.clock.pass(seconds: 24 * 3_600)
        device.start()
        let state = try await device.wait("a question") { !$0.confirmations.isEmpty }
        return (device, try #require(state.confirmations.first))
    }

    @Test(arguments: [TestNetwork.DeliveryOutcome.requestLost, .responseLost])
    func `a write of yesterday is sent again only if its user wants it`(
        fate: TestNetwork.DeliveryOutcome
    ) async throws {
        try await TwoEditorBackend.run { room in
            let bread = try await room.article()
            let (device, entry) = try await old(room, bread, fate)
            #expect(try await device.shown(bread.id)?.pending == .needsConfirmation)
            #expect(device.network.writes.count == 1)
            try await device.outbox.sendAgain(entry.number)
            try await device.waitUntilEmpty()
            await device.stop()
            #expect(try await room.editors(of: bread.id) == ["somebody else", "ada"])
            #expect(try await room.current(bread.id)?.title == "Loaf")
        }
    }

    @Test func `a write of yesterday can be dropped`() async throws {
        try await TwoEditorBackend.run { room in
            let bread = try await room.article()
            let (device, entry) = try await old(room, bread, .requestLost)
            try await device.outbox.discard(entry.number)
            try await device.waitUntilEmpty()
            await device.stop()
            #expect(try await room.current(bread.id) == bread)
            #expect(try await device.shown(bread.id)?.article == bread)
        }
    }

    @Test func `what could not be sent for days is sent without a question`() async throws {
        try await TwoEditorBackend.run { room in
            let bread = try await room.article()
            let fates = ScriptedOutcomes(.offline)
            let device = try Device(room, network: TestNetwork { _ in fates.next })
            try await device.outbox.update(bread, .init(title: .set("Loaf")))
            device.start()
            try await device.wait("a delay") { $0.nextAttempt != nil }
            await device.stop()
            room.clock.pass(seconds: 72 * 3_600)
            device.start()
            try await device.waitUntilEmpty()
            await device.stop()
            #expect(try await room.current(bread.id)?.title == "Loaf")
        }
    }

    @Test(arguments: [TestNetwork.DeliveryOutcome.requestLost, .responseLost])
    func `a write that names a version is sent again after days, and carried out once`(
        fate: TestNetwork.DeliveryOutcome
    ) async throws {
        try await TwoEditorBackend.run { room in
            let (bread, cake) = (try await room.article(), try await room.article("Cake"))
            let fates = ScriptedOutcomes(fate, fate)
            let device = try Device(room, network: TestNetwork { _ in fates.next })
            try await device.outbox.update(bread, .init(title: .set("Loaf")))
            try await device.outbox.delete(cake)
            device.start()
            try await device.wait("delays") { $0.waiting.filter { $0.attempts == 1 }.count == 2 }
            await device.stop()
            room.clock.pass(seconds: 72 * 3_600)
            device.start()
            try await device.waitUntilEmpty()
            await device.stop()
            #expect(try await room.editors(of: bread.id) == ["somebody else", "ada"])
            #expect(try await room.current(bread.id)?.title == "Loaf")
            #expect(try await room.current(cake.id) == nil)
        }
    }

    @Test func `an article that was created yesterday is not created twice`() async throws {
        try await TwoEditorBackend.run { room in
            let fates = ScriptedOutcomes(.responseLost)
            let device = try Device(room, network: TestNetwork { _ in fates.next })
            let id = try await device.outbox.create(
                Article.Draft(title: "Bread", body: "Knead.", tags: ["Baking"]))
            device.start()
            try await device.wait("a delay") { $0.nextAttempt != nil }
            await device.stop()
            room.clock.pass(seconds: 48 * 3_600)
            device.start()
            try await device.waitUntilEmpty()
            await device.stop()
            #expect(try await room.editors(of: id) == ["ada"])
            #expect(try await device.shown(id)?.article == room.current(id))
        }
    }
}
