import ArticleAPI
import ArticleStore
import HTTP

/// Creating, changing and deleting articles.
extension ArticleService {
    func create(
        _ request: CreateArticleRequest, by caller: Principal, _ key: IdempotencyKey?
    ) async throws(ServiceError) -> Reply<Article> {
        let now = now()
        let rendered = try await markdown.render(request.article.body)
        let content = try ArticleContent(
            request.article, rendered: rendered, defaultLanguage: defaultLanguage, at: now)
        do {
            let article = try await store.createArticle(
                request.article.id ?? Article.ID(at: now), content,
                by: caller.edit(at: now, key))
            return Reply(article.asOf(now), location: article.location)
        } catch { throw ServiceError(error) }
    }

    func replace(
        _ request: ReplaceArticleRequest, by caller: Principal, _ key: IdempotencyKey?
    ) async throws(ServiceError) -> Reply<Article> {
        guard let expected = request.expected else { throw .preconditionRequired }
        // Rendered before the write is queued, so that other writes do not wait for it.
        let rendered = try await markdown.render(request.article.content.body)
        return try await edit(request.id, expecting: expected, by: caller, key) {
            current, now in
            try request.article.checkReadOnly(against: current.asOf(now))
            return try ArticleContent(
                replacing: current, with: request.article.content, rendered: rendered,
                defaultLanguage: defaultLanguage, at: now)
        }
    }

    func update(
        _ request: UpdateArticleRequest, by caller: Principal, _ key: IdempotencyKey?
    ) async throws(ServiceError) -> Reply<Article> {
        let rendered: RenderedBody? =
            switch request.changes.body {
            case .keep: nil
            case .clear: RenderedBody(written: [])
            case .set(let body): try await markdown.render(body)
            }
        return try await edit(request.id, expecting: request.expected, by: caller, key) {
            current, now in
            try ArticleContent(
                replacing: current, with: Self.draft(of: current.asOf(now), request.changes),
                rendered: rendered, defaultLanguage: defaultLanguage, at: now)
        }
    }

    private static func draft(
        of article: Article, _ changes: Article.Changes
    ) throws(ServiceError) -> Article.Draft {
        do throws(InvalidValue) { return try article.draft(applying: changes) } catch {
            throw .invalid(error.details)
        }
    }

    func delete(
        _ request: DeleteArticleRequest, by caller: Principal, _ key: IdempotencyKey?
    ) async throws(ServiceError) -> Reply<NoContent> {
        do {
            try await store.deleteArticle(
                request.id, expecting: Precondition(request.expected),
                by: caller.edit(at: now(), key))
        } catch { throw ServiceError(error) }
        return Reply(NoContent())
    }

    private func edit(
        _ id: Article.ID, expecting expected: IfMatch?, by caller: Principal,
        _ key: IdempotencyKey?,
        _ change: @escaping @Sendable (Article, Timestamp) throws -> ArticleContent
    ) async throws(ServiceError) -> Reply<Article> {
        let now = now()
        do {
            let article = try await store.updateArticle(
                id, expecting: Precondition(expected),
                by: caller.edit(at: now, key)
            ) { try change($0, now) }
            return Reply(article.asOf(now))
        } catch { throw ServiceError(error) }
    }
}

/// Converts drafts to the content of articles: defaults, derived values, publication.
extension ArticleContent {
    /// The content of a new article.
    init(
        _ draft: Article.Draft, rendered: RenderedBody, defaultLanguage: String,
        at now: Timestamp
    ) throws(ServiceError) {
        try self.init(
            draft, slug: Self.slug(draft.slug, title: draft.title), html: rendered.kept,
            measure: rendered.measure, defaultLanguage: defaultLanguage, at: now)
    }

    /// The content that replaces an article's; attributes missing from the replacement get their
    /// defaults.
    ///
    /// - Parameter rendered: the new body; `nil` if it is unchanged, or to be rendered when it is
    ///   first read.
    init(
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
            defaultLanguage: defaultLanguage, at: now)
    }

    /// The content of an imported article, whose draft has been validated. Without a time, the
    /// store uses the time of the first import.
    init(imported draft: Article.Draft, slug: SlugChoice) {
        self.init(draft, slug: slug, measure: TextMeasure(draft.body))
        // In the form in which it is sent over the control socket.
        self.draft.language = language
        self.draft.status = status == .scheduled ? .published : status
    }

    /// Sets the rendered body.
    mutating func take(_ rendered: RenderedBody) {
        bodyHTML = rendered.kept
        measure = rendered.measure
    }

    private init(
        _ draft: Article.Draft, slug: SlugChoice, html: BodyHTML?, measure: TextMeasure,
        defaultLanguage: String, at now: Timestamp
    ) throws(ServiceError) {
        let publication = try Publication(draft.status ?? .draft, at: draft.publishedAt, now: now)
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

/// The stored form of a status: `scheduled` is `published` at a later time.
struct Publication {
    let status: Article.Status
    let time: Timestamp?

    /// - Throws: `.invalid` for `scheduled` without a time.
    init(_ status: Article.Status, at time: Timestamp?, now: Timestamp) throws(ServiceError) {
        switch status {
        case .scheduled:
            guard let time else {
                throw .invalidValue("/publishedAt", "is required for the status `scheduled`")
            }
            self.status = .published
            self.time = time
        case .published:
            self.status = .published
            self.time = time ?? now
        case .draft, .archived, .unknown:
            self.status = status
            self.time = time
        }
    }
}

extension Article {
    /// The article as seen at a point in time: if it is published in the future, its status is
    /// `scheduled`.
    func asOf(_ now: Timestamp) -> Article {
        guard status == .published, let publishedAt, publishedAt > now else { return self }
        var article = self
        article.status = .scheduled
        return article
    }

    /// When it became public, if it is: this happens at its time and without an edit.
    var publication: Timestamp? { status == .published ? publishedAt : nil }
}

extension Article.Replacement {
    /// Rejects read-only attributes that differ from the article's. They are allowed in a
    /// replacement, so that a fetched article can be edited and sent back, but cannot be changed.
    func checkReadOnly(against current: Article) throws(ServiceError) {
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
