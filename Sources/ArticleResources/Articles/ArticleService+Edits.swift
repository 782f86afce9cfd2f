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
        try commentRules.check(request.article.comments, by: caller)
        let rendered = try await markdown.render(
            request.article.body, for: caller.fairShare)
        let content = try ArticleContent(
            request.article, rendered: rendered, defaultLanguage: defaultLanguage, at: now)
        do {
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
        // Rendered before the write is queued, so that other writes do not wait for it.
        let rendered = try await markdown.render(
            request.article.content.body, for: caller.fairShare)
        return try await edit(request.id, expecting: expected, by: caller, key) {
            current, now in
            try request.article.checkReadOnly(against: current)
            var draft = request.article.content
            // Nor does an author's replacement that leaves it out undo what an editor decided.
            if caller.audience != .editors { draft.comments = draft.comments ?? current.comments }
            try commentRules.check(draft.comments, replacing: current.comments, by: caller)
            // A client that does not know owners, or does not see this one, hands nothing over.
            draft.owner = draft.owner ?? current.owner
            return try ArticleContent(
                replacing: current, with: draft, rendered: rendered,
                defaultLanguage: defaultLanguage, at: now)
        }
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
        return try await edit(request.id, expecting: request.expected, by: caller, key) {
            current, now in
            let draft = try Self.draft(of: current, request.changes, at: now)
            try commentRules.check(draft.comments, replacing: current.comments, by: caller)
            return try ArticleContent(
                replacing: current, with: draft, rendered: rendered,
                defaultLanguage: defaultLanguage, at: now)
        }
    }

    /// Returns the article with the changes. `published` without a time publishes an article now
    /// that would otherwise have a time in the future.
    private static func draft(
        of article: Article, _ changes: Article.Changes, at now: Timestamp
    ) throws(ServiceError) -> Article.Draft {
        do throws(InvalidValue) {
            var draft = try article.draft(applying: changes)
            if changes.status == .set(.published), changes.publishedAt == .keep,
                let time = draft.publishedAt, time > now
            {
                draft.publishedAt = now
            }
            return draft
        } catch { throw .invalid(error.details) }
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

    private func edit(
        _ id: Article.ID, expecting expected: IfMatch?, by caller: Principal,
        _ key: IdempotencyKey?,
        _ change: @escaping @Sendable (Article, Timestamp) throws -> ArticleContent
    ) async throws(ServiceError) -> Reply<Article> {
        let now = system.now
        do {
            let article = try await store.updateArticle(
                id, expecting: Precondition(expected),
                by: caller.edit(at: now, key)
            ) { try change($0, now) }
            return Reply(article)
        } catch { throw ServiceError(error) }
    }
}
