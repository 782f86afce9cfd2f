import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Glibc
import Testing

/// The reads of clients from three nodes while these are stopped, killed and cut off.
@Suite(.mayBlock, .enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed"))
struct HistoryTests {
    /// The events of one round. Times are those of this machine's monotonic clock.
    private final class History: Sendable {
        struct State {
            var lastTitle = 0
            /// The times at which each write was acknowledged, by title.
            var acknowledged: [Int: ContinuousClock.Instant] = [:]
            var reads = 0
            var violations: [String] = []
            var isOver = false
        }

        private let state = Lock(State())

        var result: State { state.withLock { $0 } }
        var isOver: Bool { state.withLock { $0.isOver } }

        func end() { state.withLock { $0.isOver = true } }

        func nextTitle() -> Int {
            state.withLock { state in
                state.lastTitle += 1
                return state.lastTitle
            }
        }

        func acknowledge(_ title: Int) { state.withLock { $0.acknowledged[title] = .now } }

        /// Checks a read that was begun at this time, by a client that has written these titles
        /// before.
        func check(
            _ titles: Set<Int>, begunAt time: ContinuousClock.Instant, own: Set<Int>,
            on node: Int
        ) {
            state.withLock { state in
                state.reads += 1
                let others = state.acknowledged.filter {
                    $0.value.duration(to: time) > HistoryTests.staleness
                }
                let missing = own.union(others.keys).subtracting(titles)
                guard !missing.isEmpty else { return }
                let ownMissing = own.subtracting(titles).sorted()
                state.violations.append(
                    "node \(node) lacks \(missing.sorted()), of the reader's own \(ownMissing)")
            }
        }
    }

    private static let staleness = Duration.seconds(1)
    private static let clients = 4

    private let cluster: NodeCluster

    init() throws { cluster = try NodeCluster(3) }

    @Test func `nobody reads anything older than promised, whatever happens to a node`()
        async throws
    {
        var reads = 0
        var writes = 0
        for seed in 1...UInt64(Thoroughness.isFull ? 100 : 1) {
            let history = try await round(seed)
            #expect(history.violations.isEmpty, "seed \(seed)")
            reads += history.reads
            writes += history.acknowledged.count
        }
        #expect(reads > 0 && writes > 0)
        cluster.stop()
    }

    /// Lets clients read and write while something happens to one of the nodes.
    private func round(_ seed: UInt64) async throws -> History.State {
        let history = History()
        try await withThrowingTaskGroup { group in
            for number in 0..<Self.clients {
                group.addTask { [cluster] in
                    var client = Client(cluster, history, seed: seed, number: number)
                    while !history.isOver { try client.step() }
                }
            }
            group.addTask { [self] in
                defer { history.end() }
                var random = SplitMix64(seed: seed)
                try disturb(Int.random(in: 0..<3, using: &random), using: &random)
            }
            try await group.waitForAll()
        }
        return history.result
    }

    private func disturb(_ node: Int, using random: inout SplitMix64) throws {
        let time = Duration.milliseconds(Int.random(in: 100...2_500, using: &random))
        switch Int.random(in: 0..<4, using: &random) {
        case 0: try cluster.replace(node)
        case 1:
            try cluster.cut(node)
            try Self.useTime(.milliseconds(300), cluster.served((node + 1) % 3))
        default:
            try cluster.pause(node) { try Self.useTime(time, cluster.served((node + 1) % 3)) }
            try Self.useTime(.milliseconds(300), cluster.served(node))
        }
    }

    /// Sends requests to a node that is well for some time.
    private static func useTime(_ time: Duration, _ served: RunningServer) throws {
        let end = ContinuousClock.now + time
        while ContinuousClock.now < end { _ = try served.client.get("/livez") }
    }

    /// Writes articles with numbers as titles, and reads which there are, each time from any node.
    private struct Client {
        private let cluster: NodeCluster
        private let history: History
        private let tag: String
        private var random: SplitMix64
        /// Its own writes, and the sequence of the last one.
        private var own: Set<Int> = []
        private var sequence: String?

        init(_ cluster: NodeCluster, _ history: History, seed: UInt64, number: Int) {
            self.cluster = cluster
            self.history = history
            tag = "round\(seed)"
            random = SplitMix64(seed: seed * 100 + UInt64(number))
        }

        mutating func step() throws {
            let node = Int.random(in: 0..<cluster.count, using: &random)
            // A node may be dead, and its client does not know what became of its request.
            do {
                if Int.random(in: 0..<4, using: &random) == 0 {
                    try write(node)
                } else {
                    try read(node)
                }
            } catch is TestFailure {}
        }

        private mutating func write(_ node: Int) throws {
            // A list has no more.
            guard history.result.lastTitle < 100 else { return try read(node) }
            let title = history.nextTitle()
            let response = try cluster.served(node).send(
                .post, "/v1/articles",
                #"{"title":"\#(title)","status":"published","tags":["\#(tag)"]}"#)
            guard response.status == 201 else { return }
            sequence = response.fields[.broadsheetSequence]
            own.insert(title)
            history.acknowledge(title)
        }

        private mutating func read(_ node: Int) throws {
            let isOwn = Bool.random(using: &random)
            var fields = HTTPFields()
            if isOwn, let sequence { fields[.broadsheetAfter] = sequence }
            let time = ContinuousClock.now
            let response = try cluster.served(node).client.send(
                .get, "/v1/articles?tag=\(tag)&limit=100&fields=title", fields: fields)
            guard response.status == 200 else { return }
            let titles = response.text.split(separator: #""title":""#).dropFirst()
                .compactMap { Int($0.prefix { $0.isNumber }) }
            history.check(Set(titles), begunAt: time, own: isOwn ? own : [], on: node)
        }
    }
}
