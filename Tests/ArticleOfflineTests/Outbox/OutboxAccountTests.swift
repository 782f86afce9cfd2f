import ArticleAPI
import ArticleClient
import ArticleOffline
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

/// Writes belong to their account, even if another user is signed in when they could be sent.
@Suite struct OutboxAccountTests {
    @Test func `nothing is sent in the session of another account`() async throws {
        try await TwoEditorBackend.run { room in
            room.clock.hurry()
            let auth = try BackendAuth(
                store: MemoryCredentialStore(room.credentials(of: "ada")), refresh: nil)
            let turns = Lock(0)
            // With each third request another user signs in, before or after it has left.
            let takeTurn = { @Sendable in
                let turn = turns.withLock { turn in
                    turn += 1
                    return turn
                }
                guard turn % 3 == 0, turn < 90 else { return }
                let account = TwoEditorBackend.accounts[turn / 3 % 2]
                try? auth.signIn(room.credentials(of: account))
            }
            let network = TestNetwork(
                { _ in
                    takeTurn()
                    return .delivered
                },
                didRespond: { _ in
                    takeTurn()
                    return true
                })
            var articles: [String: [Article.ID]] = [:]
            var devices: [String: Device] = [:]
            for account in TwoEditorBackend.accounts {
                let device = try Device(room, of: account, auth: auth, network: network)
                for number in 0..<8 {
                    let article = try await room.article("\(account) \(number)")
                    articles[account, default: []].append(article.id)
                    try await device.outbox.update(article, .init(summary: .set(account)))
                }
                devices[account] = device
                device.start()
            }
            for account in TwoEditorBackend.accounts {
                turns.withLock { $0 = max($0, 90) }
                try auth.signIn(room.credentials(of: account))
                try await devices[account]?.waitUntilEmpty()
            }
            for (account, ids) in articles {
                let token = "Bearer \(room.credentials(of: account).token)"
                for id in ids {
                    #expect(try await room.editors(of: id) == ["somebody else", account])
                    let sent = network.writes.filter { $0.target.contains("\(id)") }
                    #expect(!sent.isEmpty && sent.allSatisfy { $0.token == token })
                }
                await devices[account]?.stop()
            }
        }
    }

    @Test func `a signed-out user's writes wait until that user is back`() async throws {
        try await TwoEditorBackend.run { room in
            let bread = try await room.article()
            let device = try Device(room)
            try device.auth.signOut()
            try await device.outbox.update(bread, .init(title: .set("Loaf")))
            device.start()
            try await device.wait("a pause") { $0.pause == .signedOut }
            try device.auth.signIn(room.credentials(of: "ben"))
            #expect(await device.outbox.state.waiting.count == 1)
            #expect(device.network.writes.isEmpty)
            try device.auth.signIn(room.credentials(of: "ada"))
            try await device.waitUntilEmpty()
            await device.stop()
            #expect(try await room.editors(of: bread.id) == ["somebody else", "ada"])
        }
    }

    @Test func `a rejected token keeps the writes until the user has signed in`() async throws {
        try await TwoEditorBackend.run { room in
            let bread = try await room.article()
            let store = MemoryCredentialStore(Credentials(token: "old", account: "ada"))
            let device = try Device(room, auth: BackendAuth(store: store, refresh: nil))
            try await device.outbox.update(bread, .init(title: .set("Loaf")))
            device.start()
            try await device.wait("a pause") { $0.pause == .signedOut && $0.sending.isEmpty }
            #expect(await device.outbox.state.entries.first?.firstSentAt == nil)
            try device.auth.signIn(room.credentials(of: "ada"))
            device.backend.networkDidChange()
            try await device.waitUntilEmpty()
            await device.stop()
            #expect(try await room.current(bread.id)?.title == "Loaf")
        }
    }

    @Test func `a request for an account needs a session of it`() async throws {
        let auth = try BackendAuth(
            store: MemoryCredentialStore(Credentials(token: "key", account: "ada")), refresh: nil)
        let backend = BackendService.stub(auth: auth) { routes in
            routes.on(FetchTagsRequest.self) { _ in Page(items: []) }
        }
        _ = try await backend.sendOnce(FetchTagsRequest(), as: "ada")
        await #expect(throws: BackendError.signedOut) {
            try await backend.sendOnce(FetchTagsRequest(), as: "ben")
        }
        try auth.signIn(Credentials(token: "ada"))
        await #expect(throws: BackendError.signedOut) {
            try await backend.sendOnce(FetchTagsRequest(), as: "ada")
        }
        try auth.signOut()
        await #expect(throws: BackendError.signedOut) {
            try await backend.sendOnce(FetchTagsRequest(), as: "")
        }
        #expect(backend.received(FetchTagsRequest.self).count == 1)
    }
}
