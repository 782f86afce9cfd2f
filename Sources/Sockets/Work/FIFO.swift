/// A first-in, first-out queue with constant cost per element.
struct FIFO<Element> {
    // Invariant: the elements from `head` on are stored; those before it were released.
    private var elements: [Element?] = []
    private var head = 0

    var count: Int { elements.count - head }
    var isEmpty: Bool { head == elements.count }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func append(contentsOf others: [Element]) {
        elements.reserveCapacity(elements.count + others.count)
        for element in others { elements.append(element) }
    }

    /// The oldest element.
    var first: Element? { isEmpty ? nil : elements[head] }

    /// Removes and returns the newest element.
    mutating func popLast() -> Element? {
        guard head < elements.count else { return nil }
        let element = elements.removeLast()
        if head == elements.count {
            elements.removeAll(keepingCapacity: true)
            head = 0
        }
        return element
    }

    /// Removes and returns the oldest element.
    mutating func popFirst() -> Element? {
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

    private static var keptCapacity: Int { 1_024 }
    private static var mostLetGo: Int { 64 }
}
