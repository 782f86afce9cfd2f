import ArticleAPI
import ArticleAccounts
import ArticleDatabase
import ArticleServices
import ArticleStore
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetTestDatabases
import BroadsheetTestSupport
import Glibc
import Testing

/// Concurrent readers and writers over sockets, while reads are delayed at random.
@Suite struct CacheExactnessTests {
    private static let key = String(repeating: "k", count: 40)
    private static let author = "0190a000-0000-7000-8000-00000000000a"
    private static let articles = (0..<4).map { "0190a000-0000-7000-8000-00000000000\($0)" }
    private static let writesEach = 100

    @Test(arguments: UInt64(1)...(Thoroughness.isFull ? 6 : 2))
    func `no response is older than the last write acknowledged before its request`(
        seed: UInt64
    ) async throws {
        let folder = try TemporaryFolder()
        let file = try await SQLiteStore.openNew(folder.file("store.db"))
        let store = SlowStore(file, seed: seed, limitHeld: 3)
        let backend = try await Backend(
            store: store, file: file, operatorKey: OperatorKey(Self.key),
            system: .clock { Timestamp(milliseconds: 1_800_000_000_000) }, log: { _ in })
        let journal = Journal()
        let configuration = ServerConfiguration.local { $0.loops = 2 }
        try await backend.run(with: configuration) { test in
            try setUp(test, journal)
            try await withThrowingTaskGroup { group in
                for number in 0..<UInt64(2) {
                    group.addTask {
                        try write(test, journal, store, SplitMix64(seed: seed &* 100 + number))
                    }
                }
                for number in 0..<UInt64(6) {
                    group.addTask {
                        try read(test, journal, store, SplitMix64(seed: seed &* 200 + number))
                    }
                }
                try await group.waitForAll()
            }
            store.open()
            for article in Self.articles {
                for _ in 0..<2 { try observe(.article(article), test.client, journal) }
            }
        }
        await file.close()
        #expect(journal.contradictions() == [])
        // All of these must have happened in the schedule.
        let statistics = backend.cacheStatistics
        #expect(statistics.hits > 50 && statistics.shared > 10)
        #expect(journal.count > 500)
    }

    // MARK: Writing

    private func setUp(_ test: TestServer, _ journal: Journal) throws {
        try put(author: 0, test.client, journal, expecting: nil)
        for (number, id) in Self.articles.enumerated() {
            let response = try send(
                .post, "/v1/articles", test.client,
                """
                {"id":"\(id)","title":"Title \(number)","slug":"title-\(number)",\
                "status":"published","authors":[{"id":"\(Self.author)"}]}
                """)
            #expect(response.status == 201, "\(response.text)")
            journal.acknowledge(id, revision: 1, isPublic: true)
        }
    }

    private func write(
        _ test: TestServer, _ journal: Journal, _ store: SlowStore, _ random: consuming SplitMix64
    ) throws {
        defer {
            journal.writerEnded()
            if journal.writersAreDone { store.open() }
        }
        for number in 0..<Self.writesEach {
            if random.next() % 8 == 0 {
                try put(author: number, test.client, journal, expecting: "*")
            } else {
                let id = Self.articles[Int(random.next() % 4)]
                let isPublic = random.next() % 4 > 0
                let response = try send(
                    .patch, "/v1/articles/\(id)", test.client,
                    """
                    {"summary":"\(random.next())","status":"\(isPublic ? "published" : "archived")"}
                    """)
                let revision = try #require(response.fields[.etag].flatMap(Self.revision))
                journal.acknowledge(id, revision: revision, isPublic: isPublic)
            }
            // Some writes are sent at once, some after a few responses were cached.
            let pause = journal.count + Int(random.next() % 24)
            repeat {
                store.letOneGo()
                sched_yield()
            } while journal.count < pause
        }
    }

    private func put(
        author number: Int, _ client: TestClient, _ journal: Journal, expecting: String?
    ) throws {
        let response = try send(
            .put, "/v1/authors/\(Self.author)", client,
            #"{"name":"Mina","about":"\#(journal.nextText())"}"#, expecting: expecting)
        #expect(response.status < 300, "\(response.text)")
        let revision = try #require(response.fields[.etag].flatMap(Self.revision))
        journal.acknowledge(Self.author, revision: revision, isPublic: true)
    }

    private func send(
        _ method: HTTPMethod, _ target: String, _ client: TestClient, _ body: String,
        expecting: String? = nil
    ) throws -> ReceivedResponse {
        var fields: HTTPFields = [.authorization: "Bearer \(Self.key)"]
        let mediaType = method == .patch ? "application/merge-patch+json" : "application/json"
        fields.append(.contentType, mediaType)
        if let expecting { fields.append(.ifMatch, expecting) }
        return try client.send(method, target, fields: fields, body: Array(body.utf8))
    }

    /// Of `"7-…"`.
    private static func revision(_ etag: String) -> Int? {
        Int(etag.dropFirst().prefix { $0 != "-" })
    }

    // MARK: Reading

    private enum Question {
        case article(String)
        case slug(Int)
        case list, author
    }

    private func read(
        _ test: TestServer, _ journal: Journal, _ store: SlowStore, _ random: consuming SplitMix64
    ) throws {
        while !journal.writersAreDone {
            let question: Question =
                switch random.next() % 8 {
                case 0, 1, 2: .article(Self.articles[Int(random.next() % 4)])
                case 3, 4: .slug(Int(random.next() % 4))
                case 5: .author
                default: .list
                }
            try observe(question, test.client, journal)
        }
    }

    private func observe(
        _ question: Question, _ client: TestClient, _ journal: Journal
    ) throws {
        let floors = journal.floors
        let codings: HTTPFields = [.acceptEncoding: "identity"]
        func get(_ target: String) throws -> ReceivedResponse {
            try client.send(.get, target, fields: codings)
        }
        func note(_ id: String, _ response: ReceivedResponse) {
            let revision = response.status == 200 ? Self.number(in: response.text) : nil
            journal.note(id, atLeast: floors[id] ?? 0, saw: revision)
        }
        switch question {
        case .article(let id): note(id, try get("/v1/articles/\(id)"))
        case .slug(let number):
            note(Self.articles[number], try get("/v1/articles/title-\(number)"))
        case .author: note(Self.author, try get("/v1/authors/\(Self.author)"))
        case .list:
            let text = try get("/v1/articles?fields=id,revision").text
            for id in Self.articles {
                let parts = text.split(separator: "\"\(id)\"", maxSplits: 1)
                let item = parts.count == 2 ? parts[1].prefix { $0 != "}" } : ""
                let revision = Self.number(in: String(item))
                journal.note(id, atLeast: floors[id] ?? 0, saw: revision)
            }
        }
    }

    /// The last revision in the text: an article's follows those of its authors.
    private static func number(in text: String) -> Int? {
        text.split(separator: "\"revision\":").dropFirst().last.flatMap {
            Int($0.prefix(while: \.isNumber))
        }
    }
}

/// Records acknowledged writes and observations, which are compared at the end.
private final class Journal: Sendable {
    private struct Observation {
        let id: String
        /// The writes acknowledged before the request.
        let floor: Int
        /// `nil` if it was not found.
        let saw: Int?
    }

    private struct State {
        var acknowledged: [String: Int] = [:]
        var isPublic: [String: [Int: Bool]] = [:]
        var observations: [Observation] = []
        var writersLeft = 2
        var texts = 0
    }

    private let state = Lock(State())

    var floors: [String: Int] { state.withLock { $0.acknowledged } }
    var writersAreDone: Bool { state.withLock { $0.writersLeft == 0 } }
    var count: Int { state.withLock { $0.observations.count } }
    func writerEnded() { state.withLock { $0.writersLeft -= 1 } }

    func nextText() -> Int {
        state.withLock { state in
            state.texts += 1
            return state.texts
        }
    }

    func acknowledge(_ id: String, revision: Int, isPublic: Bool) {
        state.withLock { state in
            state.acknowledged[id] = max(state.acknowledged[id] ?? 0, revision)
            state.isPublic[id, default: [:]][revision] = isPublic
        }
    }

    func note(_ id: String, atLeast floor: Int, saw: Int?) {
        state.withLock { $0.observations.append(Observation(id: id, floor: floor, saw: saw)) }
    }

    /// Observations that contradict every order of the writes.
    func contradictions() -> [String] {
        state.withLock { state in
            state.observations.compactMap { seen in
                let history = state.isPublic[seen.id] ?? [:]
                if let saw = seen.saw {
                    let holds = saw >= seen.floor && history[saw] == true
                    return holds ? nil : "\(seen.id): \(saw), and \(seen.floor) was acknowledged"
                }
                // An author without a public article is not found.
                let others = history.keys.contains(where: {
                    $0 >= seen.floor && history[$0] == false
                })
                let holds = others || seen.id.hasSuffix("a")
                return holds ? nil : "\(seen.id): gone, and \(seen.floor) was acknowledged"
            }
        }
    }
}
