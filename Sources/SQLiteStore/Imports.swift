import ArticleAPI
public import ArticleStore

/// Imports of articles from files. Each file's path is recorded with its digest.
extension SQLiteStore: ImportDestination {
    public func importArticles(
        _ items: [ImportItem], by edit: Edit, dryRun: Bool
    ) async throws(StoreError) -> [Result<ImportOutcome, StoreError>] {
        try await writer.submit(isKept: !dryRun) { (step) throws(StoreError) in
            try step.importArticles(items, by: edit)
        }
    }

    public func restore(
        _ records: [ExportRecord], dryRun: Bool
    ) async throws(StoreError) -> RestoreCounts {
        try await writer.submit(isKept: !dryRun) { (step) throws(StoreError) in
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
    /// Imports the items, each in its own savepoint.
    func importArticles(
        _ items: [ImportItem], by edit: Edit
    ) throws(StoreError) -> [Result<ImportOutcome, StoreError>] {
        var outcomes: [Result<ImportOutcome, StoreError>] = []
        for item in items {
            let mark = connection.effects.mark
            try connection.execute(SQL.itemSavepoint)
            do throws(StoreError) {
                outcomes.append(.success(try importArticle(item, by: edit)))
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
        guard let mark = try importMark(item.path) else {
            let made = try create(
                item.id, dated(item.content, first: edit.time, now: edit.time), by: edit)
            try setImportMark(item, article: made.number, revision: made.lastRevision)
            try claim(former: item.formerSlugs, for: made.number, made.state, at: edit.time)
            return .created
        }
        if mark.digest == item.digest { return .unchanged }
        let current = try state.stored(number: mark.article)
        guard current.state != .deleted, current.lastRevision == mark.revision else {
            return .keptEdits
        }
        let before = try state.present(current, withBody: true, to: edit.audience)
        let first = current.revision.content.publishedAt ?? current.createdAt
        var content = dated(item.content, first: first, now: edit.time)
        if item.keepsSlug { content.slug = .keep }
        let after = try update(current, to: content, from: before, by: edit)
        try setImportMark(item, article: mark.article, revision: after.lastRevision)
        try claim(former: item.formerSlugs, for: mark.article, after.state, at: edit.time)
        return after.lastRevision == current.lastRevision ? .unchanged : .updated
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
