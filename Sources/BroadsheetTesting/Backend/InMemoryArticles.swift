import ArticleAPI
import ArticleOffline
import ArticleSearch

/// Reading articles, and what lists of them have.
extension InMemoryState {
    fileprivate var visibleArticles: [Article] {
        articles.values.compactMap { $0.last?.article }.filter(sees)
    }

    /// An article as the sender sees it.
    ///
    /// - Parameters:
    ///   - fields: the selected attributes; `nil` for the usual ones.
    ///   - hasBody: true to keep the body, even if it is not selected.
    func present(
        _ article: Article, _ fields: FieldSelection?, withBody hasBody: Bool = false
    ) -> Article {
        func selects(_ name: String) -> Bool { fields?.contains(name) ?? false }
        var shown = article
        shown.bodyHTML =
            selects("bodyHTML") ? article.bodyHTML ?? article.body.map(Self.paragraphs) : nil
        if !hasBody, !selects("body") { shown.body = nil }
        shown.commentCount =
            selects("commentCount")
            ? comments.values.count { $0.articleID == article.id && $0.status == .visible } : nil
        if session == nil { shown.owner = nil }
        return shown
    }

    /// Text as HTML: its paragraphs, in which Markdown stays as it is.
    static func paragraphs(_ text: String) -> String {
        let references: [Character: String] = [
            "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;",
        ]
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.split { $0.allSatisfy(\.isWhitespace) }.map { lines in
            let escaped = lines.joined(separator: "\n").map { references[$0] ?? String($0) }
            return "<p>\(escaped.joined())</p>"
        }.joined(separator: "\n")
    }

    /// Returns true if the sender sees the author: one who has published, unless signed in.
    func sees(_ author: Author.ID) -> Bool {
        session != nil || publicAuthors.contains(author)
    }

    /// The published articles that a query finds, the best first.
    fileprivate func hits(
        _ query: SearchQuery, _ filter: SearchFilter
    ) -> [(position: SearchPosition, text: SearchText)] {
        // An index in memory cannot be damaged: it does not fail.
        let found = try? index.hits(SearchPlan(query, filter), limit: max(index.count, 1))
        return (found?.hits ?? []).compactMap { hit in
            guard let document = article(hit.id).flatMap({ SearchDocument($0) }) else { return nil }
            let text = SearchText(document)
            // The index alone does not decide about phrases.
            return query.matches(text) ? (hit.position, text) : nil
        }
    }
}

extension FetchArticlesRequest: InMemoryRequest {
    func reply(in state: inout InMemoryState) throws(Problem) -> InMemoryReply<Page<Article>> {
        let sort = sort ?? .newestFirst
        var list = self
        (list.limit, list.cursor, list.fields, list.count) = (nil, nil, nil, nil)
        list.sort = sort
        let found = state.visibleArticles.filter(ArticleQuery(self).matches)
        var page = try InMemoryList<Article>(
            name: RequestPrinter.target(of: list), isDescending: sort.isDescending,
            position: { InMemoryState.position(sort.key(of: $0), $0.id) }
        ).page(of: found, cursor, limit: limit)
        page.items = page.items.map { state.present($0, fields) }
        if count == .exact {
            let limit = ArticleLimits.count
            page.count = PageCount(value: min(found.count, limit), isExact: found.count <= limit)
        }
        return InMemoryReply(item: page, fields: fields)
    }
}

extension FetchArticleRequest: InMemoryRequest {
    func reply(in state: inout InMemoryState) throws(Problem) -> InMemoryReply<Article> {
        let id: Article.ID? =
            switch key {
            case .id(let id): id
            case .slug(let slug): state.slugs[slug]
            }
        guard let article = id.flatMap(state.article), state.sees(article) else { throw .notFound }
        return InMemoryReply(
            item: state.present(article, fields, withBody: fields == nil), fields: fields,
            version: article.version)
    }
}

extension FetchTagsRequest: InMemoryRequest {
    func reply(
        in state: inout InMemoryState
    ) throws(Problem) -> InMemoryReply<Page<ArticleTag.Usage>> {
        var counts: [String: Int] = [:]
        for tag in state.visibleArticles.flatMap(\.tags) { counts[tag.key, default: 0] += 1 }
        let usages = counts.compactMap { key, count in
            state.tags[key].map { ArticleTag.Usage(tag: $0, articleCount: count) }
        }
        // In the order of the keys' bytes, as far as a cursor has room for them.
        let list = InMemoryList<ArticleTag.Usage>(name: "tags") { usage in
            let bytes = usage.id.utf8.prefix(100).map { StableHash.digits(UInt64($0)).suffix(2) }
            return bytes.joined() + "." + StableHash(usage.id.utf8).text
        }
        return InMemoryReply(item: try list.page(of: usages, cursor, limit: limit))
    }
}

extension FetchAuthorsRequest: InMemoryRequest {
    func reply(in state: inout InMemoryState) throws(Problem) -> InMemoryReply<Page<Author>> {
        let found = state.authors.values.filter { state.sees($0.id) }
        let list = InMemoryList<Author>(name: "authors") { "\($0.id)" }
        return InMemoryReply(item: try list.page(of: found, cursor, limit: limit))
    }
}

extension FetchAuthorRequest: InMemoryRequest {
    func reply(in state: inout InMemoryState) throws(Problem) -> InMemoryReply<Author> {
        guard let author = state.authors[id], state.sees(id) else { throw .notFound }
        return InMemoryReply(item: author, version: author.version)
    }
}

extension SearchArticlesRequest: InMemoryRequest {
    func reply(
        in state: inout InMemoryState
    ) throws(Problem) -> InMemoryReply<SearchPage<Article>> {
        var list = self
        (list.limit, list.cursor, list.fields) = (nil, nil, nil)
        let filter = SearchFilter(ArticleQuery(self))
        var query = SearchQuery(self.query)
        var found = state.hits(query, filter)
        var correctedTo: String?
        if found.isEmpty, let corrected = try? state.index.correction(of: query) {
            found = state.hits(corrected, filter)
            if !found.isEmpty { (query, correctedTo) = (corrected, corrected.text) }
        }
        let page = try InMemoryList<(position: SearchPosition, text: SearchText)>(
            name: RequestPrinter.target(of: list), isDescending: true
        ) { hit in
            let published = Timestamp(milliseconds: hit.position.published)
            return StableHash.digits(UInt64(clamping: hit.position.score))
                + InMemoryState.position(published, hit.position.id)
        }.page(of: found, cursor, limit: limit)
        let marks = SearchMarks(query)
        let hits = page.items.compactMap { hit in
            state.article(hit.position.id).map { article in
                SearchHit(
                    article: state.present(article, fields), title: marks.title(of: hit.text),
                    excerpt: marks.excerpt(of: hit.text))
            }
        }
        let item = SearchPage(items: hits, next: page.next, correctedTo: correctedTo)
        return InMemoryReply(item: item, fields: fields)
    }
}
