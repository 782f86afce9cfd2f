import ArticleAPI
package import ArticleAdminAPI
package import ArticleServiceCore

/// Renders an author's text as readers will see it.
package struct PreviewService: Sendable {
    let markdown: MarkdownRenderer

    package init(markdown: MarkdownRenderer) {
        self.markdown = markdown
    }

    package func render(
        _ request: PreviewRequest, by caller: Principal
    ) async throws(ServiceError) -> Reply<ArticlePreview> {
        let body = try await markdown.render(request.body, for: caller.fairShare)
        return Reply(ArticlePreview(bodyHTML: body.html))
    }
}
