package import ArticleAPI

/// The position of a document in the order of results.
package struct SearchPosition: Sendable, Hashable, Comparable {
    package let score: Int
    /// Milliseconds since 1970.
    package let published: Int64
    package let id: Article.ID

    package init(score: Int, published: Int64, id: Article.ID) {
        self.score = score
        self.published = published
        self.id = id
    }

    /// The better one is greater: by score, then by time of publication, then by id.
    package static func < (left: SearchPosition, right: SearchPosition) -> Bool {
        if left.score != right.score { return left.score < right.score }
        if left.published != right.published { return left.published < right.published }
        return left.id < right.id
    }
}

/// A document that matches by its keys.
package struct IndexHit: Sendable, Hashable {
    package let position: SearchPosition
    /// The one that was indexed.
    package let revision: Int

    package var id: Article.ID { position.id }
    package var score: Int { position.score }
}

/// A page of results, the best first.
package struct SearchHits: Sendable, Hashable {
    package let hits: [IndexHit]
    /// All documents that match by their keys, on any page.
    package let count: Int
    /// For each required clause of the query, the number of documents that match it, regardless of
    /// the filter.
    package let frequencies: [Int]
    /// True if nothing follows.
    package let isEnd: Bool
}

/// Keeps the best of many hits: a heap whose first element is the worst.
struct BestHits {
    private let limit: Int
    private var heap: [IndexHit] = []
    /// Those of the worst, once there are enough hits.
    private var lowestScore = Int.min
    private var lowestTime = Int64.min

    init(limit: Int) { self.limit = limit }

    /// The best first.
    var sorted: [IndexHit] { heap.sorted { $0.position > $1.position } }

    /// Returns true if all hits are better than any with this score and time.
    func isAbove(_ score: Int, _ published: Int64) -> Bool {
        score < lowestScore || score == lowestScore && published < lowestTime
    }

    mutating func insert(_ hit: IndexHit) {
        if heap.count < limit {
            heap.append(hit)
            rise(from: heap.count - 1)
        } else if let worst = heap.first, worst.position < hit.position {
            heap[0] = hit
            sink()
        }
        guard heap.count == limit, let worst = heap.first else { return }
        (lowestScore, lowestTime) = (worst.score, worst.position.published)
    }

    private mutating func rise(from start: Int) {
        var place = start
        // Invariant: only the hit at `place` may be worse than its parent.
        while place > 0, heap[place].position < heap[(place - 1) / 2].position {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    private mutating func sink() {
        var place = 0
        // Invariant: only the hit at `place` may be better than its children.
        while true {
            var worst = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count {
                if heap[child].position < heap[worst].position { worst = child }
            }
            guard worst != place else { return }
            heap.swapAt(place, worst)
            place = worst
        }
    }
}
