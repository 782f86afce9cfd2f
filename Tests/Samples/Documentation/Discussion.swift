import BroadsheetKit

/// The comments on an article, each followed by its replies.
@MainActor final class Discussion {
    private(set) var comments: [ArticleComment] = []
    private let article: Article.ID
    private let backend: BackendService

    init(of article: Article.ID, on backend: BackendService) {
        self.article = article
        self.backend = backend
    }

    func load() async throws(BackendError) {
        var found: [ArticleComment] = []
        for try await page in backend.pages(of: FetchCommentsRequest(articleID: article)) {
            found += page.items
        }
        comments = found.filter { $0.parentID == nil }
            .flatMap { first in [first] + found.filter { $0.parentID == first.id } }
    }

    /// - Parameter id: made when the user began to write, and kept until the comment is sent: then
    ///   a repetition does not write it twice.
    func add(
        _ text: String, id: ArticleComment.ID, to parent: ArticleComment? = nil
    ) async throws(BackendError) -> ArticleComment {
        let draft = ArticleComment.Draft(id: id, parentID: parent?.id, body: text)
        let comment = try await backend.send(
            CreateCommentRequest(articleID: article, comment: draft))
        try await load()
        return comment
    }
}
