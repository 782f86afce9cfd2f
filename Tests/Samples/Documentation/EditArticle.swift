import BroadsheetKit

/// Shows an edit before the backend has confirmed it, and takes it back if that fails.
@MainActor final class Editor {
    private(set) var article: Article
    private let backend: BackendService

    init(_ article: Article, on backend: BackendService) {
        self.article = article
        self.backend = backend
    }

    func retitle(_ title: String) async throws(BackendError) {
        let before = article
        article.title = title
        do throws(BackendError) {
            // Rejected with 412 if somebody has changed the article since it was served.
            article = try await backend.send(
                UpdateArticleRequest(before, changes: .init(from: before, to: article)))
        } catch {
            article = before
            throw error
        }
    }
}
