public import ArticleAPI

/// Stores the index of full-text search, which is derived from the articles: segments of blocks,
/// whose contents the store does not interpret. This is not part of the change sequence: observers
/// are not notified.
///
/// A segment is written in several steps, and becomes part of the index by a commit, which also
/// says how far the index has followed the changes. So after a crash, it is in the state of its
/// last commit. Safe to use from any thread.
///
/// ```swift
/// let blocks = [SearchBlockRecord(number: 0, first: [2, 97], data: [2, 97, 0, 1])]
/// try await store.putSearchBlocks(blocks, of: 1)
/// let segment = SearchSegmentRecord(number: 1, level: 0, bytes: 4, dead: [0])
/// let progress = SearchProgress(version: 1, position: position)
/// try await store.commitSearch(SearchCommit(progress, added: [segment]))
/// let keys = try await store.searchKeys(of: 1)
/// let range = SearchBlockRange(segment: 1, blocks: 0..<1)
/// let found = try await store.searchBlocks(SearchBlockQuery([range]))
/// ```
public protocol SearchRepository: Sendable {
    /// The segments of the last commit.
    func searchIndex() async throws(StoreError) -> SearchIndexRecord

    /// The blocks of a segment in which keys begin, in their order.
    func searchKeys(of segment: Int64) async throws(StoreError) -> [SearchKeyRecord]

    /// The blocks of each range, from one snapshot.
    ///
    /// - Returns: `nil` if one of them is missing, as when its segment was removed.
    /// - Throws: `.tooMany` if there are more bytes than the query's limit.
    func searchBlocks(
        _ query: SearchBlockQuery
    ) async throws(StoreError) -> [SearchBlockQuery.Blocks]?

    /// The blocks of a segment with this number and above, in order, up to a limit on their bytes
    /// but no less than one if there is one. Without their first keys.
    func searchBlocks(
        of segment: Int64, from number: Int, limitBytes: Int
    ) async throws(StoreError) -> [SearchBlockRecord]

    /// Adds blocks to a segment that is not committed yet.
    func putSearchBlocks(
        _ blocks: [SearchBlockRecord], of segment: Int64
    ) async throws(StoreError)

    /// Replaces segments of the index, and moves its position. The blocks of removed segments stay
    /// until `removeObsoleteSearchBlocks`.
    func commitSearch(_ commit: SearchCommit) async throws(StoreError)

    /// Empties the index; its blocks stay until `removeObsoleteSearchBlocks`.
    func resetSearch() async throws(StoreError)

    /// Removes blocks that belong to no segment of the index, the first of each segment first, up
    /// to a limit on their number.
    ///
    /// - Parameters:
    ///   - kept: Segments that are not removed, as they are being written.
    ///   - limit: The maximum number of blocks.
    /// - Returns: True if there may be more.
    func removeObsoleteSearchBlocks(
        except kept: Set<Int64>, limit: Int
    ) async throws(StoreError) -> Bool

    /// Returns articles of which the index may still have purged text, at most 1,000, with the
    /// number of the last change before the purge: blocks must not have removed or replaced
    /// documents of theirs.
    func searchPurges() async throws(StoreError) -> [Article.ID: Int64]

    /// Tells that this is so for these, unless something was purged later.
    func endSearchPurges(_ purges: [Article.ID: Int64]) async throws(StoreError)
}

/// A state of the index. See ``SearchRepository``.
public struct SearchIndexRecord: Sendable, Hashable {
    /// `nil` before the first commit.
    public var progress: SearchProgress?
    /// In the order of their numbers.
    public var segments: [SearchSegmentRecord]
    /// The highest number of a segment of which there is anything; 0 if there is none.
    public var lastSegment: Int64

    public init(
        progress: SearchProgress?, segments: [SearchSegmentRecord], lastSegment: Int64
    ) {
        self.progress = progress
        self.segments = segments
        self.lastSegment = lastSegment
    }
}

/// The position of an index in the changes. See ``SearchRepository``.
public struct SearchProgress: Sendable, Hashable {
    /// That of the tokenizer.
    public var version: Int
    public var position: ChangePosition

    public init(version: Int, position: ChangePosition) {
        self.version = version
        self.position = position
    }
}

/// A segment of the index. See ``SearchRepository``.
public struct SearchSegmentRecord: Sendable, Hashable {
    /// 1 to 2,147,483,647; never used again.
    public var number: Int64
    /// The number of times that its documents were merged.
    public var level: Int
    /// The size of its blocks.
    public var bytes: Int
    /// One bit for each document: whether it was removed.
    public var dead: [UInt8]

    public init(number: Int64, level: Int, bytes: Int, dead: [UInt8]) {
        self.number = number
        self.level = level
        self.bytes = bytes
        self.dead = dead
    }
}

/// A block of a segment. See ``SearchRepository``.
public struct SearchBlockRecord: Sendable, Hashable {
    /// 0 to 2,147,483,647.
    public var number: Int
    /// The first key that begins in the block, which is different for each block of a segment;
    /// `nil` if none does.
    public var first: [UInt8]?
    /// At most 4,000 bytes, so that it fits in a page of a database.
    public var data: [UInt8]

    public init(number: Int, first: [UInt8]?, data: [UInt8]) {
        self.number = number
        self.first = first
        self.data = data
    }
}

/// The first key that begins in a block. See ``SearchRepository``.
public struct SearchKeyRecord: Sendable, Hashable {
    public var first: [UInt8]
    /// The block's number.
    public var block: Int

    public init(first: [UInt8], block: Int) {
        self.first = first
        self.block = block
    }
}

/// Blocks of a segment. See ``SearchRepository``.
public struct SearchBlockRange: Sendable, Hashable {
    public var segment: Int64
    /// Their numbers.
    public var blocks: Range<Int>

    public init(segment: Int64, blocks: Range<Int>) {
        self.segment = segment
        self.blocks = blocks
    }
}

/// A query for blocks of an index. See ``SearchRepository``.
public struct SearchBlockQuery: Sendable, Hashable {
    /// The contents of blocks in their order.
    public typealias Blocks = [[UInt8]]

    public var ranges: [SearchBlockRange]
    /// The maximum size of all blocks.
    public var limitBytes: Int

    public init(_ ranges: [SearchBlockRange], limitBytes: Int = 32 << 20) {
        self.ranges = ranges
        self.limitBytes = limitBytes
    }
}

/// One step of an index. See ``SearchRepository``.
public struct SearchCommit: Sendable, Hashable {
    public var progress: SearchProgress
    public var added: [SearchSegmentRecord]
    /// The numbers of segments.
    public var removed: [Int64]
    /// The new bitmaps of segments that stay.
    public var dead: [Int64: [UInt8]]

    public init(
        _ progress: SearchProgress, added: [SearchSegmentRecord] = [], removed: [Int64] = [],
        dead: [Int64: [UInt8]] = [:]
    ) {
        self.progress = progress
        self.added = added
        self.removed = removed
        self.dead = dead
    }
}
