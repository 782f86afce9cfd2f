#if canImport(SwiftUI)
    public import ArticleAPI
    public import SwiftUI

    /// Articles that a view fetches from the backend, and shows as the store has them.
    ///
    /// ```swift
    /// struct BakingList: View {
    ///     @Articles(tag: "baking") var articles
    ///
    ///     var body: some View {
    ///         List(articles) { Text($0.title) }
    ///             .refreshable { await $articles?.refresh() }
    ///     }
    /// }
    /// ```
    ///
    /// The library comes from the environment: `.environment(\.offlineLibrary, library)`. The
    /// projected value is the ``ObservedArticles``, with `error`, `isFetching` and `refresh`; `nil`
    /// without a library. The request is sent when the view appears first; afterwards the list
    /// follows the store, so that edits, unsent ones too, and what a mirror brings are shown.
    @propertyWrapper public struct Articles: DynamicProperty {
        @Environment(\.offlineLibrary) private var library
        @State private var property = ArticlesProperty()
        private let request: FetchArticlesRequest

        /// - Parameter request: the filters, the order and the number of articles.
        public init(_ request: FetchArticlesRequest = FetchArticlesRequest()) {
            self.request = request
        }

        /// The newest articles with this tag.
        public init(tag: String, limit: Int? = nil) {
            self.init(FetchArticlesRequest(tag: tag, limit: limit))
        }

        @MainActor public var wrappedValue: [Article] {
            property.list?.articles.map(\.article) ?? []
        }

        @MainActor public var projectedValue: ObservedArticles? { property.list }

        public mutating func update() {
            let (property, request, library) = (property, request, library)
            // SwiftUI updates the properties of views on the main actor.
            MainActor.assumeIsolated { property.show(request, in: library) }
        }
    }

    extension EnvironmentValues {
        /// The library of the user who is signed in, for ``Articles``.
        public var offlineLibrary: OfflineLibrary? {
            get { self[OfflineLibraryKey.self] }
            set { self[OfflineLibraryKey.self] = newValue }
        }
    }

    private struct OfflineLibraryKey: EnvironmentKey {
        static var defaultValue: OfflineLibrary? { nil }
    }
#endif
