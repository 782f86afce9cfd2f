public import ArticleAPI
import ArticleAdminAPI
public import ArticleStore

/// The publication of scheduled articles.
extension SQLStore {
    public func publishDueArticles(
        at time: Timestamp, limit: Int
    ) async throws(StoreError) -> (published: Int, next: Timestamp?) {
        try await submit { (step) throws(StoreError) in
            try step.publishDueArticles(at: time, limit: limit)
        }
    }

    public func nextPublication() async throws(StoreError) -> Timestamp? {
        try await read { (state) throws(StoreError) in try state.nextPublication() }
    }

    public func scheduledCounts(at time: Timestamp) async throws(StoreError) -> ScheduledCounts {
        try await read { (state) throws(StoreError) in
            try state.scheduledCounts(at: time)
        }
    }
}

extension SQL {
    // Articles that cannot have a further revision are left out: they would block all others.
    fileprivate static let dueArticles: StaticString = """
        SELECT article FROM listings JOIN articles ON number = article
        WHERE facet = 1 AND listings.state = 4 AND listings.publication <= ?1 AND revision < ?2
        ORDER BY listings.publication, listings.id LIMIT ?3
        """
    fileprivate static let nextPublication: StaticString = """
        SELECT listings.publication FROM listings JOIN articles ON number = article
        WHERE facet = 1 AND listings.state = 4 AND revision < ?1
        ORDER BY listings.publication LIMIT 1
        """
    fileprivate static let overdueCount: StaticString = """
        SELECT count(*) FROM (SELECT 1 FROM listings
            WHERE facet = 1 AND state = 4 AND publication <= ?1 LIMIT ?2) AS found
        """
    fileprivate static let upcomingCount: StaticString = """
        SELECT count(*) FROM (SELECT 1 FROM listings
            WHERE facet = 1 AND state = 4 AND publication > ?1 LIMIT ?2) AS found
        """
    fileprivate static let advanceImportMark: StaticString =
        "UPDATE imports SET revision = revision + 1 WHERE article = ?1 AND revision = ?2"
    fileprivate static let advanceSourceMark: StaticString = """
        UPDATE source_entries SET revision = revision + 1 WHERE article = ?1 AND revision = ?2
        """
}

extension Snapshot {
    func nextPublication() throws(StoreError) -> Timestamp? {
        let row = try connection.statement(SQL.nextPublication)
        try row.bind(1, WriteStep.limitRevisions)
        return try row.step() ? row.time(0) : nil
    }

    func scheduledCounts(at time: Timestamp) throws(StoreError) -> ScheduledCounts {
        ScheduledCounts(
            upcoming: try count(SQL.upcomingCount, at: time),
            overdue: try count(SQL.overdueCount, at: time))
    }

    private func count(_ sql: StaticString, at time: Timestamp) throws(StoreError) -> Int {
        let row = try connection.statement(sql)
        try row.bind(1, time)
        try row.bind(2, ArticleLimits.count)
        return try row.step() ? Int(row.integer(0)) : 0
    }
}

extension WriteStep {
    func publishDueArticles(
        at time: Timestamp, limit: Int
    ) throws(StoreError) -> (published: Int, next: Timestamp?) {
        let articles = try dueArticles(at: time, limit: min(max(limit, 1), 1_000))
        for article in articles {
            let current = try state.stored(number: article)
            guard current.state == .scheduled else {
                throw .corrupt("article \(article) is listed as scheduled, but is not")
            }
            try publish(current, at: max(time, current.revision.time))
        }
        return (articles.count, try state.nextPublication())
    }

    private func dueArticles(at time: Timestamp, limit: Int) throws(StoreError) -> [Int64] {
        let row = try connection.statement(SQL.dueArticles)
        try row.bind(1, time)
        try row.bind(2, Self.limitRevisions)
        try row.bind(3, limit)
        var articles: [Int64] = []
        while try row.step() { articles.append(row.integer(0)) }
        return articles
    }

    private func publish(_ current: StoredArticle, at time: Timestamp) throws(StoreError) {
        var content = current.revision.content
        content.state = .published
        content.publishedAt = content.publishedAt ?? current.createdAt
        try record(
            RevisionData(
                action: .updated, actor: try stored(Edit.Actor.system), time: time,
                updatedAt: time, content: content, isDeletion: false),
            of: current.number, id: current.id, createdAt: current.createdAt, after: current)
        // This was not an edit: the file or the source from which the article comes may still
        // update it.
        for sql in [SQL.advanceImportMark, SQL.advanceSourceMark] {
            let mark = try connection.statement(sql)
            try mark.bind(1, current.number)
            try mark.bind(2, current.lastRevision)
            try mark.run()
        }
    }
}
