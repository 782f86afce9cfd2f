package import ArticleAPI

/// A state of the index: segments, and the newest documents. No two live documents have the same
/// id.
///
/// Scores, frequencies and spellings only count live documents; so they disclose nothing of removed
/// or replaced ones.
package struct SearchView: Sendable {
    /// In the order in which they were added.
    package private(set) var segments: [Segment]
    package private(set) var tail = UnsealedDocuments()

    /// A view of stored segments, the oldest first.
    package init(segments: [Segment] = []) { self.segments = segments }

    /// All documents that are searched.
    package var liveCount: Int { segments.reduce(tail.count) { $0 + $1.liveCount } }

    /// Adds the document, in place of one with the same id.
    package mutating func insert(_ document: AnalyzedDocument) {
        markDead(document.id)
        tail.insert(document)
    }

    /// False if it is not there.
    @discardableResult
    package mutating func remove(_ id: Article.ID) -> Bool {
        let wasBuried = markDead(id)
        return tail.remove(id) || wasBuried
    }

    /// Returns the index's record of an article; `nil` if it is not there.
    package func document(_ id: Article.ID) -> SegmentDocument? {
        if let document = tail.document(id) { return SegmentDocument(document) }
        for segment in segments {
            if let ordinal = segment.liveOrdinal(of: id) { return segment.document(at: ordinal) }
        }
        return nil
    }

    /// Replaces the documents of the tail, as it was before, by a segment of them. Those that have
    /// changed since then remain in the tail.
    package mutating func seal(as segment: Segment) {
        var segment = segment
        for ordinal in 0..<segment.count {
            let document = segment.document(at: ordinal)
            if let newer = tail.document(document.id), SegmentDocument(newer) == document {
                tail.remove(document.id)
            } else {
                segment.markDead(document.id)
            }
        }
        segments.append(segment)
    }

    /// Replaces segments by their merge, without the documents that have died meanwhile.
    ///
    /// - Returns: the merge's result; `nil`, with nothing changed, if a segment is not there, or
    ///   the merge is not at its end.
    package mutating func replace(by merge: SegmentMerge) -> Segment? {
        guard merge.request == nil else { return nil }
        var merged = merge.segment
        var places: [Int] = []
        for input in merge.inputs {
            guard let place = segments.firstIndex(where: { $0.number == input.number }) else {
                return nil
            }
            places.append(place)
            let segment = segments[place]
            for byte in segment.dead.indices where segment.dead[byte] != input.dead[byte] {
                for ordinal in byte * 8..<min(byte * 8 + 8, segment.count)
                where segment.isDead(ordinal) && !input.isDead(ordinal) {
                    merged.markDead(segment.documents.ids[ordinal])
                }
            }
        }
        let first = places.min() ?? segments.count
        segments.insert(merged, at: first)
        let numbers = Set(merge.inputs.map(\.number))
        segments.removeAll { numbers.contains($0.number) }
        return merged
    }

    /// The segments that should be merged next: eight of the lowest level that has eight, or one
    /// that is mostly dead. Empty if no segment should be merged.
    package var segmentsToMerge: [Segment] {
        for level in Set(segments.map(\.level)).sorted() {
            let same = segments.filter { $0.level == level }
            if same.count >= SegmentMerge.limitSegments {
                return Array(same.prefix(SegmentMerge.limitSegments))
            }
        }
        return segments.first { $0.count > 2 * $0.liveCount }.map { [$0] } ?? []
    }

    /// The segments with removed or replaced documents of these articles.
    package func segments(withDead ids: Set<Article.ID>) -> [Segment] {
        segments.filter { segment in
            segment.documents.ids.indices.contains { ordinal in
                ids.contains(segment.documents.ids[ordinal]) && segment.isDead(ordinal)
            }
        }
    }

    @discardableResult
    private mutating func markDead(_ id: Article.ID) -> Bool {
        for index in segments.indices where segments[index].markDead(id) { return true }
        return false
    }
}
