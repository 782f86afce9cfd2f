import ArticleAPI
import ArticleStore

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
            let made = try create(item.id, dated(item.content, at: edit.time), by: edit)
            try setImportMark(item, article: made.number, revision: made.lastRevision)
            return .created
        }
        if mark.digest == item.digest { return .unchanged }
        let current = try state.stored(number: mark.article)
        guard current.state != .deleted, current.lastRevision == mark.revision else {
            return .keptEdits
        }
        let before = try state.present(current, withBody: true)
        let first = current.revision.content.publishedAt ?? current.createdAt
        var content = dated(item.content, at: first)
        if item.keepsSlug { content.slug = .keep }
        let after = try update(current, to: content, from: before, by: edit)
        try setImportMark(item, article: mark.article, revision: after.lastRevision)
        return after.lastRevision == current.lastRevision ? .unchanged : .updated
    }

    /// An undated post is published as of its first import.
    private func dated(_ content: ArticleContent, at time: Timestamp) -> ArticleContent {
        var content = content
        if content.status == .published, content.publishedAt == nil { content.publishedAt = time }
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

extension WriteStep {
    /// Restores exported records, all or none. Adding any changes the epoch.
    func restore(_ records: [ExportRecord]) throws(StoreError) -> RestoreCounts {
        var counts = RestoreCounts(added: 0, unchanged: 0)
        for record in records {
            let isNew =
                switch record {
                case .author(let author): try restore(author)
                case .article(let article): try restore(article)
                case .revision(let revision): try restore(revision)
                }
            if isNew { counts.added += 1 } else { counts.unchanged += 1 }
        }
        if counts.added > 0 {
            try connection.execute(SQL.renewEpoch)
            connection.names.forget()
        }
        return counts
    }

    private func restore(_ author: Author) throws(StoreError) -> Bool {
        guard let found = try state.author(author.id) else {
            _ = try insert(author)
            return true
        }
        guard found.author == author.unversioned else { throw .conflict("author \(author.id)") }
        return false
    }

    /// Restores an article without revisions, which follow, possibly in a later batch.
    private func restore(_ article: ExportedArticle) throws(StoreError) -> Bool {
        if let found = try state.articleNumber(article.id) {
            let slugs = try state.slugs(of: found.number)
            guard article.aliases.allSatisfy(slugs.contains),
                try article.imported == state.importMark(of: found.number)
            else { throw .conflict("article \(article.id)") }
            return false
        }
        let time = Timestamp(milliseconds: 0)
        let number = try insert(
            article.id, state: .deleted, revision: 0, publication: time, createdAt: time)
        for slug in article.aliases { _ = try claimed(slug, for: number) }
        if let mark = article.imported {
            guard try !isImported(mark.path) else { throw .conflict("import of \(mark.path)") }
            try setImportMark(mark, of: number)
        }
        return true
    }

    private func restore(_ revision: ExportedRevision) throws(StoreError) -> Bool {
        let article = revision.article
        let name = "revision \(article.revision) of article \(article.id)"
        guard let found = try state.articleNumber(article.id) else {
            throw .conflict("\(name): the article does not exist")
        }
        if (1...max(found.revision, 1)).contains(article.revision), found.revision > 0 {
            let stored = try state.stored(article.id, at: article.revision)
            guard try isSame(revision, stored) else { throw .conflict(name) }
            return false
        }
        guard article.revision == found.revision + 1 else {
            throw .conflict("\(name): the preceding revision does not exist")
        }
        let current = found.revision > 0 ? try state.stored(number: found.number) : nil
        if let current, current.createdAt != article.createdAt { throw .conflict(name) }
        try record(
            Step(
                action: revision.action, actor: try stored(revision.actor, of: name),
                time: revision.time, updatedAt: article.updatedAt,
                content: try resolve(article, for: found.number, after: current, name),
                isDeletion: revision.action == .deleted),
            of: found.number, id: article.id, createdAt: article.createdAt, after: current)
        return true
    }

    private func resolve(
        _ article: Article, for number: Int64, after current: StoredArticle?, _ name: String
    ) throws(StoreError) -> StoredContent {
        var authors: [Int64] = []
        for author in article.authors {
            guard let found = try state.author(author.id) else {
                throw .conflict("\(name): author \(author.id) does not exist")
            }
            authors.append(found.number)
        }
        var tags: [Int64] = []
        for tag in article.tags {
            let number = try facet(.tag, key: tag.key, name: tag.name)
            guard try state.tag(number).name == tag.name else {
                throw .conflict("\(name): the tag \(tag.key) has a different name")
            }
            tags.append(number)
        }
        let text = article.body ?? ""
        return StoredContent(
            state: try StoredState(article.status), publishedAt: article.publishedAt,
            slug: try claimed(article.slug, for: number), title: article.title,
            summary: article.summary, language: article.language, authors: authors, tags: tags,
            heroImage: article.heroImage, source: article.source, wordCount: article.wordCount,
            readingMinutes: article.readingMinutes, body: try body(text, after: current),
            bodyBytes: text.utf8.count)
    }

    /// The row of the body: that of the previous revision if it is equal.
    private func body(_ text: String, after current: StoredArticle?) throws(StoreError) -> Int64 {
        if let content = current?.revision.content, content.bodyBytes == text.utf8.count,
            try state.body(content.body).utf8.elementsEqual(text.utf8)
        {
            return content.body
        }
        return try insertBody(text)
    }

    /// Names of authors and actors are ignored where they are looked up by id: what is shown is
    /// always the current one.
    private func isSame(
        _ revision: ExportedRevision, _ stored: StoredArticle
    ) throws(StoreError) -> Bool {
        var there = try state.content(of: stored, withBody: true)
        guard there.authors.map(\.id) == revision.article.authors.map(\.id) else { return false }
        there.authors = revision.article.authors
        let actor = try state.actor(stored.revision.actor)
        return there == revision.article.unversioned && stored.revision.action == revision.action
            && stored.revision.time == revision.time && actor.isSame(as: revision.actor)
    }
}

extension Revision.Actor {
    fileprivate func isSame(as other: Revision.Actor) -> Bool {
        kind == other.kind && id == other.id && (kind != .unrecorded || name == other.name)
    }
}

extension Article {
    fileprivate var unversioned: Article {
        var article = self
        article.version = nil
        return article
    }
}

extension Author {
    fileprivate var unversioned: Author {
        var author = self
        author.version = nil
        return author
    }
}
