/// One page of a list, and the way to the next.
public struct Page<Item: Sendable>: Sendable {
    public var items: [Item]
    /// The opaque cursor of the next page; `nil` on the last.
    public var next: String?
    /// How many there are on all pages together, where it was asked for.
    public var count: PageCount?

    public init(items: [Item], next: String? = nil, count: PageCount? = nil) {
        self.items = items
        self.next = next
        self.count = count
    }
}

/// How many items a list has on all of its pages.
public struct PageCount: Sendable, Hashable {
    /// At most 10,000.
    public var value: Int
    /// `false`: there are at least so many; counting ended at its bounds.
    public var isExact: Bool

    public init(value: Int, isExact: Bool) {
        self.value = value
        self.isExact = isExact
    }

    /// Whether a list's items are to be counted.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        case exact
    }
}

extension Page: Equatable where Item: Equatable {}
