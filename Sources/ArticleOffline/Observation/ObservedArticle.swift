public import ArticleAPI
public import Observation

/// An article of a store, for a view that shows it.
///
/// ```swift
/// let shown = ObservedArticle(id, in: store)
/// var title: String { shown.cached?.article.title ?? "" }
/// ```
///
/// It follows the store while it exists, and keeps neither the store nor anything else alive. It is
/// used on the main actor.
@MainActor @Observable
public final class ObservedArticle: Identifiable {
    public nonisolated let id: Article.ID
    /// The article with its user's unsent writes; `nil` if the store does not have it.
    public private(set) var cached: CachedArticle?
    /// True if the store has been read.
    public private(set) var isLoaded = false
    @ObservationIgnored private var following: ObservationTask?

    public init(_ id: Article.ID, in store: ModelStore) {
        self.id = id
        following = ObservationTask(store.article(id)) { [weak self] in self?.receive($0) }
    }

    private func receive(_ cached: CachedArticle?) {
        self.cached = cached
        if !isLoaded { isLoaded = true }
    }
}
