public import ArticleAPI
import HTTPClient

/// What polls need from outside, which tests replace.
public struct SourceEnvironment: Sendable {
    public var policy: SourcePolicy
    /// The time between two polls of a source that does not have its own.
    public var intervalSeconds: Int
    /// `User-Agent` of the requests.
    public var agent: String
    public var exchange: SourceExchange
    /// The time limit for one poll.
    public var timeout: Duration
    /// The wall clock.
    public var now: @Sendable () -> Timestamp
    /// Waits between two looks for sources that are due. It ends when its task is cancelled.
    public var sleep: @Sendable (Duration) async -> Void
    /// A number from 0 to 1, by which polls are spread over time.
    public var random: @Sendable () -> Double
    /// Receives failures of polls.
    public var report: @Sendable (SourceNotice) -> Void

    public init(
        policy: SourcePolicy = SourcePolicy(),
        intervalSeconds: Int = SourceEnvironment.defaultIntervalSeconds, agent: String,
        exchange: @escaping SourceExchange, timeout: Duration = .seconds(60),
        now: @escaping @Sendable () -> Timestamp,
        sleep: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) },
        random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
        report: @escaping @Sendable (SourceNotice) -> Void
    ) {
        self.policy = policy
        self.intervalSeconds = intervalSeconds
        self.agent = agent
        self.exchange = exchange
        self.timeout = timeout
        self.now = now
        self.sleep = sleep
        self.random = random
        self.report = report
    }

    public static let defaultIntervalSeconds = 3_600
}

/// A poll that failed. The description contains no path and no query.
public struct SourceNotice: Sendable, Hashable, CustomStringConvertible {
    public let id: ContentSource.ID
    /// What articles name as their source.
    public let name: String
    public let reason: String
    /// The number of failures since the last success.
    public let failures: Int

    public var description: String {
        "cannot poll the source \(id) (\(name.onOneLine)), attempt \(failures): \(reason)"
    }
}

/// When sources are polled again.
struct SourceSchedule: Sendable {
    /// Seconds between two polls of a healthy source.
    let intervalSeconds: Int
    /// From 0 to 1.
    let random: Double

    static let longestSeconds: Double = 86_400

    /// After a success: the interval, within 5 %, so that sources do not stay in step.
    func next(after time: Timestamp) -> Timestamp {
        time.advanced(bySeconds: Double(intervalSeconds) * (0.95 + 0.1 * random))
    }

    /// After failures: the interval, doubled with each further one up to a day, and up to a quarter
    /// more or less; not before the time that the source asks for.
    func next(
        after time: Timestamp, failures: Int, retryAfterSeconds: Int64?
    ) -> Timestamp {
        let doubled = Double(intervalSeconds) * Double(1 << min(max(failures, 1) - 1, 20))
        let longest = max(Self.longestSeconds, Double(intervalSeconds))
        let spread = min(doubled, longest) * (0.75 + 0.5 * random)
        return time.advanced(
            bySeconds: max(min(spread, longest), Double(retryAfterSeconds ?? 0)))
    }
}

extension Timestamp {
    fileprivate func advanced(bySeconds seconds: Double) -> Timestamp {
        advanced(byMilliseconds: Int64(seconds * 1_000))
    }
}
