import ArticleAPI
import ArticleSearch
import BroadsheetTestSupport
import Glibc
import Testing

/// Random histories of an index, compared with a scan of all documents.
/// `BROADSHEET_SEED=…` runs the one that failed, `BROADSHEET_HISTORIES=…` so many times as many.
@Suite struct IndexModelTests {
    private static var seeds: [UInt64] {
        if let text = getenv("BROADSHEET_SEED"), let seed = UInt64(String(cString: text)) {
            return [seed]
        }
        let times = getenv("BROADSHEET_HISTORIES").flatMap { UInt64(String(cString: $0)) } ?? 1
        return Array(1...15 * max(1, times))
    }

    @Test func `an index finds what a scan finds, whatever happened before`() throws {
        for seed in Self.seeds {
            var history = History(seed: seed)
            for _ in 0..<60 {
                try history.step()
                try history.compare(seed)
            }
            try history.index.check(history.documents.values)
        }
    }

    @Test func `an index in memory finds what a scan finds`() throws {
        var world = RandomDocuments(seed: 7, ids: 900)
        var index = MemoryIndex()
        var documents: [Article.ID: AnalyzedDocument] = [:]
        for step in 0..<3_000 {
            let document = world.document()
            if step % 4 == 3 {
                let wasThere = try index.remove(document.id)
                let expected = documents.removeValue(forKey: document.id) != nil
                #expect(wasThere == expected)
            } else {
                try index.add(document)
                documents[document.id] = document
            }
        }
        #expect(index.count == documents.count)
        let all = Array(documents.values)
        for _ in 0..<30 {
            let query = world.query()
            let expected = query.hits(all)
            let found = try index.hits(query.plan, limit: 1_000)
            #expect(found.hits.map(\.position) == expected.hits)
            #expect(found.frequencies == expected.frequencies)
        }
    }

    @Test func `pages are the parts of the whole`() throws {
        var world = RandomDocuments(seed: 3, ids: 200)
        var index = MemoryIndex()
        for id in world.ids { try index.add(world.document(id)) }
        for limit in 1...20 {
            let query = world.query()
            let whole = try index.hits(query.plan, limit: 1_000)
            #expect(whole.isEnd && whole.count == whole.hits.count)
            var hits: [IndexHit] = []
            var isEnd = false
            // Invariant: `hits` are the first ones.
            while !isEnd, hits.count <= whole.count {
                let position = hits.last?.position
                let page = try index.hits(query.plan, after: position, limit: limit)
                #expect(page.count == whole.count)
                #expect(page.isEnd || page.hits.count == limit)
                hits += page.hits
                isEnd = page.isEnd
            }
            #expect(isEnd && hits == whole.hits)
        }
    }

    @Test func `a page after a position that nothing has any more goes on there`() throws {
        var index = MemoryIndex()
        var world = RandomDocuments(seed: 4, ids: 50)
        for id in world.ids { try index.add(world.document(id)) }
        let query = ModelQuery(required: [
            SearchQuery.Clause(alternatives: [
                SearchQuery.Alternative(
                    ranges: [TermRange(prefix: TermKey(.word, "c".utf8))], eighths: 4)
            ])
        ])
        let before = try index.hits(query.plan, limit: 50)
        let last = before.hits[before.hits.count / 2]
        try index.remove(last.id)
        let after = try index.hits(query.plan, limit: 50)
        let page = try index.hits(query.plan, after: last.position, limit: 50)
        #expect(page.hits == after.hits.filter { $0.position < last.position })
        #expect(page.isEnd)
    }
}

/// A stored index and the documents that it should have.
private struct History {
    var index = StoredIndex()
    var documents: [Article.ID: AnalyzedDocument] = [:]
    private var world: RandomDocuments
    /// A merge that has begun, and the blocks that it has made.
    private var merge: (merge: SegmentMerge, blocks: [SearchBlock])?

    init(seed: UInt64) {
        world = RandomDocuments(seed: seed, ids: 5 + Int(seed * 7 % 60))
    }

    mutating func step() throws {
        switch world.number(20) {
        case 0..<10:
            for _ in 0...world.number(8) {
                let document = world.document()
                index.view.insert(document)
                documents[document.id] = document
            }
        case 10..<13:
            let id = world.ids[world.number(world.ids.count)]
            let wasThere = documents.removeValue(forKey: id) != nil
            #expect(index.view.remove(id) == wasThere)
        case 13..<16: index.seal()
        case 16..<19: try goOnMerging()
        default:
            // What is not stored is lost: a merge begins again.
            merge = nil
            try index.restart()
        }
    }

    private mutating func goOnMerging() throws {
        guard var (merge, blocks) = self.merge else {
            let count = min(index.view.segments.count, 1 + world.number(8))
            guard count > 0 else { return }
            let first = world.number(index.view.segments.count - count + 1)
            let new = try index.merge(Array(index.view.segments[first..<first + count]))
            self.merge = (new, [])
            return
        }
        self.merge = nil
        blocks += try index.run(&merge, slice: 1 + world.number(3))
        index.replace(by: merge, blocks)
    }

    mutating func compare(_ seed: UInt64) throws {
        let all = Array(documents.values)
        #expect(index.view.liveCount == all.count, "seed \(seed)")
        let query = world.query()
        let expected = query.hits(all)
        let found = try index.hits(query.plan)
        #expect(found.hits.map(\.position) == expected.hits, "seed \(seed)")
        #expect(found.frequencies == expected.frequencies, "seed \(seed)")
        #expect(found.hits.allSatisfy { documents[$0.id]?.revision == $0.revision })
        #expect(found.isEnd && found.count == expected.hits.count, "seed \(seed)")
        let word = Array("concurency".utf8)
        #expect(try index.spelling(of: word) == Self.spelling(of: word, all), "seed \(seed)")
    }

    /// The correction of a word by reading all documents.
    private static func spelling(of word: [UInt8], _ documents: [AnalyzedDocument]) -> [UInt8]? {
        var counts: [[UInt8]: Int] = [:]
        for document in documents {
            for index in 0..<document.count {
                let key = Array(document.key(at: index))
                if Spelling.range(for: word).contains(key) { counts[key, default: 0] += 1 }
            }
        }
        let candidates = counts.compactMap { key, count in
            Spelling.distance(from: word, to: key.dropFirst()).map { ($0, -count, key) }
        }
        let best = candidates.min {
            ($0.0, $0.1) != ($1.0, $1.1)
                ? ($0.0, $0.1) < ($1.0, $1.1) : $0.2.lexicographicallyPrecedes($1.2)
        }
        return best.map { Array($0.2.dropFirst()) }
    }
}
