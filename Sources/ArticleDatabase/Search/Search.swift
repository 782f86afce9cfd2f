public import ArticleStore

/// The index of full-text search, which is written without a change: its state and its segments.
extension SQLStore {
    public func searchIndex() async throws(StoreError) -> SearchIndexRecord {
        try await read { (state) throws(StoreError) in try state.searchIndex() }
    }

    public func searchKeys(of segment: Int64) async throws(StoreError) -> [SearchKeyRecord] {
        try await read { (state) throws(StoreError) in try state.searchKeys(of: segment) }
    }

    public func searchBlocks(
        _ query: SearchBlockQuery
    ) async throws(StoreError) -> [SearchBlockQuery.Blocks]? {
        try await read { (state) throws(StoreError) in try state.searchBlocks(query) }
    }

    public func searchBlocks(
        of segment: Int64, from number: Int, limitBytes: Int
    ) async throws(StoreError) -> [SearchBlockRecord] {
        try await read { (state) throws(StoreError) in
            try state.searchBlocks(of: segment, from: number, limitBytes: limitBytes)
        }
    }

    public func putSearchBlocks(
        _ blocks: [SearchBlockRecord], of segment: Int64
    ) async throws(StoreError) {
        try await submitAsLeader { (step) throws(StoreError) in
            try step.putSearchBlocks(blocks, of: segment)
        }
    }

    public func commitSearch(_ commit: SearchCommit) async throws(StoreError) {
        try await submitAsLeader { (step) throws(StoreError) in try step.commitSearch(commit) }
    }

    public func resetSearch() async throws(StoreError) {
        try await submitAsLeader { (step) throws(StoreError) in
            try step.connection.execute(SQL.removeSearchState)
            try step.connection.execute(SQL.removeSearchSegments)
        }
    }

    public func removeObsoleteSearchBlocks(
        except kept: Set<Int64>, limit: Int
    ) async throws(StoreError) -> Bool {
        try await submitAsLeader { (step) throws(StoreError) in
            try step.removeObsoleteSearchBlocks(except: kept, limit: limit)
        }
    }
}

extension SQL {
    fileprivate static let searchState: StaticString =
        "SELECT epoch, version, sequence, base, seen, mark FROM search_state"
    fileprivate static let searchSegments: StaticString =
        "SELECT number, level, bytes, dead FROM search_segments ORDER BY number"
    fileprivate static let lastSearchSegment: StaticString = """
        SELECT max(number) FROM (SELECT max(number) AS number FROM search_segments
            UNION ALL SELECT max(number) >> 31 FROM search_blocks) AS found
        """
    fileprivate static let putSearchState: StaticString = """
        INSERT INTO search_state (number, epoch, version, sequence, base, seen, mark)
        VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6)
        ON CONFLICT (number) DO UPDATE SET epoch = excluded.epoch, version = excluded.version,
            sequence = excluded.sequence, base = excluded.base, seen = excluded.seen,
            mark = excluded.mark
        """
    fileprivate static let removeSearchState: StaticString = "DELETE FROM search_state"
    fileprivate static let removeSearchSegments: StaticString = "DELETE FROM search_segments"
    fileprivate static let insertSearchSegment: StaticString =
        "INSERT INTO search_segments (number, level, bytes, dead) VALUES (?1, ?2, ?3, ?4)"
    fileprivate static let removeSearchSegment: StaticString =
        "DELETE FROM search_segments WHERE number = ?1"
    fileprivate static let setDeadInSearchSegment: StaticString =
        "UPDATE search_segments SET dead = ?2 WHERE number = ?1"
}

extension Snapshot {
    func searchIndex() throws(StoreError) -> SearchIndexRecord {
        let last = try connection.statement(SQL.lastSearchSegment)
        let lastSegment = try last.step() ? last.integer(0) : 0
        return SearchIndexRecord(
            progress: try searchProgress(), segments: try searchSegments(),
            lastSegment: lastSegment)
    }

    private func searchProgress() throws(StoreError) -> SearchProgress? {
        let row = try connection.statement(SQL.searchState)
        guard try row.step() else { return nil }
        guard let epoch = Epoch(row) else { throw .corrupt("the index has no epoch") }
        let position = ChangePosition(
            epoch: epoch, sequence: row.integer(2), base: row.integer(3),
            seen: row.isNull(4) ? max(row.integer(2), row.integer(3)) : row.integer(4),
            mark: row.integer(5))
        return SearchProgress(version: Int(row.integer(1)), position: position)
    }

    private func searchSegments() throws(StoreError) -> [SearchSegmentRecord] {
        let row = try connection.statement(SQL.searchSegments)
        var segments: [SearchSegmentRecord] = []
        while try row.step() {
            segments.append(
                SearchSegmentRecord(
                    number: row.integer(0), level: Int(row.integer(1)), bytes: Int(row.integer(2)),
                    dead: row.bytes(3)))
        }
        return segments
    }
}

extension WriteStep {
    fileprivate func commitSearch(_ commit: SearchCommit) throws(StoreError) {
        for number in commit.removed {
            let row = try connection.statement(SQL.removeSearchSegment)
            try row.bind(1, number)
            try row.run()
        }
        for segment in commit.added {
            let row = try connection.statement(SQL.insertSearchSegment)
            try row.bind(1, segment.number)
            try row.bind(2, segment.level)
            try row.bind(3, segment.bytes)
            try row.bind(4, segment.dead)
            try row.run()
        }
        for (number, dead) in commit.dead {
            let row = try connection.statement(SQL.setDeadInSearchSegment)
            try row.bind(1, number)
            try row.bind(2, dead)
            try row.run()
        }
        let position = commit.progress.position
        let row = try connection.statement(SQL.putSearchState)
        try row.bind(1, position.epoch.bytes)
        try row.bind(2, commit.progress.version)
        try row.bind(3, position.sequence)
        try row.bind(4, position.base)
        try row.bind(5, position.seen)
        try row.bind(6, position.mark)
        try row.run()
    }
}
