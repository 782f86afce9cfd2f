/// Reads the keys of a segment from its blocks, in order, with the documents' ordinals in the
/// result of a merge.
struct MergeCursor: Sendable {
    /// The ordinal of documents that are left out.
    static let dropped = UInt32.max

    /// The number of the block that is to be supplied next.
    private(set) var next = 0
    private(set) var key: [UInt8] = []
    /// The key's first bytes, which decide most comparisons.
    private var head: UInt64 = 0
    private let blockCount: Int
    /// The new ordinals of the segment's documents.
    private let ordinals: [UInt32]
    /// Blocks that were supplied and not read yet, the next one last.
    private var waiting: [[UInt8]] = []

    /// A key of the block that is being read.
    private struct Entry: Sendable {
        let key: Range<Int>
        let postingsEnd: Int
    }

    /// The entries that follow, the next one last, and their bytes and documents.
    private var entries: [Entry] = []
    private var bytes: [UInt8] = []
    private var documents: [UInt32] = []
    private var impacts: [UInt8] = []
    private var place = 0
    private var end = 0

    init(_ blockCount: Int, ordinals: [UInt32]) {
        self.blockCount = blockCount
        self.ordinals = ordinals
    }

    var isAtEnd: Bool {
        place == end && entries.isEmpty && waiting.isEmpty && next == blockCount
    }

    /// True if it needs another block to know the next key.
    var needsBlock: Bool {
        place == end && entries.isEmpty && waiting.isEmpty && next < blockCount
    }

    /// The next document of the key in the block; `nil` if another key or block is next.
    var ordinal: UInt32? { place < end ? documents[place] : nil }
    var impact: UInt8 { impacts[place] }

    mutating func advance() { place += 1 }

    mutating func supply(_ blocks: [[UInt8]]) {
        waiting = Array(blocks.prefix(blockCount - next).reversed())
        next += waiting.count
    }

    /// Returns true if its key is before that of the other.
    func precedes(_ other: MergeCursor) -> Bool {
        head != other.head ? head < other.head : key.lexicographicallyPrecedes(other.key)
    }

    /// Goes to the next key with documents that remain, unless it is at one, or needs a block.
    mutating func loadKey() throws(SearchIndexError) {
        while place == end {
            if let entry = entries.popLast() {
                key.removeAll(keepingCapacity: true)
                key += bytes[entry.key]
                head = key.head
                end = entry.postingsEnd
            } else {
                guard let block = waiting.popLast() else { return }
                try read(block)
            }
        }
    }

    private mutating func read(_ block: [UInt8]) throws(SearchIndexError) {
        bytes.removeAll(keepingCapacity: true)
        documents.removeAll(keepingCapacity: true)
        impacts.removeAll(keepingCapacity: true)
        (place, end) = (0, 0)
        let previous = key
        try block.withUnsafeBufferPointer { block throws(SearchIndexError) in
            var reader = try KeyBlockReader(block)
            while try reader.next() {
                // Only the first key of a block may be that of the block before.
                guard
                    previous.lexicographicallyPrecedes(reader.key)
                        || (entries.isEmpty && reader.isContinued && previous == reader.key)
                else { throw .corrupt("blocks of a segment are not in their order") }
                let start = bytes.count
                bytes += reader.key
                var postings = reader.postings
                while try postings.next(of: ordinals.count) {
                    let ordinal = ordinals[postings.ordinal]
                    guard ordinal != Self.dropped else { continue }
                    documents.append(ordinal)
                    impacts.append(postings.impact)
                }
                entries.append(
                    Entry(key: start..<bytes.count, postingsEnd: documents.count))
            }
        }
        entries.reverse()
    }
}
