package import ArticleAPI

/// A segment's record of a document, besides its keys.
package struct SegmentDocument: Sendable, Hashable {
    package let id: Article.ID
    package let revision: Int
    /// Milliseconds since 1970.
    package let published: Int64
    /// That of the ``AnalyzedDocument``.
    package let digest: UInt64

    package init(id: Article.ID, revision: Int, published: Int64, digest: UInt64) {
        self.id = id
        self.revision = revision
        self.published = published
        self.digest = digest
    }

    package init(_ document: AnalyzedDocument) {
        self.init(
            id: document.id, revision: document.revision, published: document.published,
            digest: document.digest)
    }
}

/// The documents of a segment in the order of their ids; 40 bytes each.
struct SegmentDocuments: Sendable {
    private(set) var ids: [Article.ID] = []
    private(set) var published: [Int64] = []
    private(set) var revisions: [Int] = []
    private(set) var digests: [UInt64] = []

    var count: Int { ids.count }

    init(capacity: Int = 0) {
        ids.reserveCapacity(capacity)
        published.reserveCapacity(capacity)
        revisions.reserveCapacity(capacity)
        digests.reserveCapacity(capacity)
    }

    subscript(ordinal: Int) -> SegmentDocument {
        SegmentDocument(
            id: ids[ordinal], revision: revisions[ordinal], published: published[ordinal],
            digest: digests[ordinal])
    }

    /// Adds a document with a greater id than the others.
    mutating func append(_ document: SegmentDocument) {
        ids.append(document.id)
        published.append(document.published)
        revisions.append(document.revision)
        digests.append(document.digest)
    }

    func ordinal(of id: Article.ID) -> Int? {
        var (low, high) = (0, count)
        // Invariant: ids before `low` are less than `id`, those from `high` are not.
        while low < high {
            let middle = (low + high) / 2
            if ids[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low < count && ids[low] == id ? low : nil
    }
}

/// Blocks of documents: a byte, 2; the numbers of all documents and of all blocks of keys, in four
/// bytes each; then, for each document, its id, revision, time and digest. Numbers have their
/// lowest byte first.
extension SegmentDocuments {
    private static let headBytes = 9
    private static let documentBytes = 40
    private static let blockDocuments = (SearchBlock.limitBytes - headBytes) / documentBytes

    /// - Parameter keyBlocks: The number of blocks of keys in the segment.
    func blocks(keyBlocks: Int) -> [SearchBlock] {
        let starts = stride(from: 0, to: max(1, count), by: Self.blockDocuments)
        return starts.enumerated().map { index, start in
            var data: [UInt8] = [2]
            data.append(UInt64(count), bytes: 4)
            data.append(UInt64(keyBlocks), bytes: 4)
            for ordinal in start..<min(count, start + Self.blockDocuments) {
                data.append(ids[ordinal].high, bytes: 8)
                data.append(ids[ordinal].low, bytes: 8)
                data.append(UInt64(bitPattern: Int64(revisions[ordinal])), bytes: 8)
                data.append(UInt64(bitPattern: published[ordinal]), bytes: 8)
                data.append(digests[ordinal], bytes: 8)
            }
            let number = SearchBlock.firstDocuments + index
            return SearchBlock(number: number, first: nil, data: data)
        }
    }

    /// Reads the blocks made by `blocks`, and the number of blocks of keys.
    static func reading(
        _ blocks: [[UInt8]]
    ) throws(SearchIndexError) -> (documents: SegmentDocuments, keyBlocks: Int) {
        var documents = SegmentDocuments()
        var counts: UInt64?
        for block in blocks {
            let size = block.count - headBytes
            guard size >= 0, size % documentBytes == 0, size <= blockDocuments * documentBytes,
                block[0] == 2, counts == nil || counts == number(block, 1)
            else { throw .corrupt("not a block of documents") }
            counts = number(block, 1)
            for place in stride(from: headBytes, to: block.count, by: documentBytes) {
                try documents.read(block, at: place)
            }
        }
        guard let counts, documents.count == counts & 0xFFFF_FFFF else {
            throw .corrupt("documents of a segment are missing")
        }
        let keyBlocks = Int(counts >> 32)
        guard keyBlocks < SearchBlock.firstDocuments else {
            throw .corrupt("a segment has too many blocks")
        }
        return (documents, keyBlocks)
    }

    private mutating func read(_ block: [UInt8], at place: Int) throws(SearchIndexError) {
        let revision = Int64(bitPattern: Self.number(block, place + 16))
        let time = Int64(bitPattern: Self.number(block, place + 24))
        guard
            let id = Article.ID(
                high: Self.number(block, place), low: Self.number(block, place + 8)),
            ids.last.map({ $0 < id }) ?? true, revision > 0, Timestamp.range.contains(time)
        else { throw .corrupt("a document of a segment is damaged") }
        append(
            SegmentDocument(
                id: id, revision: Int(revision), published: time,
                digest: Self.number(block, place + 32)))
    }

    /// Eight bytes, the lowest first.
    private static func number(_ block: [UInt8], _ place: Int) -> UInt64 {
        (0..<8).reduce(0) { $0 | UInt64(block[place + $1]) << UInt64(8 * $1) }
    }
}
