import BroadsheetKit
import Observation

/// The model of a reader's app: a list that loads more when it is scrolled, and one article.
@MainActor @Observable final class ReaderModel {
    let list: PagedList<FetchArticlesRequest>
    private(set) var article: Article?
    private(set) var problem: ErrorText?
    private let backend: BackendService

    init(_ backend: BackendService) {
        self.backend = backend
        list = PagedList(backend, FetchArticlesRequest(limit: 20))
    }

    /// Shows the articles with a tag; `nil` for all.
    func show(tag: String?) async {
        await list.show(FetchArticlesRequest(limit: 20, tags: tag.map { [$0] } ?? []))
    }

    /// Shows an article: its copy, if the network does not respond.
    func open(_ id: Article.ID) async {
        do throws(BackendError) {
            article = try await backend.send(
                FetchArticleRequest(key: .id(id)),
                options: RequestOptions(freshness: .orCached(after: .seconds(3))))
            problem = nil
        } catch { if !error.isStopped { problem = error.text(for: .load) } }
    }
}
