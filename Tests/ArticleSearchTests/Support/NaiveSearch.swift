import ArticleAPI
import ArticleSearch

/// The model of an index: it looks at every key of every document for each query.
struct NaiveSearch {
    struct Hit: Hashable {
        let id: Article.ID
        let score: Int
        let published: Int64
    }

    private var documents: [(document: SearchDocument, keys: AnalyzedDocument)] = []

    init(_ documents: [SearchDocument] = []) {
        for document in documents { insert(document) }
    }

    /// Adds a document in place of the one with its id.
    mutating func insert(_ document: SearchDocument) {
        remove(document.id)
        documents.append((document, AnalyzedDocument(document)))
    }

    mutating func remove(_ id: Article.ID) { documents.removeAll { $0.document.id == id } }

    /// All hits, the best first.
    ///
    /// - Parameters:
    ///   - query: what is searched.
    ///   - filter: what hits have to be, besides.
    ///   - checksText: whether what keys do not decide is decided by the text. An index alone does
    ///     not.
    func hits(
        _ query: SearchQuery, _ filter: SearchFilter = SearchFilter(), checksText: Bool = true
    ) -> [Hit] {
        guard !query.required.isEmpty else { return [] }
        let impacts = documents.map { document in
            query.required.map { Self.impact($0, document.keys) }
        }
        let weights = query.required.indices.map { clause in
            SearchScoring.weight(
                documents: documents.count,
                frequency: max(1, impacts.count { $0[clause] != nil }))
        }
        let excluding = query.excluded.filter(\.isDecidedByKeys)
        var hits: [Hit] = []
        for ((document, keys), impacts) in zip(documents, impacts)
        where !impacts.contains(nil) && filter.matches(document) {
            if excluding.contains(where: { Self.impact($0, keys) != nil }) { continue }
            if checksText, !query.matches(SearchText(document)) { continue }
            let score = zip(weights, impacts).reduce(0) { $0 + $1.0 * ($1.1 ?? 0) }
            hits.append(Hit(id: document.id, score: score, published: keys.published))
        }
        return hits.sorted { Self.order($0) > Self.order($1) }
    }

    private static func order(_ hit: Hit) -> (Int, Int64, UInt64, UInt64) {
        (hit.score, hit.published, hit.id.high, hit.id.low)
    }

    /// The impact of a clause; `nil` if the keys do not match it.
    private static func impact(_ clause: SearchQuery.Clause, _ keys: AnalyzedDocument) -> Int? {
        clause.alternatives.compactMap { alternative -> Int? in
            var weakest = Int.max
            for range in alternative.ranges {
                guard let greatest = greatestImpact(range, keys) else { return nil }
                weakest = min(weakest, greatest)
            }
            return SearchScoring.impact(weakest, eighths: alternative.eighths)
        }.max()
    }

    private static func greatestImpact(_ range: TermRange, _ keys: AnalyzedDocument) -> Int? {
        /// The first key that does not precede `low`.
        var start = 0
        var end = keys.count
        while start < end {
            let middle = (start + end) / 2
            if keys.key(at: middle).lexicographicallyPrecedes(range.low) {
                start = middle + 1
            } else {
                end = middle
            }
        }
        return (start..<keys.count).prefix {
            keys.key(at: $0).lexicographicallyPrecedes(range.high)
        }.map { Int(keys.impact(at: $0)) }.max()
    }

    /// The nearest words of the dictionary in place of those that no document has; `nil` if there
    /// are none.
    func corrected(_ query: SearchQuery) -> SearchQuery? {
        var corrected = query
        var isChanged = false
        for (index, clause) in query.required.enumerated().reversed() {
            guard let word = clause.correctable,
                !documents.contains(where: { Self.impact(clause, $0.keys) != nil }),
                let best = nearest(word)
            else { continue }
            corrected = corrected.correcting(index, to: best)
            isChanged = true
        }
        return isChanged ? corrected : nil
    }

    /// The word with the fewest errors; of these, the one of the most documents; of these, the
    /// first.
    private func nearest(_ word: [UInt8]) -> [UInt8]? {
        var frequencies: [TermKey: Int] = [:]
        let range = Spelling.range(for: word)
        for (_, keys) in documents {
            for key in (0..<keys.count).map({ keys.key(at: $0) }) where range.contains(key) {
                frequencies[TermKey(.word, key.dropFirst()), default: 0] += 1
            }
        }
        let candidates = frequencies.compactMap { key, frequency in
            Spelling.distance(from: word, to: key.bytes.dropFirst()).map {
                (distance: $0, frequency: -frequency, key: key)
            }
        }
        return candidates.min {
            ($0.distance, $0.frequency, $0.key) < ($1.distance, $1.frequency, $1.key)
        }
        .map { Array($0.key.bytes.dropFirst()) }
    }
}
