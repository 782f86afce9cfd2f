import ArticleAPI
import ArticleSearch
import BroadsheetSQLite

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

/// The table of queries, in the file.
extension RecentSearches {
    init(from connection: DatabaseConnection) throws(ModelStoreError) {
        let row = try connection.statement("SELECT query FROM searches ORDER BY place LIMIT ?1")
        try row.bind(1, Self.limit)
        while try row.step() {
            let query = row.text(0)
            // A damaged row may have any text.
            guard ArticleLimits.searchQuery.contains(query.unicodeScalars.count) else { continue }
            queries.append(query)
        }
    }

    func store(in connection: DatabaseConnection) throws(ModelStoreError) {
        try connection.execute("DELETE FROM searches")
        for (place, query) in queries.enumerated() {
            let row = try connection.statement("INSERT INTO searches VALUES (?1, ?2)")
            try row.bind(1, place)
            try row.bind(2, query)
            try row.run()
        }
    }
}
