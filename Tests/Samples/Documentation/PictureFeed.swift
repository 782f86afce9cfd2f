import BroadsheetKit

/// A feed of titles and pictures, which need not be whole articles.
@MainActor final class PictureFeed {
    static let request = PartialRequest(
        FetchArticlesRequest(limit: 50), fields: ["title", "heroImage", "revision"])

    private let rows: Observed<[CachedArticle.Partial]>
    private let library: OfflineLibrary

    init(_ library: OfflineLibrary) {
        self.library = library
        rows = Observed(library.store.partialArticles(of: Self.request))
    }

    var titles: [String] { (rows.value ?? []).compactMap(\.article.title) }

    func refresh() async throws(BackendError) {
        try await library.backend.send(Self.request)
    }
}
