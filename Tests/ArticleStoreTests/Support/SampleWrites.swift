import ArticleAPI
import ArticleStore

extension ArticleStore {
    /// Updates an article by the patch to what `change` makes of its present content.
    func updateArticle(
        _ id: Article.ID, expecting expectation: Precondition, by edit: Edit,
        _ change: (Article) -> ArticleContent
    ) async throws(StoreError) -> Article {
        var update = ArticleUpdate(.changes(Article.Changes()))
        if let article = try? await article(.id(id), visibleTo: .editors) {
            update = ArticleUpdate(from: article, to: change(article))
        }
        return try await updateArticle(id, update, expecting: expectation, by: edit)
    }

    /// Adds a comment with any status, that of an editor in a second revision.
    func createComment(
        _ id: ArticleComment.ID, _ content: CommentContent, as status: ArticleComment.Status,
        by edit: Edit
    ) async throws(StoreError) -> ArticleComment {
        let comment = try await createComment(id, content, under: .giving(status), by: edit)
        guard status == .hidden else { return comment }
        return try await updateComment(
            id, ArticleComment.Changes(status: .set(status)), html: nil, under: CommentRules(),
            expecting: .anything, as: CommentViewer(audience: .editors), by: edit)
    }
}

extension ArticleUpdate {
    /// The patch that gives an article this content.
    init(from article: Article, to content: ArticleContent) {
        var draft = content.draft
        draft.slug = content.slug.text
        draft.tags = content.tags.map(\.name)
        self.init(
            .changes(Article.Changes(from: article.draft, to: draft)),
            rendered: content.bodyHTML.map { RenderedBody($0, measure: content.measure) })
    }
}

extension CommentRules {
    /// Rules without limits of numbers and times, by which readers' comments get the status.
    static func giving(_ status: ArticleComment.Status) -> CommentRules {
        var rules = CommentRules()
        rules.policy = status == .pending ? .moderated : .open
        rules.commentsPerMinute = .max
        rules.commentsPerHour = .max
        rules.editSeconds = 1_000_000
        return rules
    }
}
