package import ArticleAPI
package import ArticleStore

/// Converts drafts to the content of articles: defaults, derived values, publication.
extension ArticleContent {
    /// The content of a new article.
    package init(
        _ draft: Article.Draft, rendered: RenderedBody, defaultLanguage: String,
        at now: Timestamp
    ) throws(ServiceError) {
        try self.init(
            draft, slug: Self.slug(draft.slug, title: draft.title), html: rendered.kept,
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
    ) throws(ServiceError) {
        var slug = SlugChoice.keep
        if let wanted = draft.slug, wanted != current.slug {
            // Only an article whose slug is its id (because its title has no letters) may repeat
            // that.
            if let fault = Slug.fault(wanted) { throw .invalidValue("/slug", fault) }
            slug = .exactly(wanted)
        }
        // An unchanged body keeps its counts: a new way of counting is not an edit.
        let isUnchanged = draft.body.utf8.elementsEqual((current.body ?? "").utf8)
        let currentMeasure = TextMeasure(
            words: current.wordCount, readingMinutes: current.readingMinutes)
        try self.init(
            draft, slug: slug, html: rendered?.kept,
            measure: isUnchanged ? currentMeasure : rendered?.measure ?? TextMeasure(draft.body),
            defaultLanguage: defaultLanguage,
            publication: Publication(of: draft, replacing: current, at: now))
    }

    /// The content of an article in a file. Its time decides whether it is published or scheduled;
    /// without one, the store uses the time of the first import.
    package init(
        of draft: Article.Draft, in rendered: RenderedBody, defaultLanguage: String
    ) throws(ServiceError) {
        try self.init(
            draft, slug: Self.slug(draft.slug, title: draft.title), html: rendered.kept,
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
        bodyHTML = rendered.kept
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
    ) throws(ServiceError) {
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
    init(ofImported draft: Article.Draft) throws(ServiceError) {
        status = draft.status ?? .draft
        time = draft.publishedAt
        if status == .scheduled, time == nil { throw Self.missingTime }
    }

    private static func checkFuture(_ time: Timestamp?, _ now: Timestamp) throws(ServiceError) {
        guard let time else { throw missingTime }
        guard time > now else {
            throw .invalidValue(
                "/publishedAt", "must be in the future for the status `scheduled`")
        }
    }

    private static var missingTime: ServiceError {
        .invalidValue("/publishedAt", "is required for the status `scheduled`")
    }
}

extension Article.Replacement {
    /// Rejects read-only attributes that differ from the article's. They are allowed in a
    /// replacement, so that a fetched article can be edited and sent back, but cannot be changed.
    package func checkReadOnly(against current: Article) throws(ServiceError) {
        var faults: [Problem.Detail] = []
        func check<Value: Equatable>(_ value: Value?, _ actual: Value?, _ pointer: String) {
            guard let value, value != actual else { return }
            faults.append(
                Problem.Detail("is set by the backend and cannot be changed", at: .pointer(pointer))
            )
        }
        check(content.id, current.id, "/id")
        check(readOnly.createdAt, current.createdAt, "/createdAt")
        check(readOnly.updatedAt, current.updatedAt, "/updatedAt")
        check(readOnly.revision, current.revision, "/revision")
        check(readOnly.version, current.version, "/version")
        guard faults.isEmpty else { throw .invalid(faults) }
    }
}
