import BroadsheetKit

/// The rows of a list: what is known, with what its user has written.
@MainActor final class TunnelList {
    private let list: ObservedArticles

    init(_ library: OfflineLibrary) {
        list = ObservedArticles(
            in: library.store, matching: ArticleQuery(tags: ["writing"]), order: .updatedLast)
    }

    var rows: [String] {
        list.articles.map { $0.article.title + ($0.pending == nil ? "" : " (not sent yet)") }
    }
}
