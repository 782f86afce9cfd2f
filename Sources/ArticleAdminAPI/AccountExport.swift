public import ArticleAPI
import BroadsheetHTTP

/// All that a backend keeps about one of its users, except for secrets.
///
/// ```swift
/// let export = try await backend.send(ExportAccountRequest())
/// let hidden = export.comments.filter { $0.status == .hidden }
/// ```
public struct AccountExport: Sendable, Hashable {
    public var account: User
    /// The invitation with which the user signed up, while it is kept.
    public var invitation: UsedInvitation?
    public var identities: [Identity]
    /// All sessions that are kept, most recently used first.
    public var sessions: [DeviceSession]
    /// The API keys that act for the user, oldest first.
    public var keys: [Key]
    /// The articles that the user owns.
    public var articles: [OwnedArticle]
    /// All comments that the user wrote, oldest first.
    public var comments: [ArticleComment]
    /// The newest first, even those of articles that the user no longer sees.
    public var bookmarks: [Bookmark]

    public init(
        account: User, invitation: UsedInvitation? = nil, identities: [Identity] = [],
        sessions: [DeviceSession] = [], keys: [Key] = [], articles: [OwnedArticle] = [],
        comments: [ArticleComment] = [], bookmarks: [Bookmark] = []
    ) {
        self.account = account
        self.invitation = invitation
        self.identities = identities
        self.sessions = sessions
        self.keys = keys
        self.articles = articles
        self.comments = comments
        self.bookmarks = bookmarks
    }

    /// An invitation that was used for the user's account.
    public struct UsedInvitation: Sendable, Hashable, Identifiable {
        public var id: String
        /// The role that it gave.
        public var role: User.Role
        public var createdAt: Timestamp
        public var expiresAt: Timestamp
        public var usedAt: Timestamp?

        public init(
            id: String, role: User.Role, createdAt: Timestamp, expiresAt: Timestamp,
            usedAt: Timestamp?
        ) {
            self.id = id
            self.role = role
            self.createdAt = createdAt
            self.expiresAt = expiresAt
            self.usedAt = usedAt
        }
    }

    /// The user's identity at a provider of OpenID Connect.
    public struct Identity: Sendable, Hashable {
        public var issuer: String
        /// The provider's name for the user.
        public var subject: String

        public init(issuer: String, subject: String) {
            self.issuer = issuer
            self.subject = subject
        }
    }

    /// An API key that acts for the user.
    public struct Key: Sendable, Hashable, Identifiable {
        /// The public part; not secret.
        public var id: String
        public var name: String
        public var role: User.Role
        public var createdAt: Timestamp
        public var expiresAt: Timestamp?
        public var revokedAt: Timestamp?

        public init(
            id: String, name: String, role: User.Role, createdAt: Timestamp,
            expiresAt: Timestamp? = nil, revokedAt: Timestamp? = nil
        ) {
            self.id = id
            self.name = name
            self.role = role
            self.createdAt = createdAt
            self.expiresAt = expiresAt
            self.revokedAt = revokedAt
        }
    }

    /// An article that the user owns.
    public struct OwnedArticle: Sendable, Hashable, Identifiable {
        public var id: Article.ID
        public var slug: String
        public var title: String
        /// `nil` for a deleted article, of which the history is kept.
        public var status: Article.Status?

        public init(id: Article.ID, slug: String, title: String, status: Article.Status?) {
            self.id = id
            self.slug = slug
            self.title = title
            self.status = status
        }
    }
}

extension AccountExport: JSONModel {
    /// Lists of this length are read; each is much shorter in any backend.
    private static let most = 100_000_000

    public static let shape = ObjectCodec(
        named: "AccountExport", Self.init,
        .required("account", \.account, User.format),
        .optional("invitation", \.invitation, UsedInvitation.format),
        .required("identities", \.identities, .array(of: Identity.format, limit: most)),
        .required("sessions", \.sessions, .array(of: DeviceSession.format, limit: most)),
        .required("keys", \.keys, .array(of: Key.format, limit: most)),
        .required("articles", \.articles, .array(of: OwnedArticle.format, limit: most)),
        .required("comments", \.comments, .array(of: ArticleComment.format, limit: most)),
        .required("bookmarks", \.bookmarks, .array(of: Bookmark.format, limit: most)))
}

extension AccountExport.UsedInvitation: JSONModel {
    public static let shape = ObjectCodec(
        named: "UsedInvitation", Self.init,
        .required("id", \.id, .text(.token(1...64))),
        .required("role", \.role, .text(.userRole)),
        .required("createdAt", \.createdAt, .timestamp),
        .required("expiresAt", \.expiresAt, .timestamp),
        .optional("usedAt", \.usedAt, .timestamp))
}

extension AccountExport.Identity: JSONModel {
    public static let shape = ObjectCodec(
        named: "AccountIdentity", Self.init,
        .required("issuer", \.issuer, .text(.lines(limitBytes: 2_000))),
        .required("subject", \.subject, .text(.lines(limitBytes: 2_000))))
}

extension AccountExport.Key: JSONModel {
    public static let shape = ObjectCodec(
        named: "AccountKey", Self.init,
        .required("id", \.id, .text(.token(1...64))),
        .required("name", \.name, .text(.line(1...100))),
        .required("role", \.role, .text(.userRole)),
        .required("createdAt", \.createdAt, .timestamp),
        .optional("expiresAt", \.expiresAt, .timestamp),
        .optional("revokedAt", \.revokedAt, .timestamp))
}

extension AccountExport.OwnedArticle: JSONModel {
    public static let shape = ObjectCodec(
        named: "OwnedArticle", Self.init,
        .required("id", \.id, .identifier()),
        .required("slug", \.slug, .text(.servedSlug)),
        .required("title", \.title, .text(.line(ArticleLimits.title))),
        .optional("status", \.status, .text(.status)))
}

/// `GET /v1/me/export`: all that is kept about the user, in one document.
///
/// The backend makes one export of an account at a time.
///
/// ```swift
/// let export = try await backend.send(ExportAccountRequest())
/// let titles = export.articles.map(\.title)
/// ```
public struct ExportAccountRequest: BackendAPIRequest {
    public static let endpoint = Endpoint(
        .get, "/v1/me/export", name: "exportMe",
        summary: "Exports all that is kept about the user", access: .manageAccount,
        isStreamed: true)
    public typealias Item = AccountExport

    public static let parameters = Parameters(Self.init)

    public init() {}
}
