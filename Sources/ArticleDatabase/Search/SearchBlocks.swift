import ArticleStore

/// The blocks of the index of full-text search.
enum SearchBlocks {
    /// The row of a block.
    static func row(_ segment: Int64, _ block: Int) -> Int64 { segment << 31 | Int64(block) }

    /// The number of a block in its segment.
    static func number(ofRow row: Int64) -> Int { Int(row & (1 << 31 - 1)) }
}

extension SQL {
    fileprivate static let searchKeys: StaticString =
        "SELECT first, block FROM search_terms WHERE segment = ?1 ORDER BY first"
    fileprivate static let searchBlocks: StaticString =
        "SELECT number, data FROM search_blocks WHERE number >= ?1 AND number < ?2 ORDER BY number"
    fileprivate static let insertSearchBlock: StaticString =
        "INSERT INTO search_blocks (number, data) VALUES (?1, ?2)"
    fileprivate static let insertSearchTerm: StaticString =
        "INSERT INTO search_terms (segment, first, block) VALUES (?1, ?2, ?3)"
    fileprivate static let nextSearchBlock: StaticString = """
        SELECT number >> 31, EXISTS (SELECT 1 FROM search_segments
            WHERE search_segments.number = search_blocks.number >> 31)
        FROM search_blocks WHERE number >= ?1 ORDER BY number LIMIT 1
        """
    fileprivate static let removeSearchBlocks: StaticString = """
        DELETE FROM search_blocks WHERE number IN (
            SELECT number FROM search_blocks WHERE number >= ?1 AND number < ?2
            ORDER BY number LIMIT ?3)
        """
    fileprivate static let removeSearchTerms: StaticString = """
        DELETE FROM search_terms WHERE segment = ?1 AND first IN (
            SELECT first FROM search_terms WHERE segment = ?1 LIMIT ?2)
        """
}

extension Snapshot {
    func searchKeys(of segment: Int64) throws(StoreError) -> [SearchKeyRecord] {
        let row = try connection.statement(SQL.searchKeys)
        try row.bind(1, segment)
        var keys: [SearchKeyRecord] = []
        while try row.step() {
            keys.append(SearchKeyRecord(first: row.bytes(0), block: Int(row.integer(1))))
        }
        return keys
    }

    func searchBlocks(
        _ query: SearchBlockQuery
    ) throws(StoreError) -> [SearchBlockQuery.Blocks]? {
        var found: [SearchBlockQuery.Blocks] = []
        found.reserveCapacity(query.ranges.count)
        var left = query.limitBytes
        for range in query.ranges {
            let blocks = try searchBlocks(range, &left)
            guard blocks.count == range.blocks.count else { return nil }
            found.append(blocks)
        }
        return found
    }

    private func searchBlocks(
        _ range: SearchBlockRange, _ left: inout Int
    ) throws(StoreError) -> SearchBlockQuery.Blocks {
        guard !range.blocks.isEmpty else { return [] }
        let row = try connection.statement(SQL.searchBlocks)
        try row.bind(1, SearchBlocks.row(range.segment, range.blocks.lowerBound))
        try row.bind(2, SearchBlocks.row(range.segment, range.blocks.upperBound))
        var blocks: SearchBlockQuery.Blocks = []
        while try row.step() {
            let data = row.bytes(1)
            left -= data.count
            guard left >= 0 else { throw .tooMany("the search reads too much of the index") }
            blocks.append(data)
        }
        return blocks
    }

    func searchBlocks(
        of segment: Int64, from number: Int, limitBytes: Int
    ) throws(StoreError) -> [SearchBlockRecord] {
        let row = try connection.statement(SQL.searchBlocks)
        try row.bind(1, SearchBlocks.row(segment, number))
        try row.bind(2, SearchBlocks.row(segment + 1, 0))
        var blocks: [SearchBlockRecord] = []
        var bytes = 0
        while bytes < limitBytes, try row.step() {
            let data = row.bytes(1)
            bytes += data.count
            blocks.append(
                SearchBlockRecord(
                    number: SearchBlocks.number(ofRow: row.integer(0)), first: nil, data: data))
        }
        return blocks
    }
}

extension WriteStep {
    func putSearchBlocks(
        _ blocks: [SearchBlockRecord], of segment: Int64
    ) throws(StoreError) {
        for block in blocks {
            let row = try connection.statement(SQL.insertSearchBlock)
            try row.bind(1, SearchBlocks.row(segment, block.number))
            try row.bind(2, block.data)
            try row.run()
            guard let first = block.first else { continue }
            let term = try connection.statement(SQL.insertSearchTerm)
            try term.bind(1, segment)
            try term.bind(2, first)
            try term.bind(3, block.number)
            try term.run()
        }
    }

    func removeObsoleteSearchBlocks(
        except kept: Set<Int64>, limit: Int
    ) throws(StoreError) -> Bool {
        guard let segment = try nextRemains(except: kept) else { return false }
        let row = try connection.statement(SQL.removeSearchBlocks)
        try row.bind(1, SearchBlocks.row(segment, 0))
        try row.bind(2, SearchBlocks.row(segment + 1, 0))
        try row.bind(3, limit)
        try row.run()
        // No segment has more keys here than blocks.
        let terms = try connection.statement(SQL.removeSearchTerms)
        try terms.bind(1, segment)
        try terms.bind(2, limit)
        try terms.run()
        return true
    }

    /// The first segment with blocks that belong to no segment of the index.
    private func nextRemains(except kept: Set<Int64>) throws(StoreError) -> Int64? {
        var segment: Int64 = 0
        // Invariant: all segments below this one are part of the index, or kept.
        while true {
            let row = try connection.statement(SQL.nextSearchBlock)
            try row.bind(1, SearchBlocks.row(segment, 0))
            guard try row.step() else { return nil }
            let found = row.integer(0)
            if row.integer(1) == 0, !kept.contains(found) { return found }
            segment = found + 1
        }
    }
}
