public import ArticleAPI
public import ArticleConnectors
package import ArticleServiceCore
import BroadsheetHTTP
import BroadsheetPlatform

/// The statistics of a serving process. It is asked on an event loop, and must not block.
public protocol StatisticsSource: Sendable {
    func statistics() async -> ServerStatistics
}

/// `GET /v1/admin/statistics`: how the server is, and how the last hour was.
public struct FetchStatisticsRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .get, "/v1/admin/statistics", name: "getStatistics",
        summary: "Gets the server's status and the statistics of the last hour", access: .administer
    )
    public typealias Item = ServerStatistics

    public static let parameters = Parameters(Self.init)

    public init() {}
}

/// Passes on the statistics of the process, if it serves.
package struct StatisticsService: Sendable {
    private let source = Lock<(any StatisticsSource)?>(nil)

    package init() {}

    package func begin(from source: any StatisticsSource) { self.source.withLock { $0 = source } }

    package func fetch(
        _ request: FetchStatisticsRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<ServerStatistics> {
        guard let source = source.withLock({ $0 }) else { throw .notFound }
        return Reply(await source.statistics())
    }
}

/// Server status and statistics of the last hour.
public struct ServerStatistics: Sendable, Hashable {
    /// That of the program.
    public var version: String
    public var startedAt: Timestamp
    /// The time from one sample to the next.
    public var intervalSeconds: Int
    /// At most 240, the oldest first.
    public var samples: [Sample]
    /// The sample since the last one of the history.
    public var current: Sample
    public var database: Database
    public var search: Search
    public var certificates: [Certificate]
    public var webhooks: [Webhook]
    /// Those of `broadsheet doctor` about serving.
    public var findings: [Finding]

    public init(
        version: String, startedAt: Timestamp, intervalSeconds: Int, samples: [Sample],
        current: Sample, database: Database, search: Search, certificates: [Certificate],
        webhooks: [Webhook], findings: [Finding]
    ) {
        self.version = version
        self.startedAt = startedAt
        self.intervalSeconds = intervalSeconds
        self.samples = samples
        self.current = current
        self.database = database
        self.search = search
        self.certificates = certificates
        self.webhooks = webhooks
        self.findings = findings
    }

    /// The counts since the sample before, and the gauges at this time.
    public struct Sample: Sendable, Hashable {
        public var at: Timestamp
        /// Counts since the sample before.
        public var requests = 0
        /// Responses with a status of 500 and above.
        public var errors = 0
        /// The time within which half of the requests, and 99 of 100, were over; `nil` if there
        /// were none.
        public var p50Milliseconds: Double?
        public var p99Milliseconds: Double?
        public var cacheHits = 0
        public var writes = 0
        /// Gauges at this time.
        public var connections = 0
        public var streams = 0
        public var queuedReads = 0
        public var queuedWrites = 0
        public var queuedRenderings = 0
        public var queuedCompressions = 0
        public var memoryBytes: Int?

        public init(at: Timestamp) { self.at = at }
    }

    public struct Database: Sendable, Hashable {
        /// The sizes of the file and of its write-ahead log; `nil` if unknown.
        public var bytes: Int?
        public var logBytes: Int?

        public init(bytes: Int?, logBytes: Int?) {
            self.bytes = bytes
            self.logBytes = logBytes
        }
    }

    /// The index of the search.
    public struct Search: Sendable, Hashable {
        public var documents: Int
        public var bytes: Int
        /// The part of the changes that is in the index; search responds from 1 on.
        public var progress: Double
        public var lagSeconds: Double

        public init(documents: Int, bytes: Int, progress: Double, lagSeconds: Double) {
            self.documents = documents
            self.bytes = bytes
            self.progress = progress
            self.lagSeconds = lagSeconds
        }
    }

    /// A certificate that is served.
    public struct Certificate: Sendable, Hashable {
        /// The name of its file, without the folder.
        public var file: String
        public var notBefore: Timestamp
        public var notAfter: Timestamp

        public init(file: String, notBefore: Timestamp, notAfter: Timestamp) {
            self.file = file
            self.notBefore = notBefore
            self.notAfter = notAfter
        }
    }

    /// A receiver of webhooks. Its URL may be secret.
    public struct Webhook: Sendable, Hashable {
        public var number: Int
        public var host: String
        public var delivered: Int
        public var failed: Int
        public var resets: Int
        /// The time since the first failure after the last delivery; 0 if there was none.
        public var failingSeconds: Double
        /// The number of changes that the receiver does not have yet; `Webhooks.limitPending` if
        /// there are more, `nil` if unknown.
        public var pendingChanges: Int?

        /// - Parameter pendingChanges: `Webhooks.pendingChanges()` of this receiver.
        public init(_ statistics: WebhookStatistics, pendingChanges: Int?) {
            number = statistics.number
            host = statistics.host
            delivered = statistics.delivered
            failed = statistics.failed
            resets = statistics.resets
            failingSeconds = statistics.failingSeconds
            self.pendingChanges = pendingChanges
        }

        init(
            number: Int, host: String, delivered: Int, failed: Int, resets: Int,
            failingSeconds: Double, pendingChanges: Int?
        ) {
            self.number = number
            self.host = host
            self.delivered = delivered
            self.failed = failed
            self.resets = resets
            self.failingSeconds = failingSeconds
            self.pendingChanges = pendingChanges
        }
    }

    /// A finding of the doctor.
    public struct Finding: Sendable, Hashable {
        public var subject: String
        /// `ok`, `warning` or `failure`.
        public var level: String
        public var found: String
        /// The remedy.
        public var advice: String?

        public init(subject: String, level: String, found: String, advice: String?) {
            self.subject = subject
            self.level = level
            self.found = found
            self.advice = advice
        }
    }
}
