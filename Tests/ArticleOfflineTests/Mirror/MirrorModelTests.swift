import ArticleAPI
import ArticleClient
import ArticleOffline
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Foundation
import Testing

/// Random schedules of a mirror and two real backends: in the end, the store has what the list has.
@Suite struct MirrorModelTests {
    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `a mirror converges, whatever interrupts it`(number: UInt64) async throws {
        // One after the other, as each takes two of the servers that tests may have.
        for round in 0..<(Thoroughness.isFull ? 20 : 2 as UInt64) {
            let seed = round * 6 + number
            try await RandomEditorBackend.run(seed: seed) { first in
                try await RandomEditorBackend.run(seed: seed + 1_000) { second in
                    var schedule = try MirrorSchedule(seed: seed, backends: [first, second])
                    for _ in 0..<14 { try await schedule.step() }
                    try await schedule.finish()
                }
            }
        }
    }
}

/// A mirror, what happens to it, and what it should have.
private struct MirrorSchedule {
    private static let account = "mina"
    private static let filters = [
        FetchChangesRequest(), FetchChangesRequest(limit: 2, tags: ["a"]),
        FetchChangesRequest(limit: 3, author: Author.ID(RandomEditorBackend.id(0xB1))),
        FetchChangesRequest(limit: 1, language: "ko"), FetchChangesRequest(status: .published),
    ]

    private let seed: UInt64
    private let backends: [RandomEditorBackend]
    private let folder: TemporaryFolder
    private let time = FastClock()
    private let files: StoreFiles
    private let transport: UnreliableTransport
    private var random: SplitMix64
    private var store: ModelStore
    private var fixture = 0
    private var isEditor = false
    private var filter = FetchChangesRequest()
    /// Responses that have not been merged yet.
    private var late: [[ModelUpdate]] = []
    private var pinned: Set<Article.ID> = []

    init(seed: UInt64, backends: [RandomEditorBackend]) throws {
        self.seed = seed
        self.backends = backends
        folder = try TemporaryFolder()
        let files = StoreFiles(folder)
        self.files = files
        random = SplitMix64(seed: seed &* 31)
        transport = UnreliableTransport(
            seed: seed &* 77, to: backends[0], atRest: { files.mayCopy() })
        store = try ModelStore(files.place(Self.account), environment: time.environment)
    }

    private var token: String { isEditor ? RandomEditorBackend.editor : backends[fixture].reader }

    private func mirror() -> ArticleMirror {
        ArticleMirror(store: store, backend: service(transport), name: "all", filter: filter)
    }

    private func service(_ transport: any Transport) -> BackendService {
        let credentials = MemoryCredentialStore(Credentials(token: token, account: Self.account))
        let auth = (try? BackendAuth(store: credentials)) ?? BackendAuth()
        var configuration = BackendConfiguration(baseURL: BaseURL(backends[fixture].origin))
        configuration.timeout = .seconds(Patience.seconds)
        configuration.stallTimeout = .seconds(Patience.seconds)
        return BackendService(
            configuration: configuration,
            transport: transport, auth: auth, cache: nil, environment: time.environment)
    }

    // MARK: Steps

    mutating func step() async throws {
        for _ in 0..<Int.random(in: 0...3, using: &random) { try backends[fixture].edit() }
        switch Int.random(in: 0..<12, using: &random) {
        case 0...2: _ = await ending { [mirror = mirror()] in try await mirror.catchUp() }
        case 3...5: try await followForAWhile()
        case 6:
            filter = Self.filters.randomElement(using: &random) ?? filter
        case 7: changeHistory()
        case 8:
            isEditor.toggle()
            // The session has ended: its responses are not merged.
            late = []
        case 9: await keepResponse()
        case 10: try await mergeResponse()
        default: try await pin()
        }
        if Bool.random(using: &random) {
            files.copy(after: Int.random(in: 0...6, using: &random))
        }
        if let path = files.takeCopy() {
            // As if the process had been killed then.
            files.use(path)
            store = try ModelStore(files.place(Self.account), environment: time.environment)
        }
    }

    private mutating func followForAWhile() async throws {
        let mirror = mirror()
        let following = mirror.follow()
        let enough = transport.requests.count + Int.random(in: 1...6, using: &random)
        let transport = transport
        for _ in 0..<Int.random(in: 0...4, using: &random) { try backends[fixture].edit() }
        if Bool.random(using: &random) {
            await mirror.wait { $0 == .live }
        } else {
            // It may also become current before so many requests.
            _ = await eventually {
                transport.requests.count >= enough || mirror.state == .live
            }
        }
        if Int.random(in: 0..<3, using: &random) == 0 {
            mirror.suspend()
            try backends[fixture].edit()
            mirror.resume()
        }
        following.cancel()
        #expect(await following.value == .backend(.cancelled))
    }

    /// As after a backup was restored.
    private mutating func changeHistory() {
        fixture = 1 - fixture
        transport.redirect(to: backends[fixture])
        late = []
    }

    private mutating func keepResponse() async {
        let seenAt = Timestamp(milliseconds: time.environment.wallSeconds() * 1_000)
        guard let page = try? await service(SocketTransport()).send(FetchArticlesRequest(limit: 5))
        else { return }
        late.append(
            page.items.map { .facts(ModelFacts($0, knowing: .inLists, seenAt: seenAt)) })
    }

    private mutating func mergeResponse() async throws {
        guard let index = late.indices.randomElement(using: &random) else { return }
        try await store.merge(late.remove(at: index))
    }

    private mutating func pin() async throws {
        guard let any = try await store.loadArticles().randomElement(using: &random) else { return }
        try await store.pin(any.id)
        pinned.insert(any.id)
    }

    // MARK: The end

    /// Without interruptions, the store becomes what the list is.
    mutating func finish() async throws {
        transport.beReliable()
        while !late.isEmpty { try await mergeResponse() }
        try await expectEqual()
        for _ in 0..<3 { try backends[fixture].edit() }
        let mirror = mirror()
        let following = mirror.follow()
        await mirror.wait { $0 == .live }
        following.cancel()
        _ = await following.value
        try await expectEqual()
    }

    private func expectEqual() async throws {
        try await mirror().catchUp()
        let expected = try backends[fixture].list(filter, as: token)
        let shown = try await store.loadArticles(matching: ArticleQuery(filter), limit: 1_000)
        let ids = Set(expected.map(\.id))
        // What is pinned stays, even if it is no longer shown.
        let kept = shown.filter { ids.contains($0.id) || !pinned.contains($0.id) }.map(\.article)
        #expect(kept == expected, "seed \(seed)")
    }
}

/// The file of a store, and copies of it as they would be if the process was killed.
private final class StoreFiles: Sendable {
    private struct State {
        var current: String
        var copies = 0
        /// The number of times that a copy could be made before it is.
        var countdown: Int?
        var copy: String?
    }

    private let folder: TemporaryFolder
    private let state: Lock<State>

    init(_ folder: TemporaryFolder) {
        self.folder = folder
        state = Lock(State(current: folder.file("0.store")))
    }

    func place(_ account: String) -> ModelStore.Location {
        .file(state.withLock { $0.current }, of: account)
    }

    func use(_ path: String) { state.withLock { $0.current = path } }

    /// Makes one copy later.
    func copy(after count: Int) { state.withLock { $0.countdown = count } }

    func takeCopy() -> String? {
        state.withLock { state in
            defer { state.copy = nil }
            return state.copy
        }
    }

    /// No transaction is in progress now.
    func mayCopy() {
        state.withLock { state in
            guard let countdown = state.countdown else { return }
            state.countdown = countdown == 0 ? nil : countdown - 1
            guard countdown == 0 else { return }
            state.copies += 1
            let path = folder.file("\(state.copies).store")
            for suffix in ["", "-wal"] {
                // A store that has just been opened may have no log.
                try? FileManager.default.copyItem(
                    atPath: state.current + suffix, toPath: path + suffix)
            }
            state.copy = path
        }
    }
}
