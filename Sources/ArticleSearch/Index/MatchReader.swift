/// Reads which documents of a segment, or of the tail, match a clause, and how well.
///
/// The buffers are used again for each segment.
struct MatchReader {
    private(set) var matches: MatchBuffer
    /// Those of an alternative, and of a range within it.
    private var alternative: MatchBuffer
    private var range: MatchBuffer

    /// - Parameter capacity: the documents of the longest segment.
    init(capacity: Int) {
        matches = MatchBuffer(capacity: capacity)
        alternative = MatchBuffer(capacity: capacity)
        range = MatchBuffer(capacity: capacity)
    }

    /// Where keys are found.
    enum Source {
        case segment(Segment, RangeBlocks)
        case tail(SearchTail)

        var count: Int {
            switch self {
            case .segment(let segment, _): segment.count
            case .tail(let tail): tail.count
            }
        }
    }

    /// Reads the clause into `matches`. Dead documents do not match.
    mutating func read(
        _ clause: SearchPlan.Clause, _ plan: SearchPlan, _ source: Source
    ) throws(SearchIndexError) {
        matches.clear(source.count)
        for way in clause.alternatives {
            if way.ranges.count == 1 {
                try Self.read(way.ranges[0], plan, source, eighths: way.eighths, into: &matches)
            } else {
                try read(way, plan, source)
                let other = alternative
                try matches.write { writer in
                    for ordinal in other.ordinals {
                        writer.raise(Int(ordinal), to: other[Int(ordinal)])
                    }
                }
            }
        }
        removeDead(of: source)
    }

    /// Reads the documents with a key of the range into `matches`. Dead ones do not match.
    mutating func read(
        range: Int, _ plan: SearchPlan, _ source: Source
    ) throws(SearchIndexError) {
        matches.clear(source.count)
        try Self.read(range, plan, source, eighths: 8, into: &matches)
        removeDead(of: source)
    }

    /// Reads documents with a key of each range into `alternative`.
    private mutating func read(
        _ way: SearchPlan.Alternative, _ plan: SearchPlan, _ source: Source
    ) throws(SearchIndexError) {
        for (index, place) in way.ranges.enumerated() {
            if index == 0 {
                alternative.clear(source.count)
                try Self.read(place, plan, source, eighths: 8, into: &alternative)
                continue
            }
            range.clear(source.count)
            try Self.read(place, plan, source, eighths: 8, into: &range)
            alternative.replace { min($1, range[$0]) }
        }
        let worth = Self.worths[way.eighths]
        alternative.replace { worth[Int($1) - 1] }
    }

    private mutating func removeDead(of source: Source) {
        guard case .segment(let segment, _) = source, segment.liveCount < segment.count else {
            return
        }
        matches.replace { segment.isDead($0) ? 0 : $1 }
    }

    /// For each number of eighths and each impact, the value of a document.
    private static let worths = (0...8).map { eighths in
        (0...255).map { UInt16(SearchFormula.impact($0, eighths: eighths) + 1) }
    }

    /// Raises the values of documents with a key of the range.
    private static func read(
        _ part: Int, _ plan: SearchPlan, _ source: Source, eighths: Int,
        into matches: inout MatchBuffer
    ) throws(SearchIndexError) {
        let (range, place) = (plan.parts[part].range, plan.parts[part].place)
        let worth = worths[eighths]
        switch source {
        case .segment(let segment, let blocks):
            guard place < blocks.count else { throw .corrupt("blocks of a range are missing") }
            try matches.write { writer throws(SearchIndexError) in
                try worth.withUnsafeBufferPointer { worth throws(SearchIndexError) in
                    for block in blocks[place] {
                        try read(block, range, segment.count, worth, into: &writer)
                    }
                }
            }
        case .tail(let tail):
            try matches.write { writer in
                for (ordinal, document) in tail.documents.enumerated() {
                    for index in document.places(in: range) {
                        writer.raise(ordinal, to: worth[Int(document.impact(at: index))])
                    }
                }
            }
        }
    }

    private static func read(
        _ block: [UInt8], _ range: TermRange, _ count: Int, _ worth: UnsafeBufferPointer<UInt16>,
        into writer: inout MatchBuffer.Writer
    ) throws(SearchIndexError) {
        try block.withUnsafeBufferPointer { block throws(SearchIndexError) in
            var reader = try KeyBlockReader(block)
            var isInBlock = try reader.next(notBefore: range.low)
            while isInBlock, reader.key.lexicographicallyPrecedes(range.high) {
                var postings = reader.postings
                while try postings.next(of: count) {
                    writer.raise(postings.ordinal, to: worth[Int(postings.impact)])
                }
                isInBlock = try reader.next()
            }
        }
    }
}
