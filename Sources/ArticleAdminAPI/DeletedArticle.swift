public import ArticleAPI

/// An article that was deleted, as it is listed for those who may restore it.
///
/// ```swift
/// let page = try await backend.send(FetchDeletedArticlesRequest(limit: 10))
/// for gone in page.items { lines.append("\(gone.title), deleted at \(gone.deletedAt)") }
/// ```
public struct DeletedArticle: Sendable, Hashable, Identifiable {
    public var id: Article.ID
    /// Still reserved for this article.
    public var slug: String
    public var title: String
    /// The status before the deletion, which the article has again when it is restored. Only if it
    /// was scheduled for a time that is past, it becomes a draft.
    public var status: Article.Status
    /// The revision that deleted it. To restore the article as it was, restore this one:
    /// `RestoreRevisionRequest`.
    public var revision: Int
    /// For `If-Match`.
    public var version: String
    public var deletedAt: Timestamp
    /// The actor that deleted it.
    public var actor: Revision.Actor
    /// The user who owns it, if there is one.
    public var owner: User.ID?

    public init(
        id: Article.ID, slug: String, title: String, status: Article.Status, revision: Int,
        version: String, deletedAt: Timestamp, actor: Revision.Actor, owner: User.ID? = nil
    ) {
        self.id = id
        self.slug = slug
        self.title = title
        self.status = status
        self.revision = revision
        self.version = version
        self.deletedAt = deletedAt
        self.actor = actor
        self.owner = owner
    }
}

extension DeletedArticle: JSONModel {
    public static let shape = ObjectCodec(
        named: "DeletedArticle", Self.init,
        .required("id", \.id, .identifier()),
        .required("slug", \.slug, .text(.servedSlug)),
        .required("title", \.title, .text(.line(ArticleLimits.title))),
        .required("status", \.status, .text(.status)),
        .required("revision", \.revision, .integer(1...Int.max)),
        .required("version", \.version, .text(.version)),
        .required("deletedAt", \.deletedAt, .timestamp),
        .required("actor", \.actor, Revision.Actor.format),
        .optional("owner", \.owner, .identifier()))
}
