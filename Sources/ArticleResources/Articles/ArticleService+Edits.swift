package import ArticleAPI
package import ArticleServiceCore
package import ArticleStore
import BroadsheetHTTP
import BroadsheetPlatform

/// Creating, changing and deleting articles.
extension ArticleService {
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
