public import ArticleAPI
public import ArticleAdminAPI
public import ArticleStore

/// The entries imported from sources, with their articles.
extension SQLStore {
    public func digests(
        of keys: [[UInt8]], from id: ContentSource.ID
    ) async throws(StoreError) -> [[UInt8]?] {
        try await read { (state) throws(StoreError) in try state.digests(of: keys, from: id)
        }
    }

    public func importItems(
        _ items: [SourceItem], from id: ContentSource.ID, at revision: Int, round: Int,
        time: Timestamp
    ) async throws(StoreError) -> [Result<SourceOutcome, StoreError>] {
        try await submit { (step) throws(StoreError) in
            let stored = try step.source(id, at: revision)
            return try step.importItems(items, from: stored, round: round, at: time)
        }
    }

    public func deleteMissing(
        from id: ContentSource.ID, at revision: Int, round: Int, limit: Int, time: Timestamp
    ) async throws(StoreError) -> (deleted: Int, hasMore: Bool) {
        try await submit { (step) throws(StoreError) in
            let stored = try step.source(id, at: revision)
            return try step.deleteMissing(from: stored, round: round, limit: limit, at: time)
        }
    }
}

extension SQL {
    fileprivate static let sourceEntry: StaticString = """
        SELECT article, digest, revision FROM source_entries WHERE source = ?1 AND key = ?2
        """
    fileprivate static let setSourceEntry: StaticString = """
        INSERT INTO source_entries (source, key, article, digest, revision, round)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (source, key) DO UPDATE SET
            digest = excluded.digest, revision = excluded.revision, round = excluded.round
        """
    fileprivate static let setSourceRound: StaticString =
        "UPDATE source_entries SET round = ?3 WHERE source = ?1 AND key = ?2"
    fileprivate static let missingEntries: StaticString = """
        SELECT key FROM source_entries WHERE source = ?1 AND round < ?2 ORDER BY round LIMIT ?3
        """
    fileprivate static let countEntry: StaticString =
        "UPDATE sources SET articles = articles + 1 WHERE number = ?1"
    fileprivate static let isRevisionAfter: StaticString =
        "SELECT 1 FROM revisions WHERE row = (?1 << 20 | ?2) AND time > ?3"
    fileprivate static let setAllRounds: StaticString =
        "UPDATE source_entries SET round = ?2 WHERE source = ?1"
    fileprivate static let removeSourceEntries: StaticString =
        "DELETE FROM source_entries WHERE source = ?1"
}

/// The result of importing an entry's last content.
private struct EntryImportState {
    let article: Int64
    let digest: [UInt8]
    let revision: Int

    /// The digest of an entry that has disappeared.
    static let gone = [UInt8](repeating: 0, count: 32)
}

extension Snapshot {
    fileprivate func digests(
        of keys: [[UInt8]], from id: ContentSource.ID
    ) throws(StoreError) -> [[UInt8]?] {
        let source = try source(id).number
        var digests: [[UInt8]?] = []
        for key in keys {
            let digest = try entryImportState(key, of: source)?.digest
            digests.append(digest == EntryImportState.gone ? nil : digest)
        }
        return digests
    }

    fileprivate func entryImportState(
        _ key: [UInt8], of source: Int64
    ) throws(StoreError) -> EntryImportState? {
        let row = try connection.statement(SQL.sourceEntry)
        try row.bind(1, source)
        try row.bind(2, key)
        guard try row.step() else { return nil }
        return EntryImportState(
            article: row.integer(0), digest: row.bytes(1), revision: Int(row.integer(2)))
    }
}

extension WriteStep {
    /// Maximum number of entries of one source.
    private static let limitEntries = 50_000
    /// Maximum number of revisions that an article gets from its source within a day: a source that
    /// changes with each poll does not fill the disk.
    private static let revisionsPerDay = 24
    private static let day: Int64 = 86_400_000

    fileprivate func importItems(
        _ items: [SourceItem], from stored: StoredSource, round: Int, at time: Timestamp
    ) throws(StoreError) -> [Result<SourceOutcome, StoreError>] {
        let edit = Edit(
            at: time, by: .source(id: stored.source.id, name: stored.source.shownName))
        return try eachAlone(items) { (item) throws(StoreError) in
            try importItems(item, from: stored, round: round, by: edit)
        }
    }

    private func importItems(
        _ item: SourceItem, from stored: StoredSource, round: Int, by edit: Edit
    ) throws(StoreError) -> SourceOutcome {
        let mark = try state.entryImportState(item.key, of: stored.number)
        guard case .put(let id, let content, let keepsSlug) = item.change,
            mark?.digest != item.digest
        else {
            if let mark, item.change == .delete {
                return try delete(item.key, mark, from: stored, round: round, by: edit)
            }
            try setRound(item.key, of: stored.number, round)
            return .unchanged
        }
        if let mark {
            if try isTooSoon(mark, at: edit.time) {
                try setRound(item.key, of: stored.number, round)
                return .deferred
            }
        } else {
            try countEntry(of: stored)
        }
        let taken = try take(
            content, as: id, keepsSlug: keepsSlug,
            over: mark.map { ($0.article, $0.revision) }, by: edit)
        guard let taken else {
            try setRound(item.key, of: stored.number, round)
            return .keptEdits
        }
        try setEntry(
            item.key, of: stored.number,
            EntryImportState(
                article: taken.number, digest: item.digest, revision: taken.lastRevision), round)
        guard let mark else { return .created }
        return taken.lastRevision == mark.revision ? .unchanged : .updated
    }

    /// Returns true if the article that was not edited got as many revisions as it may within a
    /// day.
    private func isTooSoon(_ mark: EntryImportState, at time: Timestamp) throws(StoreError) -> Bool
    {
        guard mark.revision >= Self.revisionsPerDay,
            try state.storedUnlessEmpty(number: mark.article)?.lastRevision == mark.revision
        else { return false }
        let row = try connection.statement(SQL.isRevisionAfter)
        try row.bind(1, mark.article)
        try row.bind(2, mark.revision - Self.revisionsPerDay + 1)
        try row.bind(3, time.advanced(byMilliseconds: -Self.day))
        return try row.step()
    }

    /// Deletes the article of an entry unless it was edited. The entry stays, without a content, so
    /// that the article comes back with it.
    private func delete(
        _ key: [UInt8], _ mark: EntryImportState, from stored: StoredSource, round: Int,
        by edit: Edit
    ) throws(StoreError) -> SourceOutcome {
        guard let current = try state.storedUnlessEmpty(number: mark.article),
            current.lastRevision == mark.revision
        else {
            try setRound(key, of: stored.number, round)
            return .keptEdits
        }
        guard current.state != .deleted else {
            try setRound(key, of: stored.number, round)
            return .unchanged
        }
        try deleteArticle(current.id, expecting: .anything, by: edit)
        try setEntry(
            key, of: stored.number,
            EntryImportState(
                article: mark.article, digest: EntryImportState.gone, revision: mark.revision + 1),
            round)
        return .deleted
    }

    fileprivate func deleteMissing(
        from stored: StoredSource, round: Int, limit: Int, at time: Timestamp
    ) throws(StoreError) -> (deleted: Int, hasMore: Bool) {
        let row = try connection.statement(SQL.missingEntries)
        try row.bind(1, stored.number)
        try row.bind(2, round)
        try row.bind(3, limit)
        var items: [SourceItem] = []
        while try row.step() {
            items.append(SourceItem(key: row.bytes(0), digest: [], change: .delete))
        }
        let results = try importItems(items, from: stored, round: round, at: time)
        let outcomes = results.compactMap { try? $0.get() }
        // Without any success, a further step would not have one either.
        return (outcomes.count { $0 == .deleted }, items.count == limit && !outcomes.isEmpty)
    }

    /// Prevents snapshots from missing the entries until they have been seen again: the source has
    /// another URL, and entries that it lacks have not disappeared from there.
    func exemptEntries(of source: Int64) throws(StoreError) {
        let row = try connection.statement(SQL.setAllRounds)
        try row.bind(1, source)
        try row.bind(2, Int64.max)
        try row.run()
    }

    func removeEntries(of source: Int64) throws(StoreError) {
        let row = try connection.statement(SQL.removeSourceEntries)
        try row.bind(1, source)
        try row.run()
    }

    private func setEntry(
        _ key: [UInt8], of source: Int64, _ mark: EntryImportState, _ round: Int
    ) throws(StoreError) {
        let row = try connection.statement(SQL.setSourceEntry)
        try row.bind(1, source)
        try row.bind(2, key)
        try row.bind(3, mark.article)
        try row.bind(4, mark.digest)
        try row.bind(5, mark.revision)
        try row.bind(6, round)
        try row.run()
    }

    private func setRound(
        _ key: [UInt8], of source: Int64, _ round: Int
    ) throws(StoreError) {
        let row = try connection.statement(SQL.setSourceRound)
        try row.bind(1, source)
        try row.bind(2, key)
        try row.bind(3, round)
        try row.run()
    }

    private func countEntry(of stored: StoredSource) throws(StoreError) {
        // Read again, as entries before this one were counted.
        guard try state.source(stored.source.id).source.articleCount < Self.limitEntries else {
            throw .tooMany("entries of one source")
        }
        let row = try connection.statement(SQL.countEntry)
        try row.bind(1, stored.number)
        try row.run()
    }
}
