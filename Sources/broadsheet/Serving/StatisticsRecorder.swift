import ArticleAPI
import ArticleServices
import HTTPServer
import Platform
import SQLiteStore

/// Samples the metrics of a running server every 15 s, and remembers those of the last hour, in
/// bounded memory.
///
/// Safe to use from any thread.
final class StatisticsRecorder: StatisticsSource {
    /// What counters said at a time.
    private struct Reading {
        let time: Timestamp
        let exchanges: ExchangeMetrics.Totals
        let cacheHits: Int
        let writes: Int
    }

    private struct State {
        var last: Reading
        /// The oldest first.
        var samples: [ServerStatistics.Sample] = []
        var findings: [ServerStatistics.Finding] = []
    }

    static let intervalSeconds = 15
    static let limitSamples = 3_600 / intervalSeconds
    /// The examination reads files, so it is repeated less often: every ten minutes.
    private static let samplesPerExamination = 40

    private let page: MetricsPage
    private let certificates: Certificates?
    private let now: @Sendable () -> Timestamp
    private let state: Lock<State>

    /// - Parameters:
    ///   - page: What is sampled.
    ///   - certificates: Those that are served.
    init(
        _ page: MetricsPage, _ certificates: Certificates?,
        now: @escaping @Sendable () -> Timestamp = { .now }
    ) {
        self.page = page
        self.certificates = certificates
        self.now = now
        state = Lock(State(last: Self.reading(page, at: now())))
    }

    /// Samples until the task is cancelled.
    ///
    /// - Parameter examine: Examines how the server is set up. It may block.
    func run(examining examine: @Sendable () -> [ServerStatistics.Finding]) async {
        var count = 0
        while !Task.isCancelled {
            if count % Self.samplesPerExamination == 0 {
                let findings = examine()
                state.withLock { $0.findings = findings }
            }
            count += 1
            // Cancelled: the loop ends.
            try? await Task.sleep(for: .seconds(Self.intervalSeconds))
            if !Task.isCancelled { takeSample() }
        }
    }

    /// Remembers what has been since the last sample.
    func takeSample() {
        let reading = Self.reading(page, at: now())
        state.withLock { state in
            state.samples.append(sample(reading, since: state.last))
            let surplus = state.samples.count - Self.limitSamples
            if surplus > 0 { state.samples.removeFirst(surplus) }
            state.last = reading
        }
    }

    func statistics() async -> ServerStatistics {
        let reading = Self.reading(page, at: now())
        let (last, samples, findings) = state.withLock { ($0.last, $0.samples, $0.findings) }
        let index = page.backend.indexer.statistics
        let bytes = page.store.fileBytes
        return ServerStatistics(
            version: Version.number, startedAt: page.startedAt,
            intervalSeconds: Self.intervalSeconds, samples: samples,
            current: sample(reading, since: last),
            database: .init(bytes: bytes?.database, logBytes: bytes?.log),
            search: .init(
                documents: index.documents, bytes: index.bytes,
                progress: max(0, min(1, index.progress)), lagSeconds: index.lagSeconds),
            certificates: certificates?.shown ?? [],
            webhooks: page.webhooks.statistics.map { .init($0) }, findings: findings)
    }

    private static func reading(_ page: MetricsPage, at time: Timestamp) -> Reading {
        Reading(
            time: time, exchanges: page.meters.exchanges.totals,
            cacheHits: page.backend.cacheStatistics.hits, writes: page.store.statistics.writes)
    }

    private func sample(_ reading: Reading, since last: Reading) -> ServerStatistics.Sample {
        let store = page.store.statistics
        var sample = ServerStatistics.Sample(at: reading.time)
        let (present, earlier) = (reading.exchanges, last.exchanges)
        sample.requests = present.exchanges - earlier.exchanges
        sample.errors = present.failures - earlier.failures
        sample.p50Milliseconds = present.quantile(0.5, since: earlier).map { $0 * 1_000 }
        sample.p99Milliseconds = present.quantile(0.99, since: earlier).map { $0 * 1_000 }
        // A hit whose response was not sent is taken back.
        sample.cacheHits = max(0, reading.cacheHits - last.cacheHits)
        sample.writes = reading.writes - last.writes
        sample.connections = page.server.connectionCount
        sample.streams = page.backend.streams.statistics.open
        sample.queuedReads = store.waitingReads
        sample.queuedWrites = store.waitingWrites
        sample.queuedRenderings = page.backend.waitingRenderings
        sample.queuedCompressions = page.backend.waitingCompressions
        sample.memoryBytes = ProcessMemory()?.residentBytes
        return sample
    }
}
