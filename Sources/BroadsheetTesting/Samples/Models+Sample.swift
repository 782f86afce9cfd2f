public import ArticleAPI

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

extension Author {
    /// The authors of `Article.samples`.
    public static let samples: [Author] = [
        .sample(id: .sample(1), name: "Mina Park", about: "Bakes, and writes about it."),
        .sample(
            id: .sample(2), name: "Jonas Weber", about: "Repairs bicycles.",
            website: "https://jonas.example.org"),
        .sample(id: .sample(3), name: "Adaeze Obi", about: "Keeps a harbour diary."),
    ]

    var reference: Reference {
        Reference(id: id, name: name, revision: revision)
    }
}

extension ArticleComment {
    /// Comments on the newest published article of `Article.samples`, the oldest
    /// first: a question, an answer to it, and praise.
    public static let samples: [ArticleComment] = {
        let article = Article.samples.first { $0.status == .published }?.id ?? .sample()
        let (mina, leo) = (
            User.sample().asSeenByOthers, User(id: .sample(2), displayName: "Leo")
        )
        return [
            .sample(
                id: .sample(1), on: article, by: leo, body: "Does it work with *spelt*?",
                createdAt: .sample(hours: 1)),
            .sample(
                id: .sample(2), on: article, replyingTo: .sample(1), by: mina,
                body: "It does, with a little less water.", createdAt: .sample(hours: 2)),
            .sample(
                id: .sample(3), on: article, by: leo, body: "The best loaf that I have made.",
                createdAt: .sample(days: 1)),
        ]
    }()
}
