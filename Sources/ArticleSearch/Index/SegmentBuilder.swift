/// Makes a segment of the documents of a tail. Equal tails make equal bytes.
package enum SegmentBuilder {
    /// - Parameters:
    ///   - tail: the documents.
    ///   - number: the segment's, which no other has.
    /// - Returns: the segment, and its blocks of keys and of documents.
    package static func segment(
        of tail: UnsealedDocuments, number: Int64
    ) -> (segment: Segment, blocks: [SearchBlock]) {
        var documents = SegmentDocuments(capacity: tail.count)
        var keys = KeySorter(tail.documents)
        for document in tail.documents { documents.append(SegmentDocument(document)) }
        var writer = BlockWriter()
        keys.write(to: &writer)
        writer.finish()
        let segment = Segment(
            number: number, level: 0, keyBlocks: writer.count, directory: writer.directory,
            documents: documents)
        return (segment, writer.takeBlocks() + segment.documentBlocks)
    }
}

/// The keys of several documents, in one order.
private struct KeySorter {
    private struct Entry {
        /// The key's first eight bytes, which decide most comparisons.
        let head: UInt64
        let start: UInt32
        let count: UInt16
        let impact: UInt8
        let ordinal: UInt32
    }

    private var bytes: [UInt8] = []
    private var entries: [Entry] = []

    init(_ documents: [AnalyzedDocument]) {
        bytes.reserveCapacity(documents.reduce(0) { $0 + $1.bytes.count })
        entries.reserveCapacity(documents.reduce(0) { $0 + $1.count })
        for (ordinal, document) in documents.enumerated() {
            let base = bytes.count
            bytes += document.bytes
            for index in 0..<document.count {
                let key = document.bounds(at: index)
                // No tokenizer makes longer keys, so that blocks need not have room for them.
                guard key.count <= SearchBlock.limitKeyBytes else { continue }
                entries.append(
                    Entry(
                        head: document.bytes[key].head, start: UInt32(base + key.lowerBound),
                        count: UInt16(key.count), impact: document.impact(at: index),
                        ordinal: UInt32(ordinal)))
            }
        }
    }

    mutating func write(to writer: inout BlockWriter) {
        bytes.withUnsafeBufferPointer { bytes in
            entries.sort { left, right in
                if left.head != right.head { return left.head < right.head }
                switch Self.compare(left, right, bytes) {
                case 0: return left.ordinal < right.ordinal
                case let order: return order < 0
                }
            }
            var previous: Entry?
            for entry in entries {
                if previous.map({
                    $0.head != entry.head || Self.compare($0, entry, bytes) != 0
                }) ?? true {
                    let start = Int(entry.start)
                    writer.begin(Array(bytes[start..<start + Int(entry.count)]))
                }
                writer.append(Int(entry.ordinal), entry.impact)
                previous = entry
            }
        }
    }

    /// Compares keys whose first eight bytes are equal.
    @inline(__always)
    private static func compare(
        _ left: Entry, _ right: Entry, _ bytes: UnsafeBufferPointer<UInt8>
    ) -> Int {
        let count = Int(min(left.count, right.count))
        var place = 8
        // Invariant: the keys are equal before `place`.
        while place < count {
            let one = bytes[Int(left.start) + place]
            let other = bytes[Int(right.start) + place]
            if one != other { return one < other ? -1 : 1 }
            place += 1
        }
        return Int(left.count) - Int(right.count)
    }
}

extension Collection<UInt8> {
    /// The first eight bytes as a number with the same order; missing ones are 0.
    var head: UInt64 {
        var (head, shift): (UInt64, UInt64) = (0, 64)
        for byte in prefix(8) {
            shift -= 8
            head |= UInt64(byte) << shift
        }
        return head
    }
}
