public import ArticleAPI
import ArticleSearch

/// The recent searches, the newest first, as a search field proposes them.
///
/// Of queries that mean the same, the newest stays: those that differ only in case, in marks over
/// letters, or in white space. A ``ModelStore`` keeps them for its account.
///
/// ```swift
/// try await store.changeRecentSearches { $0.add("swift 구조체") }
/// let proposals = try await store.loadRecentSearches().queries
/// ```
public struct RecentSearches: Sendable, Hashable {
    /// The newest first.
    public private(set) var queries: [String] = []

    /// The maximum number of searches kept.
    public static let limit = 20

    public init() {}

    /// Puts a query first. One without words, or one that is longer than backends accept, is not
    /// kept.
    public mutating func add(_ query: String) {
        let query = query.split(whereSeparator: \.isWhitespace).joined(separator: " ").inNFC
        guard ArticleLimits.searchQuery.contains(query.unicodeScalars.count) else { return }
        let added = SearchQuery(query)
        guard !added.required.isEmpty else { return }
        queries.removeAll { SearchQuery($0).means(added) }
        queries.insert(query, at: 0)
        if queries.count > Self.limit { queries.removeLast() }
    }

    /// Removes a query, and those that mean the same.
    public mutating func remove(_ query: String) {
        let removed = SearchQuery(query)
        queries.removeAll { SearchQuery($0).means(removed) }
    }

    public mutating func removeAll() { queries = [] }
}

extension RecentSearches: JSONRepresentable {
    /// An array of texts.
    public static let format: JSONCodec<RecentSearches> = JSONCodec<[String]>
        .array(of: .text(.lines(1...Int.max)), limit: .max)
        .mapped({ Self(stored: $0) }, \.queries)

    /// Another version of the app may have had other limits.
    private init(stored: [String]) {
        queries = Array(
            stored.lazy.filter { ArticleLimits.searchQuery.contains($0.unicodeScalars.count) }
                .prefix(Self.limit))
    }
}
