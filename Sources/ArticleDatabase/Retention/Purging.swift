public import ArticleAPI
public import ArticleStore

/// Removing texts for good: articles, or revisions of them.
extension SQLStore {
    public func purge(
        _ id: Article.ID, revisions: [Int], by edit: Edit
    ) async throws(StoreError) -> PurgeCounts {
        let counts = try await submit { (step) throws(StoreError) in
            try step.purge(id, revisions: revisions, by: edit)
        }
        // Later, as the counters of facets are only written with the commit.
        try await submit { (step) throws(StoreError) in try step.removeUnusedFacets() }
        return counts
    }

    public func searchPurges() async throws(StoreError) -> [Article.ID: Int64] {
        try await read { (state) throws(StoreError) in try state.searchPurges() }
    }

    public func endSearchPurges(_ purges: [Article.ID: Int64]) async throws(StoreError) {
        try await submitAsLeader { (step) throws(StoreError) in
            try step.endSearchPurges(purges)
        }
    }

    public func eraseSearch() async throws(StoreError) {
        try await submit { (step) throws(StoreError) in
            for sql in SQL.eraseSearch { try step.connection.execute(sql) }
        }
    }
}

extension SQL {
    fileprivate static let removedRevision: StaticString =
        "SELECT body, slug FROM revisions WHERE row = ?1"
    fileprivate static let removeWritesOfRevision: StaticString =
        "DELETE FROM kept_writes WHERE body = ?1"
    // Their problems may quote rejected texts. They are harmless if they come again.
    fileprivate static let removeRejections: StaticString =
        "DELETE FROM kept_writes WHERE outcome = 2"
    fileprivate static let removeImportTitle: StaticString =
        "UPDATE imports SET title = '' WHERE article = ?1 AND revision = ?2"
    fileprivate static let removeUnusedSlug: StaticString = """
        DELETE FROM slugs WHERE slug = ?1 AND article = ?2 AND NOT EXISTS (
            SELECT 1 FROM revisions WHERE row > ?2 << 20 AND row < (?2 + 1) << 20
                AND revisions.slug = slugs.slug)
        """
    fileprivate static let liveComments: StaticString =
        "SELECT count(*) FROM comments WHERE article = ?1 AND state <> 3"
    fileprivate static let removeFacet: StaticString = "DELETE FROM facets WHERE number = ?1"
    fileprivate static let searchPurges: StaticString =
        "SELECT article, sequence FROM search_purges LIMIT 1000"
    fileprivate static let beginSearchPurge: StaticString = """
        INSERT INTO search_purges (article, sequence) VALUES (?1, ?2)
        ON CONFLICT (article) DO UPDATE SET sequence = excluded.sequence
        """
    fileprivate static let endSearchPurge: StaticString =
        "DELETE FROM search_purges WHERE article = ?1 AND sequence <= ?2"
    fileprivate static let eraseSearch: [StaticString] = [
        "DELETE FROM search_state", "DELETE FROM search_segments", "DELETE FROM search_blocks",
        "DELETE FROM search_terms", "DELETE FROM search_purges",
    ]

    /// The tags and sources without articles that no revision has.
    fileprivate static func unusedFacets(_ dialect: Invariants.Dialect) -> String {
        """
        SELECT number FROM facets WHERE kind IN (1, 4) AND live = 0
            AND NOT EXISTS (SELECT 1 FROM listings WHERE facet = facets.number)
            AND number NOT IN (SELECT value FROM revisions, \(dialect.numbers("tags")))
        """
    }
}

extension Snapshot {
    fileprivate func searchPurges() throws(StoreError) -> [Article.ID: Int64] {
        let row = try connection.statement(SQL.searchPurges)
        var purges: [Article.ID: Int64] = [:]
        while try row.step() { try purges[row.identifier(0)] = row.integer(1) }
        return purges
    }

    private func number(_ sql: StaticString, of article: Int64) throws(StoreError) -> Int {
        let row = try connection.statement(sql)
        try row.bind(1, article)
        return try row.step() ? Int(row.integer(0)) : 0
    }

    fileprivate func liveComments(on article: Int64) throws(StoreError) -> Int {
        try number(SQL.liveComments, of: article)
    }
}

extension WriteStep {
    fileprivate func purge(
        _ id: Article.ID, revisions: [Int], by edit: Edit
    ) throws(StoreError) -> PurgeCounts {
        guard let article = try state.articleNumber(id), article.revision > 0 else {
            throw .notFound
        }
        let counts =
            if revisions.isEmpty {
                try purge(id, number: article.number, by: edit)
            } else {
                try purge(revisions, of: article)
            }
        connection.effects.add(AccessChange.purge(id))
        try connection.execute(SQL.removeRejections)
        let row = try connection.statement(SQL.beginSearchPurge)
        try row.bind(1, id)
        try row.bind(2, state.changeSequence())
        try row.run()
        return counts
    }

    private func purge(
        _ id: Article.ID, number: Int64, by edit: Edit
    ) throws(StoreError) -> PurgeCounts {
        guard let current = try state.storedUnlessEmpty(number: number) else {
            return PurgeCounts(revisions: 0, comments: 0)
        }
        let counts = PurgeCounts(
            revisions: try state.revisionNumbers(of: number).count,
            comments: try state.liveComments(on: number))
        if current.state != .deleted {
            try deleteArticle(id, expecting: .anything, by: edit)
        }
        try removeContent(ofDeleted: number)
        return counts
    }

    /// Also removes the results of all writes with the texts of these revisions, and slugs that
    /// only these had.
    private func purge(
        _ numbers: [Int], of article: (number: Int64, revision: Int)
    ) throws(StoreError) -> PurgeCounts {
        guard numbers.allSatisfy({ (1...article.revision).contains($0) }) else { throw .notFound }
        let present = try Set(state.revisionNumbers(of: article.number))
        let removed = Set(numbers).intersection(present).sorted()
        guard !removed.contains(article.revision) else {
            throw .conflict("the last revision can only be purged with the whole article")
        }
        var slugs: Set<String> = []
        for number in removed {
            let found = try connection.statement(SQL.removedRevision)
            try found.bind(1, article.number << 20 | Int64(number))
            guard try found.step() else { continue }
            slugs.insert(found.text(1))
            let writes = try connection.statement(SQL.removeWritesOfRevision)
            try writes.bind(1, found.integer(0))
            try writes.run()
            let title = try connection.statement(SQL.removeImportTitle)
            try title.bind(1, article.number)
            try title.bind(2, number)
            try title.run()
        }
        try removeRevisions(removed, of: article.number)
        for slug in slugs.sorted() {
            let row = try connection.statement(SQL.removeUnusedSlug)
            try row.bind(1, slug)
            try row.bind(2, article.number)
            try row.run()
        }
        return PurgeCounts(revisions: removed.count, comments: 0)
    }

    /// Removes tags and names of sources that nothing has, as they are also texts.
    fileprivate func removeUnusedFacets() throws(StoreError) {
        let dialect: Invariants.Dialect = connection.isRemote ? .postgres : .sqlite
        let numbers = try connection.lines(of: SQL.unusedFacets(dialect)).compactMap { Int64($0) }
        for number in numbers {
            let row = try connection.statement(SQL.removeFacet)
            try row.bind(1, number)
            try row.run()
        }
        if !numbers.isEmpty { connection.names.forget() }
    }

    fileprivate func endSearchPurges(_ purges: [Article.ID: Int64]) throws(StoreError) {
        for (article, sequence) in purges {
            let row = try connection.statement(SQL.endSearchPurge)
            try row.bind(1, article)
            try row.bind(2, sequence)
            try row.run()
        }
    }
}
