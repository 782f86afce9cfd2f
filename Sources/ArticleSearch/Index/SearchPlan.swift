/// The work of an index for a query: the keys that it reads, and their meaning.
package struct SearchPlan: Sendable {
    /// The ranges that have to be read: each once, and none that is within another.
    package let ranges: [TermRange]
    let required: [Clause]
    /// Those that keys decide; the others are left to the text.
    let excluded: [Clause]
    /// A document needs a key of each.
    let filters: [Keys]
    let filter: SearchFilter

    /// Keys within one of the plan's ranges, in one or several ranges of their own.
    struct Keys: Sendable {
        /// The place of the plan's range.
        let place: Int
        let parts: [Part]
        /// From the first of the keys to the last.
        let range: TermRange

        fileprivate init(_ parts: [Part], place: Int) {
            self.parts = parts
            self.place = place
            let low = parts.map(\.range.low).min { $0.lexicographicallyPrecedes($1) } ?? []
            let high = parts.map(\.range.high).max { $0.lexicographicallyPrecedes($1) } ?? []
            range = TermRange(low: low, high: high)
        }

        /// Returns the eighths of the impact of a key within `range` that count; 0 if it is none of
        /// the keys.
        @inline(__always)
        func eighths(of key: some Collection<UInt8>) -> Int {
            if parts.count == 1 { return parts[0].eighths }
            return parts.reduce(0) { most, part in
                part.eighths > most && part.range.contains(key) ? part.eighths : most
            }
        }
    }

    struct Part: Sendable {
        let range: TermRange
        let eighths: Int
    }

    struct Clause: Sendable {
        /// One key of any of these is enough. Those within one range of the plan are together, so
        /// that its blocks are read once.
        let keys: [Keys]
        /// Alternatives, of which one also suffices.
        let alternatives: [Alternative]
    }

    /// A key of each is needed.
    struct Alternative: Sendable {
        let keys: [Keys]
        let eighths: Int
    }

    package init(_ query: SearchQuery, _ filter: SearchFilter = SearchFilter()) {
        self.init(required: query.required, excluded: query.excluded, filter)
    }

    package init(
        required: [SearchQuery.Clause], excluded: [SearchQuery.Clause] = [],
        _ filter: SearchFilter = SearchFilter()
    ) {
        // The exclusions and filters of a query without required clauses need not be read.
        let excluded = required.isEmpty ? [] : excluded.filter(\.isDecidedByKeys)
        let filters = required.isEmpty ? [] : filter.ranges
        let clauses = required + excluded
        let ranges = Self.outermost(
            clauses.flatMap { $0.alternatives.flatMap(\.ranges) } + filters)
        self.ranges = ranges
        self.required = required.map { Clause($0, in: ranges) }
        self.excluded = excluded.map { Clause($0, in: ranges) }
        self.filters = filters.map { Keys([Part(range: $0, eighths: 8)], in: ranges) }
        self.filter = filter
    }

    /// Returns the ranges that are within no other, each once: a word, its plural and words that
    /// begin with it are in the same blocks.
    private static func outermost(_ ranges: [TermRange]) -> [TermRange] {
        var outermost: [TermRange] = []
        for range in ranges where !outermost.contains(where: { $0.contains(range) }) {
            outermost.removeAll { range.contains($0) }
            outermost.append(range)
        }
        return outermost
    }
}

extension SearchPlan.Clause {
    fileprivate init(_ clause: SearchQuery.Clause, in ranges: [TermRange]) {
        var parts: [(place: Int, parts: [SearchPlan.Part])] = []
        var alternatives: [SearchPlan.Alternative] = []
        for way in clause.alternatives {
            guard way.ranges.count == 1 else {
                let keys = way.ranges.map { range in
                    SearchPlan.Keys([SearchPlan.Part(range: range, eighths: 8)], in: ranges)
                }
                alternatives.append(SearchPlan.Alternative(keys: keys, eighths: way.eighths))
                continue
            }
            let part = SearchPlan.Part(range: way.ranges[0], eighths: way.eighths)
            let place = part.range.place(in: ranges)
            if let index = parts.firstIndex(where: { $0.place == place }) {
                parts[index].parts.append(part)
            } else {
                parts.append((place, [part]))
            }
        }
        keys = parts.map { SearchPlan.Keys($0.parts, place: $0.place) }
        self.alternatives = alternatives
    }
}

extension SearchPlan.Keys {
    fileprivate init(_ parts: [SearchPlan.Part], in ranges: [TermRange]) {
        self.init(parts, place: parts[0].range.place(in: ranges))
    }
}

extension TermRange {
    /// The place of the range that contains this one.
    fileprivate func place(in ranges: [TermRange]) -> Int {
        ranges.firstIndex { $0.contains(self) } ?? 0
    }

    /// Returns true if each key of the other range is one of this.
    fileprivate func contains(_ other: TermRange) -> Bool {
        !other.low.lexicographicallyPrecedes(low) && !high.lexicographicallyPrecedes(other.high)
    }
}

/// The blocks of keys of one segment for each range of a plan, as ``Segment/blocks(of:)`` says.
package typealias RangeBlocks = [[[UInt8]]]
