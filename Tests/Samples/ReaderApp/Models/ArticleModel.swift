import BroadsheetKit
import Observation

/// An article as the library has it, with its user's bookmark and unsent edits.
@MainActor @Observable final class ArticleModel {
    let id: Article.ID
    let library: LibraryModel
    private(set) var cached: CachedArticle?
    private(set) var problem: ErrorText?
    private(set) var isLoading = false
    private var bookmark: Bookmark?

    init(_ id: Article.ID, in library: LibraryModel) {
        self.id = id
        self.library = library
    }

    var article: Article? { cached?.article }

    /// The text, in Markdown; `nil` while only a list was loaded.
    var body: String? { cached?.known.contains("body") == true ? article?.body : nil }

    /// Follows the library, while its task runs.
    func follow() async {
        async let article: Void = followArticle()
        async let bookmark: Void = followBookmark()
        _ = await (article, bookmark)
    }

    private func followArticle() async {
        for await cached in library.offline.store.article(id) { self.cached = cached }
    }

    private func followBookmark() async {
        for await bookmark in library.offline.store.model(Bookmark.self, id) {
            self.bookmark = bookmark
        }
    }

    /// Fetches the article; the library stores the response, and shows its copy without a network.
    func load() async {
        isLoading = true
        defer { isLoading = false }
        let options = RequestOptions(freshness: .orCached(after: .seconds(3)))
        do {
            try await library.offline.backend.send(
                FetchArticleRequest(key: .id(id)), options: options)
            problem = nil
            guard library.account != nil else { return }
            try await library.offline.backend.send(
                FetchBookmarksRequest(limit: 100), options: options)
        } catch { problem = ErrorText(ifShown: error) }
    }

    // MARK: Writing

    /// True if it is bookmarked, or will be once everything was sent.
    var isBookmarked: Bool {
        for write in library.writes.reversed() where write.article == id {
            if write.request(as: PutBookmarkRequest.self) != nil { return true }
            if write.request(as: DeleteBookmarkRequest.self) != nil { return false }
        }
        return bookmark != nil
    }

    func toggleBookmark() async {
        let outbox = library.offline.outbox
        do {
            if isBookmarked {
                try await outbox.send(DeleteBookmarkRequest(articleID: id))
            } else {
                try await outbox.send(PutBookmarkRequest(articleID: id))
            }
        } catch { problem = ErrorText(ifShown: error, for: .save) }
    }

    /// Deletes the article.
    ///
    /// - Returns: true if it will be deleted.
    func delete() async -> Bool {
        guard let article else { return false }
        do {
            try await library.offline.outbox.delete(article)
            return true
        } catch {
            problem = ErrorText(ifShown: error, for: .save)
            return false
        }
    }
}
