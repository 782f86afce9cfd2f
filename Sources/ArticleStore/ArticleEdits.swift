public import ArticleAPI

/// The validated content of an article as decided by an editor; the store resolves slug, tags and
/// authors.
///
/// The draft has neither id nor slug: `slug` determines the choice of one.
///
/// ```swift
/// let draft = Article.Draft(title: "Bread", body: "Flour and water.")
/// let content = ArticleContent(draft, slug: .like("bread"), measure: TextMeasure(draft.body))
/// ```
public struct ArticleContent: Sendable, Hashable {
    /// The attributes, without id and slug. A `scheduled` article has a `publishedAt`, at which
    /// `publishDueArticles` publishes it. Only editors may change `owner`; an author's new article
    /// gets its owner from the edit's audience.
    public var draft: Article.Draft
    public var slug: SlugChoice
    /// The draft's tags with their keys. An existing tag keeps its display name.
    public var tags: [ArticleTag]
    /// The rendered body; `nil` to render it when it is first read.
    public var bodyHTML: BodyHTML?
    /// The words that readers see.
    public var measure: TextMeasure

    /// - Parameter draft: its id and its slug are ignored.
    public init(
        _ draft: Article.Draft, slug: SlugChoice, bodyHTML: BodyHTML? = nil, measure: TextMeasure
    ) {
        self.draft = draft
        self.draft.id = nil
        self.draft.slug = nil
        self.slug = slug
        tags = draft.tags.map(ArticleTag.init(named:))
        self.bodyHTML = bodyHTML
        self.measure = measure
    }

    /// A BCP 47 language tag; `und` (undetermined) if the draft has none.
    public var language: String { draft.language ?? "und" }

    public var status: Article.Status { draft.status ?? .draft }
}

/// A rendered body: derived data that is rendered again if another renderer produced it.
///
/// It is not part of an article's value, its history or an export.
///
/// ```swift
/// let html = BodyHTML(renderer: "cmark-gfm 1", html: "<p>Flour and water.</p>")
/// try await store.keepBodyHTML(html, of: article.id, revision: article.revision)
/// ```
public struct BodyHTML: Sendable, Hashable {
    /// The name and version of the renderer.
    public var renderer: String
    /// `nil` for a body that this renderer rejects (because it predates its limits).
    public var html: String?

    public init(renderer: String, html: String?) {
        self.renderer = renderer
        self.html = html
    }
}

/// The choice of an article's slug. See ``ArticleContent``.
public enum SlugChoice: Sendable, Hashable {
    /// The current one (for a new article, the id).
    case keep
    /// This one, or throws `.slugTaken`; the former slug becomes an alias.
    case exactly(String)
    /// This one, or the first free of `x-2`, `x-3`, … (truncated to 100 characters); for authors,
    /// `x-` with the end of the article's id.
    case like(String)

    /// The chosen slug; `nil` to keep the current one.
    public var text: String? {
        switch self {
        case .keep: nil
        case .exactly(let slug), .like(let slug): slug
        }
    }
}

/// Time and actor of an edit, for its revision, and the key by which it is done only once.
///
/// The store has no clock: a revision has the time of its edit.
///
/// ```swift
/// let edit = Edit(at: time, by: .key(id: "editor"))
/// let article = try await store.createArticle(id, content, by: edit)
/// ```
public struct Edit: Sendable {
    public var time: Timestamp
    public var actor: Actor
    /// A write with a key is done once: the caller checks `idempotencyRecord` before. If another
    /// write with the key was committed in between, `.repeated` or `.keyReused` is thrown.
    public var key: IdempotencyKey?
    /// The audience of the editor, which decides the articles that the edit may change: editors
    /// write everything, authors the articles that they own, and everyone else nothing.
    ///
    /// It is compared with the owner in the transaction of the write. An article that is hidden
    /// from the audience throws `.notFound`, and one that it may only read `.notOwner`.
    public var audience: Audience

    public init(
        at time: Timestamp, by actor: Actor, key: IdempotencyKey? = nil,
        as audience: Audience = .editors
    ) {
        self.time = time
        self.actor = actor
        self.key = key
        self.audience = audience
    }

    /// The account or part of the server that makes an edit. Its name is looked up when the history
    /// is read.
    public enum Actor: Sendable, Hashable {
        /// The operator of the server: imports, commands on the machine, the operator's key.
        case `operator`
        /// The server itself: the publication of scheduled articles.
        case system
        /// The source with this id, and its name.
        case source(id: ContentSource.ID, name: String)
        /// The API key with this public id.
        case key(id: String)
        /// The user with this id, in person or by a key.
        case user(UserRecord.ID)
        /// An actor that cannot be looked up.
        case unrecorded(name: String?)
    }
}

/// The state that a write expects (`If-Match`, `If-None-Match: *`).
///
/// It is checked in the transaction of the write, so no other write comes in between.
///
/// ```swift
/// let seen = Precondition.versions([article.version ?? ""])
/// try await store.deleteArticle(article.id, expecting: seen, by: edit)
/// ```
public enum Precondition: Sendable, Hashable {
    case anything
    /// It exists, at any revision.
    case existing
    /// It exists, at one of these versions (`Epoch`); otherwise `.preconditionFailed`.
    case versions(Set<String>)
    /// It does not exist yet.
    case nothing
}

/// Identifies the history of a database: 16 random bytes.
///
/// Revisions and changes are numbered, and different histories use the same numbers. So a database
/// gets a new epoch whenever its history may differ from the one that clients know: a new file, a
/// restored backup, an imported export.
///
/// ```swift
/// let epoch = Epoch(high: high, low: low)
/// let version = epoch.version(of: id, revision: 7, at: time)
/// ```
public struct Epoch: Sendable, Hashable {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The number of characters in a version after the revision and the dash.
    public static let markLength = 6

    private static let digits = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    /// Returns the version of this revision of the subject in this history: `7-x1y2z3`. The same
    /// revision in another history, or one made at another time after the database was set back,
    /// has the same version with a probability of 2^-30.
    ///
    /// - Parameters:
    ///   - time: The time at which the revision was made.
    ///   - state: A number that tells otherwise equal revisions apart.
    public func version<Subject>(
        of id: Identifier<Subject>, revision: Int, at time: Timestamp, state: Int64 = 0
    ) -> String {
        let timed = Self.mixed(hash(of: id) ^ UInt64(bitPattern: time.milliseconds))
        return Self.version(revision, Self.mixed(timed ^ UInt64(bitPattern: state)))
    }

    /// The version of this revision as programs gave it that did not consider its time.
    package func formerVersion<Subject>(of id: Identifier<Subject>, revision: Int) -> String {
        Self.version(revision, hash(of: id))
    }

    private func hash<Subject>(of id: Identifier<Subject>) -> UInt64 {
        let own = Self.mixed(Self.mixed(high) ^ low)
        return Self.mixed(Self.mixed(own ^ id.high) ^ id.low)
    }

    /// - Parameter hash: of all but the revision.
    private static func version(_ revision: Int, _ hash: UInt64) -> String {
        let mark = mixed(hash ^ UInt64(bitPattern: Int64(revision)))
        // Short enough to need no memory of its own.
        return String(revision)
            + String(unsafeUninitializedCapacity: 1 + markLength) { text in
                text[0] = UInt8(ascii: "-")
                for place in 0..<markLength {
                    text[1 + place] = digits[Int(mark >> UInt64(59 - 5 * place)) & 31]
                }
                return 1 + markLength
            }
    }

    /// Mixes all bits (the finalizer of SplitMix64). This is not a secret: it prevents accidental
    /// collisions, not attacks.
    private static func mixed(_ word: UInt64) -> UInt64 {
        var word = word &+ 0x9E37_79B9_7F4A_7C15
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}
