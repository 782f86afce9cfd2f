/// The subject of a count, as 128 bits of two hashes.
///
/// They are seeded per process (`Hasher`), so that nobody can choose names that collide.
struct ThrottleKey: Sendable, Hashable {
    private let high: UInt64
    let low: UInt64

    init(name: String?, address: UInt64?) {
        func half(_ seed: UInt8) -> UInt64 {
            var hasher = Hasher()
            hasher.combine(seed)
            hasher.combine(name)
            hasher.combine(address)
            return UInt64(UInt(bitPattern: hasher.finalize()))
        }
        high = half(1)
        low = half(2)
    }
}

/// A value that a table may discard for others.
protocol ThrottleEntry: Sendable {
    /// Entries with the least weight are discarded first; below 0, the entry has no meaning
    /// any more.
    ///
    /// - Parameter now: Monotonic milliseconds.
    func weight(at now: Int64) -> Int64
}

/// Entries by key in bounded memory: a set-associative table, in which a new entry replaces the
/// one of its set with the least weight.
struct ThrottleTable<Entry: ThrottleEntry>: Sendable {
    private struct Slot {
        let key: ThrottleKey
        var entry: Entry
    }

    // Allocated with the first entry.
    private var slots: [Slot?] = []
    private let sets: Int
    private static var ways: Int { 8 }

    /// - Parameter capacity: The maximum number of entries, rounded down to 8.
    init(capacity: Int) { sets = max(1, capacity / Self.ways) }

    /// The number of entries, for tests.
    var count: Int { slots.count { $0 != nil } }

    /// The entry of the key, unless it has lost its meaning; `nil` removes it.
    subscript(key: ThrottleKey, at now: Int64) -> Entry? {
        get {
            guard let place = place(of: key), let entry = slots[place]?.entry else { return nil }
            return entry.weight(at: now) < 0 ? nil : entry
        }
        set {
            guard let newValue else {
                if let place = place(of: key) { slots[place] = nil }
                return
            }
            if slots.isEmpty { slots = Array(repeating: nil, count: sets * Self.ways) }
            let place = place(of: key) ?? lightest(inSetOf: key, at: now)
            slots[place] = Slot(key: key, entry: newValue)
        }
    }

    private func set(of key: ThrottleKey) -> Range<Int> {
        let first = Int(key.low % UInt64(sets)) * Self.ways
        return first..<(first + Self.ways)
    }

    private func place(of key: ThrottleKey) -> Int? {
        slots.isEmpty ? nil : set(of: key).first { slots[$0]?.key == key }
    }

    private func lightest(inSetOf key: ThrottleKey, at now: Int64) -> Int {
        let set = set(of: key)
        var lightest = set.lowerBound
        var least = Int64.max
        for place in set {
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
