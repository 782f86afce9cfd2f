import ArticleAPI
import ArticleConnectors
import ArticleDatabase
import ArticleOperations
import ArticleResources
import ArticleServices
import ArticleStore
import BroadsheetHTTPServer
import BroadsheetPlatform

/// Samples the metrics of a running server every 15 s, and shows admins those of the last hour.
///
/// Safe to use from any thread.
final class StatisticsRecorder: StatisticsSource {
    /// The examination reads files, so it is repeated less often: every ten minutes.
    private static let samplesPerExamination = 40

    private let page: MetricsPage
    private let certificates: Certificates?
    private let history: Lock<StatisticsHistory>
    private let findings = Lock<[ServerStatistics.Finding]>([])

    /// - Parameters:
    ///   - page: The metrics to sample.
    ///   - certificates: Those that are served.
    init(_ page: MetricsPage, _ certificates: Certificates?) {
        self.page = page
        self.certificates = certificates
        history = Lock(StatisticsHistory(since: Self.reading(of: page)))
    }

    /// Samples until the task is cancelled.
    ///
    /// - Parameter examine: Examines how the server is set up. It may block.
    func run(examining examine: @Sendable () -> [ServerStatistics.Finding]) async {
        var count = 0
        while !Task.isCancelled {
            if count % Self.samplesPerExamination == 0 {
                let found = examine()
                findings.withLock { $0 = found }
            }
            count += 1
            // Cancelled: the loop ends.
            await page.system.sleep(.seconds(StatisticsHistory.intervalSeconds))
            guard !Task.isCancelled else { return }
            let reading = Self.reading(of: page)
            history.withLock { $0.add(reading) }
        }
    }

    func statistics() async -> ServerStatistics {
        let reading = Self.reading(of: page)
        let (samples, current) = history.withLock { ($0.samples, $0.sample(until: reading)) }
        let index = page.backend.indexer.statistics
        let bytes = page.store.fileBytes
        let pending = await page.webhooks.pendingChanges()
        return ServerStatistics(
            version: Version.number, startedAt: page.startedAt,
            intervalSeconds: StatisticsHistory.intervalSeconds, samples: samples,
            current: current, database: .init(bytes: bytes?.database, logBytes: bytes?.log),
            search: .init(
                documents: index.documents, bytes: index.bytes,
                progress: max(0, min(1, index.progress)), lagSeconds: index.lagSeconds),
            certificates: certificates?.shown ?? [],
            webhooks: zip(page.webhooks.statistics, pending).map {
                .init($0, pendingChanges: $1)
            },
            findings: findings.withLock { $0 })
    }

    private static func reading(of page: MetricsPage) -> StatisticsHistory.Reading {
        let store = page.store.statistics
        var gauges = ServerStatistics.Sample(at: page.system.now)
        gauges.connections = page.server.connectionCount
        gauges.streams = page.backend.streams.statistics.open
        gauges.queuedReads = store.waitingReads
        gauges.queuedWrites = store.waitingWrites
        gauges.queuedRenderings = page.backend.waitingRenderings
        gauges.queuedCompressions = page.backend.waitingCompressions
        gauges.memoryBytes = ProcessMemory()?.residentBytes
        return StatisticsHistory.Reading(
            exchanges: page.meters.exchanges.totals, cacheHits: page.backend.cacheStatistics.hits,
            writes: store.writes, gauges: gauges)
    }
}
