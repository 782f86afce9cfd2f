/// Reads which documents of a segment, or of the tail, match a clause, and how well.
///
/// The buffers are as long as the longest segment, and are used again for each one.
struct MatchReader {
    /// For each document, 0 or the clause's impact plus 1.
    private(set) var values: [UInt16]
    /// The same of an alternative, and of a range within it.
    private var alternative: [UInt16]
    private var range: [UInt16]

    init(capacity: Int) {
        values = [UInt16](repeating: 0, count: capacity)
        alternative = values
        range = values
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

    /// Reads the clause into `values`. Dead documents do not match.
    mutating func read(
        _ clause: SearchPlan.Clause, _ plan: SearchPlan, _ source: Source
    ) throws(SearchIndexError) {
        let count = source.count
        Self.clear(&values, count)
        for way in clause.alternatives {
            if way.ranges.count == 1 {
                try Self.read(way.ranges[0], plan, source, eighths: way.eighths, into: &values)
            } else {
                try read(way, plan, source)
                for ordinal in 0..<count where alternative[ordinal] > values[ordinal] {
                    values[ordinal] = alternative[ordinal]
                }
            }
        }
        guard case .segment(let segment, _) = source else { return }
        Self.clearDead(segment, &values)
    }

    /// Reads the documents with a key of the range into `values`. Dead ones do not match.
    mutating func read(
        range: Int, _ plan: SearchPlan, _ source: Source
    ) throws(SearchIndexError) {
        Self.clear(&values, source.count)
        try Self.read(range, plan, source, eighths: 8, into: &values)
        guard case .segment(let segment, _) = source else { return }
        Self.clearDead(segment, &values)
    }

    /// Reads documents with a key of each range into `alternative`.
    private mutating func read(
        _ way: SearchPlan.Alternative, _ plan: SearchPlan, _ source: Source
    ) throws(SearchIndexError) {
        let count = source.count
        Self.clear(&alternative, count)
        for (index, place) in way.ranges.enumerated() {
            if index == 0 {
                try Self.read(place, plan, source, eighths: 8, into: &alternative)
                continue
            }
            Self.clear(&range, count)
            try Self.read(place, plan, source, eighths: 8, into: &range)
            for ordinal in 0..<count where range[ordinal] < alternative[ordinal] {
                alternative[ordinal] = range[ordinal]
            }
        }
        for ordinal in 0..<count where alternative[ordinal] > 0 {
            let weakest = Int(alternative[ordinal]) - 1
            alternative[ordinal] =
                UInt16(SearchFormula.impact(weakest, eighths: way.eighths)) + 1
        }
    }

    /// For each number of eighths and each impact, the value of a document.
    private static let worths = (0...8).map { eighths in
        (0...255).map { UInt16(SearchFormula.impact($0, eighths: eighths) + 1) }
    }

    /// Raises the values of documents with a key of the range.
    private static func read(
        _ part: Int, _ plan: SearchPlan, _ source: Source, eighths: Int,
        into values: inout [UInt16]
    ) throws(SearchIndexError) {
        let (range, place) = (plan.parts[part].range, plan.parts[part].place)
        let worth = worths[eighths]
        switch source {
        case .segment(let segment, let blocks):
            guard place < blocks.count else { throw .corrupt("blocks of a range are missing") }
            let count = segment.count
            try values.withUnsafeMutableBufferPointer { values throws(SearchIndexError) in
                try worth.withUnsafeBufferPointer { worth throws(SearchIndexError) in
                    for block in blocks[place] {
                        try read(block, range, count, worth, into: values)
                    }
                }
            }
        case .tail(let tail):
            for (ordinal, document) in tail.documents.enumerated() {
                for index in document.places(in: range) {
                    let value = worth[Int(document.impact(at: index))]
                    values[ordinal] = max(values[ordinal], value)
                }
            }
        }
    }

    private static func read(
        _ block: [UInt8], _ range: TermRange, _ count: Int, _ worth: UnsafeBufferPointer<UInt16>,
        into values: UnsafeMutableBufferPointer<UInt16>
    ) throws(SearchIndexError) {
        try block.withUnsafeBufferPointer { block throws(SearchIndexError) in
            var reader = try KeyBlockReader(block)
            while try reader.next() {
                if reader.key.lexicographicallyPrecedes(range.low) { continue }
                guard reader.key.lexicographicallyPrecedes(range.high) else { return }
                var postings = reader.postings
                while try postings.next(of: count) {
                    let value = worth[Int(postings.impact)]
                    if values[postings.ordinal] < value { values[postings.ordinal] = value }
                }
            }
        }
    }

    private static func clear(_ values: inout [UInt16], _ count: Int) {
        values.withUnsafeMutableBufferPointer { values in
            values[..<count].update(repeating: 0)
        }
    }

    private static func clearDead(_ segment: Segment, _ values: inout [UInt16]) {
        guard segment.liveCount < segment.count else { return }
        for (index, byte) in segment.dead.enumerated() where byte != 0 {
            for bit in 0..<8 where byte >> UInt8(bit) & 1 == 1 { values[index * 8 + bit] = 0 }
        }
    }
}
