/// What an examination of a file found.
public struct CheckReport: Sendable, Hashable {
    /// Articles, deleted ones too.
    public var articles: Int
    public var revisions: Int
    public var changes: Int
    /// What is wrong, a line each; at most 20 of a kind.
    public var findings: [String]

    public init(articles: Int, revisions: Int, changes: Int, findings: [String]) {
        self.articles = articles
        self.revisions = revisions
        self.changes = changes
        self.findings = findings
    }

    public var isClean: Bool { findings.isEmpty }
}
