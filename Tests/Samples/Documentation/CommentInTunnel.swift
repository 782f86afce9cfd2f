import BroadsheetKit

/// Comments on an article and keeps the reader's place in it, whether or not there is a network.
func comment(
    on article: Article.ID, _ text: String, at position: Double, in library: OfflineLibrary
) async throws(OfflineError) {
    let draft = ArticleComment.Draft(body: text)
    try await library.outbox.send(CreateCommentRequest(articleID: article, comment: draft))
    let place = Bookmark.Place(position: position)
    try await library.outbox.send(PutBookmarkRequest(articleID: article, place: place))
}
