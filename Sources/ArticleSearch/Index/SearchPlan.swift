/// What an index does for a query: which keys it reads, and what they mean. A value; use it
/// anywhere.
package struct SearchPlan: Sendable {
    /// What has to be read: each once, and none that is within another.
    package let ranges: [TermRange]
    /// Each range of keys that counts, once, and the place in `ranges` of the one that contains it.
    let parts: [Part]
    let required: [Clause]
    /// Those that keys decide; the others are left to the text.
    let excluded: [Clause]
    /// Places in `parts`: a document needs a key of each.
    let filters: [Int]
    let filter: SearchFilter

    struct Part: Sendable {
        let range: TermRange
        let place: Int
    }

    struct Clause: Sendable {
        let alternatives: [Alternative]
    }

    struct Alternative: Sendable {
        /// Places in `parts`.
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
        // A word, its plural and what begins like it are in the same blocks.
        let read = ranges.filter { range in
            !ranges.contains { $0 != range && $0.contains(range) }
        }
        parts = ranges.map { range in
            Part(range: range, place: read.firstIndex { $0.contains(range) } ?? 0)
        }
        self.ranges = read
    }
}

extension TermRange {
    /// Whether each key of the other range is one of this.
    fileprivate func contains(_ other: TermRange) -> Bool {
        !other.low.lexicographicallyPrecedes(low) && !high.lexicographicallyPrecedes(other.high)
    }
}

/// The blocks of keys of one segment for each range of a plan, as ``Segment/blocks(of:)`` says.
package typealias RangeBlocks = [[[UInt8]]]
