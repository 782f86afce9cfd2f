import BroadsheetKit

/// Changes the title. It shows in every list at once, whether or not there is a network.
func retitle(
    _ article: Article, _ title: String, in library: OfflineLibrary
) async throws(OfflineError) {
    try await library.outbox.update(article, .init(title: .set(title)))
}
