/// One step in an article's history.
public struct Revision: Sendable, Hashable, Identifiable {
    /// 1 for the first one; incremented by each step.
    public var number: Int
    public var action: Action
    /// The title as of this revision.
    public var title: String
    public var status: Article.Status
    public var createdAt: Timestamp
    /// The name of the key that made it; `nil` for an import.
    public var editor: String?

    /// The number, which is unique within one article.
    public var id: Int { number }

    public init(
        number: Int, action: Action, title: String, status: Article.Status,
        createdAt: Timestamp, editor: String?
    ) {
        self.number = number
        self.action = action
        self.title = title
        self.status = status
        self.createdAt = createdAt
        self.editor = editor
    }

    /// What made a revision.
    public enum Action: Sendable, Hashable {
        case created, updated, deleted, restored
        /// A value that this version does not know.
        case unknown(String)
    }
}
