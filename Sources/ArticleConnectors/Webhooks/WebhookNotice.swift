/// Something about a webhook that the operator should know. The description contains no path and no
/// query.
public struct WebhookNotice: Sendable, Hashable, CustomStringConvertible {
    /// The number of the webhook in the configuration, from 1.
    public let number: Int
    public let host: String
    public let event: Event

    public enum Event: Sendable, Hashable {
        /// The first failure since the last delivery.
        case failing(reason: String)
        case recovered
        /// The receiver misses changes; it is informed with the next batch.
        case reset(reason: String)
    }

    public var description: String {
        let webhook = "webhook \(number) (\(host))"
        switch event {
        case .failing(let reason): return "\(webhook) fails and will be retried: \(reason)"
        case .recovered: return "\(webhook) receives changes again"
        case .reset(let reason): return "\(webhook) skips to the present: \(reason)"
        }
    }
}

/// The counters of a webhook since the start.
public struct WebhookStatistics: Sendable {
    /// The number of the webhook in the configuration, from 1.
    public let number: Int
    public let host: String
    /// Attempts with and without success.
    public let delivered: Int
    public let failed: Int
    /// The number of times that changes were skipped.
    public let resets: Int
    /// The time since the first failure after the last delivery; 0 if there was none.
    public let failingSeconds: Double
}
