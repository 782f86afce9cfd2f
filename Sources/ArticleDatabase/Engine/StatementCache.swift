/// The unused compiled statements of a connection, looked up by the address of their SQL: one
/// multiplication and usually one comparison, whereas the hashing of a dictionary would cost as
/// much as the simplest statement.
struct StatementCache {
    /// The statements with the same SQL. There may be several, as a statement can run while an
    /// outer one with the same SQL is being read.
    private struct Entry {
        var text: UnsafePointer<UInt8>?
        var count = 0
        var handles = InlineArray<4, OpaquePointer?>(repeating: nil)
    }

    /// A hash table with open addressing; its size is a power of two and at most half of it is
    /// used.
    private var entries = [Entry](repeating: Entry(), count: 256)
    private var used = 0

    /// Removes and returns an unused statement, if there is one.
    mutating func take(_ text: UnsafePointer<UInt8>) -> OpaquePointer? {
        let slot = probe(for: text)
        let count = entries[slot].count
        guard count > 0 else { return nil }
        entries[slot].count = count - 1
        return entries[slot].handles[count - 1]
    }

    /// Adds a reset statement; `false` if there are enough of its kind.
    mutating func keep(_ statement: OpaquePointer, _ text: UnsafePointer<UInt8>) -> Bool {
        var slot = probe(for: text)
        if entries[slot].text == nil {
            if used * 2 >= entries.count { grow() }
            slot = probe(for: text)
            entries[slot].text = text
            used += 1
        }
        let count = entries[slot].count
        guard count < 4 else { return false }
        entries[slot].handles[count] = statement
        entries[slot].count = count + 1
        return true
    }

    /// Passes on all of them, and forgets them.
    mutating func removeAll(_ finalize: (OpaquePointer) -> Void) {
        for entry in entries {
            for index in 0..<entry.count { entry.handles[index].map(finalize) }
        }
        entries = []
    }

    /// The text's slot, or the free slot where it belongs.
    private func probe(for text: UnsafePointer<UInt8>) -> Int {
        let mask = entries.count - 1
        let mixed = UInt(bitPattern: text) &* 0x9E37_79B9_7F4A_7C15
        var slot = Int(mixed >> 40) & mask
        // Invariant: there is no free slot between the text's first slot and `slot`.
        while let other = entries[slot].text, other != text { slot = (slot + 1) & mask }
        return slot
    }

    private mutating func grow() {
        let old = entries
        entries = [Entry](repeating: Entry(), count: old.count * 2)
        for entry in old {
            guard let text = entry.text else { continue }
            entries[probe(for: text)] = entry
        }
    }
}
