import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetSockets
import Glibc

/// Counts exchanges by route, method and status, and records their durations in histograms.
///
/// A route is identified by its template, so that the router bounds the number of series. Safe to
/// use from any thread; each loop mostly counts in a shard of its own.
///
/// ```swift
/// routes.on(.get, "/metrics") { _, _ in
///     var page = MetricsText()
///     metrics.write(to: &page)
///     return HTTPResponse(.ok, body: .bytes(page.bytes))
/// }
/// ```
public final class ExchangeMetrics: ExchangeObserver {
    private struct Series: Hashable {
        /// Empty if no route matched.
        let route: String
        let method: String
        let status: Int
    }

    /// A histogram: the number of exchanges that took at most each bound, in seconds, and the
    /// number that took longer.
    private struct Durations {
        static let bounds = [
            0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
        ]
        var counts = [Int](repeating: 0, count: bounds.count + 1)
        var microseconds = 0

        mutating func add(_ microseconds: Int) {
            counts[Self.bucket(of: microseconds)] += 1
            self.microseconds += microseconds
        }

        /// Nearly all responses are sent before the first bound.
        private static func bucket(of microseconds: Int) -> Int {
            if microseconds <= 500 { return 0 }
            let seconds = Double(microseconds) / 1_000_000
            return bounds.firstIndex { seconds <= $0 } ?? bounds.count
        }

        mutating func merge(_ other: Durations) {
            for index in counts.indices { counts[index] += other.counts[index] }
            microseconds += other.microseconds
        }
    }

    private struct Counts {
        var exchanges = 0
        var sentBytes = 0
        var receivedBytes = 0
        var durations = Durations()

        mutating func add(_ exchange: borrowing ExchangeRecord) {
            exchanges += 1
            sentBytes += exchange.sentBytes
            receivedBytes += exchange.receivedBytes
            durations.add(exchange.microseconds)
        }

        mutating func merge(_ other: Counts) {
            exchanges += other.exchanges
            sentBytes += other.sentBytes
            receivedBytes += other.receivedBytes
            durations.merge(other.durations)
        }
    }

    /// The counters, with the last used series at hand: the next exchange often has the same.
    private struct Table {
        private var places: [Series: Int] = [:]
        private var series: [Series] = []
        private var methods: [HTTPMethod?] = []
        private var counts: [Counts] = []
        private var last = 0

        var all: [(Series, Counts)] { Array(zip(series, counts)) }

        mutating func add(_ exchange: borrowing ExchangeRecord) {
            if !isLast(exchange) { find(exchange) }
            counts[last].add(exchange)
        }

        /// Without hashing: equal texts mostly share their storage.
        private func isLast(_ exchange: borrowing ExchangeRecord) -> Bool {
            last < series.count && series[last].status == exchange.status.code
                && methods[last] == exchange.method
                && series[last].route == exchange.template ?? ""
        }

        private mutating func find(_ exchange: borrowing ExchangeRecord) {
            let key = Series(
                route: exchange.template ?? "", method: ExchangeMetrics.name(of: exchange.method),
                status: exchange.status.code)
            if let place = places[key] {
                last = place
                methods[place] = exchange.method
                return
            }
            last = series.count
            places[key] = last
            series.append(key)
            methods.append(exchange.method)
            counts.append(Counts())
        }
    }

    // Loops count in parallel: each thread uses one of these shards, and two rarely share one.
    private let shards = (0..<16).map { _ in Lock(Table()) }

    public init() {}

    public func finished(_ exchange: borrowing ExchangeRecord) {
        // Addresses of threads differ above the size of a stack's guard page.
        shards[Int(UInt(pthread_self()) >> 12) & 15].withLock { $0.add(exchange) }
    }

    private static let known: Set<HTTPMethod> = [
        .get, .head, .post, .put, .patch, .delete, .options, .connect, .trace,
    ]

    /// Clients can invent methods, so unknown ones share one label.
    private static func name(of method: HTTPMethod?) -> String {
        guard let method else { return "" }
        return known.contains(method) ? method.rawValue : "other"
    }

    // MARK: Totals

    /// The sums over all exchanges since the start. See ``ExchangeMetrics``.
    public struct Totals: Sendable, Hashable {
        public var exchanges = 0
        /// Those with a status of 500 and above.
        public var failures = 0
        /// The number of exchanges that took at most each of `bounds`, but longer than the one
        /// before; at the end, the number that took longer than all.
        public var durations = [Int](repeating: 0, count: Totals.bounds.count + 1)

        public init() {}

        /// Seconds, ascending.
        public static let bounds = Durations.bounds

        /// The time, in seconds, within which this part of the exchanges was over that these totals
        /// have and earlier ones did not: estimated between two bounds, and at most the last one.
        /// `nil` if there were none.
        public func quantile(_ part: Double, since earlier: Totals) -> Double? {
            let counts = zip(durations, earlier.durations).map { max(0, $0 - $1) }
            let total = counts.reduce(0, +)
            guard total > 0 else { return nil }
            let rank = part * Double(total)
            var below = 0
            var lower = 0.0
            for (count, bound) in zip(counts, Self.bounds) {
                if count > 0, Double(below + count) >= rank {
                    return lower + (bound - lower) * (rank - Double(below)) / Double(count)
                }
                below += count
                lower = bound
            }
            return lower
        }
    }

    public var totals: Totals {
        merged().reduce(into: Totals()) { totals, entry in
            totals.exchanges += entry.value.exchanges
            if entry.key.status >= 500 { totals.failures += entry.value.exchanges }
            for (index, count) in entry.value.durations.counts.enumerated() {
                totals.durations[index] += count
            }
        }
    }

    // MARK: The page

    public func write(to page: inout MetricsText) {
        let all = merged().sorted { left, right in
            (left.key.route, left.key.method, left.key.status)
                < (right.key.route, right.key.method, right.key.status)
        }
        let requests = "broadsheet_http_requests_total"
        page.family(requests, .counter, help: "Completed requests.")
        for (series, counts) in all {
            page.sample(requests, labels(series), counts.exchanges)
        }
        let bytes = "broadsheet_http_response_bytes_total"
        page.family(
            bytes, .counter, unit: "bytes", help: "Bytes of sent responses, with heads.")
        for (series, counts) in all { page.sample(bytes, labels(series), counts.sentBytes) }
        let received = "broadsheet_http_request_bytes_total"
        page.family(
            received, .counter, unit: "bytes", help: "Bytes of received requests, with heads.")
        for (series, counts) in all {
            page.sample(received, labels(series), counts.receivedBytes)
        }
        write(durations: all.map { ($0.key, $0.value.durations) }, to: &page)
    }

    private func labels(_ series: Series) -> KeyValuePairs<String, String> {
        ["route": series.route, "method": series.method, "status": "\(series.status)"]
    }

    /// One histogram per route and method: with statuses there would be too many.
    private func write(
        durations: [(series: Series, durations: Durations)], to page: inout MetricsText
    ) {
        let name = "broadsheet_http_request_duration_seconds"
        page.family(
            name, .histogram, unit: "seconds",
            help: "Time from a request's head to the last byte of its response.")
        var rest = durations[...]
        while let (series, first) = rest.popFirst() {
            var sum = first
            while let next = rest.first, next.series.route == series.route,
                next.series.method == series.method
            {
                sum.merge(next.durations)
                rest.removeFirst()
            }
            var count = 0
            for (index, more) in sum.counts.enumerated() {
                count += more
                let bound = index < Durations.bounds.count ? "\(Durations.bounds[index])" : "+Inf"
                page.sample(
                    name + "_bucket",
                    ["route": series.route, "method": series.method, "le": bound], count)
            }
            let labels: KeyValuePairs = ["route": series.route, "method": series.method]
            page.sample(name + "_sum", labels, Double(sum.microseconds) / 1_000_000)
            page.sample(name + "_count", labels, count)
        }
    }

    private func merged() -> [Series: Counts] {
        var all: [Series: Counts] = [:]
        for shard in shards {
            for (series, counts) in shard.withLock({ $0.all }) {
                all[series, default: Counts()].merge(counts)
            }
        }
        return all
    }
}

/// Counts TLS handshakes by outcome.
///
/// Safe to use from any thread. Samples keep their order from page to page.
///
/// ```swift
/// let handshakes = HandshakeMetrics()
/// configuration.handshakeObservers = [handshakes]
/// ```
public final class HandshakeMetrics: HandshakeObserver {
    private struct Agreement: Hashable {
        let version: String
        let isResumed: Bool
    }

    private struct Counts {
        var agreed: [Agreement: Int] = [:]
        var failed: [HandshakeRecord.Failure: Int] = [:]
    }

    // A lock is negligible beside the cost of a handshake.
    private let counts = Lock(Counts())

    public init() {}

    public func ended(_ handshake: borrowing HandshakeRecord) {
        let outcome = handshake.outcome
        counts.withLock { counts in
            switch outcome {
            case .agreed(let version, let isResumed):
                counts.agreed[Agreement(version: version, isResumed: isResumed), default: 0] += 1
            case .failed(let failure, _): counts.failed[failure, default: 0] += 1
            }
        }
    }

    public func write(to page: inout MetricsText) {
        let counts = counts.withLock { $0 }
        let agreed = "broadsheet_tls_handshakes_total"
        page.family(agreed, .counter, help: "TLS handshakes that succeeded.")
        // Sorted by labels only, so that the order of samples is stable between scrapes.
        let sorted = counts.agreed.sorted { left, right in
            (left.key.version, left.key.isResumed ? 1 : 0)
                < (right.key.version, right.key.isResumed ? 1 : 0)
        }
        for (agreement, count) in sorted {
            page.sample(
                agreed, ["version": agreement.version, "resumed": "\(agreement.isResumed)"], count)
        }
        let failed = "broadsheet_tls_handshake_failures_total"
        page.family(failed, .counter, help: "TLS handshakes that failed.")
        for failure in HandshakeRecord.Failure.allCases {
            page.sample(failed, ["reason": failure.rawValue], counts.failed[failure] ?? 0)
        }
    }
}
