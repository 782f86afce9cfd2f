/// A key of a table: 128 bits of two hashes, which are seeded per process (`Hasher`), so that
/// clients cannot choose keys that collide.
@usableFromInline
package struct HashedKey: Sendable, Hashable {
    @usableFromInline package let high: UInt64
    @usableFromInline package let low: UInt64

    /// - Parameter combine: Adds the parts of the key to the hash.
    package init(_ combine: (inout Hasher) -> Void) {
        func half(_ seed: UInt8) -> UInt64 {
            var hasher = Hasher()
            hasher.combine(seed)
            combine(&hasher)
            return UInt64(UInt(bitPattern: hasher.finalize()))
        }
        high = half(1)
        low = half(2)
    }
}

/// A value that a table may discard for others.
@usableFromInline
package protocol BoundedTableEntry: Sendable {
    /// Entries with the least weight are discarded first; below 0, the entry has no meaning any
    /// more.
    ///
    /// - Parameter now: Monotonic time, in the unit of the table's owner.
    func weight(at now: Int64) -> Int64
}

/// Entries by key in bounded memory: a set-associative table, in which a new entry replaces the
/// one of its set with the least weight.
@usableFromInline
package struct BoundedTable<Entry: BoundedTableEntry>: Sendable {
    // Allocated with the first entry.
    @usableFromInline var slots: [(key: HashedKey, entry: Entry)?] = []
    @usableFromInline let sets: Int
    @usableFromInline static var ways: Int { 8 }

    /// - Parameter capacity: The maximum number of entries, rounded down to 8.
    package init(capacity: Int) { sets = max(1, capacity / Self.ways) }

    /// The number of entries, for tests.
    package var count: Int { slots.count { $0 != nil } }

    /// The entry of the key, unless it has lost its meaning; `nil` removes it.
    @inlinable
    package subscript(key: HashedKey, at now: Int64) -> Entry? {
        get {
            guard let place = place(of: key), let entry = slots[place]?.entry else { return nil }
            return entry.weight(at: now) < 0 ? nil : entry
        }
        set {
            guard let newValue else {
                if let place = place(of: key) { slots[place] = nil }
                return
            }
            update(key, at: now) { $0 = newValue }
        }
    }

    /// Changes the entry of the key, or adds one.
    ///
    /// - Parameter change: Receives the entry, also if it has lost its meaning; `nil` without one,
    ///   and then it may leave `nil`.
    @inlinable
    package mutating func update<Result>(
        _ key: HashedKey, at now: Int64, _ change: (inout Entry?) -> Result
    ) -> Result {
        if slots.isEmpty { slots = Array(repeating: nil, count: sets * Self.ways) }
        let known = place(of: key)
        var entry = known.flatMap { slots[$0]?.entry }
        let result = change(&entry)
        if let entry {
            slots[known ?? lightest(inSetOf: key, at: now)] = (key, entry)
        }
        return result
    }

    @inlinable
    func firstPlace(of key: HashedKey) -> Int { Int(key.low % UInt64(sets)) * Self.ways }

    @inlinable
    func place(of key: HashedKey) -> Int? {
        guard !slots.isEmpty else { return nil }
        let first = firstPlace(of: key)
        for place in first..<(first + Self.ways) where slots[place]?.key == key { return place }
        return nil
    }

    @inlinable
    func lightest(inSetOf key: HashedKey, at now: Int64) -> Int {
        let first = firstPlace(of: key)
        var lightest = first
        var least = Int64.max
        for place in first..<(first + Self.ways) {
            guard let slot = slots[place] else { return place }
            let weight = slot.entry.weight(at: now)
            if weight < least {
                least = weight
                lightest = place
            }
        }
        return lightest
    }
}
