/// The order of a list of articles; ties are broken by id, in the same direction.
public enum ArticleSort: String, Sendable, Hashable, CaseIterable {
    /// Newest publication first; what was never published stands at its creation.
    case newestFirst = "-publishedAt"
    case oldestFirst = "publishedAt"
    case createdLast = "-createdAt"
    case createdFirst = "createdAt"
    case updatedLast = "-updatedAt"
    case updatedFirst = "updatedAt"
}
