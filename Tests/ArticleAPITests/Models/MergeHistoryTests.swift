import ArticleAPI
import BroadsheetTestSupport
import Testing

/// Laws of merging, for random histories of one body: each side edits it some times.
@Suite struct MergeHistoryTests {
    @Test func `nothing that was typed is lost, and what was deleted does not come back`() {
        for seed in 0..<600 as Range<UInt64> {
            var history = BodyHistory(seed: seed)
            let (mine, theirs) = (history.edited("mine"), history.edited("theirs"))
            let merge = Merged(history.base, mine, theirs)
            let decided = merge.regions.map { $0.mine + "\n\n" + $0.theirs }.joined(
                separator: "\n\n")
            let present = Set(words(merge.theirs)).union(words(decided))
            let before = Set(words(history.base))
            let (own, other) = (Set(words(mine)), Set(words(theirs)))
            #expect(own.union(other).subtracting(before).isSubset(of: present), "seed \(seed)")
            // Both sides' paragraphs are there if both are kept.
            let both = Set(words(merge.both))
            #expect(own.union(other).subtracting(before).isSubset(of: both), "seed \(seed)")
            // What one side has deleted is only there if the other has changed something there.
            let regions = Set(
                words(decided + "\n\n" + merge.regions.map(\.base).joined(separator: "\n\n")))
            let deleted = before.subtracting(own).union(before.subtracting(other))
            // A paragraph that the other has moved is a new one at its new place.
            let rest =
                history.hasMoved ? [] : Set(words(merge.theirs)).intersection(deleted)
            #expect(rest.isSubset(of: regions), "seed \(seed)")
            // What neither has touched is there.
            let untouched = before.intersection(own).intersection(other)
            #expect(untouched.isSubset(of: Set(words(merge.theirs)).union(regions)), "seed \(seed)")
        }
    }

    @Test func `the sides are exchangeable`() {
        var conflicts = 0
        for seed in 0..<600 as Range<UInt64> {
            var history = BodyHistory(seed: seed)
            let (mine, theirs) = (history.edited("mine"), history.edited("theirs"))
            let (merge, other) = (
                Merged(history.base, mine, theirs), Merged(history.base, theirs, mine)
            )
            #expect(merge.theirs == other.mine && merge.mine == other.theirs, "seed \(seed)")
            #expect(merge.regions.map(\.mine) == other.regions.map(\.theirs), "seed \(seed)")
            #expect(merge.regions.map(\.paragraphs) == other.regions.map(\.paragraphs))
            if merge.regions.isEmpty { #expect(merge.theirs == merge.mine, "seed \(seed)") }
            conflicts += merge.regions.isEmpty ? 0 : 1
        }
        // Of each kind there are many.
        #expect(100..<500 ~= conflicts)
    }

    @Test func `an edit of one side, or the same of both, is the result, byte for byte`() {
        for seed in 0..<200 as Range<UInt64> {
            var history = BodyHistory(seed: seed)
            let edited = history.edited("mine")
            for merge in [
                Merged(history.base, edited, history.base),
                Merged(history.base, history.base, edited), Merged(history.base, edited, edited),
            ] {
                #expect(Array(merge.theirs.utf8) == Array(edited.utf8), "seed \(seed)")
                #expect(merge.regions.isEmpty, "seed \(seed)")
            }
        }
    }

    @Test func `edits of distant paragraphs never conflict`() {
        for seed in 0..<200 as Range<UInt64> {
            var first = BodyHistory(seed: seed)
            var second = BodyHistory(seed: seed + 1_000)
            let rule = "\n\nmiddle\n\n"
            let (top, bottom) = (first.edited("mine"), second.edited("theirs"))
            let merge = Merged(
                first.base + rule + second.base, top + rule + second.base,
                first.base + rule + bottom)
            #expect(merge.regions.isEmpty, "seed \(seed)")
            #expect(words(merge.theirs) == words(top + rule + bottom), "seed \(seed)")
        }
    }

    @Test func `long bodies are merged, however different they are`() {
        let filler = String(repeating: "text ", count: 26)
        func text(_ name: String) -> String {
            (0..<2_000).map { index in
                filler + (index % 100 == 0 ? "common \(index)" : "\(name) \(index)")
            }.joined(separator: "\n\n")
        }
        let (base, mine) = (text("base"), text("mine"))
        #expect(base.utf8.count > 250_000)
        let merge = Merged(base, mine, text("theirs"))
        // The common paragraphs are found, and everything between them is in conflict.
        #expect(merge.regions.count == 1_980)
        #expect(merge.regions.first?.mine == filler + "mine 1")
        #expect(merge.regions.last?.theirs == filler + "theirs 1999")
        let other = Merged(base, mine, base + "\n\nmore")
        #expect(other.regions.isEmpty && other.theirs.hasSuffix("mine 1999\n\nmore"))
    }

    private func words(_ text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).map { String($0) }
            .filter { !$0.allSatisfy(\.isWhitespace) && !$0.hasPrefix("```") }
    }
}

/// The merge of two bodies, with each decision.
private struct Merged {
    var regions: [Article.Merge.Region]
    var theirs: String
    var mine: String
    var both: String

    init(_ base: String, _ mine: String, _ theirs: String) {
        func article(_ body: String) -> Article {
            Article(
                id: Article.ID(at: Timestamp(milliseconds: 0)), slug: "a", title: "A", body: body,
                language: "en", status: .draft, createdAt: Timestamp(milliseconds: 0),
                updatedAt: Timestamp(milliseconds: 0), wordCount: 0, readingMinutes: 0)
        }
        let other = article(theirs)
        let merge = Article.Merge(
            base: article(base), mine: Article.Changes(body: mine == base ? .keep : .set(mine)),
            theirs: other)
        func body(_ choice: Article.Merge.Choice) -> String {
            merge.changes(otherwise: choice).body.applied(to: theirs) ?? ""
        }
        regions = merge.conflicts.compactMap { conflict in
            if case .region(let region) = conflict { region } else { nil }
        }
        (self.theirs, self.mine, both) = (body(.theirs), body(.mine), body(.both))
    }
}

/// A body, and random edits of it. Each paragraph has lines that occur nowhere else, unless it was
/// moved or copied.
private struct BodyHistory {
    private var random: SplitMix64
    private var count = 0
    /// True if paragraphs were moved.
    private(set) var hasMoved = false
    private let paragraphs: [String]
    let base: String

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        let length = Int.random(in: 0...12, using: &random)
        var list: [String] = []
        for number in 0..<length {
            let hasCode = Int.random(in: 0..<6, using: &random) == 0
            list.append(hasCode ? "```\ncode \(number)\n\n문단 \(number)\n```" : "base \(number)")
        }
        paragraphs = list
        base = list.joined(separator: "\n\n") + (seed % 3 == 0 ? "" : "\n")
    }

    mutating func edited(_ side: String) -> String {
        var list = paragraphs
        for _ in 0..<Int.random(in: 0...5, using: &random) {
            count += 1
            let text = "\(side) \(count)"
            let place = Int.random(in: 0...list.count, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1: list.insert(text, at: place)
            case 2 where place < list.count: list.remove(at: place)
            case 3 where place < list.count:
                list.insert(list.remove(at: place), at: list.startIndex)
                hasMoved = true
            case 4 where place < list.count: list[place] += "\n" + text
            case 5 where place < list.count: list[place] = text
            default: break
            }
        }
        let separators = ["\n\n", "\r\n\r\n", "\n \n\n"]
        let separator =
            Int.random(in: 0..<4, using: &random) == 0
            ? separators.randomElement(using: &random) ?? "\n\n" : "\n\n"
        let end = ["", "\n", "\r\n"].randomElement(using: &random) ?? ""
        return list.joined(separator: separator) + (list.isEmpty ? "" : end)
    }
}
