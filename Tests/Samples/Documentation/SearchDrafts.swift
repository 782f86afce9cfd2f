import BroadsheetKit

/// The drafts on this device in which words occur, with what was written and not sent yet.
func searchDrafts(
    _ text: String, in library: OfflineLibrary
) async throws(OfflineError) -> [Article] {
    let page = try await library.store.search(text, matching: ArticleQuery(status: .draft))
    return page.items.map(\.article.article)
}
