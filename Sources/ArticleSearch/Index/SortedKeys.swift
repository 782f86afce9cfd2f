/// Ascending keys that are stored one after another, while they are searched.
struct SortedKeys {
    private let bytes: UnsafeBufferPointer<UInt8>
    /// The end of each key.
    private let ends: UnsafeBufferPointer<UInt32>

    /// - Parameters:
    ///   - bytes: The keys, one after another.
    ///   - ends: The end of each key.
    ///   - body: Searches them.
    @inline(__always)
    static func reading<Result>(
        _ bytes: [UInt8], _ ends: [UInt32], _ body: (SortedKeys) -> Result
    ) -> Result {
        bytes.withUnsafeBufferPointer { bytes in
            ends.withUnsafeBufferPointer { ends in body(SortedKeys(bytes: bytes, ends: ends)) }
        }
    }

    var count: Int { ends.count }

    /// Returns the index of the key, or the one at which it would be, if keys before `start` are
    /// less than it.
    func place(of key: [UInt8], from start: Int = 0) -> Int {
        place(of: key, from: start, before: ends.count)
    }

    /// Returns the index of the key, or the one at which it would be, if keys before `start` are
    /// less than it, and it is probably not far behind.
    func place(of key: [UInt8], near start: Int) -> Int {
        var (low, high, step) = (start, start, 1)
        // Invariant: keys before `low` are less than `key`.
        while high < ends.count, precedes(high, key) {
            low = high + 1
            high += step
            step *= 2
        }
        return place(of: key, from: low, before: min(high, ends.count))
    }

    private func place(of key: [UInt8], from start: Int, before end: Int) -> Int {
        var (low, high) = (start, end)
        // Invariant: keys before `low` are less than `key`, those from `high` are not.
        while low < high {
            let middle = (low + high) / 2
            if precedes(middle, key) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns true if the key at the index is less than the other.
    func precedes(_ place: Int, _ other: [UInt8]) -> Bool {
        let key = self[place]
        return other.withUnsafeBufferPointer { other in
            for index in 0..<min(key.count, other.count) where key[index] != other[index] {
                return key[index] < other[index]
            }
            return key.count < other.count
        }
    }

    subscript(place: Int) -> UnsafeBufferPointer<UInt8> {
        let start = place == 0 ? 0 : Int(ends[place - 1])
        return UnsafeBufferPointer(rebasing: bytes[start..<Int(ends[place])])
    }
}
