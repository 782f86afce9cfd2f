/// Reads the keys of one block, whatever its bytes are.
///
/// The memory is valid while the block's `withUnsafeBufferPointer` runs.
struct KeyBlockReader {
    /// The key that `next` has read.
    private(set) var key: [UInt8] = []
    /// The number of its first bytes that it shares with the key read before; 0 if none was read.
    private(set) var shared = 0
    /// Its documents in this block.
    private(set) var postings: Postings
    /// True if the first key continues the block before.
    let isContinued: Bool
    private var bytes: ByteReader

    init(_ block: UnsafeBufferPointer<UInt8>) throws(SearchIndexError) {
        bytes = ByteReader(block)
        postings = Postings(ByteReader(UnsafeBufferPointer(rebasing: block[..<0])))
        guard block.count <= SearchBlock.limitBytes, let kind = bytes.byte(), kind <= 1 else {
            throw .corrupt("not a block of keys")
        }
        isContinued = kind == 1
    }

    /// Reads the next key; false at the end.
    mutating func next() throws(SearchIndexError) -> Bool {
        guard let entry = try entry(after: key.count) else { return false }
        // Only so are keys ascending, as searches expect.
        guard entry.shared == key.count || entry.rest[0] > key[entry.shared] else {
            throw .corrupt("keys of a block are not ascending")
        }
        key.removeLast(key.count - entry.shared)
        key.append(contentsOf: entry.rest)
        shared = entry.shared
        postings = Postings(entry.postings)
        return true
    }

    /// Reads on to the first key that is not before another one; false at the end. For a reader
    /// that has read no key yet.
    mutating func next(notBefore low: [UInt8]) throws(SearchIndexError) -> Bool {
        // The last key's length, and the number of its first bytes that it shares with `low`.
        var (count, equal) = (0, 0)
        // Invariant: the last key is before `low`. So is a key that has more bytes in common with
        // it; of any other key, the bytes that are not in the block are those of `low`.
        while let entry = try entry(after: count) {
            count = entry.shared + entry.rest.count
            if entry.shared > equal { continue }
            equal = entry.shared
            while equal < min(count, low.count), entry.rest[equal - entry.shared] == low[equal] {
                equal += 1
            }
            let isBefore =
                equal < low.count
                && (equal == count || entry.rest[equal - entry.shared] < low[equal])
            if isBefore { continue }
            key = Array(low[..<entry.shared]) + entry.rest
            postings = Postings(entry.postings)
            return true
        }
        return false
    }

    private struct Entry {
        /// The number of the key's bytes that it shares with the key before.
        let shared: Int
        /// The other ones; at least one.
        let rest: UnsafeBufferPointer<UInt8>
        let postings: ByteReader
    }

    /// Reads the block's entry of the next key; `nil` at the end.
    ///
    /// - Parameter count: The length of the key before.
    @inline(__always)
    private mutating func entry(after count: Int) throws(SearchIndexError) -> Entry? {
        guard !bytes.isAtEnd else { return nil }
        guard let shared = bytes.number(), let length = bytes.number(), shared <= count,
            shared + length <= SearchBlock.limitKeyBytes, length > 0,
            let rest = bytes.take(length), let size = bytes.number(), size > 0,
            let postings = bytes.take(size)
        else { throw .corrupt("a key of a block is damaged") }
        return Entry(shared: shared, rest: rest, postings: ByteReader(postings))
    }
}

/// The documents of a key in one block, as ordinals of the segment, ascending.
struct Postings {
    private(set) var ordinal = -1
    private(set) var impact: UInt8 = 0
    private var bytes: ByteReader

    init(_ bytes: ByteReader) { self.bytes = bytes }

    /// Reads the next document; false at the end.
    ///
    /// - Parameter count: the segment's documents.
    @inline(__always)
    mutating func next(of count: Int) throws(SearchIndexError) -> Bool {
        guard !bytes.isAtEnd else { return false }
        guard let gap = bytes.number(), let impact = bytes.byte(), ordinal + gap < count - 1 else {
            throw .corrupt("documents of a key are damaged")
        }
        ordinal += gap + 1
        self.impact = impact
        return true
    }
}

/// Reads numbers from memory that its maker keeps valid.
struct ByteReader {
    private var position: UnsafePointer<UInt8>?
    private var left: Int

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        position = bytes.baseAddress
        left = bytes.count
    }

    @inline(__always)
    var isAtEnd: Bool { left == 0 }

    @inline(__always)
    mutating func byte() -> UInt8? {
        guard left > 0, let place = position else { return nil }
        position = place + 1
        left -= 1
        return place.pointee
    }

    /// A number below 2³⁵.
    @inline(__always)
    mutating func number() -> Int? {
        guard let byte = byte() else { return nil }
        return byte < 0x80 ? Int(byte) : rest(Int(byte & 0x7F))
    }

    /// Reads the rest of a number after its first seven bits.
    @inline(never)
    private mutating func rest(_ low: Int) -> Int? {
        var (value, shift) = (low, 7)
        // Invariant: `value` has the `shift` lowest bits.
        while shift < 35 {
            guard let byte = byte() else { return nil }
            value |= Int(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }

    mutating func take(_ count: Int) -> UnsafeBufferPointer<UInt8>? {
        guard count <= left, let place = position else { return nil }
        position = place + count
        left -= count
        return UnsafeBufferPointer(start: place, count: count)
    }
}
