/// The attributes of the contract's models.
extension FieldSelection.Name {
    // Of articles.
    public static let id: Self = "id"
    public static let slug: Self = "slug"
    public static let title: Self = "title"
    public static let summary: Self = "summary"
    /// Markdown.
    public static let body: Self = "body"
    /// The body as HTML without scripts, also of comments.
    public static let bodyHTML: Self = "bodyHTML"
    public static let language: Self = "language"
    public static let authors: Self = "authors"
    public static let tags: Self = "tags"
    public static let heroImage: Self = "heroImage"
    public static let status: Self = "status"
    public static let publishedAt: Self = "publishedAt"
    public static let createdAt: Self = "createdAt"
    public static let updatedAt: Self = "updatedAt"
    public static let revision: Self = "revision"
    public static let version: Self = "version"
    public static let source: Self = "source"
    public static let wordCount: Self = "wordCount"
    public static let readingMinutes: Self = "readingMinutes"
    public static let comments: Self = "comments"
    public static let commentCount: Self = "commentCount"
    public static let owner: Self = "owner"

    // Of comments.
    public static let articleID: Self = "articleID"
    public static let parentID: Self = "parentID"
    public static let author: Self = "author"

    // Within authors, tags, pictures and sources.
    public static let name: Self = "name"
    public static let key: Self = "key"
    public static let url: Self = "url"
    public static let alternativeText: Self = "alternativeText"
    public static let displayName: Self = "displayName"

    /// An attribute inside authors.
    public static func authors(_ name: Self) -> Self { Self(inside: "authors", name) }
    /// An attribute inside tags.
    public static func tags(_ name: Self) -> Self { Self(inside: "tags", name) }
    /// An attribute inside the picture.
    public static func heroImage(_ name: Self) -> Self { Self(inside: "heroImage", name) }
    /// An attribute inside the source.
    public static func source(_ name: Self) -> Self { Self(inside: "source", name) }
    /// An attribute inside the author of a comment.
    public static func author(_ name: Self) -> Self { Self(inside: "author", name) }
}

extension FieldSelection {
    /// The attributes that articles in lists have, and these.
    ///
    /// Bodies and numbers of comments are only sent where they are named. A response to a request
    /// with these fields is complete: it is decoded as an `Article`.
    ///
    /// `FetchChangesRequest(fields: .articles(including: .body, .bodyHTML))`
    public static func articles(including names: Name...) -> FieldSelection {
        articles(including: names)
    }

    static func articles(including names: [Name]) -> FieldSelection {
        FieldSelection(listedArticle + names.map(\.rawValue))
    }

    private static let listedArticle = Article.shape.properties.map(\.name).filter {
        !["body", "bodyHTML", "commentCount"].contains($0)
    }
}
