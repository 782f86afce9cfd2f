public import ArticleAPI
import ArticleAdminAPI
public import ArticleStore
import BroadsheetPlatform

/// Articles: finding, creating, editing and deleting them.
extension SQLStore {
    public func edition(
        of key: Article.Key, visibleTo audience: Audience
    ) async throws(StoreError) -> ArticleVersion {
        if case .id(let id) = key, let joined = core.joinedReads {
            return try await joined.edition(of: id, visibleTo: audience)
        }
        return try await read { (state) throws(StoreError) in
            try state.edition(of: key, visibleTo: audience)
        }
    }

    public func createArticle(
        _ id: Article.ID, _ content: ArticleContent, by edit: Edit
    ) async throws(StoreError) -> Article {
        try await submit { (step) throws(StoreError) in
            try step.claim(edit)
            let article = try step.createArticle(id, content, by: edit)
            try step.keep(.article(article, isNew: true), of: edit)
            return article
        }
    }

    public func updateArticle(
        _ id: Article.ID, _ update: ArticleUpdate, expecting expectation: Precondition,
        by edit: Edit
    ) async throws(StoreError) -> Article {
        try await submit { (step) throws(StoreError) in
            try step.claim(edit)
            let article = try step.updateArticle(id, update, expecting: expectation, by: edit)
            try step.keep(.article(article, isNew: false), of: edit)
            return article
        }
    }

    public func deleteArticle(
        _ id: Article.ID, expecting expectation: Precondition, by edit: Edit
    ) async throws(StoreError) {
        try await submit { (step) throws(StoreError) in
            try step.claim(edit)
            try step.deleteArticle(id, expecting: expectation, by: edit)
            try step.keep(.nothing, of: edit)
        }
    }
}

extension SQL {
    fileprivate static let articleNumber: StaticString =
        "SELECT number, revision FROM articles WHERE id = ?1"
    fileprivate static let insertArticle: StaticString = """
        INSERT INTO articles (id, state, revision, publication, created_at, updated_at, owner)
        VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6) ON CONFLICT (id) DO NOTHING
        """
    fileprivate static let setArticle: StaticString = """
        UPDATE articles SET state = ?2, revision = ?3, publication = ?4, created_at = ?5,
            updated_at = ?6, owner = ?7, deleted_at = ?8
        WHERE number = ?1
        """
}

extension Snapshot {
    func edition(
        of key: Article.Key, visibleTo audience: Audience
    ) throws(StoreError) -> ArticleVersion {
        let found =
            if let ahead = articlesAhead { try ahead.withBody(key, of: self) } else {
                try stored(key)
            }
        guard let stored = found, stored.isVisible(to: audience),
            try isKnown(stored, by: key, to: audience)
        else { throw .notFound }
        let article = try present(stored, withBody: true, to: audience)
        var changedAt = article.updatedAt
        for number in stored.revision.content.authors {
            changedAt = max(changedAt, try author(number: number).updatedAt)
        }
        return ArticleVersion(article: article, changedAt: changedAt)
    }

    /// Returns true if the audience may find the article by this key: only editors and the owner
    /// find it by a slug that it only had as a draft or before its publication.
    private func isKnown(
        _ stored: StoredArticle, by key: Article.Key, to audience: Audience
    ) throws(StoreError) -> Bool {
        guard case .slug(let slug) = key, audience != .editors, !stored.isOwned(by: audience),
            slug != stored.revision.content.slug
        else { return true }
        return try isPublic(slug)
    }

    /// The article with its version, as the audience sees it: only editors and the owner see whose
    /// it is.
    func present(
        _ stored: StoredArticle, withBody: Bool, to audience: Audience
    ) throws(StoreError) -> Article {
        var owner = stored.revision.content.owner
        if let known = owner, audience != .editors, audience != .author(known) { owner = nil }
        return try content(
            of: stored, withBody: withBody, version: text(of: stored.version), owner: owner)
    }

    /// The article without a version, independent of the database's history.
    func content(of stored: StoredArticle, withBody: Bool) throws(StoreError) -> Article {
        try content(
            of: stored, withBody: withBody, version: nil, owner: stored.revision.content.owner)
    }

    private func content(
        of stored: StoredArticle, withBody: Bool, version: String?, owner: UserRecord.ID?
    ) throws(StoreError) -> Article {
        var authors: [Author.Reference] = []
        authors.reserveCapacity(stored.revision.content.authors.count)
        for number in stored.revision.content.authors {
            authors.append(try author(number: number).reference)
        }
        var tags: [ArticleTag] = []
        tags.reserveCapacity(stored.revision.content.tags.count)
        for number in stored.revision.content.tags { tags.append(try tag(number)) }
        return Article(
            stored, body: withBody ? try body(stored.revision.content.body) : nil,
            authors: authors, tags: tags, version: version, owner: owner)
    }

    func articleNumber(
        _ id: Article.ID
    ) throws(StoreError) -> (number: Int64, revision: Int)? {
        let row = try connection.statement(SQL.articleNumber)
        try row.bind(1, id)
        return try row.step() ? (row.integer(0), Int(row.integer(1))) : nil
    }
}

extension WriteStep {
    func createArticle(
        _ id: Article.ID, _ content: ArticleContent, by edit: Edit
    ) throws(StoreError) -> Article {
        var article = try state.present(
            create(id, content, by: edit), withBody: false, to: edit.audience)
        article.body = content.draft.body
        return article
    }

    func create(
        _ id: Article.ID, _ content: ArticleContent, by edit: Edit
    ) throws(StoreError) -> StoredArticle {
        let owner = try ownerOfNew(content.draft.owner, by: edit)
        let article = try insert(
            id, state: StoredState(content.status), revision: 1,
            publication: content.draft.publishedAt ?? edit.time, createdAt: edit.time,
            owner: owner)
        let resolved = try resolve(
            content, for: article, id: id, current: nil, owner: owner, by: edit)
        let step = RevisionData(
            action: .created, actor: try stored(edit.actor), time: edit.time, updatedAt: edit.time,
            content: resolved, isDeletion: false)
        return try record(
            step, of: article, id: id, createdAt: edit.time, after: nil, isRowCurrent: true)
    }

    func updateArticle(
        _ id: Article.ID, _ update: ArticleUpdate, expecting expectation: Precondition,
        by edit: Edit
    ) throws(StoreError) -> Article {
        guard let current = try state.stored(.id(id)), current.state != .deleted else {
            throw .notFound
        }
        try edit.audience.checkAccess(to: current)
        try expectation.check(current.version, in: state)
        let before = try state.present(current, withBody: true, to: edit.audience)
        let content = try update.content(replacing: before, by: edit)
        var article = try state.present(
            self.update(current, to: content, from: before, by: edit), withBody: false,
            to: edit.audience)
        article.body = content.draft.body
        return article
    }

    /// The article after an update; unchanged if the content is equal. A deleted one is restored.
    func update(
        _ current: StoredArticle, to content: ArticleContent, from before: Article, by edit: Edit
    ) throws(StoreError) -> StoredArticle {
        let resolved = try resolve(
            content, for: current.number, id: current.id,
            current: (current.revision.content, before.body ?? ""),
            owner: ownerAfterEdit(content.draft.owner, of: current, by: edit), by: edit)
        let isDeleted = current.state == .deleted
        guard isDeleted || resolved != current.revision.content else { return current }
        let time = max(edit.time, current.revision.time)
        return try record(
            RevisionData(
                action: isDeleted ? .restored : .updated, actor: try stored(edit.actor), time: time,
                updatedAt: time,
                content: resolved, isDeletion: false),
            of: current.number, id: current.id, createdAt: current.createdAt, after: current)
    }

    func deleteArticle(
        _ id: Article.ID, expecting expectation: Precondition, by edit: Edit
    ) throws(StoreError) {
        guard let current = try state.stored(.id(id)), current.state != .deleted else {
            throw .notFound
        }
        try edit.audience.checkAccess(to: current)
        try expectation.check(current.version, in: state)
        try record(
            RevisionData(
                action: .deleted, actor: try stored(edit.actor),
                time: max(edit.time, current.revision.time),
                updatedAt: current.revision.updatedAt, content: current.revision.content,
                isDeletion: true),
            of: current.number, id: id, createdAt: current.createdAt, after: current)
    }

    /// Resolves the content's slug, authors, tags and body to stored rows, which are created if
    /// needed.
    func resolve(
        _ content: ArticleContent, for article: Int64, id: Article.ID,
        current: (content: StoredContent, body: String)?, owner: UserRecord.ID?, by edit: Edit
    ) throws(StoreError) -> StoredContent {
        let body: Int64
        if let current, current.body.hasBytes(of: content.draft.body) {
            body = current.content.body
        } else {
            body = try insertBody(content.draft.body)
        }
        if let html = content.bodyHTML { try keep(html, ofBody: body) }
        return try StoredContent(
            content.draft, state: try StoredState(content.status),
            slug: try resolve(
                content.slug, for: article, id, keeping: current?.content.slug ?? id.description,
                as: edit.audience),
            language: content.language, authors: try resolve(content.draft.authors, by: edit),
            tags: try resolve(content.tags), body: body, measure: content.measure, owner: owner)
    }
}

extension WriteStep {
    // MARK: Steps of an article's history

    /// The data of a new revision.
    struct RevisionData {
        var action: Revision.Action
        var actor: StoredActor
        var time: Timestamp
        var updatedAt: Timestamp
        var content: StoredContent
        var isDeletion: Bool
    }

    /// Maximum number of revisions of one article, which have 20 bits in row numbers.
    static let limitRevisions = 1_000_000

    /// Inserts a row for a new article and returns its number. This precedes rows that refer to it:
    /// otherwise SQLite would scan all revisions for pending references to the row.
    ///
    /// - Throws: `.idTaken` if there is or was an article with this id.
    func insert(
        _ id: Article.ID, state: StoredState, revision: Int, publication: Timestamp,
        createdAt: Timestamp, owner: UserRecord.ID? = nil
    ) throws(StoreError) -> Int64 {
        let row = try connection.statement(SQL.insertArticle)
        try row.bind(1, id)
        try row.bind(2, state.rawValue)
        try row.bind(3, revision)
        try row.bind(4, publication)
        try row.bind(5, createdAt)
        try row.bind(6, owner)
        guard let number = try row.insertUnlessTaken() else { throw .idTaken }
        return number
    }

    /// Records one step in an article's history with its consequences: the article's state, its
    /// listings, the counters, and the number in the change sequence.
    ///
    /// - Parameters:
    ///   - number: the revision's; `nil` for the next one.
    ///   - isRowCurrent: true if the article's row was inserted in this state.
    /// - Returns: the article after the step.
    @discardableResult
    func record(
        _ step: RevisionData, number: Int? = nil, of article: Int64, id: Article.ID,
        createdAt: Timestamp, after previous: StoredArticle?, isRowCurrent: Bool = false
    ) throws(StoreError) -> StoredArticle {
        let number = number ?? (previous?.lastRevision ?? 0) + 1
        guard number <= Self.limitRevisions else { throw .tooMany("revisions of one article") }
        try insertRevision(step, number: number, of: article)

        let content = step.content
        let publication = content.publishedAt ?? createdAt
        let state = step.isDeletion ? StoredState.deleted : content.state
        if !isRowCurrent {
            try set(
                article, state: state, revision: number, publication: publication,
                createdAt: createdAt, updatedAt: step.updatedAt, owner: content.owner,
                deletedAt: step.isDeletion ? step.time : nil)
        }

        if let former = previous?.revision.content.body, step.isDeletion || former != content.body {
            try removeRendering(ofBody: former)
        }
        var before: FacetListings?
        if let previous, previous.state != .deleted {
            let old = previous.revision.content
            before = try places(
                of: old, as: previous.state, publication: old.publishedAt ?? previous.createdAt)
        }
        var after: FacetListings?
        if !step.isDeletion {
            after = try places(of: content, as: state, publication: publication)
        }
        try move(article, id: id, from: before, to: after)
        try publishSlug(step, after: previous)
        let sequence = try recordChange(
            of: .article(id), number: article, revision: number, isDeletion: step.isDeletion,
            isPublic: content.state == .published
                || previous?.revision.content.state == .published)
        try recordTransitions(
            of: article, revision: number, at: sequence,
            from: previous.map(VisibilityInputs.init(of:)),
            to: VisibilityInputs(state: state, owner: content.owner, content: content))
        return StoredArticle(
            id: id, state: state, createdAt: createdAt,
            revision: StoredRevision(
                article: article, number: number, action: step.action, actor: step.actor,
                time: step.time, updatedAt: step.updatedAt, content: content))
    }

    /// Updates the row of an article.
    private func set(
        _ article: Int64, state: StoredState, revision: Int, publication: Timestamp,
        createdAt: Timestamp, updatedAt: Timestamp, owner: UserRecord.ID?, deletedAt: Timestamp?
    ) throws(StoreError) {
        let row = try connection.statement(SQL.setArticle)
        try row.bind(1, article)
        try row.bind(2, state.rawValue)
        try row.bind(3, revision)
        try row.bind(4, publication)
        try row.bind(5, createdAt)
        try row.bind(6, updatedAt)
        try row.bind(7, owner)
        try row.bind(8, deletedAt)
        try row.run()
    }
}
