extension Snapshot {
    /// This snapshot after the steps of a difference; `nil` if they do not fit: if a place does not
    /// exist or is used twice, if an id would occur twice or change, or if a removed section is not
    /// empty.
    ///
    /// `new.difference(from: old)` always fits `old`, and leads to `new`.
    @inlinable public func applying(_ difference: Difference) -> Snapshot? {
        var parts = Parts(groups)
        // Items leave their old places before their sections do.
        for step in difference.steps {
            guard parts.takeItem(of: step) else { return nil }
        }
        for step in difference.steps {
            guard parts.takeSection(of: step) else { return nil }
        }
        guard let groups = parts.joined() else { return nil }
        let result = Snapshot(groups)
        let count = groups.reduce(0) { $0 + $1.items.count }
        return result.groups.count == groups.count && result.itemCount == count ? result : nil
    }

    /// The rest of the old snapshot while steps remove parts of it, and the parts that they will
    /// place.
    @usableFromInline struct Parts {
        @usableFromInline struct Part {
            @usableFromInline var section: Section
            /// `nil` where an item was removed or moved away.
            @usableFromInline var items: [Item?]

            @inlinable init(section: Section, items: [Item?]) {
                self.section = section
                self.items = items
            }
        }

        /// `nil` where a section was removed or moved away.
        @usableFromInline var parts: [Part?]
        @usableFromInline var sections: [(index: Int, value: Part)] = []
        @usableFromInline var items: [(place: Place, item: Item)] = []

        @inlinable init(_ groups: [Group]) {
            parts = groups.map { Part(section: $0.section, items: $0.items.map(Optional.some)) }
        }

        /// Applies the step to an item at its old place.
        /// - Returns: true if the step fits.
        @inlinable mutating func takeItem(of step: Difference.Step) -> Bool {
            switch step {
            case .updateItem(let item, let place):
                guard has(place), parts[place.section]?.items[place.item]?.id == item.id else {
                    return false
                }
                parts[place.section]?.items[place.item] = item
            case .removeItem(let place): return removeItem(at: place) != nil
            case .moveItem(let start, let end):
                guard let item = removeItem(at: start) else { return false }
                items.append((end, item))
            case .insertItem(let item, let place): items.append((place, item))
            case .updateSection, .removeSection, .insertSection, .moveSection: break
            }
            return true
        }

        /// Applies the step to a section at its old index.
        /// - Returns: true if the step fits.
        @inlinable mutating func takeSection(of step: Difference.Step) -> Bool {
            switch step {
            case .updateSection(let section, let index):
                guard parts.indices.contains(index), parts[index]?.section.id == section.id else {
                    return false
                }
                parts[index]?.section = section
            case .removeSection(let index):
                guard let part = removeSection(at: index) else { return false }
                return part.items.allSatisfy { $0 == nil }
            case .moveSection(let start, let end):
                guard let part = removeSection(at: start) else { return false }
                sections.append((end, part))
            case .insertSection(let section, let index):
                sections.append((index, Part(section: section, items: [])))
            case .updateItem, .removeItem, .moveItem, .insertItem: break
            }
            return true
        }

        @inlinable func has(_ place: Place) -> Bool {
            parts.indices.contains(place.section)
                && parts[place.section]?.items.indices.contains(place.item) == true
        }

        @inlinable mutating func removeItem(at place: Place) -> Item? {
            has(place) ? parts[place.section]?.items[place.item].take() : nil
        }

        @inlinable mutating func removeSection(at index: Int) -> Part? {
            parts.indices.contains(index) ? parts[index].take() : nil
        }

        /// Returns the rest with all placed parts; `nil` if a place does not fit.
        @inlinable func joined() -> [Group]? {
            guard let parts = merged(parts.compactMap(\.self), sections) else { return nil }
            var placed = [[(index: Int, value: Item)]](repeating: [], count: parts.count)
            for (place, item) in items {
                guard parts.indices.contains(place.section) else { return nil }
                placed[place.section].append((place.item, item))
            }
            var groups: [Group] = []
            for (part, placed) in zip(parts, placed) {
                guard let items = merged(part.items.compactMap(\.self), placed) else { return nil }
                groups.append(Group(section: part.section, items: items))
            }
            return groups
        }
    }
}

/// The values in their order, with others at the indices that they have in the result; `nil` if
/// these do not increase or do not exist.
@inlinable func merged<Value>(_ values: [Value], _ placed: [(index: Int, value: Value)]) -> [Value]?
{
    guard !placed.isEmpty else { return values }
    var result: [Value] = []
    result.reserveCapacity(values.count + placed.count)
    var rest = values[...]
    // Invariant: `result` has the placed values before `entry`, each at its index.
    for entry in placed {
        let missing = entry.index - result.count
        guard missing >= 0, missing <= rest.count else { return nil }
        result += rest.prefix(missing)
        rest.removeFirst(missing)
        result.append(entry.value)
    }
    return result + rest
}
