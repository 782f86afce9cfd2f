import ArticleAPI

/// Limits for rendering one text.
public struct MarkdownLimits: Sendable, Hashable {
    /// Maximum size of the HTML.
    public var outputBytes = ArticleLimits.bodyHTMLBytes
    /// Maximum memory of the library: about fifty times the size of a long prose text.
    public var memoryBytes = 128 << 20
    /// Maximum nesting depth of elements; browsers give up at 512.
    public var depth = 200
    /// Maximum CPU time; 2 MiB of prose take 50 ms.
    public var milliseconds = 1_000
    /// Maximum wall-clock time until an unresponsive worker is killed.
    public var patienceSeconds = 10
    /// Number of texts that are rendered concurrently, each in its own process.
    public var workers = 2
    /// Maximum number of texts waiting for a worker; further ones are rejected.
    public var queueDepth = 256

    public init() {}
}
