import ArticleAPI

/// Makes one segment of up to eight, in slices, with a few blocks of each in memory. Documents that
/// were dead at the beginning are left out; those that die later are buried in the result by
/// ``SearchView/replace(by:)``.
///
/// Supply the blocks of `request` and store those of `takeBlocks`, until `request` is nil. Equal
/// segments make equal bytes, whatever the slices are.
package struct SegmentMerge: Sendable {
    /// Blocks of keys of one segment that come next.
    package struct Request: Sendable, Hashable {
        package let segment: Int64
        package let blocks: Range<Int>
    }

    package static let limitSegments = 8
    /// Of one request.
    package static let limitBlocks = 8

    /// As they were when the merge began.
    package let inputs: [Segment]
    private let number: Int64
    private let documents: SegmentDocuments
    private var cursors: [MergeCursor]
    private var writer = BlockWriter()
    /// The cursors at the key that is being written.
    private var same: [Int] = []
    private var isFinished = false
    /// True if the blocks of the result's documents were taken.
    private var isTaken = false

    /// - Parameters:
    ///   - inputs: at most `limitSegments`.
    ///   - number: that of the result, which no other segment has.
    package init(_ inputs: [Segment], number: Int64) throws(SearchIndexError) {
        self.inputs = inputs
        self.number = number
        (documents, cursors) = try Self.merging(inputs)
        try run()
    }

    /// The blocks that are needed to go on; `nil` at the end.
    package var request: Request? {
        guard !isFinished, let index = cursors.firstIndex(where: \.needsBlock) else { return nil }
        let next = cursors[index].next
        let end = min(next + Self.limitBlocks, inputs[index].keyBlocks)
        return Request(segment: inputs[index].number, blocks: next..<end)
    }

    /// Goes on with the blocks of `request`, in their order.
    package mutating func supply(_ blocks: [[UInt8]]) throws(SearchIndexError) {
        guard let index = cursors.firstIndex(where: \.needsBlock), !blocks.isEmpty else {
            throw .corrupt("blocks of a segment are missing")
        }
        cursors[index].supply(blocks)
        try run()
    }

    /// The blocks of the result that are new since the last call. The last ones, after `request` is
    /// nil, are those of its documents.
    package mutating func takeBlocks() -> [SearchBlock] {
        defer { isTaken = isFinished }
        return writer.takeBlocks() + (isFinished && !isTaken ? segment.documentBlocks : [])
    }

    /// The result, after `request` is nil; without the documents that died since the beginning.
    package var segment: Segment {
        let highest = inputs.map(\.level).max() ?? 0
        return Segment(
            number: number, level: inputs.count > 1 ? highest + 1 : highest,
            keyBlocks: writer.count, directory: writer.directory, documents: documents)
    }

    /// Merges documents by id.
    private static func merging(
        _ inputs: [Segment]
    ) throws(SearchIndexError) -> (SegmentDocuments, [MergeCursor]) {
        var documents = SegmentDocuments(capacity: inputs.reduce(0) { $0 + $1.liveCount })
        var places = inputs.map { _ in 0 }
        var ordinals = inputs.map { [UInt32](repeating: MergeCursor.dropped, count: $0.count) }
        while true {
            var next: (input: Int, id: Article.ID)?
            for index in inputs.indices {
                let segment = inputs[index]
                while places[index] < segment.count, segment.isDead(places[index]) {
                    places[index] += 1
                }
                guard places[index] < segment.count else { continue }
                let id = segment.documents.ids[places[index]]
                if let next, next.id <= id {
                    guard next.id < id else { throw .corrupt("a document is in two segments") }
                    continue
                }
                next = (index, id)
            }
            guard let (index, _) = next else { break }
            ordinals[index][places[index]] = UInt32(documents.count)
            documents.append(inputs[index].documents[places[index]])
            places[index] += 1
        }
        let cursors = zip(inputs, ordinals).map { MergeCursor($0.keyBlocks, ordinals: $1) }
        return (documents, cursors)
    }

    /// Merges until a cursor needs a block.
    private mutating func run() throws(SearchIndexError) {
        while true {
            var lowest: Int?
            for index in cursors.indices {
                try cursors[index].loadKey()
                if cursors[index].needsBlock { return }
                if cursors[index].isAtEnd { continue }
                if let low = lowest, !cursors[index].precedes(cursors[low]) { continue }
                lowest = index
            }
            guard let lowest else { break }
            if writer.key != cursors[lowest].key { writer.begin(cursors[lowest].key) }
            same.removeAll(keepingCapacity: true)
            for index in cursors.indices where !cursors[index].isAtEnd {
                if !cursors[lowest].precedes(cursors[index]) { same.append(index) }
            }
            mergePostings()
        }
        guard !isFinished else { return }
        isFinished = true
        writer.finish()
    }

    /// Merges documents of the cursors in `same` until one of them has to read on, perhaps in
    /// another block.
    private mutating func mergePostings() {
        // Invariant: the documents that were written are before those that the cursors have.
        while true {
            var (lowest, ordinal) = (same[0], UInt32.max)
            for index in same {
                guard let own = cursors[index].ordinal else { return }
                if own <= ordinal { (lowest, ordinal) = (index, own) }
            }
            writer.append(Int(ordinal), cursors[lowest].impact)
            cursors[lowest].advance()
        }
    }
}
