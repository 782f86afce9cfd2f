import ArticleAPI
import ArticleServices
import BroadsheetHTTPServer
import Testing

@testable import ArticleOperations
@testable import broadsheet

@Suite struct StatisticsHistoryTests {
    private typealias Reading = StatisticsHistory.Reading

    private func reading(
        _ seconds: Int64, exchanges: Int = 0, failures: Int = 0, hits: Int = 0, writes: Int = 0,
        durations: [Int: Int] = [:]
    ) -> StatisticsHistory.Reading {
        var reading = Reading(gauges: .init(at: Timestamp(milliseconds: seconds * 1_000)))
        reading.exchanges.exchanges = exchanges
        reading.exchanges.failures = failures
        for (bucket, count) in durations { reading.exchanges.durations[bucket] = count }
        reading.cacheHits = hits
        reading.writes = writes
        reading.gauges.connections = Int(seconds)
        return reading
    }

    @Test func `a sample counts what happened since the one before`() {
        var history = StatisticsHistory(
            since: reading(0, exchanges: 5, failures: 1, hits: 4, writes: 2, durations: [0: 5]))
        history.add(
            reading(15, exchanges: 15, failures: 2, hits: 9, writes: 2, durations: [0: 13, 2: 2]))
        history.add(
            reading(30, exchanges: 15, failures: 2, hits: 8, writes: 7, durations: [0: 13, 2: 2]))
        let samples = history.samples
        #expect(samples.map(\.requests) == [10, 0] && samples.map(\.errors) == [1, 0])
        #expect(samples.map(\.writes) == [0, 5] && samples.map(\.cacheHits) == [5, 0])
        #expect(samples.map(\.connections) == [15, 30])
        // Half of ten are below 0.5 ms, of which eight are; the 99th percentile is near 2.5 ms.
        #expect(samples[0].p50Milliseconds.map { $0 > 0.3 && $0 < 0.32 } ?? false)
        #expect(samples[0].p99Milliseconds.map { $0 > 2.4 && $0 < 2.5 } ?? false)
        #expect(samples[1].p50Milliseconds == nil && samples[1].p99Milliseconds == nil)
    }

    @Test func `only the last hour is remembered`() {
        var history = StatisticsHistory(since: reading(0))
        for number in 1...300 { history.add(reading(Int64(number) * 15, exchanges: number)) }
        #expect(history.samples.count == 240)
        #expect(history.samples.first?.at == Timestamp(milliseconds: 915_000))
        #expect(history.samples.allSatisfy { $0.requests == 1 })
        #expect(history.sample(until: reading(4_501, exchanges: 307)).requests == 7)
    }

    @Test func `what took longer than all bounds counts as the last bound`() {
        let longest = ExchangeMetrics.Totals.bounds.count
        let history = StatisticsHistory(since: reading(0))
        let sample = history.sample(until: reading(15, exchanges: 1, durations: [longest: 1]))
        #expect(sample.p50Milliseconds == 10_000 && sample.p99Milliseconds == 10_000)
    }
}
