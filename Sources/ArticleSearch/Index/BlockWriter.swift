/// Writes keys and their documents, both ascending, into blocks.
struct BlockWriter: Sendable {
    /// Those that are complete and not taken yet.
    private var blocks: [SearchBlock] = []
    /// The number of completed blocks.
    private(set) var count = 0
    /// In which of these keys begin.
    private(set) var directory = KeyDirectory()
    /// The block that is being filled; empty before its first key.
    private var data: [UInt8] = []
    private var first: [UInt8] = []
    /// The last key in `data`.
    private var previous: [UInt8] = []

    /// The key whose documents are being written; `nil` before the first.
    private(set) var key: [UInt8]?
    /// Its documents that are in no block yet, and the last ordinal among them.
    private var postings: [UInt8] = []
    private var last = -1
    /// True if the key has blocks of its own.
    private var isSplit = false

    init() {
        data.reserveCapacity(SearchBlock.limitBytes)
        postings.reserveCapacity(SearchBlock.limitBytes)
    }

    /// Begins a key; each key needs a document.
    mutating func begin(_ key: [UInt8]) {
        endKey()
        self.key = key
    }

    mutating func append(_ ordinal: Int, _ impact: UInt8) {
        // A block begins with a byte and the key; numbers take at most five bytes.
        let room = SearchBlock.limitBytes - 1 - 3 * 5 - (key?.count ?? 0)
        if postings.count + 6 > room {
            closeBlock()
            appendKey()
            closeBlock(continues: isSplit)
            isSplit = true
        }
        postings.appendNumber(ordinal - last - 1)
        postings.append(impact)
        last = ordinal
    }

    /// Completes the last block.
    mutating func finish() {
        endKey()
        closeBlock()
    }

    mutating func takeBlocks() -> [SearchBlock] {
        defer { blocks = [] }
        return blocks
    }

    private mutating func endKey() {
        guard let key, !postings.isEmpty else { return }
        if isSplit {
            appendKey()
            closeBlock(continues: true)
            isSplit = false
        } else {
            // The key fits into an empty block, because `append` has left room for it.
            if data.count + 3 * 5 + key.count + postings.count > SearchBlock.limitBytes {
                closeBlock()
            }
            appendKey()
        }
    }

    private mutating func appendKey() {
        guard let key else { return }
        if data.isEmpty {
            data.append(0)
            first = key
        }
        let shared = zip(previous, key).prefix { $0 == $1 }.count
        data.appendNumber(shared)
        data.appendNumber(key.count - shared)
        data += key[shared...]
        data.appendNumber(postings.count)
        data += postings
        previous = key
        postings.removeAll(keepingCapacity: true)
        last = -1
    }

    private mutating func closeBlock(continues: Bool = false) {
        guard !data.isEmpty else { return }
        if continues { data[0] = 1 } else { directory.append(first, block: count) }
        blocks.append(SearchBlock(number: count, first: continues ? nil : first, data: data))
        count += 1
        data.removeAll(keepingCapacity: true)
        previous = []
    }
}

extension [UInt8] {
    /// Appends a number in LEB128.
    mutating func appendNumber(_ number: Int) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends a number in `bytes` bytes, the lowest first.
    mutating func append(_ number: UInt64, bytes: Int) {
        for place in 0..<bytes { append(UInt8(truncatingIfNeeded: number >> UInt64(8 * place))) }
    }
}
