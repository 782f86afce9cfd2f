/// One page of a list, with the cursor of the next one.
public struct Page<Item: Sendable>: Sendable {
    public var items: [Item]
    /// The opaque cursor of the next page; `nil` on the last.
    public var next: String?
    /// The number of items on all pages, if it was requested.
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
    /// `false` if there are at least this many: counting stopped at its limit.
    public var isExact: Bool

    public init(value: Int, isExact: Bool) {
        self.value = value
        self.isExact = isExact
    }

    /// How a list's items are counted.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        case exact
    }
}

extension Page: Equatable where Item: Equatable {}
