public import ArticleAPI
public import ArticleStore
import HTTP

/// The operations on articles.
public struct ArticleService: Sendable {
    let store: any ArticleStore
    let cursors: CursorSealer
    let markdown: MarkdownRenderer
    let defaultLanguage: String
    let now: @Sendable () -> Timestamp

    public init(
        store: any ArticleStore, cursors: CursorSealer, markdown: MarkdownRenderer,
        defaultLanguage: String, now: @escaping @Sendable () -> Timestamp
    ) {
        self.store = store
        self.cursors = cursors
        self.markdown = markdown
        self.defaultLanguage = defaultLanguage
        self.now = now
    }

    func register(on routes: inout Routes) {
        routes.on(FetchArticlesRequest.self, list)
        routes.on(CreateArticleRequest.self, create)
        routes.on(FetchArticleRequest.self, fetch)
        routes.on(ReplaceArticleRequest.self, replace)
        routes.on(UpdateArticleRequest.self, update)
        routes.on(DeleteArticleRequest.self, delete)
    }

    func list(
        _ request: FetchArticlesRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<Page<Article>> {
        let now = now()
        let list = try ArticleList(request, caller: caller, now: now, cursors: cursors)
        do {
            let slice = try await bounded(
                store.articles(list.query), request.fields, in: list.query.sort)
            let page = Page(
                items: slice.items.map { $0.asOf(now) },
                next: slice.next.map { cursors.seal($0, in: list.name) }, count: slice.count)
            return Reply(
                page, fields: request.fields, renderer: renderer(of: request.fields),
                dependencies: .lists(at: now))
        } catch { throw ServiceError(error) }
    }

    func fetch(
        _ request: FetchArticleRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<Article> {
        let now = now()
        do {
            let edition = try await store.edition(
                of: request.key, visibleTo: caller.audience(at: now))
            var article = edition.article.asOf(now)
            let renderer = renderer(of: request.fields)
            if renderer != nil { article = try await withHTML([article])[0] }
            // Modification times do not reflect a change of the renderer.
            let changedAt = renderer == nil ? edition.changedAt : nil
            return Reply(
                article, fields: request.fields, renderer: renderer,
                changedAt: changedAt.map { max($0, article.publication ?? $0) },
                dependencies: .article(article))
        } catch { throw ServiceError(error) }
    }

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
