import Glibc
import HTTP
import Network

/// Counts exchanges by route, method and status, and sorts them by how long they took.
///
/// A route is known by its template, so that the number of series is bounded by the router.
public final class ExchangeMetrics: ExchangeObserver {
    private struct Series: Hashable {
        /// Empty where no route matched.
        let route: String
        let method: String
        let status: Int
    }

    /// How many exchanges took at most so long, in seconds, and how many longer.
    private struct Durations {
        static let bounds = [
            0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
        ]
        var counts = [Int](repeating: 0, count: bounds.count + 1)
        var microseconds = 0

        mutating func add(_ microseconds: Int) {
            let seconds = Double(microseconds) / 1_000_000
            counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
            self.microseconds += microseconds
        }

        mutating func merge(_ other: Durations) {
            for index in counts.indices { counts[index] += other.counts[index] }
            microseconds += other.microseconds
        }
    }

    private struct Counts {
        var exchanges = 0
        var sentBytes = 0
        var durations = Durations()

        mutating func add(_ bytes: Int, _ microseconds: Int) {
            exchanges += 1
            sentBytes += bytes
            durations.add(microseconds)
        }

        mutating func merge(_ other: Counts) {
            exchanges += other.exchanges
            sentBytes += other.sentBytes
            durations.merge(other.durations)
        }
    }

    // Loops count side by side: each thread comes to one of these, hardly ever two to the same.
    private let shards = (0..<16).map { _ in Lock([Series: Counts]()) }

    public init() {}

    public func finished(_ exchange: borrowing ExchangeRecord) {
        let series = Series(
            route: exchange.template ?? "", method: Self.name(of: exchange.method),
            status: exchange.status.code)
        let (sentBytes, microseconds) = (exchange.sentBytes, exchange.microseconds)
        // Threads' addresses differ above the size of a stack's guard page.
        shards[Int(UInt(pthread_self()) >> 12) & 15].withLock { counts in
            counts[series, default: Counts()].add(sentBytes, microseconds)
        }
    }

    private static let known: Set<HTTPMethod> = [
        .get, .head, .post, .put, .patch, .delete, .options, .connect, .trace,
    ]

    /// Any client can make a method up: those get one name.
    private static func name(of method: HTTPMethod?) -> String {
        guard let method else { return "" }
        return known.contains(method) ? method.rawValue : "other"
    }

    // MARK: The page

    public func write(to page: inout MetricsText) {
        let all = merged().sorted { left, right in
            (left.key.route, left.key.method, left.key.status)
                < (right.key.route, right.key.method, right.key.status)
        }
        let requests = "broadsheet_http_requests_total"
        page.family(requests, .counter, help: "Requests that were answered.")
        for (series, counts) in all {
            page.sample(requests, labels(series), counts.exchanges)
        }
        let bytes = "broadsheet_http_response_bytes_total"
        page.family(
            bytes, .counter, unit: "bytes", help: "Bytes of answers, heads and bodies.")
        for (series, counts) in all { page.sample(bytes, labels(series), counts.sentBytes) }
        write(durations: all.map { ($0.key, $0.value.durations) }, to: &page)
    }

    private func labels(_ series: Series) -> KeyValuePairs<String, String> {
        ["route": series.route, "method": series.method, "status": "\(series.status)"]
    }

    /// One histogram a route and method: statuses would make too many.
    private func write(
        durations: [(series: Series, durations: Durations)], to page: inout MetricsText
    ) {
        let name = "broadsheet_http_request_duration_seconds"
        page.family(
            name, .histogram, unit: "seconds",
            help: "From a request's head to the last byte of its answer.")
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
            for (series, counts) in shard.withLock({ $0 }) {
                all[series, default: Counts()].merge(counts)
            }
        }
        return all
    }
}
