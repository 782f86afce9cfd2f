/// The order of a list of articles; ties are broken by id, in the same direction.
public enum ArticleSort: String, Sendable, Hashable, CaseIterable {
    /// Newest publication first; unpublished articles are sorted by their creation.
    case newestFirst = "-publishedAt"
    case oldestFirst = "publishedAt"
    case createdLast = "-createdAt"
    case createdFirst = "createdAt"
    case updatedLast = "-updatedAt"
    case updatedFirst = "updatedAt"
}
