import ArticleAPI
import ArticleSearch
import BroadsheetTestSupport
import Testing

@Suite struct SegmentMergeTests {
    /// Segments of so many documents each, whose ids alternate.
    private func index(_ segments: Int, documents: Int) throws -> StoredIndex {
        var world = RandomDocuments(seed: 5, ids: segments * documents)
        var index = StoredIndex()
        for segment in 0..<segments {
            for document in 0..<documents {
                index.view.insert(world.document(world.ids[document * segments + segment]))
            }
            index.seal()
        }
        return index
    }

    /// Blocks of one segment of all documents.
    private func whole(_ index: StoredIndex, number: Int64) throws -> [SearchBlock] {
        var merge = try SegmentMerge(index.view.segments, number: number)
        return try index.run(&merge)
    }

    @Test(arguments: [1, 2, 7]) func `slices do not change a byte`(slice: Int) throws {
        var index = try index(5, documents: 60)
        for id in [1, 7, 150].map({ index.view.segments[0].document(at: $0 % 60).id }) {
            index.view.remove(id)
        }
        var merge = try index.merge(index.view.segments)
        #expect(try index.run(&merge, slice: slice) == whole(index, number: 1))
    }

    @Test func `a merge of segments is what a segment of their documents is`() throws {
        var index = try index(4, documents: 64)
        let world = RandomDocuments(seed: 5, ids: 256)
        for place in stride(from: 0, to: 256, by: 5) { index.view.remove(world.ids[place]) }
        var documents = UnsealedDocuments()
        var again = RandomDocuments(seed: 5, ids: 256)
        for segment in 0..<4 {
            for document in 0..<64 {
                let place = document * 4 + segment
                let made = again.document(again.ids[place])
                if place % 5 != 0 { documents.insert(made) }
            }
        }
        let expected = SegmentBuilder.segment(of: documents, number: 1)
        #expect(try whole(index, number: 1) == expected.blocks)
    }

    @Test func `what dies during a merge is dead in its result`() throws {
        var index = try index(3, documents: 40)
        var merge = try index.merge(index.view.segments)
        let ids = [index.view.segments[0], index.view.segments[2]].map { $0.document(at: 3).id }
        for id in ids { index.view.remove(id) }
        try index.complete(&merge)
        #expect(index.view.segments.count == 1)
        #expect(index.view.segments[0].count == 120)
        #expect(index.view.liveCount == 118)
        for id in ids { #expect(index.view.document(id) == nil) }
    }

    @Test func `a merge whose segments are gone changes nothing`() throws {
        var index = try index(3, documents: 10)
        var first = try index.merge(Array(index.view.segments.prefix(2)))
        var second = try index.merge(Array(index.view.segments.suffix(2)))
        _ = try index.run(&second)
        try index.complete(&first)
        let numbers = index.view.segments.map(\.number)
        #expect(index.view.replace(by: second) == nil)
        #expect(index.view.segments.map(\.number) == numbers)
    }

    @Test func `segments of dead documents become one without any`() throws {
        var index = try index(2, documents: 10)
        for segment in index.view.segments {
            for ordinal in 0..<segment.count { index.view.remove(segment.document(at: ordinal).id) }
        }
        var merge = try index.merge(index.view.segments)
        try index.complete(&merge)
        try index.restart()
        try index.check([])
        #expect(index.view.segments.map(\.count) == [0])
        #expect(index.view.segmentsToMerge.isEmpty)
        let query = ModelQuery(required: [
            SearchQuery.Clause(alternatives: [
                SearchQuery.Alternative(
                    ranges: [TermRange(prefix: TermKey(.word, "c".utf8))], eighths: 8)
            ])
        ])
        #expect(try index.hits(query.plan).count == 0)
    }

    @Test func `keys with thousands of documents have blocks of their own`() throws {
        var world = RandomDocuments(seed: 6, ids: 5_000)
        var index = StoredIndex()
        var documents: [AnalyzedDocument] = []
        for (place, id) in world.ids.enumerated() {
            var terms: [(key: TermKey, impact: UInt8)] = [
                (TermKey(.word, "every".utf8), UInt8(place % 256)),
                (TermKey(.word, "one\(place)".utf8), 1),
            ]
            if place % 2 == 0 { terms.append((TermKey(.word, "evening".utf8), 3)) }
            let document = AnalyzedDocument(
                id: id, revision: 1, published: Int64(world.number(100)), terms: terms)
            documents.append(document)
            index.view.insert(document)
            if place % 700 == 699 { index.seal() }
        }
        index.seal()
        let inputs = index.view.segments
        #expect(inputs.count == 8)
        var merge = try index.merge(inputs)
        try index.complete(&merge, slice: 1)
        #expect(index.rows[0].row.blocks.count { $0.first == nil && $0.number < 1_000 } >= 2)
        for block in index.rows[0].row.blocks {
            #expect(block.data.count <= SearchBlock.limitBytes)
        }
        try index.check(documents)
        for text in ["every", "evening", "one4321", "one"] {
            let query = ModelQuery(required: [
                SearchQuery.Clause(alternatives: [
                    SearchQuery.Alternative(
                        ranges: [TermRange(TermKey(.word, text.utf8))], eighths: 8),
                    SearchQuery.Alternative(
                        ranges: [TermRange(prefix: TermKey(.word, text.utf8))], eighths: 4),
                ])
            ])
            let found = try index.hits(query.plan, limit: 50)
            let expected = query.hits(documents)
            #expect(found.hits.map(\.position) == Array(expected.hits.prefix(50)))
            #expect(found.frequencies == expected.frequencies)
        }
    }

    @Test func `eight segments of a level are merged, and one that is mostly dead`() throws {
        var index = try index(8, documents: 4)
        #expect(index.view.segmentsToMerge.map(\.number) == Array(1...8))
        var merge = try index.merge(index.view.segmentsToMerge)
        try index.complete(&merge)
        #expect(index.view.segments.map(\.level) == [1])
        #expect(index.view.segmentsToMerge.isEmpty)
        for ordinal in 0..<16 {
            index.view.remove(index.view.segments[0].document(at: ordinal).id)
        }
        #expect(index.view.segmentsToMerge.isEmpty)
        index.view.remove(index.view.segments[0].document(at: 16).id)
        #expect(index.view.segmentsToMerge.map(\.number) == index.view.segments.map(\.number))
        var compaction = try index.merge(index.view.segmentsToMerge)
        try index.complete(&compaction)
        #expect(index.view.segments.map(\.level) == [1])
        #expect(index.view.segments.map(\.count) == [15])
    }

    @Test func `a document that is live in two segments is an error`() throws {
        var index = try index(1, documents: 4)
        let other = try self.index(1, documents: 4)
        index.view = SearchView(segments: index.view.segments + other.view.segments)
        #expect(throws: SearchIndexError.self) { try SegmentMerge(index.view.segments, number: 9) }
    }

    @Test func `a merge without its blocks is an error`() throws {
        let index = try index(2, documents: 20)
        var merge = try SegmentMerge(index.view.segments, number: 9)
        #expect(throws: SearchIndexError.self) { try merge.supply([]) }
    }
}
