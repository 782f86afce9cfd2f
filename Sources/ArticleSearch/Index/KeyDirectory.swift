/// In which blocks of a segment its keys are: the first key of each block in which a key begins.
///
/// It takes about fifteen bytes for each block, so that a search reads only the blocks that it
/// needs.
package struct KeyDirectory: Sendable, Hashable {
    /// The first keys, one after another, and where each ends.
    private var bytes: [UInt8] = []
    private var ends: [UInt32] = []
    /// The number of each key's block.
    private var blocks: [UInt32] = []

    package init() {}

    /// - Parameter keys: the first keys of blocks and the numbers of these, both ascending.
    package init(
        _ keys: some Sequence<(first: [UInt8], block: Int)>
    ) throws(SearchIndexError) {
        for (first, block) in keys where !append(first, block: block) {
            throw .corrupt("the directory of a segment is not ascending")
        }
    }

    /// Adds a block in which a key begins.
    ///
    /// - Returns: false, with nothing changed, unless both are above those that were added before.
    @discardableResult
    package mutating func append(_ first: [UInt8], block: Int) -> Bool {
        guard block >= 0, block < SearchBlock.firstDocuments,
            blocks.last.map({ $0 < block }) ?? true,
            SortedKeys.reading(bytes, ends, { $0.count == 0 || $0.precedes($0.count - 1, first) })
        else { return false }
        bytes += first
        ends.append(UInt32(bytes.count))
        blocks.append(UInt32(block))
        return true
    }

    /// The number of blocks added.
    package var count: Int { blocks.count }

    package subscript(place: Int) -> (first: [UInt8], block: Int) {
        (SortedKeys.reading(bytes, ends) { Array($0[place]) }, Int(blocks[place]))
    }

    /// Returns the blocks in which keys of the range may be: from the last one that begins with a
    /// key not above the range, to the one before the next that begins with a key above it.
    ///
    /// - Parameter count: The number of blocks of keys in the segment.
    func blocks(of range: TermRange, count: Int) -> Range<Int> {
        let (low, end) = SortedKeys.reading(bytes, ends) { keys in
            let place = keys.place(of: range.low)
            let isFirst = place < keys.count && keys[place].elementsEqual(range.low)
            return (isFirst ? place : place - 1, keys.place(of: range.high, near: place))
        }
        let start = low >= 0 ? Int(blocks[low]) : 0
        return start..<max(start, end < blocks.count ? Int(blocks[end]) : count)
    }
}
