import ArticleAPI
import ArticleSearch

/// A view and its blocks, as a store has them.
struct StoredIndex {
    struct Row {
        let level: Int
        var dead: [UInt8]
        var blocks: [SearchBlock]

        /// The index's data that a store keeps beside the blocks.
        var directory: KeyDirectory {
            get throws {
                try KeyDirectory(
                    blocks.compactMap { block in block.first.map { ($0, block.number) } })
            }
        }

        func data(of ranges: [Range<Int>]) -> [[[UInt8]]] {
            ranges.map { range in blocks[range].map(\.data) }
        }
    }

    var view = SearchView()
    /// By the segments' numbers, which are in the order of the view.
    var rows: [(number: Int64, row: Row)] = []
    var nextNumber: Int64 = 1

    /// Makes a segment of the tail.
    mutating func seal() {
        let (segment, blocks) = SegmentBuilder.segment(of: view.tail, number: nextNumber)
        view.seal(as: segment)
        rows.append((nextNumber, Row(level: segment.level, dead: [], blocks: blocks)))
        nextNumber += 1
        storeDead()
    }

    mutating func storeDead() {
        for (index, segment) in view.segments.enumerated() { rows[index].row.dead = segment.dead }
    }

    /// The merge of these segments, at its beginning.
    mutating func merge(_ inputs: [Segment]) throws -> SegmentMerge {
        nextNumber += 1
        return try SegmentMerge(inputs, number: nextNumber - 1)
    }

    /// Runs a merge to its end, with at most `slice` blocks for each request.
    func run(_ merge: inout SegmentMerge, slice: Int = .max) throws -> [SearchBlock] {
        var blocks = merge.takeBlocks()
        while let request = merge.request {
            let places = request.blocks.prefix(slice)
            try merge.supply(self.blocks(request.segment)[places].map(\.data))
            blocks += merge.takeBlocks()
        }
        return blocks
    }

    /// Runs a merge to its end, and replaces the merged segments.
    mutating func complete(_ merge: inout SegmentMerge, slice: Int = .max) throws {
        let blocks = try run(&merge, slice: slice)
        replace(by: merge, blocks)
    }

    /// Replaces the merged segments.
    mutating func replace(by merge: SegmentMerge, _ blocks: [SearchBlock]) {
        guard let segment = view.replace(by: merge) else { return }
        let numbers = merge.inputs.map(\.number)
        rows.append((segment.number, Row(level: segment.level, dead: [], blocks: blocks)))
        let order = view.segments.map(\.number)
        rows.removeAll { numbers.contains($0.number) }
        rows.sort {
            (order.firstIndex(of: $0.number) ?? 0) < (order.firstIndex(of: $1.number) ?? 0)
        }
        storeDead()
    }

    /// A view of what is stored, with the tail as it was.
    mutating func restart() throws {
        storeDead()
        let tail = view.tail
        view = SearchView(
            segments: try rows.map { number, row in
                let documents = row.blocks.filter { $0.number >= SearchBlock.firstDocuments }
                return try Segment(
                    number: number, level: row.level, directory: row.directory,
                    documents: documents.map(\.data), dead: row.dead)
            })
        for document in tail.documents { view.insert(document) }
    }

    func blocks(_ number: Int64) -> [SearchBlock] {
        rows.first { $0.number == number }?.row.blocks ?? []
    }

    func hits(
        _ plan: SearchPlan, after position: SearchPosition? = nil, limit: Int = 1_000
    ) throws -> SearchHits {
        let blocks = zip(view.segments, rows).map { segment, row in
            row.row.data(of: plan.ranges.map { segment.blocks(of: $0) })
        }
        return try view.hits(plan, blocks, after: position, limit: limit)
    }

    func spelling(of word: [UInt8]) throws -> [UInt8]? {
        let range = Spelling.range(for: word)
        let blocks = zip(view.segments, rows).map { segment, row in
            row.row.data(of: [segment.blocks(of: range)])[0]
        }
        return try view.spelling(of: word, blocks)
    }

    /// Checks every block, and that the documents are these.
    func check(_ documents: some Sequence<AnalyzedDocument>) throws {
        for (segment, row) in zip(view.segments, rows) {
            var check = SegmentCheck(segment)
            for block in row.row.blocks { try check.add(block.data, at: block.number) }
            try check.finish()
        }
        var check = SearchViewCheck(view)
        for document in documents { try check.add(document) }
        try check.finish()
    }
}

/// A query's clauses and a filter, which a scan understands as well.
struct ModelQuery {
    var required: [SearchQuery.Clause]
    var excluded: [SearchQuery.Clause] = []
    var filter = SearchFilter()

    var plan: SearchPlan { SearchPlan(required: required, excluded: excluded, filter) }

    /// Returns the hits that an index has to find among the documents, by reading all of them.
    func hits(_ documents: [AnalyzedDocument]) -> (hits: [SearchPosition], frequencies: [Int]) {
        let frequencies = required.map { clause in
            documents.count { Self.impact(clause, $0) != nil }
        }
        guard !required.isEmpty else { return ([], []) }
        let hits = documents.compactMap { document -> SearchPosition? in
            guard filter.contains(published: document.published),
                filter.ranges.allSatisfy({ Self.impact($0, document) != nil }),
                !excluded.contains(where: {
                    $0.isDecidedByKeys && Self.impact($0, document) != nil
                })
            else { return nil }
            var score = 0
            for (clause, frequency) in zip(required, frequencies) {
                guard let impact = Self.impact(clause, document) else { return nil }
                let weight = SearchScoring.weight(
                    documents: documents.count, frequency: frequency)
                score += weight * impact
            }
            return SearchPosition(score: score, published: document.published, id: document.id)
        }
        return (hits.sorted(by: >), frequencies)
    }

    private static func impact(_ clause: SearchQuery.Clause, _ document: AnalyzedDocument) -> Int? {
        clause.alternatives.compactMap { alternative -> Int? in
            let impacts = alternative.ranges.map { impact($0, document) }
            guard impacts.allSatisfy({ $0 != nil }) else { return nil }
            let weakest = impacts.compactMap { $0 }.min() ?? 0
            return SearchScoring.impact(weakest, eighths: alternative.eighths)
        }.max()
    }

    private static func impact(_ range: TermRange, _ document: AnalyzedDocument) -> Int? {
        (0..<document.count).filter { range.contains(document.key(at: $0)) }
            .map { Int(document.impact(at: $0)) }.max()
    }
}
