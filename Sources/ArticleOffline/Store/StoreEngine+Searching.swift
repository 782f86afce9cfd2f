import ArticleAPI
package import ArticleSearch
import BroadsheetSQLite

/// A search, as far as it has come.
struct StoreSearch {
    fileprivate let query: SearchQuery
    fileprivate let filter: ArticleQuery
    fileprivate let limit: Int
    /// True if all articles were indexed since it began: it need not find later changes.
    fileprivate var isIndexed = false
    /// Candidates that were not examined yet, the best first.
    fileprivate var candidates: ArraySlice<SearchPosition> = []
    /// Behind which candidates follow.
    fileprivate var position: SearchPosition?
    /// True if no more candidates follow.
    fileprivate var isExhausted = false
    private(set) var page = SearchPage<CachedArticle>(items: [])

    init(_ query: SearchQuery, matching filter: ArticleQuery, limit: Int) {
        self.query = query
        self.filter = filter
        self.limit = limit
    }

    fileprivate mutating func add(_ hit: SearchHit<CachedArticle>) {
        page.items.append(hit)
    }

    /// Begins again with the corrected query.
    fileprivate mutating func correct(_ query: SearchQuery) {
        var corrected = StoreSearch(query, matching: filter, limit: limit)
        corrected.isIndexed = true
        corrected.page.correctedTo = query.text
        self = corrected
    }
}

/// The search in the articles that the app sees, in steps between which others may use the engine.
extension StoreEngine {
    /// The number of articles that a step indexes or examines.
    private static var limitStep: Int { 50 }

    /// The number of candidates that the index is asked for at a time.
    private static var limitCandidates: Int { 1_000 }

    /// - Returns: true if the search has come to its end.
    func step(_ search: inout StoreSearch) throws(OfflineError) -> Bool {
        if !search.isIndexed {
            try indexSome()
            if index.needsStoring { storeSome() }
            guard index.isCurrent, !index.needsStoring else { return false }
            search.isIndexed = true
        }
        if search.candidates.isEmpty, !search.isExhausted {
            guard findCandidates(for: &search) else { return false }
        }
        let marks = SearchMarks(search.query)
        for position in search.candidates.prefix(Self.limitStep) {
            search.candidates.removeFirst()
            guard let found = try searchable(position.id), search.filter.matches(found.article)
            else { continue }
            let text = SearchText(SearchDocument(shown: found.article))
            // The index alone does not decide, and the article may have changed since.
            guard search.query.matches(text) else { continue }
            search.add(
                SearchHit(
                    article: found, title: marks.title(of: text), excerpt: marks.excerpt(of: text)))
            if search.page.items.count == search.limit { return true }
        }
        guard search.candidates.isEmpty, search.isExhausted else { return false }
        guard search.page.items.isEmpty, search.page.correctedTo == nil,
            let corrected = index.correction(of: search.query)
        else { return true }
        search.correct(corrected)
        return false
    }

    /// Returns false if the articles have to be indexed again.
    private func findCandidates(for search: inout StoreSearch) -> Bool {
        let plan = SearchPlan(search.query, SearchFilter(search.filter))
        guard let hits = index.hits(plan, after: search.position, limit: Self.limitCandidates)
        else {
            search.isIndexed = false
            return false
        }
        search.candidates = hits.hits.map(\.position)[...]
        search.position = search.candidates.last
        search.isExhausted = hits.isEnd
        return true
    }

    private func indexSome() throws(OfflineError) {
        if index.needsStoredIndex { try loadIndex() }
        if index.needsAll {
            let listed = try ArticleIndex.ids(
                matching: ArticleQuery(), order: .newestFirst, limit: SearchIndex.limitArticles,
                in: connection)
            index.expect(all: try OutboxTable.articles(in: connection).union(listed))
        }
        if !index.renamed.isEmpty {
            var ids: [Article.ID] = []
            for author in index.renamed {
                ids += try ArticleIndex.ids(
                    matching: ArticleQuery(author: author), order: .newestFirst,
                    limit: SearchIndex.limitArticles, in: connection)
            }
            index.expect(byRenamed: ids)
        }
        for id in index.next(Self.limitStep) {
            let article = try searchable(id)?.article
            index.put(article, id)
        }
    }

    // MARK: The index in the file

    private func loadIndex() throws(OfflineError) {
        // One transaction, as other processes may replace the index.
        try connection.execute("BEGIN")
        defer { if connection.isInTransaction { try? connection.execute("ROLLBACK") } }
        index.begin(
            with: try StoredSearchIndex.segments(in: connection),
            changed: try StoredSearchIndex.changes(in: connection))
    }

    /// Adds a segment to the file, or completes the index there. If the file cannot take it, only
    /// the first search after the next launch takes longer.
    private func storeSome() {
        guard place.path != nil else { return index.endStoring() }
        do throws(OfflineError) {
            guard let (segment, blocks, textBytes) = index.unstored else {
                return try completeStoredIndex()
            }
            let number = try writeIndex { () throws(OfflineError) in
                try StoredSearchIndex.add(segment, blocks, textBytes: textBytes, in: connection)
            }
            if let number { index.noteStored(segment, as: number) }
        } catch { index.endStoring() }
    }

    private func completeStoredIndex() throws(OfflineError) {
        let (segments, unsealed) = index.content
        let isWritten: Void? = try writeIndex { () throws(OfflineError) in
            try StoredSearchIndex.complete(segments, without: unsealed, in: connection)
        }
        if isWritten != nil { index.endStoring() }
    }

    /// Returns `nil` if other processes have changed anything before the transaction.
    private func writeIndex<Result>(
        _ body: () throws(OfflineError) -> Result
    ) throws(OfflineError) -> Result? {
        try write { () throws(OfflineError) -> Result? in
            index.isCurrent ? try body() : nil
        }
    }

    /// An article that lists show.
    private func searchable(_ id: Article.ID) throws(OfflineError) -> CachedArticle? {
        let writes = try OutboxTable.writes(of: id, in: connection)
        if writes.isEmpty {
            guard try ArticleIndex.contains(id, in: connection) else { return nil }
        }
        return try article(id, writes)
    }
}

extension SearchFilter {
    /// The filters that the index knows.
    package init(_ query: ArticleQuery) {
        self.init()
        tags = query.tags
        author = query.author
        language = query.language
        source = query.source
        publishedAfter = query.publishedAfter
        publishedBefore = query.publishedBefore
    }
}
