/// The documents of a segment, or of the tail, that match something, and how well.
///
/// It has a value for each document. As long as few of them match, it also lists these, so that
/// the cost of a rare word does not depend on the length of the segment.
struct MatchBuffer {
    private let capacity: Int
    /// For each document, 0 or its impact plus 1. Empty until it is used.
    private var values: [UInt16] = []
    /// The first documents that matched, in the order in which they were found.
    private var listed: [UInt32] = []
    /// The number of documents that matched, and the number of these that were removed again.
    private var found = 0
    private var removed = 0
    /// The documents that are in use.
    private var length = 0

    private static let limitList = 1_024

    /// - Parameter capacity: the documents of the longest segment.
    init(capacity: Int) { self.capacity = capacity }

    /// The number of documents that match.
    var count: Int { found - removed }

    /// The value of a document: 0, or its impact plus 1.
    subscript(ordinal: Int) -> UInt16 { values[ordinal] }

    /// Forgets all matches.
    ///
    /// - Parameter length: The number of documents in the next segment.
    mutating func clear(_ length: Int) {
        if values.isEmpty {
            values = [UInt16](repeating: 0, count: capacity)
            listed = [UInt32](repeating: 0, count: Self.limitList)
        } else if found <= Self.limitList {
            for ordinal in listed[..<found] { values[Int(ordinal)] = 0 }
        } else {
            values.withUnsafeMutableBufferPointer { values in
                values[..<self.length].update(repeating: 0)
            }
        }
        self.length = length
        (found, removed) = (0, 0)
    }

    /// Raises values.
    struct Writer {
        fileprivate let values: UnsafeMutableBufferPointer<UInt16>
        fileprivate let listed: UnsafeMutableBufferPointer<UInt32>
        fileprivate var found: Int

        /// Raises the value of a document.
        ///
        /// - Parameters:
        ///   - ordinal: less than the length.
        ///   - value: above 0.
        @inline(__always)
        mutating func raise(_ ordinal: Int, to value: UInt16) {
            let before = values[ordinal]
            guard before < value else { return }
            values[ordinal] = value
            guard before == 0 else { return }
            if found < listed.count { listed[found] = UInt32(truncatingIfNeeded: ordinal) }
            found += 1
        }
    }

    /// Raises the values of many documents. Called before documents are removed.
    mutating func write(
        _ body: (inout Writer) throws(SearchIndexError) -> Void
    ) throws(SearchIndexError) {
        found = try values.withUnsafeMutableBufferPointer {
            [found] values throws(SearchIndexError) in
            try listed.withUnsafeMutableBufferPointer { listed throws(SearchIndexError) in
                var writer = Writer(values: values, listed: listed, found: found)
                try body(&writer)
                return writer.found
            }
        }
    }

    /// The documents that match, ascending.
    var ordinals: [UInt32] {
        if found <= Self.limitList {
            return listed[..<found].filter { values[Int($0)] > 0 }.sorted()
        }
        var ordinals: [UInt32] = []
        ordinals.reserveCapacity(count)
        values.withUnsafeBufferPointer { values in
            var ordinal = 0
            // Invariant: the documents before `ordinal` that match are appended. None follows the
            // last one.
            while ordinals.count < count {
                if values[ordinal] > 0 { ordinals.append(UInt32(truncatingIfNeeded: ordinal)) }
                ordinal += 1
            }
        }
        return ordinals
    }

    /// Replaces the values of the documents that match; by 0 to remove one.
    ///
    /// - Parameter value: of an ordinal and its value.
    @inline(__always)
    mutating func replace(_ value: (_ ordinal: Int, _ value: UInt16) -> UInt16) {
        func replace(_ ordinal: Int) {
            let before = values[ordinal]
            guard before > 0 else { return }
            values[ordinal] = value(ordinal, before)
            if values[ordinal] == 0 { removed += 1 }
        }
        if found <= Self.limitList {
            for place in 0..<found { replace(Int(listed[place])) }
        } else {
            for ordinal in 0..<length { replace(ordinal) }
        }
    }
}
