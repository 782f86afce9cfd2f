/// What an index does for a query: which keys it reads, and what they mean. A value; use it
/// anywhere.
package struct SearchPlan: Sendable {
    /// Each once.
    package let ranges: [TermRange]
    let required: [Clause]
    /// Those that keys decide; the others are left to the text.
    let excluded: [Clause]
    /// Places in `ranges`: a document needs a key of each.
    let filters: [Int]
    let filter: SearchFilter

    struct Clause: Sendable {
        let alternatives: [Alternative]
    }

    struct Alternative: Sendable {
        /// Places in `ranges`.
        let ranges: [Int]
        let eighths: Int
    }

    package init(_ query: SearchQuery, _ filter: SearchFilter = SearchFilter()) {
        self.init(required: query.required, excluded: query.excluded, filter)
    }

    package init(
        required: [SearchQuery.Clause], excluded: [SearchQuery.Clause] = [],
        _ filter: SearchFilter = SearchFilter()
    ) {
        var places: [TermRange: Int] = [:]
        var ranges: [TermRange] = []
        func place(_ range: TermRange) -> Int {
            if let place = places[range] { return place }
            places[range] = ranges.count
            ranges.append(range)
            return ranges.count - 1
        }
        func clause(_ clause: SearchQuery.Clause) -> Clause {
            Clause(
                alternatives: clause.alternatives.map { alternative in
                    Alternative(
                        ranges: alternative.ranges.map { place($0) }, eighths: alternative.eighths)
                })
        }
        // What a query without required clauses excludes and filters need not be read.
        self.required = required.map { clause($0) }
        self.excluded =
            required.isEmpty ? [] : excluded.filter(\.isDecidedByKeys).map { clause($0) }
        filters = required.isEmpty ? [] : filter.ranges.map { place($0) }
        self.filter = filter
        self.ranges = ranges
    }
}

/// The blocks of keys of one segment for each range of a plan: from the last one whose `first` is
/// not above the range's low, up to the next one whose `first` is at or above its high.
package typealias RangeBlocks = [[[UInt8]]]
