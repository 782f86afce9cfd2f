public import ArticleAPI
import BroadsheetPlatform

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
    package var measure: TextMeasure

    /// - Parameter draft: its id and its slug are ignored.
    package init(
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

/// A body as HTML, with its length as readers see it. See ``ArticleUpdate``.
public struct RenderedBody: Sendable, Hashable {
    public var bodyHTML: BodyHTML
    /// Counts the words that readers see, without URLs and markup.
    package var measure: TextMeasure

    package init(_ bodyHTML: BodyHTML, measure: TextMeasure) {
        self.bodyHTML = bodyHTML
        self.measure = measure
    }
}

/// An edit of an existing article as data: the store applies it to the article that it finds.
///
/// ```swift
/// let update = ArticleUpdate(.changes(Article.Changes(title: .set("Rye bread"))))
/// let edited = try await store.updateArticle(id, update, expecting: .existing, by: edit)
/// ```
public struct ArticleUpdate: Sendable, Hashable {
    public enum Content: Sendable, Hashable {
        /// A merge patch.
        case changes(Article.Changes)
        /// The whole content, which may repeat the read-only attributes.
        case replacement(Article.Replacement)
    }

    public var content: Content
    /// The new body; `nil` if it is unchanged, or to be rendered when it is first read.
    public var rendered: RenderedBody?
    /// The language of an article that has none.
    public var defaultLanguage: String
    /// Decides which policies for comments an author may set.
    public var commentRules: CommentRules

    public init(
        _ content: Content, rendered: RenderedBody? = nil, defaultLanguage: String = "und",
        commentRules: CommentRules = CommentRules()
    ) {
        self.content = content
        self.rendered = rendered
        self.defaultLanguage = defaultLanguage
        self.commentRules = commentRules
    }

    /// The new content of the article.
    ///
    /// - Throws: `.invalid` if it cannot be changed like this by the editor.
    package func content(
        replacing current: Article, by edit: Edit
    ) throws(StoreError) -> ArticleContent {
        var draft: Article.Draft
        switch content {
        case .changes(let changes):
            do throws(InvalidValue) { draft = try current.draft(applying: changes) } catch {
                throw .invalid(error.details)
            }
            // Without a time, this publishes an article now that has one in the future.
            if changes.status == .set(.published), changes.publishedAt == .keep,
                let time = draft.publishedAt, time > edit.time
            {
                draft.publishedAt = edit.time
            }
        case .replacement(let replacement):
            try replacement.checkReadOnly(against: current)
            draft = replacement.content
            // An author's replacement that leaves it out does not undo what an editor decided.
            if edit.audience != .editors { draft.comments = draft.comments ?? current.comments }
            // A client that does not know owners, or does not see this one, hands nothing over.
            draft.owner = draft.owner ?? current.owner
        }
        try commentRules.check(draft.comments, replacing: current.comments, by: edit.audience)
        return try ArticleContent(
            replacing: current, with: draft, rendered: rendered,
            defaultLanguage: defaultLanguage, at: edit.time)
    }
}

extension CommentRules {
    /// Rejects a policy for an article that is less strict than the present one, except by editors:
    /// an author must not let comments through that editors want to approve.
    ///
    /// - Parameters:
    ///   - wanted: the requested policy; `nil` for that of the server, like `current`.
    package func check(
        _ wanted: CommentPolicy?, replacing current: CommentPolicy? = nil, by audience: Audience
    ) throws(StoreError) {
        let present = current ?? policy
        guard audience != .editors, wanted != current,
            (wanted ?? policy).strictness < present.strictness
        else { return }
        throw .invalidValue(
            "/comments",
            "must be stricter than the current policy, which is `\(present.name)`; only editors "
                + "can relax it")
    }
}

extension CommentPolicy {
    fileprivate var strictness: Int {
        switch self {
        case .open: 0
        case .moderated: 1
        case .closed: 2
        // Servers reject it before.
        case .unknown: -1
        }
    }
}

/// Converts drafts to the content of articles: defaults, derived values, publication.
extension ArticleContent {
    /// The content of a new article.
    package init(
        _ draft: Article.Draft, rendered: RenderedBody, defaultLanguage: String,
        at now: Timestamp
    ) throws(StoreError) {
        try self.init(
            draft, slug: Self.slug(draft.slug, title: draft.title), html: rendered.bodyHTML,
            measure: rendered.measure, defaultLanguage: defaultLanguage,
            publication: Publication(of: draft, at: now))
    }

    /// The content that replaces an article's; attributes missing from the replacement get their
    /// defaults.
    ///
    /// - Parameter rendered: the new body; `nil` if it is unchanged, or to be rendered when it is
    ///   first read.
    package init(
        replacing current: Article, with draft: Article.Draft, rendered: RenderedBody? = nil,
        defaultLanguage: String, at now: Timestamp
    ) throws(StoreError) {
        var slug = SlugChoice.keep
        if let wanted = draft.slug, wanted != current.slug {
            // Only an article whose slug is its id (because its title has no letters) may repeat
            // that.
            if let fault = Slug.fault(wanted) { throw .invalidValue("/slug", fault) }
            slug = .exactly(wanted)
        }
        // An unchanged body keeps its counts: a new way of counting is not an edit.
        let isUnchanged = draft.body.hasBytes(of: current.body ?? "")
        let currentMeasure = TextMeasure(
            words: current.wordCount, readingMinutes: current.readingMinutes)
        try self.init(
            draft, slug: slug, html: rendered?.bodyHTML,
            measure: isUnchanged ? currentMeasure : rendered?.measure ?? TextMeasure(draft.body),
            defaultLanguage: defaultLanguage,
            publication: Publication(of: draft, replacing: current, at: now))
    }

    /// The content of an article in a file. Its time decides whether it is published or scheduled;
    /// without one, the store uses the time of the first import.
    package init(
        of draft: Article.Draft, in rendered: RenderedBody, defaultLanguage: String
    ) throws(StoreError) {
        try self.init(
            draft, slug: Self.slug(draft.slug, title: draft.title), html: rendered.bodyHTML,
            measure: rendered.measure, defaultLanguage: defaultLanguage,
            publication: Publication(ofImported: draft))
    }

    /// The content of an imported article that was sent over the control socket.
    package init(imported draft: Article.Draft, slug: SlugChoice) {
        self.init(draft, slug: slug, measure: TextMeasure(draft.body))
        self.draft.language = language
        self.draft.status = status
    }

    /// Sets the rendered body.
    package mutating func take(_ rendered: RenderedBody) {
        bodyHTML = rendered.bodyHTML
        measure = rendered.measure
    }

    private init(
        _ draft: Article.Draft, slug: SlugChoice, html: BodyHTML?, measure: TextMeasure,
        defaultLanguage: String, publication: Publication
    ) {
        self.init(draft, slug: slug, bodyHTML: html, measure: measure)
        self.draft.language = draft.language ?? defaultLanguage
        self.draft.status = publication.status
        self.draft.publishedAt = publication.time
    }

    private static func slug(_ wanted: String?, title: String) -> SlugChoice {
        if let wanted { return .exactly(wanted) }
        return Slug(title: title).map { .like($0.text) } ?? .keep
    }
}

/// The status of an article that is written, and its time: that of a `scheduled` article is in the
/// future, and that of a `published` one is not.
struct Publication {
    package let status: Article.Status
    let time: Timestamp?

    /// Creates the visibility that a writer requests. An unchanged one is not checked: time passes
    /// without an edit.
    ///
    /// - Throws: `.invalid` if status and time do not fit.
    init(
        of draft: Article.Draft, replacing current: Article? = nil, at now: Timestamp
    ) throws(StoreError) {
        status = draft.status ?? .draft
        time = status == .published ? draft.publishedAt ?? now : draft.publishedAt
        if let current, current.status == status, current.publishedAt == time { return }
        switch status {
        case .scheduled: try Self.checkFuture(time, now)
        case .published:
            if let time, time > now {
                throw .invalidValue(
                    "/publishedAt",
                    "is in the future; the status for that is `scheduled`, not `published`")
            }
        case .draft, .archived, .unknown: break
        }
    }

    /// Creates the visibility in a file, which may be older or newer than its time.
    ///
    /// - Throws: `.invalid` for `scheduled` without a time.
    init(ofImported draft: Article.Draft) throws(StoreError) {
        status = draft.status ?? .draft
        time = draft.publishedAt
        if status == .scheduled, time == nil { throw Self.missingTime }
    }

    private static func checkFuture(_ time: Timestamp?, _ now: Timestamp) throws(StoreError) {
        guard let time else { throw missingTime }
        guard time > now else {
            throw .invalidValue(
                "/publishedAt", "must be in the future for the status `scheduled`")
        }
    }

    private static var missingTime: StoreError {
        .invalidValue("/publishedAt", "is required for the status `scheduled`")
    }
}

extension Article.Replacement {
    /// Rejects read-only attributes that differ from the article's. They are allowed in a
    /// replacement, so that a fetched article can be edited and sent back, but cannot be changed.
    fileprivate func checkReadOnly(against current: Article) throws(StoreError) {
        var check = ReadOnlyCheck()
        check.add(content.id, current.id, "/id")
        check.add(readOnly.createdAt, current.createdAt, "/createdAt")
        check.add(readOnly.updatedAt, current.updatedAt, "/updatedAt")
        check.add(readOnly.revision, current.revision, "/revision")
        check.add(readOnly.version, current.version, "/version")
        try check.end()
    }
}

/// Collects the read-only attributes of a replacement that differ from the present ones.
struct ReadOnlyCheck {
    private var faults: [Problem.Detail] = []

    mutating func add<Value: Equatable>(_ value: Value?, _ actual: Value?, _ pointer: String) {
        guard let value, value != actual else { return }
        faults.append(
            Problem.Detail("is set by the backend and cannot be changed", at: .pointer(pointer)))
    }

    func end() throws(StoreError) {
        if !faults.isEmpty { throw .invalid(faults) }
    }
}
