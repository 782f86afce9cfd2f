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

    /// Removes and returns the oldest element that matches.
    @inlinable
    package mutating func removeFirst(where matches: (Element) -> Bool) -> Element? {
        let place = elements[head...].firstIndex { $0.map(matches) ?? false }
        guard let place, let element = elements.remove(at: place) else { return nil }
        if head == elements.count {
            elements.removeAll(keepingCapacity: true)
            head = 0
        }
        return element
    }

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
        // Releases the objects that the element retains now, not with the array.
        let element = elements[head].take()
        head += 1
        if head == elements.count {
            // A burst leaves no more capacity behind than the next turns are likely to need.
            elements.removeAll(keepingCapacity: elements.capacity <= Self.keptCapacity)
            head = 0
        } else if head > Self.limitReleased, head * 2 > elements.count {
            elements.removeSubrange(..<head)
            head = 0
        }
        return element
    }

    @usableFromInline static var keptCapacity: Int { 1_024 }
    @usableFromInline static var limitReleased: Int { 64 }
}

/// A queue of items from many clients: the client that has used the least time is next, and the
/// items of one client stay in order.
///
/// (Fair queueing: a client's time advances with its work, and the clock as if all clients were
/// served at once. A client that returns starts at the clock, so that no client accumulates credit.
/// Newcomers overtake a waiting client for one round at most, even if they leave after each item.)
package struct FairQueue<Item> {
    private struct Entry {
        var items = FIFO<Item>()
        /// The client's virtual time in nanoseconds.
        var time: Int64
        /// The number of its items that are running.
        var running = 0
    }

    private var entries: [UInt64: Entry] = [:]
    /// The time used so far by a client that was never idle.
    private var clock: Int64 = 0
    package private(set) var count = 0

    package init() {}

    package mutating func append(_ item: Item, of client: UInt64) {
        count += 1
        if let place = entries.index(forKey: client) {
            return entries.values[place].items.append(item)
        }
        var entry = Entry(time: clock)
        entry.items.append(item)
        entries[client] = entry
    }

    /// Removes and returns the next item, among clients whose first item may run.
    ///
    /// - Parameter estimate: The item's expected nanoseconds, until `charge` corrects them.
    package mutating func next(
        where mayRun: (Item) -> Bool, estimate: (Item) -> Int64
    ) -> Item? {
        guard count > 0 else { return nil }
        var first: (place: Dictionary<UInt64, Entry>.Index, time: Int64)?
        var place = entries.startIndex
        // Invariant: `first` is the client with the least time before `place`.
        while place != entries.endIndex {
            let time = entries.values[place].time
            if first.map({ time < $0.time }) ?? true,
                let item = entries.values[place].items.first, mayRun(item)
            {
                first = (place, time)
            }
            entries.formIndex(after: &place)
        }
        guard let (place, time) = first, let item = entries.values[place].items.popFirst() else {
            return nil
        }
        count -= 1
        clock = max(clock, time)
        entries.values[place].running += 1
        entries.values[place].time += estimate(item)
        return item
    }

    /// Returns true if the first item of any client may run.
    package func contains(where mayRun: (Item) -> Bool) -> Bool {
        count > 0 && entries.values.contains { $0.items.first.map(mayRun) ?? false }
    }

    /// Corrects a client's time after its item has run.
    ///
    /// - Parameter estimate: The time that `next` charged for it.
    package mutating func charge(_ nanoseconds: Int64, estimate: Int64, to client: UInt64) {
        guard let place = entries.index(forKey: client) else { return }
        clock += max(1, nanoseconds / Int64(entries.count))
        entries.values[place].running -= 1
        entries.values[place].time += nanoseconds - estimate
        // Idle clients are forgotten, so that they take no memory.
        let entry = entries.values[place]
        if entry.items.isEmpty, entry.running == 0 { entries.remove(at: place) }
    }

    /// Removes the client's first item that matches.
    package mutating func remove(of client: UInt64, where matches: (Item) -> Bool) -> Item? {
        guard let place = entries.index(forKey: client),
            let item = entries.values[place].items.removeFirst(where: matches)
        else { return nil }
        count -= 1
        let entry = entries.values[place]
        if entry.items.isEmpty, entry.running == 0 { entries.remove(at: place) }
        return item
    }

    /// Removes the newest item of the client with the most items, if it has at least two more than
    /// `client`: a full queue has room for every client's first item.
    package mutating func evictLast(for client: UInt64) -> Item? {
        guard let most = entries.max(by: { $0.value.items.count < $1.value.items.count }),
            most.value.items.count > (entries[client]?.items.count ?? 0) + 1,
            let item = entries[most.key]?.items.popLast()
        else { return nil }
        count -= 1
        return item
    }

    /// The same with networks of clients: in each network that is larger than a client, the parts
    /// with the most items make room for those with fewer. So a network has no more places for
    /// being divided into many clients.
    ///
    /// - Parameters:
    ///   - path: The client's networks from the largest, and the client itself.
    ///   - networks: The same of the client that an item belongs to; as many as in `path`.
    mutating func evictLast(for path: [UInt64], in networks: (Item) -> [UInt64]) -> Item? {
        var clients = entries.compactMap { client, entry in
            entry.items.first.map { (client, networks($0), entry.items.count) }
        }
        // `nil` once the network is found that makes room.
        var own: [UInt64]? = path
        for level in path.indices {
            let counts = Dictionary(clients.map { ($0.1[level], $0.2) }, uniquingKeysWith: +)
            guard let most = counts.max(by: { $0.value < $1.value }) else { return nil }
            var chosen = most.key
            if let mine = own?[level], most.value <= (counts[mine] ?? 0) + 1 {
                chosen = mine
            } else {
                own = nil
            }
            clients.removeAll { $0.1[level] != chosen }
        }
        guard own == nil, let (client, _, _) = clients.first,
            let item = entries[client]?.items.popLast()
        else { return nil }
        count -= 1
        if let entry = entries[client], entry.items.isEmpty, entry.running == 0 {
            entries[client] = nil
        }
        return item
    }
}
