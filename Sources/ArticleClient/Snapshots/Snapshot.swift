/// The content of a list at one moment: sections in order, each with its items in order.
///
/// Sections and items have unique ids: an item occurs once in the whole snapshot. It is made as a
/// whole, or changed item by item. A list that shows one snapshot after the other asks for the
/// ``Snapshot/Difference`` between them, or for the batches of a view, and changes only what is
/// different. Its functions are inlinable, because they are several times faster when they
/// are compiled for the types of an app.
///
/// ```swift
/// let before = Snapshot<ArticleSection, Article>(byDay: [article]) { _ in 9 * 3_600 }
/// let after = Snapshot<ArticleSection, Article>(byDay: [edited]) { _ in 9 * 3_600 }
/// for step in after.difference(from: before).steps {
///     if case .updateItem(let item, let place) = step { changed[place.item] = item.title }
/// }
/// ```
public struct Snapshot<Section, Item>: Sendable
where
    Section: Identifiable & Equatable & Sendable, Section.ID: Sendable,
    Item: Identifiable & Equatable & Sendable, Item.ID: Sendable
{
    /// A section and its items.
    public struct Group: Sendable, Equatable, Identifiable {
        public let section: Section
        public let items: [Item]

        @inlinable public init(section: Section, items: [Item]) {
            self.section = section
            self.items = items
        }

        /// The section's id.
        public var id: Section.ID { section.id }
    }

    /// The place of an item: the index of its section, and its index there.
    public struct Place: Sendable, Hashable, Comparable {
        public var section: Int
        public var item: Int

        @inlinable public init(section: Int, item: Int) {
            self.section = section
            self.item = item
        }

        public static func < (left: Place, right: Place) -> Bool {
            (left.section, left.item) < (right.section, right.item)
        }
    }

    /// The sections with their items. A section may be empty.
    @inlinable public var groups: [Group] { storedGroups }
    @usableFromInline var storedGroups: [Group]
    @usableFromInline let sectionIndices: [Section.ID: Int]
    @usableFromInline var places: [Item.ID: Place]

    /// A snapshot without sections.
    public init() { self.init([]) }

    /// A snapshot of these sections.
    ///
    /// Of sections with the same id, the first has the items of all of them. Of items with the
    /// same id, only the first is kept.
    @inlinable public init(_ groups: some Sequence<Group>) {
        var indices: [Section.ID: Int] = [:]
        var sections: [Section] = []
        var items: [[Item]] = []
        var places: [Item.ID: Place] = [:]
        places.reserveCapacity(groups.underestimatedCount)
        for group in groups {
            let index = indices[group.id] ?? sections.count
            if index == sections.count {
                indices[group.id] = index
                sections.append(group.section)
                items.append([])
            }
            for item in group.items {
                let place = Place(section: index, item: items[index].count)
                if let first = places.updateValue(place, forKey: item.id) {
                    places[item.id] = first
                } else {
                    items[index].append(item)
                }
            }
        }
        storedGroups = zip(sections, items).map { Group(section: $0, items: $1) }
        sectionIndices = indices
        self.places = places
    }

    /// A snapshot of items that are each in one section. Sections are in the order in which they
    /// occur, and so are the items of each.
    ///
    /// - Parameters:
    ///   - items: in the order of the list.
    ///   - section: the section of an item.
    @inlinable public init(_ items: some Sequence<Item>, in section: (Item) -> Section) {
        var indices: [Section.ID: Int] = [:]
        var sections: [Section] = []
        var members: [[Item]] = []
        for item in items {
            let section = section(item)
            let index = indices[section.id] ?? sections.count
            if index == sections.count {
                indices[section.id] = index
                sections.append(section)
                members.append([])
            }
            members[index].append(item)
        }
        self.init(zip(sections, members).map { Group(section: $0, items: $1) })
    }

    /// The number of items in all sections.
    public var itemCount: Int { places.count }

    /// Returns the place of the item with this id.
    @inlinable public func place(of id: Item.ID) -> Place? { places[id] }

    /// The index of the section with this id.
    @inlinable public func index(of id: Section.ID) -> Int? { sectionIndices[id] }

    /// The item at a place; `nil` if there is none.
    public func item(at place: Place) -> Item? {
        guard groups.indices.contains(place.section) else { return nil }
        let items = groups[place.section].items
        return items.indices.contains(place.item) ? items[place.item] : nil
    }
}

extension Snapshot: Equatable {
    /// Returns true if both have equal sections with equal items in the same order.
    public static func == (left: Snapshot, right: Snapshot) -> Bool { left.groups == right.groups }
}
