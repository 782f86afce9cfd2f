import ArticleAPI

/// Compares the blocks of a segment with its documents: every posting counts in the digest of its
/// document. See ``SearchViewCheck`` for the documents themselves.
///
/// Add all blocks in the order of their numbers, then call `finish`.
package struct SegmentCheck: Sendable {
    private let segment: Segment
    private var digests: [UInt64]
    private var previous: [UInt8] = []
    /// Of the next block of keys.
    private var next = 0
    private var documents: [[UInt8]] = []

    package init(_ segment: Segment) {
        self.segment = segment
        digests = [UInt64](repeating: 0, count: segment.count)
    }

    package mutating func add(_ block: SearchBlock) throws(SearchIndexError) {
        if block.number >= SearchBlock.firstDocuments {
            guard block.number - SearchBlock.firstDocuments == documents.count, block.first == nil
            else { throw .corrupt("a block of documents is missing") }
            documents.append(block.data)
            return
        }
        guard block.number == next, next < segment.keyBlocks else {
            throw .corrupt("a block of keys is missing")
        }
        next += 1
        try block.data.withUnsafeBufferPointer { data throws(SearchIndexError) in
            var reader = try KeyBlockReader(data)
            guard try reader.next(), block.first == (reader.isContinued ? nil : reader.key),
                reader.isContinued
                    ? previous == reader.key : previous.lexicographicallyPrecedes(reader.key)
            else { throw .corrupt("block \(block.number) does not begin where it should") }
            try add(reader)
            while try reader.next() {
                guard !reader.isContinued else {
                    throw .corrupt("a block that continues a key begins another")
                }
                try add(reader)
            }
            previous = reader.key
        }
    }

    /// - Throws: if blocks are missing, or a posting was changed.
    package func finish() throws(SearchIndexError) {
        guard next == segment.keyBlocks else { throw .corrupt("a block of keys is missing") }
        guard documents == segment.documentBlocks.map(\.data) else {
            throw .corrupt("the documents of a segment have changed")
        }
        for ordinal in digests.indices where digests[ordinal] != segment.documents.digests[ordinal]
        {
            throw .corrupt("the keys of \(segment.documents.ids[ordinal]) have changed")
        }
    }

    private mutating func add(_ reader: KeyBlockReader) throws(SearchIndexError) {
        var postings = reader.postings
        while try postings.next(of: digests.count) {
            digests[postings.ordinal] &+= AnalyzedDocument.digest(
                of: reader.key[...], impact: postings.impact)
        }
    }
}
