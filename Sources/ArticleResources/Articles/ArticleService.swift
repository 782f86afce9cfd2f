package import ArticleAPI
package import ArticleServiceCore
package import ArticleStore
import BroadsheetHTTP
package import BroadsheetPlatform

/// The operations on articles.
package struct ArticleService: Sendable {
    let store: any ArticleStore
    let cursors: CursorSealer
    let markdown: MarkdownRenderer
    package let defaultLanguage: String
    let commentRules: CommentRules
    package let system: SystemEnvironment

    package init(
        store: any ArticleStore, cursors: CursorSealer, markdown: MarkdownRenderer,
        defaultLanguage: String, commentRules: CommentRules,
        system: SystemEnvironment
    ) {
        self.store = store
        self.cursors = cursors
        self.markdown = markdown
        self.defaultLanguage = defaultLanguage
        self.commentRules = commentRules
        self.system = system
    }

    package func list(
        _ request: FetchArticlesRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<Page<Article>> {
        let list = ArticleList(request, caller: caller)
        let page = try await cursors.page(of: list.name, from: request.cursor) { after in
            var query = list.query
            query.after = after
            var slice = try await bounded(store.articles(query), request.fields, in: query.sort)
            slice.items = try await counted(slice.items, request.fields)
            return slice
        }
        return Reply(
            page, fields: request.fields, renderer: renderer(of: request.fields),
            dependencies: Article.countsComments(request.fields) ? nil : .lists)
    }

    package func fetch(
        _ request: FetchArticleRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<Article> {
        do {
            let edition = try await store.edition(of: request.key, visibleTo: caller.audience)
            var article = edition.article
            let renderer = renderer(of: request.fields)
            if renderer != nil { article = try await withHTML([article])[0] }
            article = try await counted([article], request.fields)[0]
            let isCounted = article.commentCount != nil
            // Modification times do not reflect a change of the renderer, or comments.
            return Reply(
                article, fields: request.fields, renderer: renderer,
                changedAt: renderer == nil && !isCounted ? edition.changedAt : nil,
                dependencies: isCounted ? nil : .article(article))
        } catch { throw ServiceError(error) }
    }

    // MARK: Creating, changing and deleting

    package func create(
        _ request: CreateArticleRequest, by caller: Principal, _ key: IdempotencyKey?
    ) async throws(ServiceError) -> Reply<Article> {
        let now = system.now
        do {
            try commentRules.check(request.article.comments, by: caller.audience)
            let rendered = try await markdown.render(
                request.article.body, for: caller.fairShare)
            let content = try ArticleContent(
                request.article, rendered: rendered, defaultLanguage: defaultLanguage, at: now)
            let article = try await store.createArticle(
                request.article.id ?? system.newID(at: now), content,
                by: caller.edit(at: now, key))
            return Reply(article, location: article.location)
        } catch { throw ServiceError(error) }
    }

    package func replace(
        _ request: ReplaceArticleRequest, by caller: Principal, _ key: IdempotencyKey?
    ) async throws(ServiceError) -> Reply<Article> {
        guard let expected = request.expected else { throw .preconditionRequired }
        let rendered = try await markdown.render(
            request.article.content.body, for: caller.fairShare)
        return try await update(
            request.id, .replacement(request.article), rendered, expecting: expected, by: caller,
            key)
    }

    package func update(
        _ request: UpdateArticleRequest, by caller: Principal, _ key: IdempotencyKey?
    ) async throws(ServiceError) -> Reply<Article> {
        let rendered: RenderedBody? =
            switch request.changes.body {
            case .keep: nil
            case .clear: RenderedBody(written: [])
            case .set(let body): try await markdown.render(body, for: caller.fairShare)
            }
        return try await update(
            request.id, .changes(request.changes), rendered, expecting: request.expected,
            by: caller, key)
    }

    /// - Parameter rendered: the new body, rendered before the write is queued, so that other
    ///   writes do not wait for it.
    private func update(
        _ id: Article.ID, _ content: ArticleUpdate.Content, _ rendered: RenderedBody?,
        expecting expected: IfMatch?, by caller: Principal, _ key: IdempotencyKey?
    ) async throws(ServiceError) -> Reply<Article> {
        let update = ArticleUpdate(
            content, rendered: rendered, defaultLanguage: defaultLanguage,
            commentRules: commentRules)
        do {
            return Reply(
                try await store.updateArticle(
                    id, update, expecting: Precondition(expected),
                    by: caller.edit(at: system.now, key)))
        } catch { throw ServiceError(error) }
    }

    package func delete(
        _ request: DeleteArticleRequest, by caller: Principal, _ key: IdempotencyKey?
    ) async throws(ServiceError) -> Reply<NoContent> {
        do {
            try await store.deleteArticle(
                request.id, expecting: Precondition(request.expected),
                by: caller.edit(at: system.now, key))
        } catch { throw ServiceError(error) }
        return Reply(NoContent())
    }
}

/// A requested list of articles: the query for the store, and the name to which its cursors are
/// bound.
struct ArticleList {
    let query: ArticleQuery
    /// Identifies filters, order and audience, but not the fields, the page size or the count.
    let name: String

    init(_ request: FetchArticlesRequest, caller: Principal) {
        var list = request
        list.cursor = nil
        list.fields = nil
        list.limit = nil
        list.count = nil
        // The default order is the same list whether or not it is specified.
        list.sort = request.sort ?? .newestFirst
        name = "\(caller.audienceName)?\(RequestPrinter.target(of: list))"

        var query = ArticleQuery(audience: caller.audience)
        query.filter = ArticleFilter(request)
        query.sort = request.sort ?? .newestFirst
        query.limit = request.limit ?? 20
        query.counts = request.count == .exact
        query.withBodies = BodyHTML.needsBody(request.fields)
        self.query = query
    }
}

extension ArticleService {
    /// The maximum time for which a page waits for bodies to be rendered for the first time; after
    /// that it is cut short.
    private static let patience = Duration.seconds(1)

    /// The renderer's name if the response contains its output, as a new renderer changes the
    /// response without an edit.
    func renderer(of fields: FieldSelection?) -> String? {
        BodyHTML.isAskedFor(by: fields) ? MarkdownRenderer.name : nil
    }

    /// The page with its HTML, cut to the size limit for pages but to no less than one article.
    func bounded(
        _ slice: ArticleSlice, _ fields: FieldSelection?, in sort: ArticleSort
    ) async throws -> ArticleSlice {
        var slice = slice
        let count = slice.items.count
        slice.items = try await bounded(slice.items, fields)
        if slice.items.count < count, let last = slice.items.last {
            slice.next = ArticlePosition(of: last, in: sort)
        }
        return slice
    }

    /// The articles with the numbers of their comments, if these are requested by name.
    func counted(
        _ articles: [Article], _ fields: FieldSelection?
    ) async throws -> [Article] {
        guard Article.countsComments(fields) else { return articles }
        var counted = articles
        let counts = try await store.commentCounts(of: articles.map(\.id))
        for (index, count) in counts.enumerated() { counted[index].commentCount = count }
        return counted
    }

    /// The leading articles with their HTML that fit in a page, but no less than one.
    func bounded(_ articles: [Article], _ fields: FieldSelection?) async throws -> [Article] {
        let complete =
            BodyHTML.isAskedFor(by: fields) ? try await withHTML(articles) : articles
        return Self.prefix(of: complete, fields)
    }

    /// Articles with their bodies as HTML, cut short when first-time rendering takes too long.
    ///
    /// A body that was written before HTML was supported, restored, or rendered by an older library
    /// is rendered here once: the store keeps the result.
    func withHTML(_ articles: [Article]) async throws -> [Article] {
        let kept = try await store.bodyHTML(of: articles, by: MarkdownRenderer.name)
        let start = system.uptime
        var complete: [Article] = []
        for (article, kept) in zip(articles, kept) {
            var article = article
            if let kept {
                article.bodyHTML = kept.html
            } else {
                if !complete.isEmpty, system.uptime - start > Self.patience { break }
                article.bodyHTML = try await rendered(article)
            }
            complete.append(article)
        }
        return complete
    }

    /// Returns the HTML; `nil` for a body that the renderer rejects, which is also stored.
    private func rendered(_ article: Article) async throws(ServiceError) -> String? {
        var html: String?
        do throws(ServiceError) {
            html = try await markdown.render(
                article.body ?? "", for: MarkdownRenderer.readers
            ).html
        } catch {
            guard case .invalid = error else { throw error }
        }
        // If it cannot be stored, it is rendered again for the next reader.
        try? await store.keepBodyHTML(
            BodyHTML(renderer: MarkdownRenderer.name, html: html), of: article.id,
            revision: article.revision)
        return html
    }

    /// The leading articles that fit in the size limit of a page.
    private static func prefix(of articles: [Article], _ fields: FieldSelection?) -> [Article] {
        guard Article.textBytes(of: articles) > PageSize.limitUnmeasured else { return articles }
        var size = PageSize(fields)
        let count = articles.prefix { size.add($0) }.count
        return Array(articles.prefix(max(count, 1)))
    }
}

extension Article {
    /// Returns true if the selected attributes include the number of comments, which changes
    /// without the article: such a response is not cached.
    static func countsComments(_ fields: FieldSelection?) -> Bool {
        fields?.contains("commentCount") ?? false
    }
}
