import ArticleAPI

/// How much one text may cost to be rendered.
public struct MarkdownLimits: Sendable, Hashable {
    /// Of the HTML.
    public var outputBytes = ArticleLimits.bodyHTMLBytes
    /// Of all that the library holds at a time: some fifty times a long text of prose.
    public var memoryBytes = 128 << 20
    /// Of elements in one another; browsers give up at 512.
    public var depth = 200
    /// Of a processor's time: 2 MiB of prose take 50.
    public var milliseconds = 1_000
    /// Of the clock, until a worker that says nothing is given up.
    public var patienceSeconds = 10
    /// Texts that are rendered at the same time, each in a process of its own.
    public var workers = 2
    /// Texts that wait for a worker before further ones are refused.
    public var queueDepth = 256

    public init() {}
}
