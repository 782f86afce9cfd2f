import ArticleAPI

/// The documents of one segment, or of the tail, that match a plan.
struct Candidates {
    private(set) var ordinals: [UInt32] = []
    /// For each required clause, the candidates' impacts.
    private(set) var impacts: [[UInt8]] = []
    /// For each required clause, the number of live documents that match it.
    private(set) var frequencies: [Int] = []

    init(
        _ plan: SearchPlan, _ source: MatchReader.Source, _ reader: inout MatchReader
    ) throws(SearchIndexError) {
        for (index, clause) in plan.required.enumerated() {
            try reader.read(clause, source)
            frequencies.append(reader.matches.count)
            if index == 0 {
                ordinals = reader.matches.ordinals
            } else {
                keep { reader.matches[Int($0)] > 0 }
            }
            impacts.append(ordinals.map { UInt8(reader.matches[Int($0)] - 1) })
        }
        filterTimes(plan.filter, source)
        for keys in plan.filters where !ordinals.isEmpty {
            try reader.read(keys, source)
            keep { reader.matches[Int($0)] > 0 }
        }
        for clause in plan.excluded where !ordinals.isEmpty {
            try reader.read(clause, source)
            keep { reader.matches[Int($0)] == 0 }
        }
    }

    private mutating func filterTimes(_ filter: SearchFilter, _ source: MatchReader.Source) {
        guard filter.publishedAfter != nil || filter.publishedBefore != nil else { return }
        switch source {
        case .segment(let segment, _):
            keep { filter.contains(published: segment.documents.published[Int($0)]) }
        case .tail(let tail):
            keep { filter.contains(published: tail.documents[Int($0)].published) }
        }
    }

    @inline(__always)
    private mutating func keep(_ isKept: (UInt32) -> Bool) {
        var kept = 0
        // Invariant: the candidates before `kept` remain, as does each one's impact.
        for place in ordinals.indices where isKept(ordinals[place]) {
            ordinals[kept] = ordinals[place]
            for clause in impacts.indices { impacts[clause][kept] = impacts[clause][place] }
            kept += 1
        }
        let surplus = ordinals.count - kept
        ordinals.removeLast(surplus)
        for clause in impacts.indices { impacts[clause].removeLast(surplus) }
    }

    /// The score of each candidate.
    ///
    /// - Parameter weights: of the required clauses.
    func scores(_ weights: [Int]) -> [Int32] {
        var scores = [Int32](repeating: 0, count: ordinals.count)
        for (weight, impacts) in zip(weights, impacts) {
            let weight = Int32(weight)
            for place in scores.indices { scores[place] += weight * Int32(impacts[place]) }
        }
        return scores
    }
}

extension SearchView {
    /// Returns the best of all documents that match by their keys.
    ///
    /// - Parameters:
    ///   - plan: The plan of the query.
    ///   - blocks: For each segment, in the order of `segments`, the blocks of the plan's ranges.
    ///   - position: The position after which hits are returned.
    ///   - limit: The maximum hits; at least 1.
    package func hits(
        _ plan: SearchPlan, _ blocks: [RangeBlocks], after position: SearchPosition? = nil,
        limit: Int
    ) throws(SearchIndexError) -> SearchHits {
        guard blocks.count == segments.count else {
            throw .corrupt("blocks of a segment are missing")
        }
        guard !plan.required.isEmpty else {
            return SearchHits(hits: [], count: 0, frequencies: [], isEnd: true)
        }
        var reader = MatchReader(capacity: segments.reduce(tail.count) { max($0, $1.count) })
        var found: [Candidates] = []
        for (segment, blocks) in zip(segments, blocks) {
            found.append(try Candidates(plan, .segment(segment, blocks), &reader))
        }
        found.append(try Candidates(plan, .tail(tail), &reader))
        let frequencies = plan.required.indices.map { clause in
            found.reduce(0) { $0 + $1.frequencies[clause] }
        }
        let live = liveCount
        let weights = frequencies.map {
            $0 == 0 ? 0 : SearchScoring.weight(documents: live, frequency: $0)
        }
        var best = BestHits(limit: max(1, limit))
        var following = 0
        // The newest first: of equal scores, few others are better than the selected ones.
        for (index, candidates) in found.enumerated().reversed()
        where !candidates.ordinals.isEmpty {
            following += candidates.select(
                from: columns(of: index), weights, after: position, into: &best)
        }
        let hits = best.sorted
        return SearchHits(
            hits: hits, count: found.reduce(0) { $0 + $1.ordinals.count },
            frequencies: frequencies, isEnd: following == hits.count)
    }

    /// Returns the columns of the documents of a segment, or of the tail, which follows all
    /// segments.
    private func columns(of index: Int) -> HitColumns {
        if index < segments.count {
            let documents = segments[index].documents
            return HitColumns(
                ids: documents.ids, published: documents.published, revisions: documents.revisions)
        }
        return HitColumns(
            ids: tail.documents.map(\.id), published: tail.documents.map(\.published),
            revisions: tail.documents.map(\.revision))
    }
}

/// The parts of results that come from documents, by ordinal.
private struct HitColumns {
    let ids: [Article.ID]
    let published: [Int64]
    let revisions: [Int]
}

extension Candidates {
    /// Selects the best.
    ///
    /// - Returns: The number of candidates after the position.
    fileprivate func select(
        from columns: HitColumns, _ weights: [Int], after position: SearchPosition?,
        into best: inout BestHits
    ) -> Int {
        let highest = position?.score ?? .max
        var following = 0
        let scores = scores(weights)
        for place in scores.indices.reversed() {
            let score = Int(scores[place])
            if score > highest { continue }
            let ordinal = Int(ordinals[place])
            let published = columns.published[ordinal]
            if score < highest, best.isAbove(score, published) {
                following += 1
                continue
            }
            let hit = IndexHit(
                position: SearchPosition(
                    score: score, published: published, id: columns.ids[ordinal]),
                revision: columns.revisions[ordinal])
            if let position, hit.position >= position { continue }
            following += 1
            best.insert(hit)
        }
        return following
    }
}
