import ArticleStore

/// Removing facets and actors that nothing uses any more. Facets of authors stay with these.
extension SQLStore {
    /// One step of it; the steps begin with `.listings`.
    func removeUnusedNames(
        _ phase: RetentionProgress.Phase
    ) async throws(StoreError) -> RetentionProgress.Phase {
        switch phase {
        case .tags(let candidates, let row, let since):
            return try await removeTags(candidates, after: row, since: since)
        case .actors(let number):
            let last = try await submitAsLeader { (step) throws(StoreError) in
                try step.removeActors(after: number)
            }
            return last.map { .actors(after: $0) } ?? .end
        default:
            let hasMore = try await submitAsLeader { (step) throws(StoreError) in
                try step.removeListedFacets()
            }
            if hasMore { return .listings }
            return try await read { (state) throws(StoreError) in
                .tags(
                    try state.unlistedTags(), after: 0, since: try state.changeSequence())
            }
        }
    }

    /// Looks for the tags in further revisions, and at the end of these, removes some of those that
    /// no revision has.
    private func removeTags(
        _ candidates: Set<Int64>, after row: Int64, since sequence: Int64
    ) async throws(StoreError) -> RetentionProgress.Phase {
        if candidates.isEmpty { return .actors(after: 0) }
        let (rest, last) = try await read { (state) throws(StoreError) in
            try state.unused(candidates, after: row)
        }
        if let last { return .tags(rest, after: last, since: sequence) }
        let part = Set(rest.sorted().prefix(RetentionStepLimits.names))
        let isDone = try await submitAsLeader { (step) throws(StoreError) in
            try step.removeTags(part, since: sequence)
        }
        // Too much has changed since: look through all of it again, in the next walk.
        guard isDone else { return .actors(after: 0) }
        return .tags(rest.subtracting(part), after: row, since: sequence)
    }
}

extension SQL {
    // The counters of facets are written at the end of the commit, but listings at once.
    fileprivate static let removeListedFacets: StaticString = """
        DELETE FROM facets WHERE number IN (
            SELECT number FROM facets WHERE kind IN (3, 4) AND live = 0 AND NOT EXISTS (
                SELECT 1 FROM listings WHERE facet = facets.number)
            LIMIT ?1)
        """
    fileprivate static let unlistedTags: StaticString =
        "SELECT number FROM facets WHERE kind = 1 AND live = 0 LIMIT ?1"
    fileprivate static let tagsAfterRow: StaticString =
        "SELECT row, tags FROM revisions WHERE row > ?1 ORDER BY row LIMIT ?2"
    fileprivate static let tagsSinceChange: StaticString = """
        SELECT tags FROM changes
        LEFT JOIN revisions ON kind = 0 AND row = (subject << 20 | changes.revision)
        WHERE sequence > ?1 LIMIT ?2
        """
    fileprivate static let removeTag: StaticString = """
        DELETE FROM facets WHERE number = ?1 AND kind = 1 AND live = 0 AND NOT EXISTS (
            SELECT 1 FROM listings WHERE facet = facets.number)
        """
    fileprivate static let actorsAfter: StaticString = """
        SELECT number, EXISTS (SELECT 1 FROM revisions WHERE actor = actors.number) FROM actors
        WHERE number > ?1 AND kind NOT IN (0, 3) ORDER BY number LIMIT ?2
        """
    fileprivate static let removeActor: StaticString = "DELETE FROM actors WHERE number = ?1"
}

extension Snapshot {
    fileprivate func unlistedTags() throws(StoreError) -> Set<Int64> {
        let row = try connection.statement(SQL.unlistedTags)
        try row.bind(1, 10_000)
        var tags: Set<Int64> = []
        while try row.step() { tags.insert(row.integer(0)) }
        return tags
    }

    /// The tags that the next revisions do not have, and the last of these; `nil` at their end.
    fileprivate func unused(
        _ tags: Set<Int64>, after first: Int64
    ) throws(StoreError) -> (tags: Set<Int64>, last: Int64?) {
        let row = try connection.statement(SQL.tagsAfterRow)
        try row.bind(1, first)
        try row.bind(2, RetentionStepLimits.examined)
        var (rest, last) = (tags, Int64?.none)
        while try row.step() {
            last = row.integer(0)
            rest.subtract(row.numbers(1))
        }
        return (rest, last)
    }
}

extension WriteStep {
    /// Removes languages and sources that no article has; histories have them as texts.
    fileprivate func removeListedFacets() throws(StoreError) -> Bool {
        let row = try connection.statement(SQL.removeListedFacets)
        try row.bind(1, RetentionStepLimits.names)
        try row.run()
        let count = connection.changedRows
        // Their numbers are not to be used any more.
        if count > 0 { connection.names.forget() }
        return count == RetentionStepLimits.names
    }

    /// Removes tags that no revision had as of a change; `false` if too much changed since.
    fileprivate func removeTags(
        _ tags: Set<Int64>, since sequence: Int64
    ) throws(StoreError) -> Bool {
        var unused = tags
        let later = try connection.statement(SQL.tagsSinceChange)
        try later.bind(1, sequence)
        try later.bind(2, RetentionStepLimits.examined)
        var examined = 0
        while try later.step() {
            examined += 1
            if !later.isNull(0) { unused.subtract(later.numbers(0)) }
        }
        guard examined < RetentionStepLimits.examined else { return false }
        for tag in unused.sorted() {
            let row = try connection.statement(SQL.removeTag)
            try row.bind(1, tag)
            try row.run()
        }
        connection.names.forget()
        return true
    }

    /// Removes the next actors who made no revision that is still there; returns the last one that
    /// was looked at, `nil` at the end.
    fileprivate func removeActors(after first: Int64) throws(StoreError) -> Int64? {
        let row = try connection.statement(SQL.actorsAfter)
        try row.bind(1, first)
        try row.bind(2, RetentionStepLimits.names)
        var (unused, last) = ([Int64](), Int64?.none)
        while try row.step() {
            last = row.integer(0)
            if row.integer(1) == 0 { unused.append(row.integer(0)) }
        }
        for actor in unused {
            let remove = try connection.statement(SQL.removeActor)
            try remove.bind(1, actor)
            try remove.run()
        }
        if !unused.isEmpty { connection.names.forget() }
        return last
    }
}
