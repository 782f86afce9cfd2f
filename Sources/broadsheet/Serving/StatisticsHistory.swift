import ArticleAPI
import ArticleOperations
import ArticleServices
import BroadsheetHTTPServer

/// Samples of a server over the last hour: the increase of counters from one sample to the next,
/// and the values of gauges.
struct StatisticsHistory: Sendable {
    /// The values of counters and gauges at a time.
    struct Reading: Sendable {
        var exchanges = ExchangeMetrics.Totals()
        var cacheHits = 0
        var writes = 0
        /// The gauges with their time; without counts.
        var gauges: ServerStatistics.Sample
    }

    static let intervalSeconds = 15
    static let limitSamples = 3_600 / intervalSeconds

    /// The oldest first.
    private(set) var samples: [ServerStatistics.Sample] = []
    private var last: Reading

    /// - Parameter reading: The first one, from which it is counted.
    init(since reading: Reading) { last = reading }

    /// Adds a sample of the time since the last one.
    mutating func add(_ reading: Reading) {
        samples.append(sample(until: reading))
        if samples.count > Self.limitSamples {
            samples.removeFirst(samples.count - Self.limitSamples)
        }
        last = reading
    }

    /// Returns the sample of the time since the last one.
    func sample(until reading: Reading) -> ServerStatistics.Sample {
        var sample = reading.gauges
        let (present, earlier) = (reading.exchanges, last.exchanges)
        sample.requests = present.exchanges - earlier.exchanges
        sample.errors = present.failures - earlier.failures
        sample.p50Milliseconds = present.quantile(0.5, since: earlier).map { $0 * 1_000 }
        sample.p99Milliseconds = present.quantile(0.99, since: earlier).map { $0 * 1_000 }
        // A hit whose response was not sent is taken back.
        sample.cacheHits = max(0, reading.cacheHits - last.cacheHits)
        sample.writes = reading.writes - last.writes
        return sample
    }
}
