package import ArticleAPI

/// An index whose blocks are in memory, for some ten thousand documents.
///
/// Its results are those of a stored index with the same documents. Errors are thrown only if the
/// segments were stored and are damaged.
package struct MemoryIndex: Sendable {
    private var view = SearchView()
    /// Blocks of keys, by the segment's number.
    private var blocks: [Int64: MemoryBlocks] = [:]
    private var nextNumber: Int64 = 1
    /// The merge that is under way, and its blocks so far.
    private var merging: (merge: SegmentMerge, blocks: [SearchBlock])?

    package init() {}

    /// An index of segments that were stored, the oldest first, each with its blocks of keys.
    package init(_ stored: [(segment: Segment, keys: [SearchBlock])]) {
        view = SearchView(segments: stored.map(\.segment))
        for (segment, keys) in stored {
            blocks[segment.number] = MemoryBlocks(keys)
            nextNumber = max(nextNumber, segment.number + 1)
        }
    }

    /// The segments, the oldest first.
    package var segments: [Segment] { view.segments }

    /// The blocks of a segment, to be stored.
    package func blocks(of segment: Segment) -> [SearchBlock] {
        (blocks[segment.number]?.keys ?? []) + segment.documentBlocks
    }

    /// The documents that are in no segment yet.
    package var unsealed: [Article.ID] { view.tail.documents.map(\.id) }

    package var count: Int { view.liveCount }

    /// The size of its blocks of keys.
    package var bytes: Int { blocks.values.reduce(0) { $0 + $1.bytes } }

    /// Returns the index's record of an article; `nil` if it is not there.
    package func document(_ id: Article.ID) -> SegmentDocument? { view.document(id) }

    /// Adds the document, in place of one with the same id. A call also merges some blocks, so that
    /// none takes long.
    package mutating func add(_ document: AnalyzedDocument) throws(SearchIndexError) {
        view.insert(document)
        if view.tail.isFull {
            let (segment, blocks) = SegmentBuilder.segment(of: view.tail, number: nextNumber)
            self.blocks[nextNumber] = MemoryBlocks(blocks)
            nextNumber += 1
            view.seal(as: segment)
        }
        try mergeSome()
    }

    /// False if it is not there.
    @discardableResult
    package mutating func remove(_ id: Article.ID) throws(SearchIndexError) -> Bool {
        guard view.remove(id) else { return false }
        try mergeSome()
        return true
    }

    /// Returns the best of all documents that match by their keys.
    ///
    /// - Parameters:
    ///   - plan: The plan of a query, whose text the caller compares if it `needsText`.
    ///   - position: The position after which hits are returned.
    ///   - limit: The maximum hits; at least 1.
    package func hits(
        _ plan: SearchPlan, after position: SearchPosition? = nil, limit: Int
    ) throws(SearchIndexError) -> SearchHits {
        let blocks = view.segments.map { segment in
            plan.ranges.map { self.blocks(of: segment, $0) }
        }
        return try view.hits(plan, blocks, after: position, limit: limit)
    }

    /// The query with words that are in no document replaced by the nearest ones that are; `nil` if
    /// there are none.
    package func correction(of query: SearchQuery) throws(SearchIndexError) -> SearchQuery? {
        let frequencies = try hits(SearchPlan(query), limit: 1).frequencies
        var corrected: SearchQuery?
        // From the end, because a correction moves the text after it.
        for (index, clause) in query.required.enumerated().reversed() {
            guard frequencies[index] == 0, let word = clause.correctable else { continue }
            let blocks = view.segments.map { self.blocks(of: $0, Spelling.range(for: word)) }
            guard let best = try view.spelling(of: word, blocks) else { continue }
            corrected = (corrected ?? query).correcting(index, to: best)
        }
        return corrected
    }

    private func blocks(of segment: Segment, _ range: TermRange) -> [[UInt8]] {
        blocks[segment.number]?.data(at: segment.blocks(of: range)) ?? []
    }

    private mutating func mergeSome() throws(SearchIndexError) {
        guard var (merge, made) = merging else {
            let inputs = view.segmentsToMerge
            guard !inputs.isEmpty else { return }
            merging = (try SegmentMerge(inputs, number: nextNumber), [])
            nextNumber += 1
            return
        }
        // Only one copy of the result remains, which is then changed in place.
        merging = nil
        if let request = merge.request {
            try merge.supply(blocks[request.segment]?.data(at: request.blocks) ?? [])
            made += merge.takeBlocks()
            merging = (merge, made)
            return
        }
        made += merge.takeBlocks()
        guard let segment = view.replace(by: merge) else { return }
        blocks[segment.number] = MemoryBlocks(made)
        for input in merge.inputs { blocks[input.number] = nil }
    }
}

/// The blocks of keys of a segment.
private struct MemoryBlocks: Sendable {
    let keys: [SearchBlock]

    var bytes: Int { keys.reduce(0) { $0 + $1.data.count } }

    /// - Parameter blocks: of a segment, in their order; those of documents are left out.
    init(_ blocks: [SearchBlock]) {
        keys = blocks.filter { $0.number < SearchBlock.firstDocuments }
    }

    func data(at places: Range<Int>) -> [[UInt8]] {
        keys[places.clamped(to: keys.indices)].map(\.data)
    }
}
