public import ArticleAPI

/// What the verification of ID tokens needs from outside, which tests replace.
public struct OpenIDEnvironment: Sendable {
    public var fetch: OpenIDFetch
    /// The time limit for both documents of a provider together.
    public var timeout: Duration
    /// The wall clock.
    public var now: @Sendable () -> Timestamp
    /// Receives the causes of failures that clients do not notice.
    public var log: @Sendable (String) -> Void

    public init(
        fetch: @escaping OpenIDFetch, timeout: Duration = .seconds(10),
        now: @escaping @Sendable () -> Timestamp, log: @escaping @Sendable (String) -> Void
    ) {
        self.fetch = fetch
        self.timeout = timeout
        self.now = now
        self.log = log
    }
}
