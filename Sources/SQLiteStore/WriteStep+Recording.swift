import ArticleAPI
import ArticleStore

extension WriteStep {
    /// The data of a new revision.
    struct Step {
        var action: Revision.Action
        var actor: StoredActor
        var time: Timestamp
        var updatedAt: Timestamp
        var content: StoredContent
        var isDeletion: Bool
    }

    /// Maximum number of revisions of one article, which have 20 bits in row numbers.
    static let revisionLimit = 1_000_000

    /// Inserts a row for a new article and returns its number. This precedes rows that refer to it:
    /// otherwise SQLite would scan all revisions for pending references to the row.
    ///
    /// - Throws: `.idTaken` if there is or was an article with this id.
    func insert(
        _ id: Article.ID, state: StoredState, revision: Int, publication: Timestamp,
        createdAt: Timestamp
    ) throws(StoreError) -> Int64 {
        let row = try connection.statement(SQL.insertArticle)
        try row.bind(1, id)
        try row.bind(2, state.rawValue)
        try row.bind(3, revision)
        try row.bind(4, publication)
        try row.bind(5, createdAt)
        guard let number = try row.insertUnlessTaken() else { throw .idTaken }
        return number
    }

    /// Records the first step in the history of an article whose row already exists.
    func record(firstStep step: Step, of article: Int64, id: Article.ID) throws(StoreError) {
        try insertRevision(step, number: 1, of: article)
        let content = step.content
        let publication = content.publishedAt ?? step.time
        let places = Places(
            state: content.state, publication: publication, facets: try facets(of: content))
        try move(article, id: id, from: nil, to: places)
        try publishSlug(step, at: publication, after: nil)
        try recordChange(
            of: .article(id), number: article, revision: 1, isDeletion: false,
            isPublic: content.state != .draft)
    }

    /// Records one step in an article's history with its consequences: the article's state, its
    /// listings, the counters, and the number in the change sequence.
    func record(
        _ step: Step, of article: Int64, id: Article.ID, createdAt: Timestamp,
        after previous: StoredArticle?
    ) throws(StoreError) {
        let number = (previous?.lastRevision ?? 0) + 1
        guard number <= Self.revisionLimit else { throw .tooMany("revisions of one article") }
        try insertRevision(step, number: number, of: article)

        let content = step.content
        let publication = content.publishedAt ?? createdAt
        let state = step.isDeletion ? StoredState.deleted : content.state
        try set(
            article, state: state, revision: number, publication: publication,
            createdAt: createdAt, updatedAt: step.updatedAt)

        var before: Places?
        if let previous, previous.state != .deleted {
            let old = previous.revision.content
            before = Places(
                state: previous.state,
                publication: old.publishedAt ?? previous.createdAt, facets: try facets(of: old))
        }
        var after: Places?
        if !step.isDeletion {
            after = Places(
                state: state, publication: publication, facets: try facets(of: content))
        }
        try move(article, id: id, from: before, to: after)
        try publishSlug(step, at: publication, after: previous)
        try recordChange(
            of: .article(id), number: article, revision: number, isDeletion: step.isDeletion,
            isPublic: content.state != .draft
                || previous.map { $0.revision.content.state != .draft } ?? false)
    }

    /// Records since when the public knows the article by its slug.
    private func publishSlug(
        _ step: Step, at publication: Timestamp, after previous: StoredArticle?
    ) throws(StoreError) {
        var known: String?
        if let previous, previous.state == .published {
            let slug = previous.revision.content.slug
            if (previous.revision.content.publishedAt ?? previous.createdAt) <= step.time {
                known = slug
            } else {
                // It was still scheduled: nobody has seen it.
                let row = try connection.statement(SQL.withdrawSlug)
                try row.bind(1, slug)
                try row.bind(2, step.time)
                try row.run()
            }
        }
        guard !step.isDeletion, step.content.state == .published, step.content.slug != known else {
            return
        }
        let row = try connection.statement(SQL.publishSlug)
        try row.bind(1, step.content.slug)
        try row.bind(2, max(step.time, publication))
        try row.run()
    }

    /// Updates the row of an article.
    private func set(
        _ article: Int64, state: StoredState, revision: Int, publication: Timestamp,
        createdAt: Timestamp, updatedAt: Timestamp
    ) throws(StoreError) {
        let row = try connection.statement(SQL.setArticle)
        try row.bind(1, article)
        try row.bind(2, state.rawValue)
        try row.bind(3, revision)
        try row.bind(4, publication)
        try row.bind(5, createdAt)
        try row.bind(6, updatedAt)
        try row.run()
    }

    /// Adds a change with the next number of the sequence, which is the table's next row, as rows
    /// are never deleted.
    func recordChange(
        of subject: ChangeRecord.Subject, number: Int64, revision: Int, isDeletion: Bool,
        isPublic: Bool
    ) throws(StoreError) {
        let row = try connection.statement(SQL.insertChange)
        try row.bind(1, subject.kind)
        try row.bind(2, number)
        try row.bind(3, revision)
        try row.bind(4, isDeletion ? 1 : 0)
        connection.effects.add(
            ChangeRecord(
                sequence: try row.insert(), subject: subject, revision: revision,
                isDeletion: isDeletion, isPublic: isPublic))
    }

    private func insertRevision(
        _ step: Step, number: Int, of article: Int64
    ) throws(StoreError) {
        let content = step.content
        guard let action = step.action.stored else { throw .conflict("an unknown action") }
        let row = try connection.statement(SQL.insertRevision)
        try row.bind(1, article)
        try row.bind(2, number)
        try row.bind(3, action)
        try row.bind(4, step.actor.name)
        try row.bind(5, step.time)
        try row.bind(6, content.state.rawValue)
        try row.bind(7, content.publishedAt)
        try row.bind(8, step.updatedAt)
        try row.bind(9, content.slug)
        try row.bind(10, content.title)
        try row.bind(11, content.summary)
        try row.bind(12, content.language)
        try row.bind(13, Self.list(content.authors))
        try row.bind(14, Self.list(content.tags))
        try row.bind(15, content.heroImage?.url)
        try row.bind(16, content.heroImage?.alternativeText)
        try row.bind(17, content.source?.name)
        try row.bind(18, content.source?.url)
        try row.bind(19, content.wordCount)
        try row.bind(20, content.readingMinutes)
        try row.bind(21, content.body)
        try row.bind(22, content.bodyBytes)
        try row.bind(23, step.actor.number)
        try row.run()
    }

    private static func list(_ numbers: [Int64]) -> String {
        "[" + numbers.map(String.init).joined(separator: ",") + "]"
    }

    // MARK: Listings

    /// The listings of an article that is not deleted.
    private struct Places {
        var state: StoredState
        var publication: Timestamp
        var facets: Set<Int64>

        func isAtSamePlace(as other: Places?) -> Bool {
            other.map { $0.state == state && $0.publication == publication } ?? false
        }
    }

    private func facets(of content: StoredContent) throws(StoreError) -> Set<Int64> {
        var facets = Set(content.tags).union(content.authors)
        facets.insert(everyArticle)
        facets.insert(try facet(.language, key: content.language))
        if let source = content.source { facets.insert(try facet(.source, key: source.name)) }
        return facets
    }

    /// The number of a facet, which is created if it does not exist.
    func facet(
        _ kind: FacetKind, key: String, name: String? = nil
    ) throws(StoreError) -> Int64 {
        try connection.names.facet(kind, key) { () throws(StoreError) in
            if let found = try state.facet(kind, key: .text(key)) { return found.number }
            let row = try connection.statement(SQL.insertFacet)
            try row.bind(1, kind.rawValue)
            try row.bind(2, key)
            try row.bind(3, name)
            return try row.insert()
        }
    }

    /// Moves the article to its new listings and updates the counters; unchanged listings are not
    /// touched.
    private func move(
        _ article: Int64, id: Article.ID, from before: Places?, to after: Places?
    ) throws(StoreError) {
        let kept =
            before?.isAtSamePlace(as: after) == true
            ? before?.facets.intersection(after?.facets ?? []) ?? [] : []
        let left = (before?.facets ?? []).subtracting(kept)
        let entered = (after?.facets ?? []).subtracting(kept)
        if let before {
            for facet in left {
                let row = try connection.statement(SQL.unlist)
                try bind(row, facet, before, id)
                try row.run()
            }
        }
        if let after {
            for facet in entered {
                let row = try connection.statement(SQL.list)
                try bind(row, facet, after, id)
                try row.bind(5, article)
                try row.run()
            }
        }
        for facet in left.union(entered) {
            connection.effects.counts.add(
                facet, from: left.contains(facet) ? before?.state : nil,
                to: entered.contains(facet) ? after?.state : nil)
        }
    }

    private func bind(
        _ row: borrowing Statement, _ facet: Int64, _ places: Places, _ id: Article.ID
    ) throws(StoreError) {
        try row.bind(1, facet)
        try row.bind(2, places.state.rawValue)
        try row.bind(3, places.publication)
        try row.bind(4, id)
    }
}
