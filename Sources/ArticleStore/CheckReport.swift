/// The result of checking a database file.
public struct CheckReport: Sendable, Hashable {
    /// The number of articles, including deleted ones.
    public var articles: Int
    public var revisions: Int
    public var changes: Int
    /// The findings, one line each; at most 20 of a kind.
    public var findings: [String]

    public init(articles: Int, revisions: Int, changes: Int, findings: [String]) {
        self.articles = articles
        self.revisions = revisions
        self.changes = changes
        self.findings = findings
    }

    public var isClean: Bool { findings.isEmpty }
}
