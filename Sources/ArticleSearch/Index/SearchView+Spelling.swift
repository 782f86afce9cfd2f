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
        let range = Spelling.range(for: word)
        var candidates: [[UInt8]: (errors: Int, documents: Int)] = [:]
        func note(_ key: ArraySlice<UInt8>, _ documents: () throws(SearchIndexError) -> Int)
            throws(SearchIndexError)
        {
            guard let errors = Spelling.distance(from: word, to: key.dropFirst()) else { return }
            let count = try documents()
            guard count > 0 else { return }
            candidates[Array(key), default: (errors, 0)].documents += count
        }
        for (segment, blocks) in zip(segments, blocks) {
            for block in blocks {
                try Self.keys(of: block, in: range) { key, postings throws(SearchIndexError) in
                    try note(key[...]) { () throws(SearchIndexError) in
                        try segment.liveCount(of: postings)
                    }
                }
            }
        }
        for document in tail.documents {
            for index in document.places(in: range) { try note(document.key(at: index)) { 1 } }
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

    private static func keys(
        of block: [UInt8], in range: TermRange,
        _ body: ([UInt8], Postings) throws(SearchIndexError) -> Void
    ) throws(SearchIndexError) {
        try block.withUnsafeBufferPointer { block throws(SearchIndexError) in
            var reader = try KeyBlockReader(block)
            while try reader.next() {
                if range.contains(reader.key) { try body(reader.key, reader.postings) }
            }
        }
    }
}

extension Segment {
    /// How many of the documents are not dead.
    fileprivate func liveCount(of postings: Postings) throws(SearchIndexError) -> Int {
        var postings = postings
        var live = 0
        while try postings.next(of: count) {
            if !isDead(postings.ordinal) { live += 1 }
        }
        return live
    }
}
