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
        let epoch = core.system.newEpoch()
        return try await submit(isKept: !dryRun) { (step) throws(StoreError) in
            try step.restore(records, in: epoch)
        }
    }
}

extension SQL {
    fileprivate static let importMark: StaticString = """
        SELECT article, digest, imports.revision, articles.revision, deleted_at
        FROM imports JOIN articles ON number = article WHERE path = ?1
        """
    fileprivate static let deletedArticle: StaticString = """
        SELECT number, revision, deleted_at FROM articles
        WHERE id = ?1 AND deleted_at IS NOT NULL
        """
    fileprivate static let importMarkOfArticle: StaticString = """
        SELECT path, digest, revision FROM imports WHERE article = ?1
        """
    fileprivate static let setImportMark: StaticString = """
        INSERT INTO imports (path, digest, article, revision, name, title)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)
        ON CONFLICT (article) DO UPDATE SET path = excluded.path, digest = excluded.digest,
            revision = excluded.revision, name = excluded.name, title = excluded.title
        """
    fileprivate static let setImportTitle: StaticString =
        "UPDATE imports SET title = ?3 WHERE article = ?1 AND revision = ?2"
    fileprivate static let importsByTitle: StaticString =
        "SELECT path FROM imports WHERE name = ?1 AND title = ?2 LIMIT ?3"
    fileprivate static let importBySlug: StaticString = """
        SELECT path FROM slugs JOIN imports ON imports.article = slugs.article
        WHERE slug = ?2 AND name = ?1
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
        var mark = try importMark(item.path)
        if mark == nil {
            switch item.recognition {
            case .path: break
            case .likeness(let slug):
                let paths = try similarPaths(to: item, slug: slug)
                if !paths.isEmpty { return .similar(paths) }
            case .movedFrom(let path): mark = try importMark(path)
            }
        }
        if mark == nil { mark = try deletedArticle(item.id) }
        let deletedAt = mark?.deletedAt
        if let deletedAt, !item.restoresDeleted { return .deleted(deletedAt) }
        if let mark, deletedAt == nil, mark.digest == item.digest {
            if case .movedFrom = item.recognition {
                try setImportMark(item, article: mark.article, revision: mark.revision)
            }
            return .unchanged
        }
        let taken = try take(
            item.content, as: item.id, keepsSlug: item.keepsSlug,
            over: mark.map { ($0.article, deletedAt == nil ? $0.revision : $0.lastRevision) },
            by: edit)
        guard let taken else { return .keptEdits }
        try setImportMark(item, article: taken.number, revision: taken.lastRevision)
        try claim(former: item.formerSlugs, for: taken.number, at: edit.time)
        guard let mark else { return .created }
        if deletedAt != nil { return .restored }
        return taken.lastRevision == mark.revision ? .unchanged : .updated
    }

    /// The paths of files that have the item's name, and its title or an article with the slug.
    private func similarPaths(
        to item: ImportItem, slug: String?
    ) throws(StoreError) -> [String] {
        let name = ImportItem.name(ofPath: item.path)
        var paths: [String] = []
        let titled = try connection.statement(SQL.importsByTitle)
        try titled.bind(1, name)
        try titled.bind(2, item.content.draft.title)
        try titled.bind(3, ImportOutcome.limitSimilar)
        while try titled.step() { paths.append(titled.text(0)) }
        guard let slug, paths.count < ImportOutcome.limitSimilar else { return paths }
        let named = try connection.statement(SQL.importBySlug)
        try named.bind(1, name)
        try named.bind(2, slug)
        while try named.step() {
            let path = named.text(0)
            if !paths.contains(path) { paths.append(path) }
        }
        return paths
    }

    /// The article after it got content from outside; `nil` if it was edited, deleted or emptied
    /// here since the last one, and so is left alone. One that was deleted from outside is
    /// restored.
    ///
    /// - Parameter mark: the article and its revision with the last content; `nil` for a new one.
    func take(
        _ content: ArticleContent, as id: Article.ID, keepsSlug: Bool,
        over mark: (article: Int64, revision: Int)?, by edit: Edit
    ) throws(StoreError) -> StoredArticle? {
        guard let mark else {
            return try create(id, dated(content, first: edit.time, now: edit.time), by: edit)
        }
        guard let current = try state.storedUnlessEmpty(number: mark.article),
            current.lastRevision == mark.revision
        else { return nil }
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

    /// An article that an item is or may be.
    private struct ImportCandidate {
        var article: Int64
        var digest: [UInt8]
        /// As of the last import.
        var revision: Int
        var lastRevision: Int
        var deletedAt: Timestamp?
    }

    private func importMark(_ path: String) throws(StoreError) -> ImportCandidate? {
        let row = try connection.statement(SQL.importMark)
        try row.bind(1, path)
        guard try row.step() else { return nil }
        return ImportCandidate(
            article: row.integer(0), digest: row.bytes(1), revision: Int(row.integer(2)),
            lastRevision: Int(row.integer(3)), deletedAt: row.optionalTime(4))
    }

    /// A deleted article with the item's id, wherever it came from.
    private func deletedArticle(_ id: Article.ID) throws(StoreError) -> ImportCandidate? {
        let row = try connection.statement(SQL.deletedArticle)
        try row.bind(1, id)
        guard try row.step() else { return nil }
        let revision = Int(row.integer(1))
        return ImportCandidate(
            article: row.integer(0), digest: [], revision: revision, lastRevision: revision,
            deletedAt: row.optionalTime(2))
    }

    private func setImportMark(
        _ item: ImportItem, article: Int64, revision: Int
    ) throws(StoreError) {
        try setImportMark(
            ExportedArticle.ImportMark(path: item.path, digest: item.digest, revision: revision),
            of: article, title: item.content.draft.title)
    }

    /// - Parameter title: that of the file.
    func setImportMark(
        _ mark: ExportedArticle.ImportMark, of article: Int64, title: String
    ) throws(StoreError) {
        let row = try connection.statement(SQL.setImportMark)
        try row.bind(1, mark.path)
        try row.bind(2, mark.digest)
        try row.bind(3, article)
        try row.bind(4, mark.revision)
        try row.bind(5, ImportItem.name(ofPath: mark.path))
        try row.bind(6, title)
        try row.run()
    }

    /// Records the title that an article had at its last import, if that made this revision.
    func setImportTitle(
        _ title: String, of article: Int64, at revision: Int
    ) throws(StoreError) {
        let row = try connection.statement(SQL.setImportTitle)
        try row.bind(1, article)
        try row.bind(2, revision)
        try row.bind(3, title)
        try row.run()
    }

    /// Returns true if an article was imported from this path.
    func isImported(_ path: String) throws(StoreError) -> Bool { try importMark(path) != nil }
}
