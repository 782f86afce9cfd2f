public import ArticleAPI

/// Articles for tests and previews. The same arguments always give the same values: nothing here
/// reads a clock or makes random numbers.
extension Article {
    /// An article with these attributes, and plausible ones for the rest.
    ///
    /// ```swift
    /// let article = Article.sample(title: "Rye bread", tags: [.sample("Baking")])
    /// let draft = Article.sample(id: .sample(2), title: "Wheat bread", status: .draft)
    /// ```
    ///
    /// - Parameters:
    ///   - id: articles that are shown together need different ones.
    ///   - slug: `nil` for that of the title.
    ///   - body: Markdown, from which words are counted; `nil` as in a list.
    ///   - publishedAt: `nil` for a past time if the article is published or archived, for the year
    ///     2100 if it is scheduled, and otherwise for none.
    ///   - updatedAt: `nil` for `createdAt`.
    ///   - version: `nil` for one of this revision.
    public static func sample(
        id: ID = .sample(), slug: String? = nil, title: String = "Rye bread for beginners",
        summary: String = "Three days of patience, and one hour of work.",
        body: String? = "Rye needs *time*, not strength.\n\nFeed the starter, and wait.",
        bodyHTML: String? = nil, language: String = "en",
        authors: [Author.Reference] = [.sample()], tags: [ArticleTag] = [.sample()],
        heroImage: HeroImage? = nil, status: Status = .published, publishedAt: Timestamp? = nil,
        createdAt: Timestamp = .sample(), updatedAt: Timestamp? = nil, revision: Int = 1,
        version: String? = nil, source: Source? = nil, comments: CommentPolicy? = nil,
        commentCount: Int? = nil, owner: User.ID? = nil
    ) -> Article {
        let time: Timestamp? =
            switch status {
            case .published, .archived: createdAt
            case .scheduled: .sampleFuture
            case .draft, .unknown: nil
            }
        let measure = TextMeasure(utf8: PlainText.bytes(ofMarkdown: body ?? ""))
        return Article(
            id: id, slug: slug ?? Slug(title: title)?.text ?? "\(id)", title: title,
            summary: summary, body: body, bodyHTML: bodyHTML, language: language,
            authors: authors, tags: tags, heroImage: heroImage, status: status,
            publishedAt: publishedAt ?? time, createdAt: createdAt,
            updatedAt: updatedAt ?? createdAt, revision: revision,
            version: version ?? "\(revision)-sample", source: source, wordCount: measure.words,
            readingMinutes: measure.readingMinutes, comments: comments,
            commentCount: commentCount, owner: owner)
    }
}

extension Author {
    /// An author with these attributes, and plausible ones for the rest.
    public static func sample(
        id: ID = .sample(), name: String = "Mina Park", about: String = "Bakes, and writes.",
        website: String? = nil, createdAt: Timestamp = .sample(), revision: Int = 1
    ) -> Author {
        Author(
            id: id, name: name, about: about, website: website, createdAt: createdAt,
            updatedAt: createdAt, revision: revision, version: "\(revision)-sample")
    }
}

extension Author.Reference {
    /// The author of `Author.sample()` in a by-line.
    public static func sample(
        id: Author.ID = .sample(), name: String = "Mina Park", revision: Int = 1
    ) -> Author.Reference {
        Author.Reference(id: id, name: name, revision: revision)
    }
}

extension ArticleTag {
    /// A tag with this display name.
    public static func sample(_ name: String = "Baking") -> ArticleTag { ArticleTag(named: name) }
}

extension ArticleTag.Usage {
    /// A tag with its number of articles.
    public static func sample(_ name: String = "Baking", articleCount: Int = 3) -> Self {
        ArticleTag.Usage(tag: .sample(name), articleCount: articleCount)
    }
}

extension ArticleComment {
    /// A comment with these attributes, and plausible ones for the rest.
    ///
    /// - Parameters:
    ///   - body: Markdown; empty for a comment of which only the place is left.
    ///   - author: `nil` for the comment of a deleted account.
    public static func sample(
        id: ID = .sample(), on articleID: Article.ID = .sample(), replyingTo parentID: ID? = nil,
        by author: User? = .sample().asSeenByOthers, body: String = "Does it work with *spelt*?",
        status: Status = .visible, createdAt: Timestamp = .sample(hours: 1), revision: Int = 1
    ) -> ArticleComment {
        ArticleComment(
            id: id, articleID: articleID, parentID: parentID, author: author, body: body,
            status: status, createdAt: createdAt, updatedAt: createdAt, revision: revision,
            version: "\(revision)-sample")
    }
}

extension User {
    /// A user as the user and admins see them.
    public static func sample(
        id: ID = .sample(), name: String = "mina", displayName: String = "Mina Park",
        role: Role = .editor, isDisabled: Bool = false, createdAt: Timestamp = .sample(),
        revision: Int = 1
    ) -> User {
        User(
            id: id, displayName: displayName, name: name, role: role, isDisabled: isDisabled,
            createdAt: createdAt, updatedAt: createdAt, revision: revision)
    }

    /// The user as everyone else sees them: with a display name only.
    public var asSeenByOthers: User { User(id: id, displayName: displayName) }
}

extension UserSession {
    /// A session of a user, with tokens that no backend knows.
    public static func sample(
        of user: User = .sample(), expiresAt: Timestamp = .sampleFuture
    ) -> UserSession {
        UserSession(
            accessToken: "sample-access", expiresAt: expiresAt, refreshToken: "sample-refresh",
            user: user)
    }
}

extension Bookmark {
    /// A bookmark of an article.
    ///
    /// - Parameter position: the progress in reading, 0 to 1.
    public static func sample(
        of articleID: Article.ID = .sample(), position: Double? = 0.4,
        createdAt: Timestamp = .sample(hours: 2), revision: Int = 1
    ) -> Bookmark {
        Bookmark(
            articleID: articleID, position: position, createdAt: createdAt, updatedAt: createdAt,
            revision: revision)
    }
}

extension Identifier {
    /// The id with this number, from 0; ids are in the order of their numbers.
    public static func sample(_ number: Int = 1) -> Identifier {
        let time = UInt64(clamping: Timestamp.sample().milliseconds)
        guard number >= 0,
            let id = Identifier(high: time << 16 | 0x7000, low: 1 << 63 | UInt64(number))
        else { preconditionFailure("programmer error: the number of an id is negative") }
        return id
    }
}

extension Timestamp {
    /// 2026-01-05 08:00 UTC, a Monday, or a time before or after it.
    public static func sample(days: Int = 0, hours: Int = 0) -> Timestamp {
        Timestamp(milliseconds: 1_767_600_000_000)
            .advanced(byMilliseconds: Int64(24 * days + hours) * 3_600_000)
    }

    /// The beginning of the year 2100, for what is scheduled or does not expire.
    public static let sampleFuture = Timestamp(milliseconds: 4_102_444_800_000)
}
