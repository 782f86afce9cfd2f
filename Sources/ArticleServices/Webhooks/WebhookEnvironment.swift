public import ArticleAPI

/// What webhooks need from outside, which tests replace.
public struct WebhookEnvironment: Sendable {
    /// `User-Agent` of the requests.
    public var agent: String
    public var deliver: WebhookDelivery
    /// The wall clock.
    public var now: @Sendable () -> Timestamp
    /// Waits before a retry. It ends when its task is cancelled.
    public var sleep: @Sendable (Duration) async -> Void
    public var report: @Sendable (WebhookNotice) -> Void

    public init(
        agent: String, deliver: @escaping WebhookDelivery,
        now: @escaping @Sendable () -> Timestamp,
        sleep: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) },
        report: @escaping @Sendable (WebhookNotice) -> Void
    ) {
        self.agent = agent
        self.deliver = deliver
        self.now = now
        self.sleep = sleep
        self.report = report
    }
}
