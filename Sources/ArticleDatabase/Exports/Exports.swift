import ArticleAPI
import ArticleAdminAPI
public import ArticleStore
import BroadsheetPlatform

/// Exports of everything except keys and secrets, and their restoration.
extension SQLStore {
    public func export(
        _ body: @escaping @Sendable (ExportRecord) throws -> Void
    ) async throws(StoreError) {
        try await core.exports.export { (state) throws(StoreError) in
            try state.export(body)
        }
    }
}

extension SQL {
    fileprivate static let articleNumbers: StaticString =
        "SELECT number, id FROM articles ORDER BY id"
    static let changeCount: StaticString =
        "SELECT count(*) FROM changes WHERE kind = ?1 AND subject = ?2"
}

extension Snapshot {
    /// Exports everything except keys and secrets, with one body at a time in memory.
    func export(_ body: (ExportRecord) throws -> Void) throws(StoreError) {
        func give(_ record: ExportRecord) throws(StoreError) {
            do { try body(record) } catch { throw .rejected(error) }
        }
        try exportUsers { (user) throws(StoreError) in try give(.user(user)) }
        let authors = try connection.statement(SQL.authorsAfter)
        try authors.bind(1, [UInt8]())
        while try authors.step() { try give(.author(Author(authors))) }

        let articles = try connection.statement(SQL.articleNumbers)
        while try articles.step() {
            // Names are cached per article, as there may be very many.
            let state = Snapshot(connection, limits)
            let id: Article.ID = try articles.identifier(1)
            let article = try state.exported(id, number: articles.integer(0))
            try give(.article(article))
            for number in try state.revisionNumbers(of: articles.integer(0)) {
                try give(.revision(state.exported(id, revision: number)))
            }
        }
        try exportComments { (comment) throws(StoreError) in try give(.comment(comment)) }
        try exportBookmarks { (bookmark) throws(StoreError) in try give(.bookmark(bookmark)) }
    }

    /// Returns the number of changes that a record of the store accounts for. Authors also change
    /// with the articles that make them public, and comments with their replies.
    fileprivate func changeCount(of record: ExportRecord) throws(StoreError) -> Int {
        switch record {
        case .user, .article: 0
        case .revision, .bookmark: 1
        case .author(let author): try changeCount(.author, of: self.author(author.id)?.number)
        case .comment(let comment):
            try changeCount(.comment, of: storedComment(comment.id)?.number)
        }
    }

    private func changeCount(
        _ kind: SubjectKind, of number: Int64?
    ) throws(StoreError) -> Int {
        let row = try connection.statement(SQL.changeCount)
        try row.bind(1, kind.rawValue)
        try row.bind(2, number)
        return try row.step() ? Int(row.integer(0)) : 0
    }

    private func exported(_ id: Article.ID, number: Int64) throws(StoreError) -> ExportedArticle {
        let slugs = try slugs(of: number)
        let current = try stored(.id(id))?.revision.content.slug
        return ExportedArticle(
            id: id, aliases: slugs.filter { $0 != current },
            formerSlugs: try formerSlugs(of: number), imported: try importMark(of: number))
    }

    private func exported(
        _ id: Article.ID, revision number: Int
    ) throws(StoreError) -> ExportedRevision {
        let stored = try stored(id, at: number)
        return ExportedRevision(
            action: stored.revision.action, actor: try actor(stored.revision.actor),
            time: stored.revision.time, article: try content(of: stored, withBody: true))
    }
}

extension WriteStep {
    /// Restores exported records, all or none. Adding any begins this epoch.
    func restore(
        _ records: [ExportRecord], in epoch: Epoch
    ) throws(StoreError) -> RestoreCounts {
        var counts = RestoreCounts()
        for record in records {
            let isNew =
                switch record {
                case .user(let user): try restore(user)
                case .author(let author): try restore(author)
                case .article(let article): try restore(article)
                case .revision(let revision): try restore(revision)
                case .comment(let comment): try restore(comment)
                case .bookmark(let bookmark): try restore(bookmark)
                }
            if isNew {
                counts.added += 1
            } else {
                counts.unchanged += 1
                counts.changes += try state.changeCount(of: record)
            }
        }
        if counts.added > 0 {
            try connection.renewEpoch(to: epoch)
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
            if try state.isEmpty(found) { return false }
            // Slugs of revisions that were removed here are former ones, or were purged with them.
            let slugs = try state.slugs(of: found.number)
            let hasGaps = try state.revisionNumbers(of: found.number).count < found.revision
            guard hasGaps || (article.aliases + article.formerSlugs).allSatisfy(slugs.contains),
                try article.imported == state.importMark(of: found.number)
            else { throw .conflict("article \(article.id)") }
            return false
        }
        let time = Timestamp(milliseconds: 0)
        let number = try insert(
            article.id, state: .deleted, revision: 0, publication: time, createdAt: time)
        for slug in article.aliases { _ = try claimed(slug, for: number) }
        for slug in article.formerSlugs { _ = try claimed(slug, for: number) }
        try claim(former: article.formerSlugs, for: number, at: time)
        if let mark = article.imported {
            guard try !isImported(mark.path) else { throw .conflict("import of \(mark.path)") }
            // The title follows with its revision.
            try setImportMark(mark, of: number, title: "")
        }
        return true
    }

    private func restore(_ revision: ExportedRevision) throws(StoreError) -> Bool {
        let article = revision.article
        let name = "revision \(article.revision) of article \(article.id)"
        guard let found = try state.articleNumber(article.id) else {
            throw .conflict("\(name): the article does not exist")
        }
        if try state.isEmpty(found) { return false }
        if (1...max(found.revision, 1)).contains(article.revision), found.revision > 0 {
            let stored: StoredArticle
            do throws(StoreError) {
                stored = try state.stored(article.id, at: article.revision)
            } catch .notFound {
                // It was removed here, and does not come back.
                return false
            }
            guard try isSame(revision, stored) else { throw .conflict(name) }
            return false
        }
        // Revisions before this one may have been removed where it comes from.
        guard 1...Self.limitRevisions ~= article.revision else {
            throw .conflict("\(name): there is no such number")
        }
        let current = found.revision > 0 ? try state.stored(number: found.number) : nil
        if let current, current.createdAt != article.createdAt { throw .conflict(name) }
        try record(
            RevisionData(
                action: revision.action, actor: try stored(revision.actor, of: name),
                time: revision.time, updatedAt: article.updatedAt,
                content: try resolve(article, for: found.number, after: current, name),
                isDeletion: revision.action == .deleted),
            number: article.revision, of: found.number, id: article.id,
            createdAt: article.createdAt, after: current)
        try setImportTitle(article.title, of: found.number, at: article.revision)
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
        return try StoredContent(
            article.draft, state: try StoredState(article.status),
            slug: try claimed(article.slug, for: number), language: article.language,
            authors: authors, tags: tags, body: try body(text, after: current),
            measure: TextMeasure(
                words: article.wordCount, readingMinutes: article.readingMinutes),
            owner: try knownOwner(article.owner))
    }

    /// The row of the body: that of the previous revision if it is equal.
    private func body(_ text: String, after current: StoredArticle?) throws(StoreError) -> Int64 {
        if let content = current?.revision.content, content.bodyBytes == text.utf8.count,
            try state.body(content.body).hasBytes(of: text)
        {
            return content.body
        }
        return try insertBody(text)
    }

    /// Returns true if both are the same. Names of authors and actors are ignored where they are
    /// looked up by id: the name shown is always the current one.
    private func isSame(
        _ revision: ExportedRevision, _ stored: StoredArticle
    ) throws(StoreError) -> Bool {
        var there = try state.content(of: stored, withBody: true)
        guard there.authors.map(\.id) == revision.article.authors.map(\.id) else { return false }
        there.authors = revision.article.authors
        // The owner is left out if there was no such user when the revision was restored.
        there.owner = there.owner ?? revision.article.owner
        // An export from before there was this state is restored again after the time has come.
        if there.status == .scheduled, revision.article.status == .published,
            let time = there.publishedAt, time > stored.revision.time
        {
            there.status = .published
        }
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
