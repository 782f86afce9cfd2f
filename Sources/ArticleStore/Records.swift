public import ArticleAPI

/// An API key as it is stored: never the key itself.
public struct KeyRecord: Sendable, Hashable {
    /// The public part, by which it is looked up.
    public var id: String
    /// SHA-256 of the whole key, 32 bytes.
    public var digest: [UInt8]
    /// 1 to 100 characters.
    public var name: String
    /// `admin`, `editor` or `reader`.
    public var role: String
    public var createdAt: Timestamp
    public var expiresAt: Timestamp?
    public var revokedAt: Timestamp?

    public init(
        id: String, digest: [UInt8], name: String, role: String, createdAt: Timestamp,
        expiresAt: Timestamp? = nil, revokedAt: Timestamp? = nil
    ) {
        self.id = id
        self.digest = digest
        self.name = name
        self.role = role
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.revokedAt = revokedAt
    }
}

/// An article with the time of its last change.
public struct ArticleVersion: Sendable, Hashable {
    public var article: Article
    /// When it or one of its authors last changed.
    public var changedAt: Timestamp

    public init(article: Article, changedAt: Timestamp) {
        self.article = article
        self.changedAt = changedAt
    }
}

/// One change in the change sequence.
public struct ChangeRecord: Sendable, Hashable {
    public var sequence: Int64
    public var subject: Subject
    public var revision: Int
    public var isDeletion: Bool
    /// Whether anonymous clients may see a difference: not if a draft was edited.
    public var isPublic: Bool

    public init(
        sequence: Int64, subject: Subject, revision: Int, isDeletion: Bool, isPublic: Bool
    ) {
        self.sequence = sequence
        self.subject = subject
        self.revision = revision
        self.isDeletion = isDeletion
        self.isPublic = isPublic
    }

    /// What changed.
    public enum Subject: Sendable, Hashable {
        case article(Article.ID)
        case author(Author.ID)
    }
}

/// An article imported from a file.
public struct ImportItem: Sendable, Hashable {
    /// The origin that identifies the import, at most 1,000 bytes.
    public var path: String
    /// SHA-256 of the file's bytes and of the import's options.
    public var digest: [UInt8]
    /// The id for the article if this path is new.
    public var id: Article.ID
    public var content: ArticleContent
    /// Whether an update keeps the slug, because it was derived from a title, which may change.
    public var keepsSlug: Bool

    public init(
        path: String, digest: [UInt8], id: Article.ID, content: ArticleContent,
        keepsSlug: Bool = false
    ) {
        self.path = path
        self.digest = digest
        self.id = id
        self.content = content
        self.keepsSlug = keepsSlug
    }
}

/// The outcome of importing an article.
public enum ImportOutcome: String, Sendable, Hashable, CaseIterable {
    case created
    /// The file changed, and the article was not edited since the last import. An undated post
    /// keeps the time of its first import.
    case updated
    /// Path and content are the same as in the last import.
    case unchanged
    /// The file changed, but the article was edited or deleted through the API, so it is kept as it
    /// is.
    case keptEdits
}

/// One line of an export.
public enum ExportRecord: Sendable, Hashable {
    case author(Author)
    case article(ExportedArticle)
    case revision(ExportedRevision)
}

/// An exported article without its revisions.
public struct ExportedArticle: Sendable, Hashable {
    public var id: Article.ID
    /// Former slugs in alphabetical order.
    public var aliases: [String]
    /// Where it was imported from, with the digest and the revision of that import.
    public var imported: ImportMark?

    public init(id: Article.ID, aliases: [String], imported: ImportMark?) {
        self.id = id
        self.aliases = aliases
        self.imported = imported
    }

    public struct ImportMark: Sendable, Hashable {
        public var path: String
        public var digest: [UInt8]
        public var revision: Int

        public init(path: String, digest: [UInt8], revision: Int) {
            self.path = path
            self.digest = digest
            self.revision = revision
        }
    }
}

/// One step of an article's history with the whole article as of that step.
public struct ExportedRevision: Sendable, Hashable {
    public var action: Revision.Action
    /// With the name as of the export. A store that finds no such key or account keeps that name.
    public var actor: Revision.Actor
    /// When the step was made (the article's `updatedAt`, except for deletions).
    public var time: Timestamp
    public var article: Article

    public init(
        action: Revision.Action, actor: Revision.Actor, time: Timestamp, article: Article
    ) {
        self.action = action
        self.actor = actor
        self.time = time
        self.article = article
    }
}

/// The outcome of a restoration.
public struct RestoreCounts: Sendable, Hashable {
    public var added: Int
    public var unchanged: Int

    public init(added: Int, unchanged: Int) {
        self.added = added
        self.unchanged = unchanged
    }
}
