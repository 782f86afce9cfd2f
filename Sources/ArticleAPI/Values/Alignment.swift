/// The elements that two sequences have in common, in the order of both.
enum Alignment {
    /// An element of both, by its indices.
    struct Match: Sendable, Hashable {
        var base: Int
        var side: Int
    }

    /// The number of insertions and deletions up to which the longest common subsequence is found,
    /// in time and memory of its square. Of more different sequences, elements are matched that
    /// occur once in each, with what surrounds them.
    static let limitEdits = 1_000

    /// Returns a common subsequence: the longest one, unless the sequences differ too much.
    static func matches(of base: [Int], in side: [Int]) -> [Match] {
        let limit = min(base.count, side.count)
        var start = 0
        while start < limit, base[start] == side[start] { start += 1 }
        var tail = 0
        while tail < limit - start, base[base.count - 1 - tail] == side[side.count - 1 - tail] {
            tail += 1
        }
        let (from, to) = (base[start..<base.count - tail], side[start..<side.count - tail])
        let middle = longest(from, to) ?? unique(from, to)
        return (0..<start).map { Match(base: $0, side: $0) } + middle
            + (0..<tail).reversed().map {
                Match(base: base.count - 1 - $0, side: side.count - 1 - $0)
            }
    }

    // MARK: Similar sequences

    /// Myers, An O(ND) Difference Algorithm and Its Variations (1986); `nil` above the limit.
    private static func longest(
        _ base: ArraySlice<Int>, _ side: ArraySlice<Int>
    ) -> [Match]? {
        let (n, m) = (base.count, side.count)
        guard n > 0, m > 0 else { return [] }
        let limit = min(n + m, limitEdits)
        guard abs(n - m) <= limit else { return nil }
        let offset = limit + 1
        // The furthest x on each diagonal k = x - y, at k + offset.
        var furthest = [Int32](repeating: 0, count: 2 * offset + 1)
        // Those on the diagonals -d...d, before step d.
        var trace: [[Int32]] = []
        for d in 0...limit {
            trace.append(Array(furthest[offset - d...offset + d]))
            for k in stride(from: -d, through: d, by: 2) {
                let isDown =
                    k == -d || k != d && furthest[offset + k - 1] < furthest[offset + k + 1]
                var x = Int(isDown ? furthest[offset + k + 1] : furthest[offset + k - 1] + 1)
                while x < n, x - k < m, x - k >= 0,
                    base[base.startIndex + x] == side[side.startIndex + x - k]
                {
                    x += 1
                }
                furthest[offset + k] = Int32(x)
                if k == n - m, x >= n {
                    return path(trace, base.startIndex, side.startIndex, n, m)
                }
            }
        }
        return nil
    }

    /// Follows the steps back from the ends of both.
    private static func path(
        _ trace: [[Int32]], _ base: Int, _ side: Int, _ n: Int, _ m: Int
    ) -> [Match] {
        var matches: [Match] = []
        var (x, y) = (n, m)
        for d in trace.indices.reversed() {
            let k = x - y
            /// The furthest x on a diagonal before step d.
            func furthest(_ k: Int) -> Int { Int(trace[d][k + d]) }
            let isDown = k == -d || k != d && furthest(k - 1) < furthest(k + 1)
            let previous = isDown ? k + 1 : k - 1
            let before = d == 0 ? 0 : furthest(previous)
            let after = d == 0 ? 0 : isDown ? before : before + 1
            while x > after {
                (x, y) = (x - 1, y - 1)
                matches.append(Match(base: base + x, side: side + y))
            }
            (x, y) = (before, before - previous)
        }
        return matches.reversed()
    }

    // MARK: Different sequences

    private static func unique(_ base: ArraySlice<Int>, _ side: ArraySlice<Int>) -> [Match] {
        let places = indicesOfUnique(side)
        let common = indicesOfUnique(base).compactMap { element, index in
            places[element].map { Match(base: index, side: $0) }
        }
        let anchors = increasing(common.sorted { $0.base < $1.base })
        var matches: [Match] = []
        var next = Match(base: base.startIndex, side: side.startIndex)
        for anchor in anchors + [Match(base: base.endIndex, side: side.endIndex)] {
            while next.base < anchor.base, next.side < anchor.side,
                base[next.base] == side[next.side]
            {
                matches.append(next)
                next = Match(base: next.base + 1, side: next.side + 1)
            }
            var last = anchor
            while last.base > next.base, last.side > next.side,
                base[last.base - 1] == side[last.side - 1]
            {
                last = Match(base: last.base - 1, side: last.side - 1)
            }
            let isEnd = anchor.base == base.endIndex
            let count = anchor.base - last.base + (isEnd ? 0 : 1)
            matches += (0..<count).map { Match(base: last.base + $0, side: last.side + $0) }
            next = Match(base: anchor.base + 1, side: anchor.side + 1)
        }
        return matches
    }

    private static func indicesOfUnique(_ elements: ArraySlice<Int>) -> [Int: Int] {
        var indices: [Int: Int?] = [:]
        for (index, element) in zip(elements.indices, elements) {
            indices[element] = indices[element] == nil ? .some(index) : .some(nil)
        }
        return indices.compactMapValues { $0 }
    }

    /// The longest part of the matches whose indices on the side increase, too.
    private static func increasing(_ matches: [Match]) -> [Match] {
        // For each length, the index of the match with which such a part ends the earliest.
        var ends: [Int] = []
        var previous = [Int?](repeating: nil, count: matches.count)
        for (index, match) in matches.enumerated() {
            var (low, high) = (0, ends.count)
            // Ends before `low` are smaller than the match, those from `high` on are not.
            while low < high {
                let middle = (low + high) / 2
                if matches[ends[middle]].side < match.side {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            previous[index] = low > 0 ? ends[low - 1] : nil
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var part: [Match] = []
        var last = ends.last
        while let index = last {
            part.append(matches[index])
            last = previous[index]
        }
        return part.reversed()
    }
}
