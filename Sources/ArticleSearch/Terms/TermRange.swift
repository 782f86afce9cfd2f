/// A range of keys in the order of their bytes: one term, or all terms that begin with a text.
package struct TermRange: Sendable, Hashable {
    package let low: [UInt8]
    /// Exclusive.
    package let high: [UInt8]

    package init(low: [UInt8], high: [UInt8]) {
        self.low = low
        self.high = high
    }

    /// The key alone.
    package init(_ key: TermKey) { self.init(low: key.bytes, high: key.bytes + [0]) }

    /// All keys that begin with these bytes, which are whole characters of UTF-8.
    package init(prefix key: TermKey) { self.init(low: key.bytes, high: key.bytes + [0xFF]) }

    package func contains(_ key: some Sequence<UInt8>) -> Bool {
        !key.lexicographicallyPrecedes(low) && key.lexicographicallyPrecedes(high)
    }
}
