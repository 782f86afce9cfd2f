package import ArticleAPI

/// The documents of an immutable part of the index; only which of them are dead changes. Its keys
/// are in blocks elsewhere.
package struct Segment: Sendable {
    package let number: Int64
    /// The approximate number of times that its documents were merged.
    package let level: Int
    /// The number of its blocks of keys; they are numbered from 0.
    package let keyBlocks: Int
    /// In which of them keys are.
    package let directory: KeyDirectory
    let documents: SegmentDocuments
    /// A bit for each document, the lowest first: whether it was removed or replaced.
    package private(set) var dead: [UInt8]
    /// The number of documents that are not dead.
    package private(set) var liveCount: Int

    init(
        number: Int64, level: Int, keyBlocks: Int, directory: KeyDirectory,
        documents: SegmentDocuments
    ) {
        self.number = number
        self.level = level
        self.keyBlocks = keyBlocks
        self.directory = directory
        self.documents = documents
        dead = [UInt8](repeating: 0, count: (documents.count + 7) / 8)
        liveCount = documents.count
    }

    /// Reads a stored segment.
    ///
    /// - Parameters:
    ///   - number: as it was built.
    ///   - level: as it was built.
    ///   - directory: of its blocks of keys.
    ///   - documents: its blocks from `SearchBlock.firstDocuments` on.
    ///   - dead: as it was last.
    package init(
        number: Int64, level: Int, directory: KeyDirectory, documents: [[UInt8]], dead: [UInt8]
    ) throws(SearchIndexError) {
        let (documents, keyBlocks) = try SegmentDocuments.reading(documents)
        let last = directory.count == 0 ? -1 : directory[directory.count - 1].block
        guard last < keyBlocks, directory.count > 0 || keyBlocks == 0 else {
            throw .corrupt("the directory of a segment does not fit its blocks")
        }
        self.init(
            number: number, level: level, keyBlocks: keyBlocks, directory: directory,
            documents: documents)
        let unused = UInt8(truncatingIfNeeded: 0xFF << (1 + (documents.count + 7) % 8))
        guard dead.count == self.dead.count, (dead.last ?? 0) & unused == 0 else {
            throw .corrupt("the dead documents of a segment do not fit")
        }
        self.dead = dead
        liveCount -= dead.reduce(0) { $0 + $1.nonzeroBitCount }
    }

    /// All documents.
    package var count: Int { documents.count }

    /// The blocks in which keys of the range may be.
    package func blocks(of range: TermRange) -> Range<Int> {
        directory.blocks(of: range, count: keyBlocks)
    }

    /// The blocks with its documents, to be stored beside those with keys.
    package var documentBlocks: [SearchBlock] { documents.blocks(keyBlocks: keyBlocks) }

    package func document(at ordinal: Int) -> SegmentDocument { documents[ordinal] }

    package func isDead(_ ordinal: Int) -> Bool { dead[ordinal / 8] >> UInt8(ordinal % 8) & 1 == 1 }

    /// The document with this id, unless it is dead.
    package func liveOrdinal(of id: Article.ID) -> Int? {
        guard let ordinal = documents.ordinal(of: id), !isDead(ordinal) else { return nil }
        return ordinal
    }

    /// Removes the document with this id; false if no live one has it.
    @discardableResult
    package mutating func markDead(_ id: Article.ID) -> Bool {
        guard let ordinal = liveOrdinal(of: id) else { return false }
        dead[ordinal / 8] |= 1 << UInt8(ordinal % 8)
        liveCount -= 1
        return true
    }
}
