extension Snapshot {
    /// The steps that lead from one snapshot to another.
    ///
    /// They count like `performBatchUpdates` of UIKit's collection views and like the standard
    /// library's `CollectionDifference`: updates, removals and the starts of moves have places of
    /// the old snapshot, insertions and the ends of moves have places of the new one.
    public struct Difference: Sendable, Equatable {
        public enum Step: Sendable, Equatable {
            /// The section, which remains the same by its id, has changed.
            case updateSection(Section, at: Int)
            /// The item, which remains the same by its id, has changed. It may also move.
            case updateItem(Item, at: Place)
            case removeItem(at: Place)
            /// Removes a section that is empty after the removals and moves of its items.
            case removeSection(at: Int)
            /// Inserts an empty section.
            case insertSection(Section, at: Int)
            /// Moves a section with its items, except for those that are removed or moved.
            case moveSection(from: Int, to: Int)
            case insertItem(Item, at: Place)
            case moveItem(from: Place, to: Place)
        }

        /// Updates of sections and items; then removals of items and of sections, beginning with
        /// the last; then insertions and moves of sections, and of items, beginning with the first.
        ///
        /// A collection view can take the updates as one batch, and the rest as another.
        public let steps: [Step]

        /// For steps that were transferred or translated; `applying` checks whether they fit.
        @inlinable public init(steps: [Step]) { self.steps = steps }

        public var isEmpty: Bool { steps.isEmpty }
    }

    /// The difference that leads from `old` to this snapshot.
    ///
    /// It has as few moves as possible: within a section, as many items as possible keep their
    /// order. It takes O(n log n) for n items.
    @inlinable public func difference(from old: Snapshot) -> Difference {
        let stays = groups.map { old.index(of: $0.id) }
        let items = itemChanges(from: old)
        var steps = sectionUpdates(of: old) + items.updates
        steps += items.removals + sectionRemovals(from: old)
        sectionPlacements(stays, to: &steps)
        itemPlacements(from: old, stays, to: &steps)
        return Difference(steps: steps)
    }

    @inlinable func sectionUpdates(of old: Snapshot) -> [Difference.Step] {
        old.groups.enumerated().compactMap { position, group in
            guard let new = index(of: group.id), groups[new].section != group.section else {
                return nil
            }
            return .updateSection(groups[new].section, at: position)
        }
    }

    /// The updates of items, and the removals of others.
    @inlinable func itemChanges(
        from old: Snapshot
    ) -> (updates: [Difference.Step], removals: [Difference.Step]) {
        var updates: [Difference.Step] = []
        var removals: [Difference.Step] = []
        for (section, group) in old.groups.enumerated() {
            for (index, item) in group.items.enumerated() {
                let start = Place(section: section, item: index)
                if let place = place(of: item.id) {
                    let new = groups[place.section].items[place.item]
                    if new != item { updates.append(.updateItem(new, at: start)) }
                } else {
                    removals.append(.removeItem(at: start))
                }
            }
        }
        return (updates, removals.reversed())
    }

    @inlinable func sectionRemovals(from old: Snapshot) -> [Difference.Step] {
        old.groups.enumerated().reversed().compactMap { position, group in
            index(of: group.id) == nil ? .removeSection(at: position) : nil
        }
    }

    /// - Parameters:
    ///   - stays: for each section its index in the old snapshot.
    ///   - steps: receives the steps.
    @inlinable func sectionPlacements(_ stays: [Int?], to steps: inout [Difference.Step]) {
        let kept = longestIncreasing(stays)
        for (position, start) in stays.enumerated() where !kept[position] {
            if let start {
                steps.append(.moveSection(from: start, to: position))
            } else {
                steps.append(.insertSection(groups[position].section, at: position))
            }
        }
    }

    @inlinable func itemPlacements(
        from old: Snapshot, _ stays: [Int?], to steps: inout [Difference.Step]
    ) {
        for (section, group) in groups.enumerated() {
            let starts = group.items.map { old.place(of: $0.id) }
            let kept = longestIncreasing(
                starts.map { start in
                    start.flatMap { $0.section == stays[section] ? $0.item : nil }
                })
            for (index, start) in starts.enumerated() where !kept[index] {
                let place = Place(section: section, item: index)
                if let start {
                    steps.append(.moveItem(from: start, to: place))
                } else {
                    steps.append(.insertItem(group.items[index], at: place))
                }
            }
        }
    }
}

/// Returns, for each value, true if it belongs to a longest subsequence that increases strictly;
/// `nil` never does.
///
/// Patience sorting, in O(n log n).
@usableFromInline func longestIncreasing(_ values: [Int?]) -> [Bool] {
    /// By length − 1, the position of the smallest value that ends a subsequence of this length.
    var ends: [Int] = []
    /// By position, the position before it in its subsequence.
    var previous = [Int](repeating: -1, count: values.count)
    func endValue(_ length: Int) -> Int { values[ends[length]] ?? .min }
    // Invariant: `ends` is right for the values before `position`, and their values increase.
    for (position, value) in values.enumerated() {
        guard let value else { continue }
        var (low, high) = (0, ends.count)
        if let last = ends.last, endValue(ends.count - 1) < value {
            (low, previous[position]) = (ends.count, last)
        } else {
            while low < high {
                let middle = (low + high) / 2
                if endValue(middle) < value { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[position] = ends[low - 1] }
        }
        if low == ends.count { ends.append(position) } else { ends[low] = position }
    }
    var belongs = [Bool](repeating: false, count: values.count)
    var position = ends.last ?? -1
    while position >= 0 {
        belongs[position] = true
        position = previous[position]
    }
    return belongs
}
