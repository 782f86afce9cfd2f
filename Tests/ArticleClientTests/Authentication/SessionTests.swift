import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Dispatch
import Testing

@Suite struct SessionTests {
    private static let alice = Credentials(token: "alice", refreshToken: "r", account: "a")

    /// Takes any token but that of which the session is worn out.
    private static func backend(refusing worn: String = "alice") -> TestBackend {
        TestBackend { request, _ in
            request.fields[.authorization] == "Bearer \(worn)"
                ? rejection(.unauthenticated)
                : page("in", fields: [.etag: "\"1\"", .cacheControl: "private, no-cache"])
        }
    }

    // MARK: Copies

    @Test func `copies survive a renewed token and are removed at sign-out`() async throws {
        let isOffline = Lock(false)
        let isWorn = Lock(false)
        let backend = TestBackend { request, _ in
            if isOffline.withLock({ $0 }) { throw TransportError.offline("no network") }
            if isWorn.withLock({ $0 }), request.fields[.authorization] == "Bearer alice" {
                return rejection(.unauthenticated)
            }
            return page("kept", fields: [.etag: "\"1\""])
        }
        let auth = try BackendAuth(store: MemoryCredentialStore(Self.alice)) { _, _ in
            Credentials(token: "alice2")
        }
        let cache = ResponseCache()
        let service = backend.service(auth: auth, cache: cache)
        var options = RequestOptions()
        options.freshness = .orCached(after: .seconds(Patience.seconds))
        _ = try await service.send(list)
        isWorn.withLock { $0 = true }
        _ = try await service.send(FetchTagsRequest())
        #expect(backend.requests.last?.fields[.authorization] == "Bearer alice2")
        isOffline.withLock { $0 = true }
        #expect(try await service.reply(to: list, options: options).source == .cached)
        #expect(cache.bytes > 0)
        try auth.signOut()
        #expect(cache.bytes == 0)
        try auth.signIn(Self.alice)
        let offline = await outcome { [options] in
            try await service.send(list, options: options)
        }
        #expect(offline.error == .offline("no network"))
    }

    @Test func `signing in again after a rejection keeps the account's copies`() async throws {
        let backend = Self.backend(refusing: "worn")
        let auth = try BackendAuth(store: MemoryCredentialStore(Self.alice))
        let service = backend.service(auth: auth)
        _ = try await service.send(list)
        try auth.signIn(Credentials(token: "worn", account: "a"))
        _ = await outcome { try await service.send(list) }
        #expect(auth.sessionState == .expired(account: "a"))
        try auth.signIn(Credentials(token: "fresh", account: "a"))
        _ = try await service.send(list)
        #expect(backend.requests.last?.fields[.ifNoneMatch] == "\"1\"")
    }

    // MARK: Renewal

    @Test func `waiting for a renewal counts against each request's own timeout`() async throws {
        let never = Signal()
        let auth = try BackendAuth(store: MemoryCredentialStore(Self.alice)) { _, _ in
            await never.wait()
            return Credentials(token: "new")
        }
        // For the patient one, no time passes.
        let backend = Self.backend()
        let service = backend.service(auth: auth)
        async let patient = outcome { try await service.send(FetchTagsRequest()).next }
        let hasty = backend.service(auth: auth, environment: .system)
        let short = RequestOptions(timeout: .milliseconds(50))
        for request in [list, FetchArticlesRequest(limit: 1)] {
            let error = await outcome { try await hasty.send(request, options: short) }.error
            #expect(error == .timedOut)
        }
        never.give()
        #expect(try await patient.get() == "in")
    }

    @Test func `a renewal cannot change the account`() async throws {
        let auth = try BackendAuth(store: MemoryCredentialStore(Self.alice)) { _, _ in
            Credentials(token: "bob", account: "b")
        }
        let backend = Self.backend()
        let error = await outcome {
            try await backend.service(auth: auth).send(list)
        }.error
        guard case .transport(let failure)? = error else { throw TestFailure("\(error as Any)") }
        #expect(failure.kind == .credentials)
        #expect(backend.requests.count == 1)
    }

    // MARK: The store

    /// Blocks in each `save` until it is released.
    private final class SlowStore: CredentialStore {
        let kept = Lock<Credentials?>(SessionTests.alice)
        let isInside = Signal()
        let goOn = DispatchSemaphore(value: 0)

        func load() -> Credentials? { kept.withLock { $0 } }
        func save(_ credentials: Credentials) {
            isInside.give()
            goOn.wait()
            kept.withLock { $0 = credentials }
        }
        func remove() { kept.withLock { $0 = nil } }
    }

    @Test func `a sign-out while renewed credentials are saved leaves nothing`() async throws {
        let store = SlowStore()
        let auth = try BackendAuth(store: store) { _, _ in Credentials(token: "new") }
        let service = Self.backend().service(auth: auth)
        async let sent = outcome { try await service.send(list) }
        await store.isInside.wait()
        try auth.signOut()
        #expect(!auth.isSignedIn)
        store.goOn.signal()
        _ = await sent
        #expect(await eventually { store.load() == nil })
    }

    @Test func `renewed credentials are stored before one of them is used`() async throws {
        let store = SlowStore()
        let auth = try BackendAuth(store: store) { _, _ in
            Credentials(token: "new", account: "a")
        }
        let backend = Self.backend()
        let service = backend.service(auth: auth, cache: nil)
        async let first = service.send(list).next
        await store.isInside.wait()
        async let second = service.send(FetchArticlesRequest(limit: 3)).next
        #expect(await eventually { backend.requests.count == 2 })
        // They are not adopted from the store before they are completely in it, either.
        try auth.reload()
        #expect(
            backend.requests.map { $0.fields[.authorization] } == ["Bearer alice", "Bearer alice"])
        store.goOn.signal()
        #expect(try await [first, second] == ["in", "in"])
        #expect(store.load()?.token == "new")
    }

    /// Blocks in a `load` until it is released.
    private final class SlowReader: CredentialStore {
        let kept = Lock<Credentials?>(SessionTests.alice)
        let isSlow = Lock(false)
        let isInside = Signal()
        let goOn = DispatchSemaphore(value: 0)

        func load() -> Credentials? {
            let isSlow = isSlow.withLock { isSlow in
                defer { isSlow = false }
                return isSlow
            }
            if isSlow {
                isInside.give()
                goOn.wait()
            }
            return kept.withLock { $0 }
        }
        func save(_ credentials: Credentials) { kept.withLock { $0 = credentials } }
        func remove() { kept.withLock { $0 = nil } }
    }

    @Test func `a renewal waits for the thread that reads the store`() async throws {
        let store = SlowReader()
        let renewed = Signal()
        let auth = try BackendAuth(store: store) { _, _ in
            renewed.give()
            return Credentials(token: "new", account: "a")
        }
        let stored = Lock<[String?]>([])
        let service = TestBackend { request, _ in
            guard request.fields[.authorization] == "Bearer new" else {
                return rejection(.unauthenticated)
            }
            stored.withLock { $0.append(store.kept.withLock { $0?.token }) }
            return page("in")
        }.service(auth: auth, cache: nil)
        store.isSlow.withLock { $0 = true }
        let isRead = Signal()
        DispatchQueue.global().async {
            try? auth.reload()
            isRead.give()
        }
        await store.isInside.wait()
        async let sent = service.send(list).next
        await renewed.wait()
        // Time for a request that does not wait.
        for _ in 0..<500 { await Task.yield() }
        store.goOn.signal()
        #expect(try await sent == "in")
        #expect(stored.withLock { $0 } == ["new"])
        await isRead.wait()
    }

    @Test func `concurrent sign-in and sign-out leave the store consistent`() async throws {
        for _ in 0..<200 {
            let store = MemoryCredentialStore(Self.alice)
            let auth = try BackendAuth(store: store)
            await withTaskGroup(of: Void.self) { group in
                for token in ["b", "c"] {
                    group.addTask { try? auth.signIn(Credentials(token: token)) }
                    group.addTask { try? auth.signOut() }
                }
            }
            let service = TestBackend { request, _ in
                page(request.fields[.authorization].map { String($0.suffix(1)) } ?? "nobody")
            }.service(auth: auth)
            let token = try await service.send(list).next
            #expect(token == store.load()?.token ?? "nobody")
        }
    }

    /// Fails as often as a test specifies.
    private final class FailingStore: CredentialStore {
        let kept: Lock<Credentials?>
        let failure = Lock<CredentialStoreError?>(nil)

        init(_ kept: Credentials?) { self.kept = Lock(kept) }

        private func check() throws(CredentialStoreError) {
            if let failure = failure.withLock({ $0 }) { throw failure }
        }
        func load() throws(CredentialStoreError) -> Credentials? {
            try check()
            return kept.withLock { $0 }
        }
        func save(_ credentials: Credentials) throws(CredentialStoreError) {
            try check()
            kept.withLock { $0 = credentials }
        }
        func remove() throws(CredentialStoreError) {
            try check()
            kept.withLock { $0 = nil }
        }
    }

    private static let locked = CredentialStoreError("locked", .locked)

    @Test func `a store that cannot be read yet is read again`() async throws {
        let store = FailingStore(Self.alice)
        store.failure.withLock { $0 = Self.locked }
        let auth = try BackendAuth(store: store)
        #expect(auth.sessionState == .unavailable(Self.locked))
        let backend = Self.backend(refusing: "nobody")
        let service = backend.service(auth: auth)
        let queued = ServiceOperation(list, on: service)
        let error = await outcome { try await service.send(list) }.error
        #expect(error == .transport(TransportFailure(.credentials, "locked")))
        #expect(backend.requests.isEmpty)
        store.failure.withLock { $0 = nil }
        let queue = NetworkQueue()
        queue.add(queued)
        #expect(try await queued.value().next == "in")
        #expect(backend.requests.map { $0.fields[.authorization] } == ["Bearer alice"])
        #expect(auth.sessionState == .signedIn(account: "a"))
    }

    @Test func `a permanent failure of the store is thrown at once`() throws {
        let store = FailingStore(Self.alice)
        store.failure.withLock { $0 = CredentialStoreError("others may read it") }
        #expect(throws: CredentialStoreError.self) { try BackendAuth(store: store) }
    }

    @Test func `a failed save is retried`() async throws {
        let store = FailingStore(Self.alice)
        let auth = try BackendAuth(store: store) { _, _ in
            store.failure.withLock { $0 = Self.locked }
            return Credentials(token: "new")
        }
        let service = Self.backend().service(auth: auth)
        #expect(try await service.send(list).next == "in")
        #expect(await eventually { auth.storeFailure == Self.locked })
        store.failure.withLock { $0 = nil }
        #expect(try await service.send(list).next == "in")
        #expect(await eventually { store.kept.withLock { $0?.token } == "new" })
        #expect(await eventually { auth.storeFailure == nil })
    }

    @Test func `a token that another process has renewed is not renewed again`() async throws {
        let store = MemoryCredentialStore(Self.alice)
        let renewals = Counter()
        let auth = try BackendAuth(store: store) { _, _ in
            renewals.next()
            return Credentials(token: "never")
        }
        store.save(Credentials(token: "renewed elsewhere", account: "a"))
        let backend = Self.backend()
        #expect(try await backend.service(auth: auth).send(list).next == "in")
        #expect(renewals.value == 0)
        #expect(backend.requests.last?.fields[.authorization] == "Bearer renewed elsewhere")
    }

    @Test func `a sign-in in another process ends this one's requests`()
        async throws
    {
        let store = MemoryCredentialStore(Self.alice)
        let auth = try BackendAuth(store: store)
        store.save(Credentials(token: "bob", account: "b"))
        let backend = Self.backend()
        let service = backend.service(auth: auth)
        #expect(await outcome { try await service.send(list) }.error == .signedOut)
        #expect(backend.requests.count == 1)
        #expect(auth.sessionState == .signedIn(account: "b"))
    }

    // MARK: States

    @Test func `the states begin with the current one and report changes`() async throws {
        let auth = try BackendAuth(store: MemoryCredentialStore(Self.alice), refresh: nil)
        var states = auth.states.makeAsyncIterator()
        #expect(await states.next() == .signedIn(account: "a"))
        _ = await outcome { try await Self.backend().service(auth: auth).send(list) }
        #expect(await states.next() == .expired(account: "a"))
        try auth.signOut()
        #expect(await states.next() == .signedOut)
        var late = auth.states.makeAsyncIterator()
        #expect(await late.next() == .signedOut)
        // Who falls behind hears of the latest only.
        for number in 0..<100 { try auth.signIn(Credentials(token: "t", account: "\(number)")) }
        #expect(await states.next() == .signedIn(account: "99"))
        #expect(await late.next() == .signedIn(account: "99"))
    }

    @Test func `a token that is accepted again is not expired`() async throws {
        let isRejected = Lock(true)
        let auth = BackendAuth(token: "t")
        let service = TestBackend { _, _ in
            isRejected.withLock { $0 } ? rejection(.unauthenticated) : page("in")
        }.service(auth: auth)
        _ = await outcome { try await service.send(list) }
        #expect(auth.sessionState == .expired(account: nil))
        isRejected.withLock { $0 = false }
        _ = try await service.send(list)
        #expect(auth.sessionState == .signedIn(account: nil))
    }
}
