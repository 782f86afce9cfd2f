public import ArticleAPI
public import ArticleAdminAPI
public import ArticleStore

/// Sources of articles: their settings, and the positions of their polls. They are written without
/// a change.
extension SQLStore {
    public func createSource(
        _ source: ContentSource, by edit: Edit
    ) async throws(StoreError) -> ContentSource {
        try await submit { (step) throws(StoreError) in
            try step.claim(edit)
            let source = try step.createSource(source, at: edit.time)
            try step.keep(.source(source, isNew: true), of: edit)
            return source
        }
    }

    public func source(_ id: ContentSource.ID) async throws(StoreError) -> ContentSource {
        try await read { (state) throws(StoreError) in
            try state.present(state.source(id))
        }
    }

    public func sources(
        after id: ContentSource.ID?, limit: Int
    ) async throws(StoreError) -> Slice<ContentSource, ContentSource.ID> {
        try await read { (state) throws(StoreError) in
            try state.sources(after: id, limit: limit)
        }
    }

    public func updateSource(
        _ id: ContentSource.ID, _ changes: ContentSource.Changes,
        expecting expectation: Precondition, at time: Timestamp
    ) async throws(StoreError) -> ContentSource {
        try await submit { (step) throws(StoreError) in
            try step.updateSource(id, changes, expecting: expectation, at: time)
        }
    }

    public func deleteSource(
        _ id: ContentSource.ID, expecting expectation: Precondition
    ) async throws(StoreError) {
        try await submit { (step) throws(StoreError) in
            try step.deleteSource(id, expecting: expectation)
        }
    }

    public func requestPoll(
        of id: ContentSource.ID, at time: Timestamp
    ) async throws(StoreError) -> ContentSource {
        try await submit { (step) throws(StoreError) in
            try step.requestPoll(of: id, at: time)
        }
    }

    public func dueSources(at time: Timestamp) async throws(StoreError) -> [DueSource] {
        try await read { (state) throws(StoreError) in try state.dueSources(at: time) }
    }

    public func position(of id: ContentSource.ID) async throws(StoreError) -> SourcePosition {
        try await read { (state) throws(StoreError) in try state.source(id).position }
    }

    public func recordPoll(
        _ poll: SourcePoll, of id: ContentSource.ID
    ) async throws(StoreError) {
        try await submit { (step) throws(StoreError) in
            try step.recordPoll(poll, of: id)
        }
    }

    public func sourceCounts(at time: Timestamp) async throws(StoreError) -> SourceCounts {
        try await read { (state) throws(StoreError) in try state.sourceCounts(at: time) }
    }
}

extension SQL {
    fileprivate static let source: StaticString = "SELECT * FROM sources WHERE id = ?1"
    fileprivate static let sourcesAfter: StaticString =
        "SELECT * FROM sources WHERE id > ?1 ORDER BY id LIMIT ?2"
    fileprivate static let dueSources: StaticString = """
        SELECT id, coalesce(moved_to, url) FROM sources WHERE next_poll_at <= ?1
        ORDER BY next_poll_at
        """
    fileprivate static let sourceCounts: StaticString = """
        SELECT count(*) FILTER (WHERE is_paused = 0 AND failures = 0),
            count(*) FILTER (WHERE is_paused = 0 AND failures > 0),
            count(*) FILTER (WHERE is_paused = 1),
            min(next_poll_at) FILTER (WHERE next_poll_at <= ?1)
        FROM sources
        """
    fileprivate static let sourceCount: StaticString = "SELECT count(*) FROM sources"
    fileprivate static let isSourceURL: StaticString =
        "SELECT 1 FROM sources WHERE url = ?1 AND id <> ?2"
    fileprivate static let insertSource: StaticString = """
        INSERT INTO sources (id, url, name, publishes, language, tags, is_paused,
            interval_seconds, created_at, updated_at, revision, next_poll_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
        """
    fileprivate static let updateSource: StaticString = """
        UPDATE sources SET url = ?2, name = ?3, publishes = ?4, language = ?5, tags = ?6,
            is_paused = ?7, interval_seconds = ?8, updated_at = ?10, revision = ?11,
            next_poll_at = ?12
        WHERE id = ?1 AND created_at = ?9
        """
    fileprivate static let resetPosition: StaticString =
        """
        UPDATE sources SET etag = NULL, last_modified = NULL, token = NULL, is_listing = 1
        WHERE id = ?1
        """
    fileprivate static let resetSource: StaticString = """
        UPDATE sources SET kind = NULL, title = NULL, moved_to = NULL, failures = 0, error = NULL
        WHERE id = ?1
        """
    fileprivate static let deleteSource: StaticString = "DELETE FROM sources WHERE number = ?1"
    fileprivate static let requestPoll: StaticString = """
        UPDATE sources SET next_poll_at = CASE WHEN next_poll_at < ?2 THEN next_poll_at ELSE ?2 END
        WHERE id = ?1
        """
    fileprivate static let recordFailure: StaticString = """
        UPDATE sources SET polled_at = ?2, next_poll_at = CASE WHEN is_paused = 0 THEN ?3 END,
            failures = failures + 1, error = ?4
        WHERE number = ?1
        """
    fileprivate static let recordSuccess: StaticString = """
        UPDATE sources SET polled_at = ?2, succeeded_at = ?2,
            next_poll_at = CASE WHEN is_paused = 0 THEN ?3 END, failures = 0, error = NULL
        WHERE number = ?1
        """
    fileprivate static let recordTaken: StaticString = """
        UPDATE sources SET kind = ?2, title = ?3, moved_to = ?4, etag = ?5, last_modified = ?6,
            token = ?7, round = ?8, is_listing = ?9, skipped = ?10, skipped_reason = ?11
        WHERE number = ?1
        """
}

/// A source with its row and its position.
struct StoredSource {
    let number: Int64
    /// Without a version.
    let source: ContentSource
    let position: SourcePosition

    /// Reads the columns of `sources`.
    init(_ row: borrowing Statement) throws(StoreError) {
        number = row.integer(0)
        source = ContentSource(
            id: try row.identifier(1), url: row.text(2), name: row.optionalText(3),
            publishes: row.integer(4) != 0, language: row.optionalText(5),
            tags: row.text(6).split(separator: "\n").map(String.init),
            isPaused: row.integer(7) != 0, intervalSeconds: row.optionalInteger(8).map { Int($0) },
            kind: row.optionalInteger(12).map { $0 == 0 ? .feed : .broadsheet },
            title: row.optionalText(13), movedTo: row.optionalText(14),
            lastPolledAt: row.optionalTime(15), lastSucceededAt: row.optionalTime(16),
            nextPollAt: row.optionalTime(17), failures: Int(row.integer(18)),
            lastError: row.optionalText(19), articleCount: Int(row.integer(20)),
            skippedCount: Int(row.integer(21)), skippedReason: row.optionalText(22),
            createdAt: row.time(9), updatedAt: row.time(10), revision: Int(row.integer(11)))
        position = SourcePosition(
            etag: row.optionalText(23), lastModified: row.optionalText(24),
            token: row.optionalText(25), round: Int(row.integer(26)),
            isListing: row.integer(27) != 0)
    }
}

extension Snapshot {
    func source(_ id: ContentSource.ID) throws(StoreError) -> StoredSource {
        let row = try connection.statement(SQL.source)
        try row.bind(1, id)
        guard try row.step() else { throw .notFound }
        return try StoredSource(row)
    }

    fileprivate func present(_ stored: StoredSource) throws(StoreError) -> ContentSource {
        var source = stored.source
        source.version = try text(of: source.stored)
        return source
    }

    fileprivate func sources(
        after id: ContentSource.ID?, limit: Int
    ) throws(StoreError) -> Slice<ContentSource, ContentSource.ID> {
        let limit = min(max(limit, 1), 100)
        let row = try connection.statement(SQL.sourcesAfter)
        if let id { try row.bind(1, id) } else { try row.bind(1, [UInt8]()) }
        try row.bind(2, limit + 1)
        var page = Slice<ContentSource, ContentSource.ID>(items: [], next: nil)
        while try row.step() {
            guard page.items.count < limit else {
                page.next = page.items.last?.id
                break
            }
            page.items.append(try present(StoredSource(row)))
        }
        return page
    }

    fileprivate func dueSources(at time: Timestamp) throws(StoreError) -> [DueSource] {
        let row = try connection.statement(SQL.dueSources)
        try row.bind(1, time)
        var due: [DueSource] = []
        while try row.step() { due.append(DueSource(id: try row.identifier(0), url: row.text(1))) }
        return due
    }

    fileprivate func sourceCounts(at time: Timestamp) throws(StoreError) -> SourceCounts {
        let row = try connection.statement(SQL.sourceCounts)
        try row.bind(1, time)
        guard try row.step() else { throw .corrupt("the sources cannot be counted") }
        return SourceCounts(
            active: Int(row.integer(0)), failing: Int(row.integer(1)),
            paused: Int(row.integer(2)), dueSince: row.optionalTime(3))
    }
}

extension WriteStep {
    /// Maximum number of sources.
    private static let limitSources = 1_000

    fileprivate func createSource(
        _ source: ContentSource, at time: Timestamp
    ) throws(StoreError) -> ContentSource {
        var source = source
        (source.revision, source.createdAt, source.updatedAt) = (1, time, time)
        source.nextPollAt = source.isPaused ? nil : time
        if try isKnown(source.id) { throw .idTaken }
        try checkURL(source)
        let count = try connection.statement(SQL.sourceCount)
        guard try count.step(), Int(count.integer(0)) < Self.limitSources else {
            throw .tooMany("sources")
        }
        try write(source, SQL.insertSource)
        return try state.present(state.source(source.id))
    }

    private func isKnown(_ id: ContentSource.ID) throws(StoreError) -> Bool {
        let row = try connection.statement(SQL.source)
        try row.bind(1, id)
        return try row.step()
    }

    private func checkURL(_ source: ContentSource) throws(StoreError) {
        let row = try connection.statement(SQL.isSourceURL)
        try row.bind(1, source.url)
        try row.bind(2, source.id)
        if try row.step() { throw .conflict("another source has this URL") }
    }

    /// Inserts or updates the settings of a source.
    private func write(_ source: ContentSource, _ sql: StaticString) throws(StoreError) {
        let row = try connection.statement(sql)
        try row.bind(1, source.id)
        try row.bind(2, source.url)
        try row.bind(3, source.name)
        try row.bind(4, source.publishes ? 1 : 0)
        try row.bind(5, source.language)
        try row.bind(6, source.tags.joined(separator: "\n"))
        try row.bind(7, source.isPaused ? 1 : 0)
        try row.bind(8, source.intervalSeconds.map { Int64($0) })
        try row.bind(9, source.createdAt)
        try row.bind(10, source.updatedAt)
        try row.bind(11, source.revision)
        try row.bind(12, source.nextPollAt)
        try row.run()
    }

    fileprivate func updateSource(
        _ id: ContentSource.ID, _ changes: ContentSource.Changes,
        expecting expectation: Precondition, at time: Timestamp
    ) throws(StoreError) -> ContentSource {
        let stored = try state.source(id)
        let old = stored.source
        try expectation.check(old.stored, in: state)
        var new: ContentSource
        do throws(InvalidValue) { new = try old.applying(changes) } catch {
            throw .invalid(error.details)
        }
        guard new != old else { return try state.present(stored) }
        if new.url != old.url { try checkURL(new) }
        new.revision += 1
        new.updatedAt = time
        new.nextPollAt = new.isPaused ? nil : time
        try write(new, SQL.updateSource)
        if new.url != old.url {
            try reset(id, SQL.resetSource)
            try exemptEntries(of: stored.number)
        }
        if !new.makesSameArticles(as: old) { try reset(id, SQL.resetPosition) }
        let source = try state.present(state.source(id))
        if source.shownName != old.shownName { try renameActor(id, to: source.shownName) }
        return source
    }

    private func reset(_ id: ContentSource.ID, _ sql: StaticString) throws(StoreError) {
        let row = try connection.statement(sql)
        try row.bind(1, id)
        try row.run()
    }

    fileprivate func deleteSource(
        _ id: ContentSource.ID, expecting expectation: Precondition
    ) throws(StoreError) {
        let stored = try state.source(id)
        try expectation.check(stored.source.stored, in: state)
        try removeEntries(of: stored.number)
        let row = try connection.statement(SQL.deleteSource)
        try row.bind(1, stored.number)
        try row.run()
    }

    // MARK: Polling

    fileprivate func requestPoll(
        of id: ContentSource.ID, at time: Timestamp
    ) throws(StoreError) -> ContentSource {
        let row = try connection.statement(SQL.requestPoll)
        try row.bind(1, id)
        try row.bind(2, time)
        try row.run()
        return try state.present(state.source(id))
    }

    /// The source, if it was not changed.
    func source(
        _ id: ContentSource.ID, at revision: Int
    ) throws(StoreError) -> StoredSource {
        let stored = try state.source(id)
        guard stored.source.revision == revision else {
            throw .preconditionFailed(current: stored.source.revision)
        }
        return stored
    }

    fileprivate func recordPoll(
        _ poll: SourcePoll, of id: ContentSource.ID
    ) throws(StoreError) {
        let stored = try source(id, at: poll.revision)
        if case .failed(let reason) = poll.result {
            let row = try connection.statement(SQL.recordFailure)
            try row.bind(1, stored.number)
            try row.bind(2, poll.time)
            try row.bind(3, poll.nextPollAt)
            try row.bind(4, reason)
            return try row.run()
        }
        if case .taken(let taken) = poll.result { try record(taken, of: stored) }
        let row = try connection.statement(SQL.recordSuccess)
        try row.bind(1, stored.number)
        try row.bind(2, poll.time)
        try row.bind(3, poll.nextPollAt)
        try row.run()
    }

    private func record(
        _ taken: SourcePoll.Taken, of stored: StoredSource
    ) throws(StoreError) {
        let row = try connection.statement(SQL.recordTaken)
        try row.bind(1, stored.number)
        try row.bind(2, taken.kind == .feed ? 0 : 1)
        try row.bind(3, taken.title)
        try row.bind(4, taken.movedTo)
        try row.bind(5, taken.position.etag)
        try row.bind(6, taken.position.lastModified)
        try row.bind(7, taken.position.token)
        try row.bind(8, taken.position.round)
        try row.bind(9, taken.position.isListing ? 1 : 0)
        try row.bind(10, taken.skippedCount)
        try row.bind(11, taken.skippedReason)
        try row.run()
        var source = stored.source
        source.title = taken.title
        if source.shownName != stored.source.shownName {
            try renameActor(source.id, to: source.shownName)
        }
    }
}

extension ContentSource {
    /// Returns true if articles imported with these settings need not be compared again.
    fileprivate func makesSameArticles(as other: ContentSource) -> Bool {
        (url, name, publishes, language, tags)
            == (other.url, other.name, other.publishes, other.language, other.tags)
    }
}

extension ContentSource {
    var stored: VersionedRevision<ContentSource> {
        VersionedRevision(id: id, revision: revision, time: updatedAt, subject: nil)
    }
}
