extension SearchView {
    /// The word of the dictionary that a mistyped word most likely meant: by the fewest errors,
    /// then by the most documents, then by the order of its bytes. `nil` if there is none.
    ///
    /// - Parameters:
    ///   - word: folded, without a class, as in `SearchQuery.Clause.correctable`.
    ///   - blocks: for each segment, those of the range `Spelling.range(for: word)`.
    package func spelling(
        of word: [UInt8], _ blocks: [[[UInt8]]]
    ) throws(SearchIndexError) -> [UInt8]? {
        guard blocks.count == segments.count else {
            throw .corrupt("blocks of a segment are missing")
        }
        guard var near = EditDistanceScanner(word) else { return nil }
        let range = Spelling.range(for: word)
        var candidates: [[UInt8]: (errors: Int, documents: Int)] = [:]
        for (segment, blocks) in zip(segments, blocks) {
            for block in blocks {
                try Self.forEachKey(of: block, in: range) { reader throws(SearchIndexError) in
                    guard let errors = near.errors(of: reader.key, from: 1, shared: reader.shared)
                    else { return }
                    let count = try segment.liveCount(of: reader.postings)
                    guard count > 0 else { return }
                    candidates[reader.key, default: (errors, 0)].documents += count
                }
            }
        }
        for document in tail.documents {
            for index in document.places(in: range) {
                let key = Array(document.key(at: index))
                guard let errors = near.errors(of: key, from: 1) else { continue }
                candidates[key, default: (errors, 0)].documents += 1
            }
        }
        let best = candidates.min { left, right in
            if left.value.errors != right.value.errors {
                return left.value.errors < right.value.errors
            }
            if left.value.documents != right.value.documents {
                return left.value.documents > right.value.documents
            }
            return left.key.lexicographicallyPrecedes(right.key)
        }
        return best.map { Array($0.key.dropFirst()) }
    }

    private static func forEachKey(
        of block: [UInt8], in range: TermRange,
        _ body: (borrowing KeyBlockReader) throws(SearchIndexError) -> Void
    ) throws(SearchIndexError) {
        try block.withUnsafeBufferPointer { block throws(SearchIndexError) in
            var reader = try KeyBlockReader(block)
            var isInBlock = try reader.next(notBefore: range.low)
            while isInBlock, reader.key.lexicographicallyPrecedes(range.high) {
                try body(reader)
                isInBlock = try reader.next()
            }
        }
    }
}

extension Segment {
    /// Returns the number of the documents that are not dead.
    fileprivate func liveCount(of postings: Postings) throws(SearchIndexError) -> Int {
        var postings = postings
        var live = 0
        while try postings.next(of: count) {
            if !isDead(postings.ordinal) { live += 1 }
        }
        return live
    }
}
