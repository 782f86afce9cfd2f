import ArticleAPI
import ArticleAdminAPI
import ArticleClient
import BroadsheetCommandLine
import BroadsheetHTTP

extension Session {
    /// After this many scheduled articles, the rest has a cursor.
    private static let limitUpcoming = 1_000

    /// The list from the request's cursor on, as one page.
    ///
    /// - Throws: `.noPermission` if the list is empty because the key cannot see scheduled
    ///   articles.
    func upcoming(
        _ request: FetchArticlesRequest, at time: Timestamp
    ) async throws(CommandFailure) -> Page<Article> {
        var request = request
        request.limit = ArticleLimits.page.upperBound
        var all = Page<Article>(items: [])
        var pages = backend.pages(of: request).makeAsyncIterator()
        do throws(BackendError) {
            while all.items.count < Self.limitUpcoming,
                let page = try await pages.next(isolation: #isolation)
            {
                all.items += page.items
                all.next = page.next
            }
        } catch { throw CommandFailure(error) }
        if all.items.isEmpty { try await requireEditor(at: time) }
        return all
    }

    /// Fails unless the key is an editor's. Lists do not show this, as they only leave out hidden
    /// articles; but histories are for editors, to whom that of an unknown article is not found.
    private func requireEditor(at time: Timestamp) async throws(CommandFailure) {
        let history = FetchRevisionsRequest(id: Article.ID(at: time), limit: 1)
        do throws(BackendError) {
            _ = try await backend.send(history)
        } catch {
            if error.problem?.status == HTTPStatus.notFound.code { return }
            let failure = CommandFailure(error)
            guard failure.status == .noPermission else { throw failure }
            throw CommandFailure(
                .noPermission,
                "only editors can see scheduled articles: use an editor's key (BROADSHEET_KEY or "
                    + "broadsheet login)")
        }
    }
}
