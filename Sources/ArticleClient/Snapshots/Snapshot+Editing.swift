/// Changes of single items, such as the user's own: each takes O(n) for the items of its section.
///
/// ```swift
/// var edited = snapshot
/// edited.insert(draft, at: .init(section: 0, item: 0))
/// edited.remove(article.id)
/// ```
extension Snapshot {
    /// Inserts an item, which is at this place afterwards.
    ///
    /// - Returns: false if there is no such place, or if the snapshot has an item of the same id.
    @discardableResult
    public mutating func insert(_ item: Item, at place: Place) -> Bool {
        guard places[item.id] == nil, groups.indices.contains(place.section),
            (0...groups[place.section].items.count).contains(place.item)
        else { return false }
        edit(place.section, from: place.item) { $0.insert(item, at: place.item) }
        return true
    }

    /// Removes an item. Its section remains, even if it is empty then.
    ///
    /// - Returns: the item; `nil` if the snapshot does not have it.
    @discardableResult
    public mutating func remove(_ id: Item.ID) -> Item? {
        guard let place = places.removeValue(forKey: id) else { return nil }
        let item = groups[place.section].items[place.item]
        edit(place.section, from: place.item) { $0.remove(at: place.item) }
        return item
    }

    /// Moves an item, which is at this place afterwards, in its section or another one.
    ///
    /// - Returns: false if the snapshot does not have the item, or no such place.
    @discardableResult
    public mutating func move(_ id: Item.ID, to place: Place) -> Bool {
        guard let start = places[id], groups.indices.contains(place.section) else { return false }
        let rest = groups[place.section].items.count - (start.section == place.section ? 1 : 0)
        guard (0...rest).contains(place.item), let item = remove(id) else { return false }
        return insert(item, at: place)
    }

    /// Replaces the content of an item, which keeps its place: a view shows it again
    /// (``Difference/Step/updateItem(_:at:)``).
    ///
    /// - Returns: false if the snapshot has no item of this id.
    @discardableResult
    public mutating func update(_ item: Item) -> Bool {
        guard let place = places[item.id] else { return false }
        edit(place.section, from: place.item) { $0[place.item] = item }
        return true
    }

    /// Changes the items of a section, and notes the places of those from the first changed one.
    private mutating func edit(_ section: Int, from first: Int, _ change: (inout [Item]) -> Void) {
        var items = groups[section].items
        change(&items)
        storedGroups[section] = Group(section: groups[section].section, items: items)
        for (offset, item) in items[first...].enumerated() {
            places[item.id] = Place(section: section, item: first + offset)
        }
    }
}
