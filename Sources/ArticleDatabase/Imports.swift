import ArticleAPI
public import ArticleStore

/// Imports of articles from files. Each file's path is recorded with its digest.
extension SQLStore {
    public func importArticles(
        _ items: [ImportItem], by edit: Edit, dryRun: Bool
    ) async throws(StoreError) -> [Result<ImportOutcome, StoreError>] {
        try await submit(isKept: !dryRun) { (step) throws(StoreError) in
            try step.importArticles(items, by: edit)
        }
    }

    public func restore(
        _ records: [ExportRecord], dryRun: Bool
    ) async throws(StoreError) -> RestoreCounts {
        try await submit(isKept: !dryRun) { (step) throws(StoreError) in
            try step.restore(records)
        }
    }
}

extension SQL {
    fileprivate static let importMark: StaticString = """
        SELECT article, digest, revision FROM imports WHERE path = ?1
        """
    fileprivate static let importMarkOfArticle: StaticString = """
        SELECT path, digest, revision FROM imports WHERE article = ?1
        """
    fileprivate static let setImportMark: StaticString = """
        INSERT INTO imports (path, digest, article, revision) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (path) DO UPDATE SET digest = excluded.digest, revision = excluded.revision
        """
    fileprivate static let itemSavepoint: StaticString = "SAVEPOINT item"
    fileprivate static let releaseItem: StaticString = "RELEASE item"
    fileprivate static let rollbackToItem: StaticString = "ROLLBACK TO item"
}

extension Snapshot {
    func importMark(of article: Int64) throws(StoreError) -> ExportedArticle.ImportMark? {
        let row = try connection.statement(SQL.importMarkOfArticle)
        try row.bind(1, article)
        guard try row.step() else { return nil }
        return ExportedArticle.ImportMark(
            path: row.text(0), digest: row.bytes(1), revision: Int(row.integer(2)))
    }
}

extension WriteStep {
    func importArticles(
        _ items: [ImportItem], by edit: Edit
    ) throws(StoreError) -> [Result<ImportOutcome, StoreError>] {
        try eachAlone(items) { (item) throws(StoreError) in try importArticle(item, by: edit) }
    }

    /// Does the work for each item in its own savepoint: one that fails changes nothing, and the
    /// others are done.
    func eachAlone<Item, Outcome>(
        _ items: [Item], _ work: (Item) throws(StoreError) -> Outcome
    ) throws(StoreError) -> [Result<Outcome, StoreError>] {
        var outcomes: [Result<Outcome, StoreError>] = []
        for item in items {
            let mark = connection.effects.mark
            try connection.execute(SQL.itemSavepoint)
            do throws(StoreError) {
                outcomes.append(.success(try work(item)))
            } catch {
                // A failure of the database file does not only concern this item.
                guard connection.isInTransaction else { throw error }
                switch error {
                case .full, .unavailable, .corrupt: throw error
                default: outcomes.append(.failure(error))
                }
                try connection.undo(SQL.rollbackToItem, to: mark)
            }
            try connection.execute(SQL.releaseItem)
        }
        return outcomes
    }

    private func importArticle(
        _ item: ImportItem, by edit: Edit
    ) throws(StoreError) -> ImportOutcome {
        let mark = try importMark(item.path)
        if mark?.digest == item.digest { return .unchanged }
        let taken = try take(
            item.content, as: item.id, keepsSlug: item.keepsSlug,
            over: mark.map { ($0.article, $0.revision) }, by: edit)
        guard let taken else { return .keptEdits }
        try setImportMark(item, article: taken.number, revision: taken.lastRevision)
        try claim(former: item.formerSlugs, for: taken.number, at: edit.time)
        guard let mark else { return .created }
        return taken.lastRevision == mark.revision ? .unchanged : .updated
    }

    /// The article after it got content from outside; `nil` if it was edited or deleted here since
    /// the last one, and so is left alone. One that was deleted from outside is restored.
    ///
    /// - Parameter mark: the article and its revision with the last content; `nil` for a new one.
    func take(
        _ content: ArticleContent, as id: Article.ID, keepsSlug: Bool,
        over mark: (article: Int64, revision: Int)?, by edit: Edit
    ) throws(StoreError) -> StoredArticle? {
        guard let mark else {
            return try create(id, dated(content, first: edit.time, now: edit.time), by: edit)
        }
        let current = try state.stored(number: mark.article)
        guard current.lastRevision == mark.revision else { return nil }
        let before = try state.present(current, withBody: true, to: edit.audience)
        let first = current.revision.content.publishedAt ?? current.createdAt
        var content = dated(content, first: first, now: edit.time)
        if keepsSlug { content.slug = .keep }
        return try update(current, to: content, from: before, by: edit)
    }

    /// An undated post is published as of its first import. One whose time is to come is scheduled,
    /// any other is published.
    private func dated(
        _ content: ArticleContent, first: Timestamp, now: Timestamp
    ) -> ArticleContent {
        guard content.status == .published || content.status == .scheduled else { return content }
        var content = content
        let time = content.draft.publishedAt ?? first
        content.draft.publishedAt = time
        content.draft.status = time > now ? .scheduled : .published
        return content
    }

    private func importMark(
        _ path: String
    ) throws(StoreError) -> (article: Int64, digest: [UInt8], revision: Int)? {
        let row = try connection.statement(SQL.importMark)
        try row.bind(1, path)
        return try row.step() ? (row.integer(0), row.bytes(1), Int(row.integer(2))) : nil
    }

    private func setImportMark(
        _ item: ImportItem, article: Int64, revision: Int
    ) throws(StoreError) {
        try setImportMark(
            ExportedArticle.ImportMark(path: item.path, digest: item.digest, revision: revision),
            of: article)
    }

    func setImportMark(
        _ mark: ExportedArticle.ImportMark, of article: Int64
    ) throws(StoreError) {
        let row = try connection.statement(SQL.setImportMark)
        try row.bind(1, mark.path)
        try row.bind(2, mark.digest)
        try row.bind(3, article)
        try row.bind(4, mark.revision)
        try row.run()
    }

    /// Whether an article was imported from this path.
    func isImported(_ path: String) throws(StoreError) -> Bool { try importMark(path) != nil }
}
