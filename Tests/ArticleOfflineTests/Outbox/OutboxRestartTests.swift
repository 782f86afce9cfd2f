import ArticleAPI
import ArticleClient
import ArticleOffline
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

/// The process ends at any time, and continues from its files.
@Suite struct OutboxRestartTests {
    /// Copies a store as a kill leaves it.
    ///
    /// - Parameters:
    ///   - folder: the folder of the device.
    ///   - share: the length of the write-ahead log that has reached the disk, from its length.
    private static func copy(
        _ folder: TemporaryFolder, _ share: (Int) -> Int = { $0 }
    ) throws -> TemporaryFolder {
        let copy = try TemporaryFolder()
        for name in ["models", "models-wal"] where Files.exists(folder.file(name)) {
            let bytes = try Files.read(folder.file(name))
            let length = name == "models" ? bytes.count : share(bytes.count)
            try Files.write(Array(bytes.prefix(length)), to: copy.file(name))
        }
        return copy
    }

    @Test func `what was returned as stored is there after a kill, and half a change is not`()
        async throws
    {
        try await TwoEditorBackend.run { room in
            let bread = try await room.article()
            let device = try Device(room)
            var states: [[OutboxEntry]] = [[]]
            for number in 0..<4 {
                if number == 2 {
                    try await device.outbox.update(bread, .init(title: .set("Loaf")))
                } else {
                    try await device.outbox.create(Article.Draft(title: "Bread \(number)"))
                }
                states.append(await device.outbox.state.entries)
                for eighths in 0...8 {
                    let folder = try Self.copy(device.folder) { $0 * eighths / 8 }
                    let next = try Device(room, in: folder)
                    let found = await next.outbox.state
                    #expect(states.contains(found.entries) && found.unreadable == 0)
                    if eighths == 8 { #expect(found.entries == states.last) }
                }
            }
        }
    }

    /// The place where the process ends: before a request leaves the device, or before the response
    /// to it arrives.
    private final class KillPoint: Sendable {
        /// The process has ended, or there is nothing more to send.
        let end = Signal()
        private let state = Lock((count: 0, copy: TemporaryFolder?.none))
        private let place: Int

        init(at place: Int) { self.place = place }

        var copy: TemporaryFolder? { state.withLock { $0.copy } }

        /// Returns true if the process still lives.
        ///
        /// - Parameters:
        ///   - folder: the folder of the device.
        ///   - lost: the number of bytes of the last change that have not reached the disk.
        func pass(_ folder: TemporaryFolder, _ lost: Int) -> Bool {
            let isAlive = state.withLock { state in
                if state.copy == nil, state.count == place {
                    state.copy = try? OutboxRestartTests.copy(folder) { max($0 - lost, 0) }
                }
                state.count += 1
                return state.copy == nil
            }
            if !isAlive { end.give() }
            return isAlive
        }
    }

    /// Edits an article twice, deletes another one and creates a third; the process ends at a place
    /// and begins anew.
    ///
    /// - Returns: whether the place was reached.
    private func run(_ room: TwoEditorBackend, killedAt place: Int, lost: Int) async throws -> Bool
    {
        let (bread, rye) = (try await room.article("Bread"), try await room.article("Rye"))
        let kill = KillPoint(at: place)
        let folder = try TemporaryFolder()
        let network = TestNetwork(
            { _ in kill.pass(folder, lost) ? .delivered : .stuck },
            didRespond: { _ in kill.pass(folder, lost) })
        let device = try Device(room, network: network, in: folder, width: 1)
        let id = try await device.outbox.create(Article.Draft(title: "Third"))
        try await device.outbox.update(bread, .init(title: .set("Loaf")))
        try await device.outbox.delete(rye)
        // Its title makes this a conflict that is merged, with one more request.
        try await room.edit(bread.id, .init(summary: .set("Theirs")))
        device.start()
        let sending = Task {
            try await device.waitUntilEmpty()
            kill.end.give()
        }
        await kill.end.wait()
        sending.cancel()
        await device.stop()
        // A process does not begin in the second in which another one has ended.
        room.clock.pass(seconds: 1)
        let next = try Device(room, in: kill.copy ?? folder, width: 1)
        next.start()
        try await next.waitUntilEmpty()
        await next.stop()
        #expect(try await room.editors(of: id) == ["ada"], "killed at \(place)")
        #expect(
            try await room.editors(of: bread.id) == ["somebody else", "somebody else", "ada"],
            "killed at \(place)")
        let sent = try await room.current(bread.id)
        #expect(sent?.title == "Loaf" && sent?.summary == "Theirs", "killed at \(place)")
        #expect(try await room.current(rye.id) == nil, "killed at \(place)")
        let shown = try await next.shown(bread.id)
        #expect(shown?.article == sent, "killed at \(place)")
        #expect(shown?.pending == nil, "killed at \(place)")
        return kill.copy != nil
    }

    @Test(arguments: [0, 1])
    func `wherever the process ends, each write is carried out once`(lost: Int) async throws {
        try await TwoEditorBackend.run { room in
            room.clock.hurry()
            var place = 0
            while try await run(room, killedAt: place, lost: lost) { place += 1 }
            #expect(place > 8)
        }
    }

    /// Comments twice, and reads on; the process ends at a place and begins anew.
    ///
    /// - Returns: true if the place was reached.
    private func runRequests(_ room: TwoEditorBackend, killedAt place: Int) async throws -> Bool {
        // No one writes more than ten comments a minute.
        room.clock.pass(seconds: 60)
        let bread = try await room.published()
        let kill = KillPoint(at: place)
        let folder = try TemporaryFolder()
        let network = TestNetwork(
            { _ in kill.pass(folder, 0) ? .delivered : .stuck },
            didRespond: { _ in kill.pass(folder, 0) })
        func device(_ network: TestNetwork, _ folder: TemporaryFolder) throws -> Device {
            let auth = try BackendAuth(
                store: MemoryCredentialStore(room.credentials(ofReader: "ada")), refresh: nil)
            return try Device(
                room, auth: auth, network: network, in: folder, width: 1,
                sending: [WriteNoteRequest.self])
        }
        let first = try device(network, folder)
        try await first.outbox.send(CreateCommentRequest("One", on: bread.id))
        try await first.outbox.send(PutBookmarkRequest(bread.id, 0.1))
        try await first.outbox.send(
            WriteNoteRequest(
                articleID: bread.id, draft: ArticleComment.Draft(body: "Note"), idempotencyKey: nil)
        )
        // Of comments of one time, the ids decide the order.
        room.clock.pass(seconds: 1)
        try await first.outbox.send(CreateCommentRequest("Two", on: bread.id))
        try await first.outbox.send(PutBookmarkRequest(bread.id, 0.2))
        first.start()
        let sending = Task {
            try await first.waitUntilEmpty()
            kill.end.give()
        }
        await kill.end.wait()
        sending.cancel()
        await first.stop()
        room.clock.pass(seconds: 1)
        let next = try device(TestNetwork(), kill.copy ?? folder)
        next.start()
        try await next.waitUntilEmpty()
        await next.stop()
        let sent = try await room.comments(on: bread.id)
        #expect(sent.map(\.body).sorted() == ["Note", "One", "Two"], "killed at \(place)")
        let ordered = sent.map(\.body).filter { $0 != "Note" }
        #expect(ordered == ["One", "Two"], "killed at \(place)")
        let known = try await next.store.loadComments(on: bread.id)
        #expect(known.allSatisfy { $0.pending == nil }, "killed at \(place)")
        let bookmark = try await room.bookmarks(of: "ada").first { $0.articleID == bread.id }
        #expect(bookmark?.position == 0.2 && bookmark?.revision == 1, "killed at \(place)")
        return kill.copy != nil
    }

    @Test func `wherever the process ends, each request is carried out once`() async throws {
        try await TwoEditorBackend.run { room in
            room.clock.hurry()
            var place = 0
            while try await runRequests(room, killedAt: place) { place += 1 }
            // Before and after each of four.
            #expect(place == 8)
        }
    }

    @Test func `a write of a newer version of the app is left to it`() async throws {
        try await TwoEditorBackend.run { room in
            let folder = try TemporaryFolder()
            let first = try Device(room, in: folder)
            let id = try await first.outbox.create(Article.Draft(title: "Bread"))
            let newer = StoredWrite(
                number: 7, article: id, entry: Array(#"{"number":7,"write":"paint"}"#.utf8))
            try await first.store.commit(StoreChanges(writes: [newer]))
            let device = try Device(room, in: folder)
            device.start()
            try await device.waitUntilEmpty()
            let state = await device.outbox.state
            #expect(state.unreadable == 1)
            try await device.outbox.create(Article.Draft(title: "Rye"))
            #expect(try await device.store.loadWrites().contains(newer))
            await device.stop()
        }
    }
}
