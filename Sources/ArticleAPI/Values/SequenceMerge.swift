/// Two edits of one sequence, combined (diff3): its parts are those that neither, one or both sides
/// have changed.
///
/// Exchanging the sides exchanges `mine` and `theirs`, and nothing else.
struct SequenceMerge: Sendable {
    /// A part of the result, as the ranges that it has in each of the sequences.
    struct Part: Sendable, Hashable {
        enum Kind: Sendable, Hashable { case unchanged, mine, theirs, both, conflict }
        var kind: Kind
        var base: Range<Int>
        var mine: Range<Int>
        var theirs: Range<Int>
    }

    private(set) var parts: [Part] = []

    init<Element: Hashable>(base: [Element], mine: [Element], theirs: [Element]) {
        var numbers: [Element: Int] = [:]
        func numbered(_ elements: [Element]) -> [Int] {
            elements.map { element in
                if let number = numbers[element] { return number }
                numbers[element] = numbers.count
                return numbers.count - 1
            }
        }
        let (base, mine, theirs) = (numbered(base), numbered(mine), numbered(theirs))
        var hunks = Hunks(
            mine: Hunk.hunks(from: base, to: mine)[...],
            theirs: Hunk.hunks(from: base, to: theirs)[...])
        var next = (base: 0, mine: 0, theirs: 0)
        while let group = hunks.nextGroup() {
            addUnchanged(&next, upTo: group.base.lowerBound)
            let (ofMine, ofTheirs) = (
                group.range(.mine, next.mine), group.range(.theirs, next.theirs)
            )
            let kind: Part.Kind =
                if group.theirs.isEmpty {
                    .mine
                } else if group.mine.isEmpty {
                    .theirs
                } else {
                    mine[ofMine] == theirs[ofTheirs] ? .both : .conflict
                }
            parts.append(Part(kind: kind, base: group.base, mine: ofMine, theirs: ofTheirs))
            next = (group.base.upperBound, ofMine.upperBound, ofTheirs.upperBound)
        }
        addUnchanged(&next, upTo: base.count)
    }

    private mutating func addUnchanged(
        _ next: inout (base: Int, mine: Int, theirs: Int), upTo end: Int
    ) {
        let count = end - next.base
        guard count > 0 else { return }
        parts.append(
            Part(
                kind: .unchanged, base: next.base..<end, mine: next.mine..<next.mine + count,
                theirs: next.theirs..<next.theirs + count))
        next = (end, next.mine + count, next.theirs + count)
    }
}

/// The hunks of both sides that are not yet part of the result.
private struct Hunks {
    var mine: ArraySlice<Hunk>
    var theirs: ArraySlice<Hunk>

    /// Hunks that are decided together.
    struct Group {
        enum Side { case mine, theirs }
        var base: Range<Int>
        var mine: [Hunk] = []
        var theirs: [Hunk] = []

        init(_ hunk: Hunk) { base = hunk.base }

        mutating func add(_ hunk: Hunk, of side: Side) {
            base =
                min(
                    base.lowerBound, hunk.base.lowerBound)..<max(
                    base.upperBound, hunk.base.upperBound)
            switch side {
            case .mine: mine.append(hunk)
            case .theirs: theirs.append(hunk)
            }
        }

        /// The range of the group in the sequence of a side, in which it begins at an index.
        func range(_ side: Side, _ start: Int) -> Range<Int> {
            let hunks = side == .mine ? mine : theirs
            return start..<start + base.count + hunks.reduce(0) { $0 + $1.growth }
        }
    }

    /// Removes the first hunk, and all that overlap with it, directly or through others.
    mutating func nextGroup() -> Group? {
        let startsWithMine: Bool
        switch (mine.first, theirs.first) {
        case (nil, nil): return nil
        case (_?, nil): startsWithMine = true
        case (nil, _?): startsWithMine = false
        case (let mine?, let theirs?): startsWithMine = !theirs.isBefore(mine)
        }
        let first = startsWithMine ? mine.removeFirst() : theirs.removeFirst()
        var group = Group(first)
        group.add(first, of: startsWithMine ? .mine : .theirs)
        while true {
            // Hunks are sorted, so that only the last ones of the other side can reach a new one.
            if let hunk = mine.first, group.theirs.suffix(2).contains(where: hunk.overlaps) {
                group.add(mine.removeFirst(), of: .mine)
            } else if let hunk = theirs.first, group.mine.suffix(2).contains(where: hunk.overlaps) {
                group.add(theirs.removeFirst(), of: .theirs)
            } else {
                return group
            }
        }
    }
}

/// A range of a sequence, and what a side has put in its place.
struct Hunk: Sendable, Hashable {
    var base: Range<Int>
    var side: Range<Int>

    var growth: Int { side.count - base.count }

    func isBefore(_ other: Hunk) -> Bool {
        (base.lowerBound, base.upperBound) < (other.base.lowerBound, other.base.upperBound)
    }

    /// Returns true if both change the same, or if their order would be arbitrary: both add
    /// something at the place at which they touch.
    func overlaps(_ other: Hunk) -> Bool {
        if base.overlaps(other.base) { return true }
        if base.isEmpty, other.base.isEmpty { return base == other.base }
        // An insertion within what the other side has replaced.
        if base.isEmpty || other.base.isEmpty {
            let (place, range) = base.isEmpty ? (base, other.base) : (other.base, base)
            if range.lowerBound < place.lowerBound, place.lowerBound < range.upperBound {
                return true
            }
        }
        let touches =
            base.lowerBound == other.base.upperBound || other.base.lowerBound == base.upperBound
        return touches && growth > 0 && other.growth > 0
    }

    /// Returns the differences of two sequences, in order. Deletions, and replacements by as many
    /// elements, are hunks of one element each.
    static func hunks(from base: [Int], to side: [Int]) -> [Hunk] {
        var hunks: [Hunk] = []
        var next = (base: 0, side: 0)
        func add(_ base: Range<Int>, _ side: Range<Int>) {
            guard !base.isEmpty || !side.isEmpty else { return }
            guard side.isEmpty || side.count == base.count else {
                hunks.append(Hunk(base: base, side: side))
                return
            }
            for offset in 0..<base.count {
                let first = base.lowerBound + offset
                let second = side.lowerBound + min(offset, side.count)
                hunks.append(
                    Hunk(base: first..<first + 1, side: second..<second + min(1, side.count)))
            }
        }
        for match in Alignment.matches(of: base, in: side) {
            add(next.base..<match.base, next.side..<match.side)
            next = (match.base + 1, match.side + 1)
        }
        add(next.base..<base.count, next.side..<side.count)
        return hunks
    }
}
