/// The distinct terms of a text: a hash table with open addressing over its folded bytes.
struct TermTable {
    struct Entry {
        /// The range of its folded bytes, at its first use.
        let term: Range<Int>
        fileprivate let hash: UInt32
        var uses = TermOccurrences()
    }

    private(set) var entries: [Entry] = []
    /// Indices of entries, or -1. Their number is a power of two.
    private var slots: [Int32]
    private let text: SearchText

    init(_ text: SearchText) {
        self.text = text
        let capacity = max(64, text.units.count * 2)
        slots = Array(repeating: -1, count: 1 << (Int.bitWidth - capacity.leadingZeroBitCount))
        entries.reserveCapacity(text.units.count)
    }

    /// Adds the terms of a field.
    mutating func read(_ field: SearchText.Field) {
        TermReader.forEach(text.units, text.folded, in: field) { bytes, units in
            let entry = entry(bytes)
            switch field.kind {
            case .title: entries[entry].uses.isInTitle = true
            case .tag, .author, .summary: entries[entry].uses.isInDescription = true
            case .body: entries[entry].uses.inBody += 1
            }
            if field.kind.isHeading, text.units[units.lowerBound].kind != .syllable {
                entries[entry].uses.isHeading = true
            }
        }
    }

    /// The entry of a term; a new one if it is the term's first use.
    @inline(__always)
    private mutating func entry(_ term: Range<Int>) -> Int {
        let hash = text.folded.withUnsafeBufferPointer { Self.hash($0, term) }
        var slot = Int(hash) & (slots.count - 1)
        // Invariant: no slot from the hash's own to `slot` has the term. One is always free.
        while slots[slot] >= 0 {
            let found = Int(slots[slot])
            if entries[found].hash == hash, isEqual(entries[found].term, term) { return found }
            slot = (slot + 1) & (slots.count - 1)
        }
        slots[slot] = Int32(entries.count)
        entries.append(Entry(term: term, hash: hash))
        if entries.count * 4 > slots.count * 3 { grow() }
        return entries.count - 1
    }

    @inline(__always)
    private func isEqual(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
        guard left.count == right.count else { return false }
        return text.folded.withUnsafeBufferPointer { folded in
            for offset in 0..<left.count
            where folded[left.lowerBound + offset] != folded[right.lowerBound + offset] {
                return false
            }
            return true
        }
    }

    /// Depends on a random number, or an author could choose words that all have one slot.
    @inline(__always)
    private static func hash(_ folded: UnsafeBufferPointer<UInt8>, _ term: Range<Int>) -> UInt32 {
        var hash = seed
        var word: UInt64 = 1
        for index in term {
            word = word << 8 | UInt64(folded[index])
            guard word >> 56 != 0 else { continue }
            hash = mixed(hash ^ word)
            word = 1
        }
        return UInt32(truncatingIfNeeded: mixed(hash ^ word))
    }

    @inline(__always)
    private static func mixed(_ value: UInt64) -> UInt64 {
        let product = value.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }

    private static let seed = UInt64.random(in: 1...UInt64.max)

    private mutating func grow() {
        slots = Array(repeating: -1, count: slots.count * 2)
        for (index, entry) in entries.enumerated() {
            var slot = Int(entry.hash) & (slots.count - 1)
            while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = Int32(index)
        }
    }
}
