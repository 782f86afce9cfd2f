import ArticleServiceCore

/// The maximum numbers of open change streams. See ``Backend``.
public struct ChangeStreamLimits: Sendable {
    /// In all; more are answered with 503.
    public var total = 10_000
    /// For each address or IPv6 network (/64), except this machine; more are answered with 429.
    /// `nil`: unlimited.
    public var perAddress: Int? = 20

    public init() {}
}

/// The reason why the server ends a change stream.
enum ChangeStreamEnding: Sendable, Hashable {
    /// The server stops or hands over to another process.
    case stopping
    /// The client's key was revoked or changed, or has expired; or the article whose comments it
    /// follows is no longer visible.
    case accessEnded
    /// The client reads too slowly.
    case tooSlow
    /// The database's history was replaced.
    case historyReplaced
    /// The client's rate limit does not cover another page for this number of seconds.
    case overLimit(seconds: Int)
    /// The store cannot be read.
    case failed

    init(_ error: ServiceError) {
        switch error {
        case .syncReset: self = .historyReplaced
        case .notFound: self = .accessEnded
        case .overLimit(_, let seconds): self = .overLimit(seconds: seconds)
        default: self = .failed
        }
    }

    /// The label in metrics.
    var name: String {
        switch self {
        case .stopping: "stopping"
        case .accessEnded: "access"
        case .tooSlow: "slow"
        case .historyReplaced: "history"
        case .overLimit: "rate"
        case .failed: "failure"
        }
    }
}

/// Counts of change streams for metrics. See ``Backend``.
public struct ChangeStreamStatistics: Sendable {
    /// Open streams.
    public var open = 0
    /// Groups of streams that receive the same events.
    public var channels = 0
    /// Changes that were encoded for all streams of a channel.
    public var changes = 0
    /// Streams rejected because too many were open: in all, and from one address.
    public var rejected = ["total": 0, "address": 0]
    /// Streams that have ended, by reason.
    public var ended = [
        "client": 0, "stopping": 0, "access": 0, "slow": 0, "history": 0, "rate": 0, "failure": 0,
    ]
}

/// The intervals of streams' own work.
package struct ChangeStreamIntervals: Sendable {
    var tick = Duration.milliseconds(500)
    /// Ticks between two comments.
    var ticksPerComment = 30
    /// Ticks for which events are kept for those who are behind.
    var keptTicks = 60
    /// The delay before each round of events, for each stream.
    var delayPerStream = Duration.microseconds(2)
    /// The pause after each round of events, for each stream: events are merged meanwhile.
    var pausePerStream = Duration.microseconds(10)
    /// The pause after a failure.
    var pauseAfterFailure = Duration.milliseconds(250)
}
