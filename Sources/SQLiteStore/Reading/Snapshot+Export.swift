import ArticleAPI
import ArticleStore

extension Snapshot {
    /// Exports everything except keys and secrets, with one body at a time in memory.
    func export(_ body: (ExportRecord) throws -> Void) throws(StoreError) {
        func give(_ record: ExportRecord) throws(StoreError) {
            do { try body(record) } catch { throw .rejected(error) }
        }
        let authors = try connection.statement(SQL.authorsAfter)
        try authors.bind(1, [UInt8]())
        while try authors.step() { try give(.author(Author(authors))) }

        let articles = try connection.statement(SQL.articleNumbers)
        while try articles.step() {
            // Names are cached per article, as there may be very many.
            let state = Snapshot(connection, configuration)
            let id: Article.ID = try articles.identifier(1)
            let article = try state.exported(id, number: articles.integer(0))
            try give(.article(article))
            for number in 0..<(try state.articleNumber(id)?.revision ?? 0) {
                try give(.revision(state.exported(id, revision: number + 1)))
            }
        }
    }

    private func exported(_ id: Article.ID, number: Int64) throws(StoreError) -> ExportedArticle {
        let slugs = try slugs(of: number)
        let current = try stored(.id(id))?.revision.content.slug
        return ExportedArticle(
            id: id, aliases: slugs.filter { $0 != current }, imported: try importMark(of: number))
    }

    private func exported(
        _ id: Article.ID, revision number: Int
    ) throws(StoreError) -> ExportedRevision {
        let stored = try stored(id, at: number)
        return ExportedRevision(
            action: stored.revision.action, actor: try actor(stored.revision.actor),
            time: stored.revision.time, article: try content(of: stored, withBody: true))
    }

    /// All slugs including the current one, in byte order.
    func slugs(of article: Int64) throws(StoreError) -> [String] {
        let row = try connection.statement(SQL.slugsOfArticle)
        try row.bind(1, article)
        var slugs: [String] = []
        while try row.step() { slugs.append(row.text(0)) }
        return slugs
    }

    func importMark(of article: Int64) throws(StoreError) -> ExportedArticle.ImportMark? {
        let row = try connection.statement(SQL.importMarkOfArticle)
        try row.bind(1, article)
        guard try row.step() else { return nil }
        return ExportedArticle.ImportMark(
            path: row.text(0), digest: row.bytes(1), revision: Int(row.integer(2)))
    }
}
