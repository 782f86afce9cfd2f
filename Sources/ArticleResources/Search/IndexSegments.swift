import ArticleSearch
import ArticleStore
import BroadsheetPlatform

/// The limits of an index in memory, and of its reads and writes.
package struct IndexLimits: Sendable {
    /// So many documents become a segment.
    var tailDocuments = UnsealedDocuments.limitDocuments
    /// The changes of a page. Small enough for the memory of their bodies.
    var pageChanges = 100
    /// The maximum bytes that one step writes, so that it holds up no other write: it takes about a
    /// millisecond.
    var sliceBytes = 256 << 10
    /// The blocks that one step removes.
    var removedBlocks = 64
    /// The blocks that a search reads.
    var searchBytes = 32 << 20
    /// The number of changes after which the position is stored, even if they were deletions.
    var unstoredChanges = 2_000
    /// The time for which replaced segments stay, for processes that have not noticed yet.
    var removalDelay = Duration.zero
}

/// The state of the stored segments, and the merge in progress.
struct IndexSegments {
    /// The sizes of segments, by number.
    fileprivate(set) var bytes: [Int64: Int]
    /// Their dead documents, as stored.
    private var dead: [Int64: [UInt8]]
    private var lastNumber: Int64
    /// The position that was stored when the tail was empty.
    fileprivate(set) var position: ChangePosition?
    /// The number of changes since then.
    var unstored = 0
    fileprivate var merge: Merge?
    fileprivate var hasRemains = true
    /// `nil` for at once.
    fileprivate var removableAt: Duration?

    fileprivate struct Merge {
        var segments: SegmentMerge
        let number: Int64
        var bytes = 0
    }

    init(_ record: SearchIndexRecord) {
        position = record.progress?.position
        lastNumber = record.lastSegment
        bytes = Dictionary(
            record.segments.map { ($0.number, $0.bytes) }, uniquingKeysWith: { $1 })
        dead = Dictionary(record.segments.map { ($0.number, $0.dead) }, uniquingKeysWith: { $1 })
    }

    fileprivate mutating func nextNumber() -> Int64 {
        lastNumber += 1
        return lastNumber
    }

    /// The commit by which the stored index becomes that of the view.
    fileprivate mutating func commit(
        _ view: SearchView, _ progress: SearchProgress
    ) -> SearchCommit {
        var commit = SearchCommit(progress)
        var present: [Int64: [UInt8]] = [:]
        for segment in view.segments {
            present[segment.number] = segment.dead
            if let stored = dead[segment.number] {
                if stored != segment.dead { commit.dead[segment.number] = segment.dead }
            } else {
                commit.added.append(
                    SearchSegmentRecord(
                        number: segment.number, level: segment.level,
                        bytes: bytes[segment.number] ?? 0, dead: segment.dead))
            }
        }
        commit.removed = dead.keys.filter { present[$0] == nil }.sorted()
        for number in commit.removed { bytes[number] = nil }
        if !commit.removed.isEmpty { hasRemains = true }
        dead = present
        return commit
    }
}

/// Segments: sealed, merged and removed in steps between which changes can be followed.
extension IndexUpdater {
    /// Stores the documents in memory if they are enough for a segment.
    mutating func storeIfNeeded() async throws(IndexError) {
        guard
            view.tail.isFull || view.tail.count >= limits.tailDocuments
                || segments.unstored >= limits.unstoredChanges
        else { return }
        if view.tail.count > 0 {
            let (tail, number) = (view.tail, segments.nextNumber())
            let (segment, blocks) = try await pool.compute { () throws(SearchIndexError) in
                SegmentBuilder.segment(of: tail, number: number)
            }
            segments.bytes[number] = try await write(blocks, of: number)
            view.seal(as: segment)
        }
        segments.position = durablePosition
        segments.unstored = 0
        try await commit()
    }

    /// Performs a step of the maintenance that keeps the index small and fast.
    ///
    /// - Parameter mayRemove: true if no reader needs the segments that a merge has replaced.
    /// - Returns: true if there is nothing more to do.
    mutating func tidy(mayRemove: Bool) async throws(IndexError) -> Bool {
        // Purges do not wait for readers: these try again.
        let isDue = segments.removableAt.map { $0 <= system.uptime } ?? true
        if mayRemove, segments.hasRemains, isDue || purge != nil {
            let kept = Set(segments.merge.map { [$0.number] } ?? [])
            segments.hasRemains = try await IndexError.catching {
                [store] () throws(StoreError) in
                try await store.removeObsoleteSearchBlocks(
                    except: kept, limit: limits.removedBlocks)
            }
            return false
        }
        guard var merge = try await presentMerge() else {
            if segments.hasRemains { return true }
            return try await !endPurge()
        }
        try await advance(&merge)
        if merge.segments.request == nil {
            try await finish(merge)
        } else {
            segments.merge = merge
        }
        return false
    }

    private mutating func presentMerge() async throws(IndexError) -> IndexSegments.Merge? {
        if let merge = segments.merge { return merge }
        let inputs = segmentToPurge().map { [$0] } ?? view.segmentsToMerge
        guard !inputs.isEmpty else { return nil }
        let number = segments.nextNumber()
        let merge = try await pool.compute { () throws(SearchIndexError) in
            try SegmentMerge(inputs, number: number)
        }
        return IndexSegments.Merge(segments: merge, number: number)
    }

    /// Reads and writes about one slice.
    private func advance(_ merge: inout IndexSegments.Merge) async throws(IndexError) {
        var blocks: [SearchBlock] = []
        var read = 0
        while read < limits.sliceBytes, let request = merge.segments.request {
            let input = try await self.blocks(of: request)
            read += input.reduce(1) { $0 + $1.count }
            let before = merge.segments
            let (after, made) = try await pool.compute { () throws(SearchIndexError) in
                var merge = before
                try merge.supply(input)
                // Taken before the copy is made: it must not have them any more.
                let made = merge.takeBlocks()
                return (merge, made)
            }
            merge.segments = after
            blocks += made
        }
        // A merge of dead documents alone requests nothing.
        if merge.segments.request == nil { blocks += merge.segments.takeBlocks() }
        merge.bytes += try await write(blocks, of: merge.number)
    }

    private func blocks(
        of request: SegmentMerge.Request
    ) async throws(IndexError) -> [[UInt8]] {
        let records = try await IndexError.catching { [store] () throws(StoreError) in
            try await store.searchBlocks(
                of: request.segment, from: request.blocks.lowerBound,
                limitBytes: request.blocks.count * SearchBlock.limitBytes)
        }
        return records.prefix { request.blocks.contains($0.number) }.map(\.data)
    }

    private mutating func finish(_ merge: IndexSegments.Merge) async throws(IndexError) {
        segments.merge = nil
        segments.bytes[merge.number] = merge.bytes
        guard view.replace(by: merge.segments) != nil else {
            throw .unusable("a segment was removed while it was being merged")
        }
        try await commit()
    }

    /// Adds blocks to a segment, and returns their size.
    private func write(
        _ blocks: [SearchBlock], of segment: Int64
    ) async throws(IndexError) -> Int {
        var rest = blocks[...]
        var bytes = 0
        while !rest.isEmpty {
            var slice: [SearchBlockRecord] = []
            var size = 0
            while size < limits.sliceBytes, let block = rest.popFirst() {
                size += block.data.count
                slice.append(
                    SearchBlockRecord(number: block.number, first: block.first, data: block.data))
            }
            bytes += size
            try await IndexError.catching { [store, slice] () throws(StoreError) in
                try await store.putSearchBlocks(slice, of: segment)
            }
        }
        return bytes
    }

    /// Makes the segments as they are in memory the stored ones. The documents of the tail are
    /// newer than the stored position, so that it is read again after a crash.
    private mutating func commit() async throws(IndexError) {
        // Without a position, nothing was indexed.
        guard let position = segments.position else { return }
        let progress = SearchProgress(version: version, position: position)
        let commit = segments.commit(view, progress)
        segments.removableAt = system.uptime + limits.removalDelay
        try await IndexError.catching { [store] () throws(StoreError) in
            try await store.commitSearch(commit)
        }
    }
}
