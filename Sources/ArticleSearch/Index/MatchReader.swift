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

    /// The source of keys.
    enum Source {
        case segment(Segment, RangeBlocks)
        case tail(UnsealedDocuments)

        var count: Int {
            switch self {
            case .segment(let segment, _): segment.count
            case .tail(let tail): tail.count
            }
        }
    }

    /// Reads the clause into `matches`. Dead documents do not match.
    mutating func read(
        _ clause: SearchPlan.Clause, _ source: Source
    ) throws(SearchIndexError) {
        matches.clear(source.count)
        for keys in clause.keys { try Self.read(keys, source, into: &matches) }
        for way in clause.alternatives {
            try read(way, source)
            let other = alternative
            try matches.write { writer in
                for ordinal in other.ordinals {
                    writer.raise(Int(ordinal), to: other[Int(ordinal)])
                }
            }
        }
        removeDead(of: source)
    }

    /// Reads the documents with one of the keys into `matches`. Dead ones do not match.
    mutating func read(
        _ keys: SearchPlan.Keys, _ source: Source
    ) throws(SearchIndexError) {
        matches.clear(source.count)
        try Self.read(keys, source, into: &matches)
        removeDead(of: source)
    }

    /// Reads documents with a key of each range into `alternative`.
    private mutating func read(
        _ way: SearchPlan.Alternative, _ source: Source
    ) throws(SearchIndexError) {
        for (index, keys) in way.keys.enumerated() {
            if index == 0 {
                alternative.clear(source.count)
                try Self.read(keys, source, into: &alternative)
                continue
            }
            range.clear(source.count)
            try Self.read(keys, source, into: &range)
            alternative.replace { min($1, range[$0]) }
        }
        alternative.replace { Self.worths[way.eighths << 8 | Int($1 - 1)] }
    }

    private mutating func removeDead(of source: Source) {
        guard case .segment(let segment, _) = source, segment.liveCount < segment.count else {
            return
        }
        matches.replace { segment.isDead($0) ? 0 : $1 }
    }

    /// The value of a document for each number of eighths, and for each impact within it.
    private static let worths = (0...8).flatMap { eighths in
        (0...255).map { UInt16(SearchScoring.impact($0, eighths: eighths) + 1) }
    }

    /// Raises the values of documents with one of the keys.
    private static func read(
        _ keys: SearchPlan.Keys, _ source: Source, into matches: inout MatchBuffer
    ) throws(SearchIndexError) {
        switch source {
        case .segment(let segment, let blocks):
            guard keys.place < blocks.count else { throw .corrupt("blocks of a range are missing") }
            try matches.write { writer throws(SearchIndexError) in
                try worths.withUnsafeBufferPointer { worths throws(SearchIndexError) in
                    for block in blocks[keys.place] {
                        try read(block, keys, segment.count, worths, into: &writer)
                    }
                }
            }
        case .tail(let tail):
            try matches.write { writer in
                for (ordinal, document) in tail.documents.enumerated() {
                    for index in document.places(in: keys.range) {
                        let eighths = keys.eighths(of: document.key(at: index))
                        guard eighths > 0 else { continue }
                        let impact = Int(document.impact(at: index))
                        writer.raise(ordinal, to: worths[eighths << 8 | impact])
                    }
                }
            }
        }
    }

    private static func read(
        _ block: [UInt8], _ keys: SearchPlan.Keys, _ count: Int,
        _ worths: UnsafeBufferPointer<UInt16>, into writer: inout MatchBuffer.Writer
    ) throws(SearchIndexError) {
        try block.withUnsafeBufferPointer { block throws(SearchIndexError) in
            var reader = try KeyBlockReader(block)
            var isInBlock = try reader.next(notBefore: keys.range.low)
            while isInBlock, reader.key.lexicographicallyPrecedes(keys.range.high) {
                let worth = keys.eighths(of: reader.key) << 8
                var postings = reader.postings
                while worth > 0, try postings.next(of: count) {
                    writer.raise(postings.ordinal, to: worths[worth | Int(postings.impact)])
                }
                isInBlock = try reader.next()
            }
        }
    }
}
