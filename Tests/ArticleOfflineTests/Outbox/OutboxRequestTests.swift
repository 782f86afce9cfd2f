import ArticleAPI
import ArticleClient
import ArticleOffline
import BroadsheetHTTP
import BroadsheetTestSupport
import Testing

/// Comments, bookmarks and requests of an app's own that reach a real backend later.
@Suite struct OutboxRequestTests {
    private func reader(
        _ room: TwoEditorBackend, network: TestNetwork = TestNetwork(),
        in folder: TemporaryFolder? = nil, sending types: [any RepeatableRequest.Type] = []
    ) throws -> Device {
        let auth = try BackendAuth(
            store: MemoryCredentialStore(room.credentials(ofReader: "ada")), refresh: nil)
        return try Device(room, auth: auth, network: network, in: folder, sending: types)
    }

    @Test func `comments show at once in their order, and are sent in it`() async throws {
        try await TwoEditorBackend.run { room in
            let bread = try await room.published()
            let device = try reader(room)
            var shown = device.store.comments(on: bread.id).makeAsyncIterator()
            #expect(await shown.next() == [])
            try await device.outbox.send(CreateCommentRequest("One", on: bread.id))
            #expect(await shown.next()?.map(\.comment.body) == ["One"])
            room.clock.pass(seconds: 1)
            try await device.outbox.send(CreateCommentRequest("Two", on: bread.id))
            let unsent = try await device.store.loadComments(on: bread.id)
            #expect(unsent.map(\.comment.body) == ["One", "Two"])
            #expect(unsent.allSatisfy { $0.pending == .waiting(until: nil) })
            #expect(unsent.allSatisfy { $0.comment.status == .pending })
            let newest = try await device.store.loadComments(on: bread.id, order: .newest, limit: 1)
            #expect(newest.map(\.comment.body) == ["Two"])
            // An article is not an edited one because of its comments.
            try await device.see(bread)
            #expect(try await device.shown(bread.id)?.pending == nil)
            let offline = try await BackendService(device.backend, memory: device.store).send(
                FetchCommentsRequest(articleID: bread.id), options: .init(freshness: .cached))
            #expect(offline.items.map(\.body) == ["One", "Two"])
            device.start()
            try await device.waitUntilEmpty()
            await device.stop()
            let sent = try await room.comments(on: bread.id)
            #expect(sent.map(\.body) == ["One", "Two"] && sent.map(\.id) == unsent.map(\.id))
            let known = try await device.store.loadComments(on: bread.id)
            #expect(known.map(\.comment) == sent && known.allSatisfy { $0.pending == nil })
            #expect(device.network.limitInFlight == 1)
        }
    }

    @Test(arguments: [TestNetwork.DeliveryOutcome.requestLost, .responseLost, .offline])
    func `a request whose response is lost is carried out once`(
        fate: TestNetwork.DeliveryOutcome
    ) async throws {
        try await TwoEditorBackend.run { room in
            room.clock.hurry()
            let bread = try await room.published()
            let fates = ScriptedOutcomes(fate, fate, fate)
            let device = try reader(
                room, network: TestNetwork { _ in fates.next }, sending: [WriteNoteRequest.self])
            try await device.outbox.send(CreateCommentRequest("One", on: bread.id))
            try await device.outbox.send(
                WriteNoteRequest(
                    articleID: bread.id, draft: ArticleComment.Draft(body: "Note"),
                    idempotencyKey: nil))
            try await device.outbox.send(PutBookmarkRequest(bread.id, 0.5))
            device.start()
            try await device.waitUntilEmpty()
            await device.stop()
            let sent = try await room.comments(on: bread.id)
            #expect(sent.map(\.body).sorted() == ["Note", "One"])
            #expect(try await room.bookmarks(of: "ada").map(\.revision) == [1])
            let known = try await device.store.loadComments(on: bread.id)
            #expect(Set(known.map(\.comment)) == Set(sent))
            for writes in Dictionary(grouping: device.network.writes, by: \.key).values {
                #expect(Set(writes.map(\.body)).count == 1)
            }
        }
    }

    @Test func `of a bookmark the last position is sent, also behind one that is on its way`()
        async throws
    {
        try await TwoEditorBackend.run { room in
            let bread = try await room.published()
            let (arrived, released) = (Signal(), Signal())
            let device = try reader(
                room,
                network: TestNetwork { _ in
                    arrived.give()
                    await released.wait()
                    return .delivered
                })
            for position in [0.1, 0.2] {
                try await device.outbox.send(PutBookmarkRequest(bread.id, position))
            }
            device.start()
            await arrived.wait()
            try await device.outbox.send(DeleteBookmarkRequest(articleID: bread.id))
            try await device.outbox.send(PutBookmarkRequest(bread.id, 0.7))
            let entries = await device.outbox.state.entries
            #expect(
                entries.map { $0.request(as: PutBookmarkRequest.self)?.place?.position }
                    == [0.2, 0.7])
            released.give()
            try await device.waitUntilEmpty()
            #expect(device.network.writes.map(\.method) == [.put, .put])
            #expect(try await room.bookmarks(of: "ada").map(\.position) == [0.7])
            // Twice: the second time there is nothing to delete.
            for _ in 0..<2 {
                try await device.outbox.send(DeleteBookmarkRequest(articleID: bread.id))
                try await device.waitUntilEmpty()
            }
            await device.stop()
            #expect(try await room.bookmarks(of: "ada").isEmpty)
        }
    }

    @Test func `what the backend rejects is hidden, and waits for the user`() async throws {
        try await TwoEditorBackend.run { room in
            let (bread, rye) = (try await room.published(), try await room.published())
            try await room.edit(bread.id, .init(comments: .set(.closed)))
            try await room.editor.send(DeleteArticleRequest(id: rye.id))
            let device = try reader(room)
            try await device.outbox.send(CreateCommentRequest("Closed", on: bread.id))
            try await device.outbox.send(CreateCommentRequest("Gone", on: rye.id))
            try await device.outbox.send(PutBookmarkRequest(rye.id, 0.5))
            device.start()
            let state = try await device.wait("all rejected") { $0.rejections.count == 3 }
            let statuses = state.rejections.map { entry -> Int in
                if case .rejected(let problem) = entry.status { problem.status } else { 0 }
            }
            #expect(statuses == [403, 404, 404])
            #expect(try await device.store.loadComments(on: bread.id).isEmpty)
            try await device.outbox.discard(state.rejections[1].number)
            try await device.outbox.discard(state.rejections[2].number)
            try await room.edit(bread.id, .init(comments: .set(.open)))
            try await device.outbox.sendAgain(state.rejections[0].number)
            try await device.waitUntilEmpty()
            await device.stop()
            #expect(try await room.comments(on: bread.id).map(\.body) == ["Closed"])
        }
    }

    @Test func `requests are sent in the sessions of their account only`() async throws {
        try await TwoEditorBackend.run { room in
            let bread = try await room.published()
            let device = try reader(room)
            try device.auth.signOut()
            try await device.outbox.send(CreateCommentRequest("Ada's", on: bread.id))
            try await device.outbox.send(PutBookmarkRequest(bread.id, 0.3))
            device.start()
            try await device.wait("a pause") { $0.pause == .signedOut }
            try device.auth.signIn(room.credentials(ofReader: "ben"))
            #expect(await device.outbox.state.waiting.count == 2)
            #expect(device.network.writes.isEmpty)
            try device.auth.signIn(room.credentials(ofReader: "ada"))
            try await device.waitUntilEmpty()
            await device.stop()
            #expect(try await room.comments(on: bread.id).map(\.author?.displayName) == ["ada"])
            #expect(try await room.bookmarks(of: "ada").map(\.position) == [0.3])
            #expect(try await room.bookmarks(of: "ben").isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func `a request of an app's own is sent after another launch, whether its type is known or not`(
        isKnown: Bool
    ) async throws {
        try await TwoEditorBackend.run { room in
            let bread = try await room.published()
            let folder = try TemporaryFolder()
            let note = WriteNoteRequest(
                articleID: bread.id, draft: ArticleComment.Draft(body: "Note"), idempotencyKey: nil)
            let first = try reader(room, in: folder)
            try await first.outbox.send(note)
            let device = try reader(
                room, in: folder, sending: isKnown ? [WriteNoteRequest.self] : [])
            let entry = try #require(await device.outbox.state.entries.first)
            #expect(entry.request(as: WriteNoteRequest.self)?.draft == note.draft)
            #expect(entry.article == nil)
            device.start()
            try await device.waitUntilEmpty()
            await device.stop()
            #expect(device.network.writes.map(\.key) == [entry.key])
            #expect(try await room.comments(on: bread.id).map(\.body) == ["Note"])
            let known = try await device.store.loadComments(on: bread.id)
            #expect(known.map(\.comment.body) == (isKnown ? ["Note"] : []))
        }
    }

    @Test func `a comment whose key was forgotten is found by its id`() async throws {
        try await TwoEditorBackend.run { room in
            room.clock.hurry()
            let bread = try await room.published()
            let (fates, count) = (ScriptedOutcomes(.responseLost), Counter())
            let network = TestNetwork(
                { _ in fates.next },
                didRespond: { _ in
                    // The backend keeps a key for a day.
                    if count.next() == 1 { room.clock.pass(seconds: 2 * 86_400) }
                    return true
                })
            let device = try reader(room, network: network)
            try await device.outbox.send(CreateCommentRequest("One", on: bread.id))
            device.start()
            try await device.waitUntilEmpty()
            await device.stop()
            #expect(try await room.comments(on: bread.id).count == 1)
            let known = try await device.store.loadComments(on: bread.id)
            #expect(known.map(\.pending) == [nil])
        }
    }

    @Test func `an invalid request is not stored, and neither is one too many`() async throws {
        let store = try ModelStore(.memory(of: "ada"))
        let outbox = Outbox(store: store, backend: .stub { _ in }, limit: 1)
        let error = await #expect(throws: OfflineError.self) {
            try await outbox.send(CreateCommentRequest("", on: Samples.id(1)))
        }
        guard case .invalid(let fault)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(fault.details.map(\.place) == [.pointer("/body")])
        try await outbox.send(PutBookmarkRequest(Samples.id(1), 0.1))
        try await outbox.send(PutBookmarkRequest(Samples.id(1), 0.2))
        await #expect(throws: OfflineError.tooManyWrites) {
            try await outbox.send(PutBookmarkRequest(Samples.id(2), 0.1))
        }
        #expect(await outbox.state.entries.count == 1)
    }
}
