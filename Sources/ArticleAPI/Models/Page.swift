/// One page of a list, and the way to the next.
public struct Page<Item: Sendable>: Sendable {
    public var items: [Item]
    /// The opaque cursor of the next page; `nil` on the last.
    public var next: String?

    public init(items: [Item], next: String? = nil) {
        self.items = items
        self.next = next
    }
}

extension Page: Equatable where Item: Equatable {}
