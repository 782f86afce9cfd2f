import ArticleAPI
import BroadsheetSQLite

/// The values that the app sees: models with the newest names and with unsent writes.
extension StoreEngine {
    func article(_ id: Article.ID) throws(OfflineError) -> CachedArticle? {
        let writes = try OutboxTable.writes(of: id, in: connection)
        return try article(id, writes)
    }

    func article(
        _ id: Article.ID, _ writes: [StoredWrite]
    ) throws(OfflineError) -> CachedArticle? {
        let facts = try articles.facts(id, in: connection)
        let (shown, pending) = Overlay.apply(writes, to: facts?.model())
        guard let shown else { return nil }
        return CachedArticle(
            article: try names.naming(shown, in: connection),
            known: facts?.attributes ?? .inArticles,
            isPinned: try PinTable.contains(id, in: connection), pending: pending,
            seenAt: facts?.seenAt ?? shown.updatedAt)
    }

    /// Returns what is known of an article, whole or not.
    func partialArticle(_ id: Article.ID) throws(OfflineError) -> CachedArticle.Partial? {
        let writes = try OutboxTable.writes(of: id, in: connection)
        if let whole = try article(id, writes) { return CachedArticle.Partial(whole) }
        guard writes.isEmpty, let facts = try articles.facts(id, in: connection),
            let article = try? PartialArticle(mapping: facts.json)
        else { return nil }
        return CachedArticle.Partial(
            article: try names.naming(article, in: connection), known: facts.attributes,
            whole: nil, seenAt: facts.seenAt)
    }

    /// The first articles of a list.
    func articles(
        matching query: ArticleQuery, order: ArticleSort, limit: Int
    ) throws(OfflineError) -> [CachedArticle] {
        let written = try OutboxTable.articles(in: connection)
        // Where an article with unsent writes is in the list, depends on these.
        let (count, overflow) = limit.addingReportingOverflow(written.count)
        let ids = try ArticleIndex.ids(
            matching: query, order: order, limit: overflow ? limit : count, in: connection)
        var found: [CachedArticle] = []
        for id in ids where !written.contains(id) && found.count < limit {
            if let article = try article(id, []) { found.append(article) }
        }
        guard !written.isEmpty else { return found }
        for id in written {
            guard let article = try article(id), query.matches(article.article) else { continue }
            found.append(article)
        }
        found.sort { order.areInIncreasingOrder($0.article, $1.article) }
        return Array(found.prefix(limit))
    }

    /// The id of the article with this slug.
    func id(ofSlug slug: String) throws(OfflineError) -> Article.ID? {
        let row = try connection.statement(
            "SELECT id FROM articles WHERE slug = ?1 ORDER BY updated DESC LIMIT 1")
        try row.bind(1, slug)
        return try row.step() ? try row.identifier(0) : nil
    }

    /// The comments on an article that are known, or were written and not sent.
    func shownComments(
        on id: Article.ID, order: CommentSort, limit: Int
    ) throws(OfflineError) -> [CachedComment] {
        var shown = try comments(on: id, order: order, limit: limit).compactMap { facts in
            facts.model().map { CachedComment(comment: $0, pending: nil, seenAt: facts.seenAt) }
        }
        let unsent = Overlay.comments(in: try OutboxTable.requests(about: id, in: connection))
        guard !unsent.isEmpty else { return shown }
        for comment in unsent {
            let isKnown = try comments.facts(comment.id, in: connection) != nil
            if !isKnown { shown.append(comment) }
        }
        shown.sort { order.areInIncreasingOrder($0.comment, $1.comment) }
        return Array(shown.prefix(limit))
    }

    /// Returns the known facts of the comments on an article.
    func comments(
        on id: Article.ID, order: CommentSort, limit: Int
    ) throws(OfflineError) -> [ModelFacts<ArticleComment>] {
        let direction = order == .oldest ? "ASC" : "DESC"
        let row = try connection.statement(
            """
            SELECT id FROM comments WHERE article = ?1
            ORDER BY created \(direction), id \(direction) LIMIT ?2
            """)
        try row.bind(1, id)
        try row.bind(2, limit)
        var found: [ModelFacts<ArticleComment>] = []
        while try row.step() {
            let id: ArticleComment.ID = try row.identifier(0)
            if let facts = try comments.facts(id, in: connection) { found.append(facts) }
        }
        return found
    }
}

extension CommentSort {
    fileprivate func areInIncreasingOrder(_ one: ArticleComment, _ other: ArticleComment) -> Bool {
        let (first, second) = self == .oldest ? (one, other) : (other, one)
        return (first.createdAt, first.id) < (second.createdAt, second.id)
    }
}
