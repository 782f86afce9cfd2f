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
    /// Of the next block in which a key begins, in the directory.
    private var place = 0
    private var documents: [[UInt8]] = []

    package init(_ segment: Segment) {
        self.segment = segment
        digests = [UInt64](repeating: 0, count: segment.count)
    }

    /// - Parameters:
    ///   - data: The content of the block.
    ///   - number: The number of the block.
    package mutating func add(_ data: [UInt8], at number: Int) throws(SearchIndexError) {
        if number >= SearchBlock.firstDocuments {
            guard number - SearchBlock.firstDocuments == documents.count else {
                throw .corrupt("a block of documents is missing")
            }
            documents.append(data)
            return
        }
        guard number == next, next < segment.keyBlocks else {
            throw .corrupt("a block of keys is missing")
        }
        next += 1
        var first: [UInt8]?
        if place < segment.directory.count {
            let entry = segment.directory[place]
            if entry.block == number {
                first = entry.first
                place += 1
            }
        }
        try data.withUnsafeBufferPointer { data throws(SearchIndexError) in
            var reader = try KeyBlockReader(data)
            guard try reader.next(), first == (reader.isContinued ? nil : reader.key),
                reader.isContinued
                    ? previous == reader.key : previous.lexicographicallyPrecedes(reader.key)
            else { throw .corrupt("block \(number) does not begin where it should") }
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
