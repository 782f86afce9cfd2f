/// A first-in, first-out queue with constant cost per element.
@usableFromInline
package struct FIFO<Element> {
    // Invariant: the elements from `head` on are stored; those before it were released.
    @usableFromInline var elements: [Element?] = []
    @usableFromInline var head = 0

    @inlinable
    package init() {}

    @inlinable package var count: Int { elements.count - head }
    @inlinable package var isEmpty: Bool { head == elements.count }

    @inlinable
    package mutating func append(_ element: Element) { elements.append(element) }

    @inlinable
    package mutating func append(contentsOf others: [Element]) {
        elements.reserveCapacity(elements.count + others.count)
        for element in others { elements.append(element) }
    }

    /// The oldest element.
    @inlinable package var first: Element? { isEmpty ? nil : elements[head] }

    /// Removes and returns the newest element.
    @inlinable
    package mutating func popLast() -> Element? {
        guard head < elements.count else { return nil }
        let element = elements.removeLast()
        if head == elements.count {
            elements.removeAll(keepingCapacity: true)
            head = 0
        }
        return element
    }

    /// Removes and returns the oldest element.
    @inlinable
    package mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        // Releases what the element retains now, not with the array.
        let element = elements[head].take()
        head += 1
        if head == elements.count {
            // A burst leaves no more capacity behind than the next turns are likely to need.
            elements.removeAll(keepingCapacity: elements.capacity <= Self.keptCapacity)
            head = 0
        } else if head > Self.mostLetGo, head * 2 > elements.count {
            elements.removeSubrange(..<head)
            head = 0
        }
        return element
    }

    @usableFromInline static var keptCapacity: Int { 1_024 }
    @usableFromInline static var mostLetGo: Int { 64 }
}
