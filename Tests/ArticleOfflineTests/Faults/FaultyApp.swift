import ArticleAPI
import ArticleClient
import ArticleOffline
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

/// Everything that an app has, at the end of a network with faults.
final class FaultyApp: Sendable {
    let network: FaultyNetwork
    let backend: BackendService
    private let room: TwoEditorBackend
    private let store: ModelStore
    private let remembering: BackendService
    private let mirror: ArticleMirror
    private let outbox: Outbox
    /// Requests that are repeated at once, over connections of their own.
    private let caller: BackendService
    /// Has a token to renew before anything else.
    private let renewer: BackendService
    private let (bread, cake): (Article, Article)
    private let folder: TemporaryFolder
    private let running = Lock([Task<Void, Never>]())

    init(_ room: TwoEditorBackend) async throws {
        self.room = room
        folder = try TemporaryFolder()
        network = try FaultyNetwork(to: room.address, in: folder)
        (bread, cake) = (try await room.article("Bread"), try await room.article("Cake"))
        var configuration = room.configuration
        configuration.baseURL = try #require(BaseURL("http://\(network.proxy.address)"))
        configuration.bodyBytes = 256 << 10
        var patient = room.clock.environment
        caller = BackendService(
            configuration: configuration, transport: network.transport, cache: nil,
            environment: Self.hasty(patient))
        configuration.retries = .none
        let auth = try BackendAuth(
            store: MemoryCredentialStore(room.credentials(of: "ada")), refresh: nil)
        patient.random = { $0 }
        backend = BackendService(
            configuration: configuration, transport: network.transport, auth: auth,
            environment: patient)
        let worn = Credentials(
            token: "worn", refreshToken: "a", account: "ada",
            expiresAt: Timestamp(milliseconds: 0))
        let new = room.credentials(of: "ada")
        renewer = BackendService(
            configuration: configuration, transport: network.transport,
            auth: try BackendAuth(store: MemoryCredentialStore(worn)) { _, service in
                try await service.send(FetchTagsRequest())
                return new
            }, cache: nil, environment: Self.hasty(patient))
        store = try ModelStore(
            .file(folder.file("models"), of: "ada"), environment: patient)
        remembering = BackendService(backend, memory: store)
        mirror = ArticleMirror(store: store, backend: backend, name: "all")
        outbox = Outbox(store: store, backend: backend, environment: patient)
    }

    private static func hasty(_ environment: ClientEnvironment) -> ClientEnvironment {
        var environment = environment
        environment.sleep = { _ in try Task.checkCancellation() }
        return environment
    }

    // MARK: Before

    /// Fetches what can be copied, follows the backend and begins to send.
    func begin() async throws {
        try await backend.send(FetchTagsRequest())
        try await remembering.send(FetchArticleRequest(key: .id(bread.id)))
        running.withLock { running in
            running = [
                Task { [outbox] in await outbox.run() },
                Task { [mirror] in
                    let error = await ending { try await mirror.run() }.error
                    #expect(error == .backend(.cancelled))
                },
            ]
        }
        await mirror.wait { $0 == .live }
        // Nothing is polled while the clock stands still: this comes over the stream.
        try await room.edit(cake.id, .init(title: .set("Cake, baked")))
        await isShown("Cake, baked", cake.id)
    }

    private func isShown(_ title: String, _ id: Article.ID) async {
        for await known in store.article(id) where known?.article.title == title { return }
    }

    // MARK: During

    /// Uses everything while there is a fault.
    func use(_ fault: FaultyNetwork.Fault) async throws {
        await mirror.wait { $0.isWaiting }
        try await call(fault)
        try await renew()
        try await read()
        try await write(fault)
        try await follow()
        // Nothing is on its way any more that could fail later.
        for await state in outbox.states where state.sending.isEmpty { break }
        #expect(backend.auth.sessionState == .signedIn(account: "ada"))
    }

    private func call(_ fault: FaultyNetwork.Fault) async throws {
        let former = network.proxy.requestCount
        let error = await #expect(throws: BackendError.self) {
            try await self.caller.send(FetchTagsRequest())
        }
        #expect(error?.allowsStale == true && error?.isTransient == true, "\(error as Any)")
        #expect(network.proxy.requestCount - former == fault.requestCount)
    }

    private func renew() async throws {
        let error = await #expect(throws: BackendError.self) {
            try await self.renewer.send(FetchTagsRequest())
        }
        #expect(error?.isTransient == true, "\(error as Any)")
        #expect(renewer.auth.sessionState == .signedIn(account: "ada"))
    }

    private func read() async throws {
        let options = RequestOptions(freshness: .orCached(after: .seconds(Patience.seconds)))
        let tags = try await backend.reply(to: FetchTagsRequest(), options: options)
        #expect(tags.source == .cached && tags.staleReason?.allowsStale == true)
        let request = FetchArticleRequest(key: .id(bread.id))
        let known = try await remembering.reply(to: request, options: options)
        #expect(known.source == .cached && known.staleReason?.allowsStale == true)
        #expect(known.item == bread)
    }

    private func write(_ fault: FaultyNetwork.Fault) async throws {
        try await outbox.update(bread, .init(title: .set("Loaf")))
        for await state in outbox.states {
            #expect(state.rejections.isEmpty && state.pause == nil)
            if fault.sparesWrites, state.entries.isEmpty { return }
            if case .waiting(_?)? = state.entries.first?.status { return }
        }
    }

    /// Waits until the mirror has met the fault, too.
    private func follow() async throws {
        let former = mirror.state
        #expect(
            await eventually {
                room.clock.pass(seconds: 5)
                return mirror.state.isWaiting && mirror.state != former
            })
    }

    // MARK: After

    /// Everything goes on, and nothing was done twice.
    func recover() async throws {
        for await state in outbox.states {
            guard let entry = state.entries.first else { break }
            // The backend may be processing an attempt whose connection was cut, and then asks
            // for a second; delays after failures are longer.
            guard case .waiting(let time?) = entry.status else { continue }
            if time <= room.clock.time.advanced(byMilliseconds: 1_000) {
                room.clock.pass(seconds: 1)
            }
        }
        #expect(try await room.current(bread.id)?.title == "Loaf")
        #expect(try await room.editors(of: bread.id) == ["somebody else", "ada"])
        await mirror.wait { $0 == .live }
        await isShown("Cake, eaten", cake.id)
        try await caller.send(FetchTagsRequest())
        try await renewer.send(FetchTagsRequest())
        let options = RequestOptions(freshness: .orCached(after: .seconds(Patience.seconds)))
        let tags = try await backend.reply(to: FetchTagsRequest(), options: options)
        #expect(tags.source != .cached && tags.staleReason == nil)
    }

    /// Edits an article at the backend, of which the mirror does not hear.
    func editElsewhere() async throws {
        try await room.edit(cake.id, .init(title: .set("Cake, eaten")))
    }

    func end() async {
        let tasks = running.withLock { $0 }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        await network.stop()
    }
}

extension ArticleMirror.State {
    fileprivate var isWaiting: Bool { if case .waiting = self { true } else { false } }
}
