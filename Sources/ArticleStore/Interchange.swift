public import ArticleAPI
public import ArticleAdminAPI

/// The part of a store that imports need.
///
/// Repeating an import changes nothing: items and records that the store already has are skipped.
/// Safe to use from any thread.
///
/// ```swift
/// let items = [ImportItem(path: "bread.md", digest: digest, id: id, content: content)]
/// let results = try await store.importArticles(items, by: edit, dryRun: false)
/// let created = results.filter { (try? $0.get()) == .created }
/// ```
public protocol ImportDestination: Sendable {
    /// Imports a batch of articles in one durable step. Each succeeds or fails independently of the
    /// others.
    func importArticles(
        _ items: [ImportItem], by edit: Edit, dryRun: Bool
    ) async throws(StoreError) -> [Result<ImportOutcome, StoreError>]

    /// Restores exported records in order in one durable step, with the same ids, revisions, times
    /// and bytes. A record that already exists and is equal is skipped; one that differs throws
    /// `.conflict`.
    func restore(_ records: [ExportRecord], dryRun: Bool) async throws(StoreError) -> RestoreCounts

    /// The number of the last committed change; 0 in an empty store.
    func changeSequence() async throws(StoreError) -> Int64
}

/// The part of a store that exports need.
///
/// Writes are neither blocked by an export nor part of it. Safe to use from any thread; the closure
/// runs on a thread of the store, once for each record.
///
/// ```swift
/// let records = Lock<[ExportRecord]>([])
/// try await store.export { record in records.withLock { $0.append(record) } }
/// ```
public protocol ExportSource: Sendable {
    /// Passes everything except keys and secrets to `body` from one snapshot: users, authors, and
    /// articles, each in the order of their ids, and each article followed by its revisions in
    /// order; then comments in the order in which they were written, and bookmarks in the order of
    /// their users and articles. Stops if `body` throws (`.rejected`).
    func export(_ body: @escaping @Sendable (ExportRecord) throws -> Void) async throws(StoreError)
}

/// An article imported from a file. See ``ImportDestination``.
public struct ImportItem: Sendable, Hashable {
    /// The origin that identifies the import, at most 1,000 bytes.
    public var path: String
    /// SHA-256 of the file's bytes and of the import's options.
    public var digest: [UInt8]
    /// The id for the article if this path is new.
    public var id: Article.ID
    public var content: ArticleContent
    /// True if an update keeps the slug, because it was derived from a title, which may change.
    public var keepsSlug: Bool
    /// Slugs that led to the article elsewhere. They also lead to it here, as soon as it is public,
    /// unless they belong to another article.
    public var formerSlugs: [String]
    /// The way in which the article of an earlier import is found.
    public var recognition = Recognition.path
    /// True to restore an article that was deleted here since its import.
    public var restoresDeleted = false

    public enum Recognition: Sendable, Hashable {
        /// By the path alone.
        case path
        /// By the path. If it is new, and files with the same name and the same title, or of an
        /// article with this slug, were imported from other paths, nothing is imported: the outcome
        /// is `.similar`.
        case likeness(slug: String?)
        /// By another path, which the article's path replaces.
        case movedFrom(String)
    }

    public init(
        path: String, digest: [UInt8], id: Article.ID, content: ArticleContent,
        keepsSlug: Bool = false, formerSlugs: [String] = []
    ) {
        self.path = path
        self.digest = digest
        self.id = id
        self.content = content
        self.keepsSlug = keepsSlug
        self.formerSlugs = formerSlugs
    }

    /// Returns the end of a path by which a file is recognized in another folder: its name with its
    /// extension, and also its folder if files in other folders usually have the same name
    /// (`index.md`).
    public static func name(ofPath path: String) -> String {
        let parts = path.split(separator: "/")
        guard let last = parts.last else { return path }
        let isCommon = last.hasPrefix("index.") || last.hasPrefix("_index.")
        return parts.suffix(isCommon ? 2 : 1).joined(separator: "/")
    }
}

/// The outcome of importing an article. See ``ImportDestination``.
public enum ImportOutcome: Sendable, Hashable {
    case created
    /// The file changed, and the article was not edited since the last import. An undated post
    /// keeps the time of its first import.
    case updated
    /// Path and content are the same as in the last import.
    case unchanged
    /// The file changed, but the article was edited through the API, so it is kept as it is.
    case keptEdits
    /// The article was deleted here at this time, and stays deleted.
    case deleted(Timestamp)
    /// The article was deleted here, and has the content of the file again.
    case restored
    /// Nothing was imported: these are paths of files that the item may have been imported from,
    /// at most `limitSimilar`.
    case similar([String])

    public static let limitSimilar = 100
}

/// One line of an export.
///
/// ```swift
/// for case .revision(let step) in records { titles.append(step.article.title) }
/// ```
public enum ExportRecord: Sendable, Hashable {
    case user(ExportedUser)
    case author(Author)
    case article(ExportedArticle)
    case revision(ExportedRevision)
    /// Without a version. Its author is known by the id.
    case comment(ArticleComment)
    case bookmark(ExportedBookmark)
}

/// An exported user, without password and sessions. See ``ExportRecord``.
public struct ExportedUser: Sendable, Hashable {
    /// Without a password's hash.
    public let record: UserRecord
    /// In the order of their issuers and subjects.
    public let identities: [IdentityRecord]

    public init(_ user: UserRecord, identities: [IdentityRecord]) {
        var record = user
        record.passwordHash = nil
        record.accessEpoch = 0
        self.record = record
        self.identities = identities
    }
}

/// A bookmark with its user. See ``ExportRecord``.
public struct ExportedBookmark: Sendable, Hashable {
    public var user: User.ID
    public var bookmark: Bookmark

    public init(user: User.ID, bookmark: Bookmark) {
        self.user = user
        self.bookmark = bookmark
    }
}

/// An exported article without its revisions. See ``ExportRecord``.
public struct ExportedArticle: Sendable, Hashable {
    public var id: Article.ID
    /// Former slugs in alphabetical order.
    public var aliases: [String]
    /// The slugs that led to it elsewhere (`ImportItem.formerSlugs`), in alphabetical order.
    public var formerSlugs: [String]
    /// The mark of its import: the path, the digest and the revision.
    public var imported: ImportMark?

    public init(
        id: Article.ID, aliases: [String], formerSlugs: [String] = [], imported: ImportMark?
    ) {
        self.id = id
        self.aliases = aliases
        self.formerSlugs = formerSlugs
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

/// One step of an article's history with the whole article as of that step. See ``ExportRecord``.
public struct ExportedRevision: Sendable, Hashable {
    public var action: Revision.Action
    /// With the name as of the export. A store that finds no such key or account keeps that name.
    public var actor: Revision.Actor
    /// The time of the step (the article's `updatedAt`, except for deletions).
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

/// The outcome of a restoration: the numbers of records that were added, and that were there
/// already.
///
/// ```swift
/// let counts = try await store.restore(records, dryRun: false)
/// let isRepetition = counts.added == 0
/// ```
public struct RestoreCounts: Sendable, Hashable {
    public var added: Int
    public var unchanged: Int
    /// The number of changes in the store that the unchanged records account for.
    public var changes: Int

    public init(added: Int = 0, unchanged: Int = 0, changes: Int = 0) {
        self.added = added
        self.unchanged = unchanged
        self.changes = changes
    }
}
