import BroadsheetKit

/// What the user keeps for later, and how far they have read it.
func readingList(on backend: BackendService) async throws(BackendError) -> [Bookmark] {
    try await backend.send(FetchBookmarksRequest(limit: 100)).items
}

/// Bookmarks an article, or remembers how far it was read, from 0 to 1.
func keep(
    _ article: Article.ID, at position: Double?, on backend: BackendService
) async throws(BackendError) {
    try await backend.send(
        PutBookmarkRequest(articleID: article, place: Bookmark.Place(position: position)))
}

func forget(_ article: Article.ID, on backend: BackendService) async throws(BackendError) {
    try await backend.send(DeleteBookmarkRequest(articleID: article))
}
