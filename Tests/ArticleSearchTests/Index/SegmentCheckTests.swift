import ArticleAPI
import ArticleSearch
import BroadsheetTestSupport
import Testing

/// Damage is found, and never traps.
@Suite struct SegmentCheckTests {
    private var index = StoredIndex()
    private var documents: [AnalyzedDocument] = []

    init() {
        var world = RandomDocuments(seed: 8, ids: 40)
        for id in world.ids {
            documents.append(world.document(id))
            index.view.insert(documents[documents.count - 1])
        }
        index.seal()
    }

    private func check(_ blocks: [SearchBlock]) throws(SearchIndexError) {
        var check = SegmentCheck(index.view.segments[0])
        for block in blocks { try check.add(block.data, at: block.number) }
        try check.finish()
    }

    @Test func `an index passes its check`() throws {
        try index.check(documents)
        try check(index.rows[0].row.blocks)
    }

    @Test func `every changed byte is found, and searched without a trap`() throws {
        let blocks = index.rows[0].row.blocks
        var world = RandomDocuments(seed: 9, ids: 1)
        let plans = (0..<3).map { _ in world.query().plan }
        for (place, block) in blocks.enumerated() {
            for byte in block.data.indices {
                let changes = [1, 0x80, 0xFF, UInt8(world.number(255) + 1)] as [UInt8]
                // Or two of them, at each byte.
                let first = byte % 2 * 2
                for change in Thoroughness.isFull ? changes[...] : changes[first..<first + 2] {
                    var data = block.data
                    data[byte] ^= change
                    var changed = blocks
                    changed[place] = SearchBlock(
                        number: block.number, first: block.first, data: data)
                    #expect(throws: SearchIndexError.self) { try check(changed) }
                    if byte % 7 == 0 { use(changed, plans) }
                }
            }
        }
    }

    @Test func `every cut block is found, and searched without a trap`() throws {
        let blocks = index.rows[0].row.blocks
        var world = RandomDocuments(seed: 10, ids: 1)
        let plans = (0..<2).map { _ in world.query().plan }
        for (place, block) in blocks.enumerated() {
            for count in block.data.indices {
                var changed = blocks
                changed[place] = SearchBlock(
                    number: block.number, first: block.first, data: Array(block.data[..<count]))
                #expect(throws: SearchIndexError.self) { try check(changed) }
                if count % 5 == 0 { use(changed, plans) }
            }
        }
    }

    /// Reads damaged blocks in every way.
    private func use(_ blocks: [SearchBlock], _ plans: [SearchPlan]) {
        let segment = index.view.segments[0]
        let documents = blocks.filter { $0.number >= SearchBlock.firstDocuments }.map(\.data)
        let keys = blocks.filter { $0.number < SearchBlock.firstDocuments }.map(\.data)
        _ = try? Segment(
            number: 1, level: 0, directory: segment.directory, documents: documents,
            dead: segment.dead)
        for plan in plans {
            _ = try? index.view.hits(plan, [plan.ranges.map { _ in keys }], limit: 10)
        }
        _ = try? index.view.spelling(of: Array("concurency".utf8), [keys])
        guard var merge = try? SegmentMerge([segment], number: 2) else { return }
        while merge.request != nil {
            guard (try? merge.supply(keys)) != nil else { return }
        }
    }

    @Test func `missing, exchanged and repeated blocks are found`() throws {
        var world = RandomDocuments(seed: 11, ids: 700)
        var index = StoredIndex()
        for id in world.ids { index.view.insert(world.document(id)) }
        index.seal()
        let blocks = index.rows[0].row.blocks
        #expect(blocks.count > 4)
        func check(_ blocks: [SearchBlock]) throws(SearchIndexError) {
            var check = SegmentCheck(index.view.segments[0])
            for block in blocks { try check.add(block.data, at: block.number) }
            try check.finish()
        }
        try check(blocks)
        for place in blocks.indices {
            var changed = blocks
            changed.remove(at: place)
            #expect(throws: SearchIndexError.self) { try check(changed) }
            changed.insert(blocks[place == 0 ? 1 : 0], at: place)
            #expect(throws: SearchIndexError.self) { try check(changed) }
        }
    }

    @Test func `a wrong directory of blocks is found`() throws {
        var world = RandomDocuments(seed: 11, ids: 700)
        var index = StoredIndex()
        for id in world.ids { index.view.insert(world.document(id)) }
        index.seal()
        let row = index.rows[0].row
        let keys = row.blocks.compactMap { block in block.first.map { ($0, block.number) } }
        func check(_ keys: [(first: [UInt8], block: Int)]) throws(SearchIndexError) {
            let segment = try Segment(
                number: 1, level: 0, directory: KeyDirectory(keys),
                documents: Self.documents(row), dead: row.dead)
            var check = SegmentCheck(segment)
            for block in row.blocks { try check.add(block.data, at: block.number) }
            try check.finish()
        }
        try check(keys)
        #expect(keys.count > 2)
        for place in keys.indices {
            var changed = keys
            changed.remove(at: place)
            #expect(throws: SearchIndexError.self) { try check(changed) }
            changed = keys
            changed[place].0.append(0)
            #expect(throws: SearchIndexError.self) { try check(changed) }
            changed = keys
            changed[place].1 += 1
            #expect(throws: SearchIndexError.self) { try check(changed) }
            changed = keys
            changed.insert(keys[place], at: place)
            #expect(throws: SearchIndexError.self) { try check(changed) }
        }
        #expect(throws: SearchIndexError.self) { try check(keys + [([0xFF], 1 << 29)]) }
    }

    @Test func `a wrong bitmap of dead documents is found`() throws {
        var index = index
        let row = index.rows[0].row
        for ordinal in 0..<40 {
            index.rows[0].row.dead = row.dead
            index.rows[0].row.dead[ordinal / 8] ^= 1 << UInt8(ordinal % 8)
            let stored = index.rows[0].row
            let damaged = try Segment(
                number: 1, level: 0, directory: stored.directory,
                documents: Self.documents(stored), dead: stored.dead)
            let view = SearchView(segments: [damaged])
            var check = SearchViewCheck(view)
            #expect(throws: SearchIndexError.self) {
                for document in documents { try check.add(document) }
                try check.finish()
            }
        }
        for dead in [[], row.dead + [0], row.dead.dropLast()] as [[UInt8]] {
            #expect(throws: SearchIndexError.self) {
                try Segment(
                    number: 1, level: 0, directory: row.directory,
                    documents: Self.documents(row), dead: dead)
            }
        }
    }

    @Test func `bits for documents that a segment does not have are an error`() throws {
        var world = RandomDocuments(seed: 12, ids: 13)
        var index = StoredIndex()
        for id in world.ids { index.view.insert(world.document(id)) }
        index.seal()
        let row = index.rows[0].row
        for bit in 0..<16 {
            var dead = row.dead
            dead[bit / 8] |= 1 << UInt8(bit % 8)
            let segment = try? Segment(
                number: 1, level: 0, directory: row.directory, documents: Self.documents(row),
                dead: dead)
            #expect((segment != nil) == (bit < 13), "bit \(bit)")
            if let segment { #expect(segment.liveCount == 12) }
        }
    }

    @Test func `missing, surplus, older and repeated documents are found`() throws {
        var check = SearchViewCheck(index.view)
        var world = RandomDocuments(seed: 13, ids: 1)
        let (first, other) = (documents[0], world.document(documents[1].id))
        let unknown = world.document(world.ids[0])
        try check.add(first)
        #expect(throws: SearchIndexError.self) { try check.add(first) }
        #expect(throws: SearchIndexError.self) { try check.add(other) }
        #expect(throws: SearchIndexError.self) { try check.add(unknown) }
        #expect(throws: SearchIndexError.self) { try check.finish() }
        let segments = index.view.segments
        var twice = SearchViewCheck(SearchView(segments: segments + segments))
        #expect(throws: SearchIndexError.self) { try twice.add(first) }
    }

    private static func documents(_ row: StoredIndex.Row) -> [[UInt8]] {
        row.blocks.filter { $0.number >= SearchBlock.firstDocuments }.map(\.data)
    }
}
