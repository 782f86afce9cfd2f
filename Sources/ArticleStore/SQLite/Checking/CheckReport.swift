/// What an examination of a file found.
public struct CheckReport: Sendable, Hashable {
    /// Articles, deleted ones too.
    public var articles: Int
    public var revisions: Int
    public var changes: Int
    /// What is wrong, a line each; at most 20 of a kind.
    public var findings: [String]

    public var isClean: Bool { findings.isEmpty }
}
