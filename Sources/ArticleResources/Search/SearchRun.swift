import ArticleAPI
import ArticleSearch
import ArticleServiceCore
import ArticleStore

/// One search: from the index to articles as they are now.
///
/// The index only proposes: each article is read as the public sees it, so that a hidden article is
/// not found from that moment on. One that the index knows in another state, or that keys do not
/// decide, is compared with the query by its text.
struct SearchRun {
    private let list: RequestedSearch
    private let articles: ArticleService
    private let indexer: SearchIndexer

    /// The maximum articles that are read for a page; it is cut short after that.
    static let limitExamined = 200

    init(_ list: RequestedSearch, articles: ArticleService, indexer: SearchIndexer) {
        self.list = list
        self.articles = articles
        self.indexer = indexer
    }

    func page(after cursor: SearchCursor?) async throws -> SearchPage<Article> {
        let corrections = cursor?.corrections ?? []
        let query = list.query.correcting(corrections)
        let hits = try await hits(of: query, after: cursor?.position)
        let page = try await page(hits, query, corrections)
        guard cursor == nil, page.items.isEmpty, page.next == nil else { return page }
        let corrected = try await self.corrections(hits.frequencies)
        guard !corrected.isEmpty, SearchCursor.fits(corrected) else { return page }
        let nearest = list.query.correcting(corrected)
        let other = try await self.page(
            self.hits(of: nearest, after: nil), nearest, corrected)
        return other.items.isEmpty ? page : other
    }

    // MARK: The index

    private func hits(
        of query: SearchQuery, after position: SearchPosition?
    ) async throws -> SearchHits {
        let plan = SearchPlan(query, list.filter)
        return try await indexer.reading(plan.ranges) { (view, blocks) throws(SearchIndexError) in
            try view.hits(plan, blocks, after: position, limit: Self.limitExamined)
        }
    }

    /// The nearest words of the dictionary for those that nothing has.
    private func corrections(_ frequencies: [Int]) async throws -> [SearchCursor.Correction] {
        var corrections: [SearchCursor.Correction] = []
        for (index, frequency) in frequencies.enumerated() where frequency == 0 {
            guard let word = list.query.required[index].correctable else { continue }
            let nearest = try await indexer.reading([Spelling.range(for: word)]) {
                (view, blocks) throws(SearchIndexError) in
                try view.spelling(of: word, blocks.map { $0.first ?? [] })
            }
            // Without all words, there is nothing to find.
            guard let nearest else { return [] }
            corrections.append(SearchCursor.Correction(clause: index, word: nearest))
        }
        return corrections
    }

    // MARK: Articles

    private func page(
        _ found: SearchHits, _ query: SearchQuery, _ corrections: [SearchCursor.Correction]
    ) async throws -> SearchPage<Article> {
        let marks = SearchMarks(query)
        var items: [SearchHit<Article>] = []
        var positions: [SearchPosition] = []
        var size = PageSize(list.fields)
        // The last one that was examined.
        var last: SearchPosition?
        var isCut = false
        for hit in found.hits {
            guard let (stored, text) = try await present(hit, query) else {
                last = hit.position
                continue
            }
            var article = stored
            if !BodyHTML.needsBody(list.fields) { article.body = nil }
            let fits = size.add(article)
            guard items.count < list.limit, items.isEmpty || fits else {
                isCut = true
                break
            }
            items.append(
                SearchHit(
                    article: article, title: marks.title(of: text),
                    excerpt: marks.excerpt(of: text)))
            positions.append(hit.position)
            last = hit.position
        }
        let count = items.count
        items = try await completed(items)
        if items.count < count {
            isCut = true
            last = positions[items.count - 1]
        } else if isCut {
            last = positions.last
        }
        let next = isCut || !found.isEnd ? last : nil
        return SearchPage(
            items: items,
            next: next.map { position in
                articles.cursors.seal(
                    SearchCursor(position: position, corrections: corrections), in: list.name)
            },
            correctedTo: corrections.isEmpty ? nil : query.text)
    }

    /// The article as the public sees it now; `nil` if it does not, or it does not match.
    private func present(
        _ hit: IndexHit, _ query: SearchQuery
    ) async throws(ServiceError) -> (Article, SearchText)? {
        let found = try await ServiceError.ifFound { () throws(StoreError) in
            try await articles.store.edition(of: .id(hit.id), visibleTo: .everyone)
        }
        guard let article = found?.article, let document = SearchDocument(article) else {
            return nil
        }
        let text = SearchText(document)
        if article.revision != hit.revision || query.needsText {
            guard list.filter.matches(document), query.matches(text) else { return nil }
        }
        return (article, text)
    }

    /// The items with the attributes that are not stored with their articles; perhaps fewer.
    private func completed(
        _ items: [SearchHit<Article>]
    ) async throws -> [SearchHit<Article>] {
        guard BodyHTML.isAskedFor(by: list.fields) || Article.countsComments(list.fields) else {
            return items
        }
        var complete = items.map(\.article)
        if BodyHTML.isAskedFor(by: list.fields) {
            complete = try await articles.bounded(complete, list.fields)
        }
        complete = try await articles.counted(complete, list.fields)
        return zip(items, complete).map { item, article in
            var item = item
            item.article = article
            return item
        }
    }
}

extension SearchQuery {
    /// The query with these words in place of those of its clauses.
    fileprivate func correcting(_ corrections: [SearchCursor.Correction]) -> SearchQuery {
        corrections.reduce(self) { query, correction in
            guard query.required.indices.contains(correction.clause) else { return query }
            return query.correcting(correction.clause, to: correction.word)
        }
    }
}
