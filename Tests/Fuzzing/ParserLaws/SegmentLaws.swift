import ArticleAPI
import ArticleSearch

/// Blocks of a search index as a damaged disk may return them: keys, and documents.
enum SegmentLaws {
    private static let count = 64

    /// A segment with one block of keys, in place of which the input is read.
    private static let segment: Segment = {
        var tail = UnsealedDocuments()
        for number in 0..<count {
            let low = UInt64(1) << 63 | UInt64(number)
            guard let id = Article.ID(high: 0x7000, low: low) else { continue }
            tail.insert(
                AnalyzedDocument(
                    id: id, revision: 1, published: Int64(number % 7),
                    terms: [(key: TermKey(.word, "a".utf8), impact: 1)]))
        }
        return SegmentBuilder.segment(of: tail, number: 1).segment
    }()

    static func broken(_ input: [UInt8]) -> [String] {
        var laws = ViolationCollector()
        laws.expect(segment.count == count && segment.keyBlocks == 1, "the segment is as it was")
        checkDocuments(input, &laws)
        checkHits(input, &laws)
        if let once = merged(input) {
            laws.expect(
                once.allSatisfy { $0.data.count <= SearchBlock.limitBytes }, "blocks have a limit")
            let again = once.count == 1 ? merged(once[0].data) : once
            laws.expect(again == once, "a merge of what a merge has made changes nothing")
        }
        return laws.broken
    }

    /// The blocks of keys that a merge makes of this one.
    private static func merged(_ block: [UInt8]) -> [SearchBlock]? {
        guard var merge = try? SegmentMerge([segment], number: 2) else { return nil }
        while merge.request != nil {
            guard (try? merge.supply([block])) != nil else { return nil }
        }
        return merge.takeBlocks().filter { $0.number < SearchBlock.firstDocuments }
    }

    private static func checkHits(_ block: [UInt8], _ laws: inout ViolationCollector) {
        let view = SearchView(segments: [segment])
        let range = TermRange(low: [1], high: [4])
        let word = SearchQuery.Alternative(ranges: [range], eighths: 8)
        let both = SearchQuery.Alternative(
            ranges: [range, TermRange(prefix: TermKey(.word, "a".utf8))], eighths: 5)
        let plan = SearchPlan(required: [
            SearchQuery.Clause(alternatives: [word]),
            SearchQuery.Clause(alternatives: [both, word]),
        ])
        let blocks = [plan.ranges.map { _ in [block] }]
        if let found = try? view.hits(plan, blocks, limit: count) {
            laws.expect(found.isEnd && found.count == found.hits.count, "all hits are there")
            laws.expect(
                zip(found.hits, found.hits.dropFirst()).allSatisfy { $0.position > $1.position },
                "hits are in order")
            if let first = try? view.hits(plan, blocks, limit: 1) {
                laws.expect(first.hits == Array(found.hits.prefix(1)), "a page is a part")
            }
        }
        if let word = try? view.spelling(of: Array("word".utf8), [[block]]) {
            laws.expect(word.first == UInt8(ascii: "w"), "a correction keeps the first letter")
        }
    }

    private static func checkDocuments(_ block: [UInt8], _ laws: inout ViolationCollector) {
        for (bytes, directory) in (0...2).flatMap({ bytes in
            [KeyDirectory(), segment.directory].map { (bytes, $0) }
        }) {
            let dead = [UInt8](repeating: 0, count: bytes)
            guard
                let read = try? Segment(
                    number: 1, level: 0, directory: directory, documents: [block], dead: dead)
            else { continue }
            laws.expect(read.documentBlocks.map(\.data) == [block], "documents have one spelling")
            laws.expect(read.liveCount == read.count, "no document is dead")
        }
    }
}
