/// What waits, of many clients: next comes the client who had the least time so far, and of one
/// client what came first.
///
/// (Fair queueing: each client's time goes on as its work takes it, and the clock as if all of them
/// were served at once. Who was away begins at the clock: nobody saves time up, and who waits is
/// passed by newcomers for one round at most, also if these go and come for each item.)
struct FairQueue<Item> {
    private struct Entry {
        var items = FIFO<Item>()
        /// Nanoseconds that the client had, from where it began.
        var time: Int64
        /// What it was given, and is at it.
        var running = 0
    }

    private var entries: [UInt64: Entry] = [:]
    /// What each client has had by now that was never away.
    private var clock: Int64 = 0
    private(set) var count = 0

    mutating func append(_ item: Item, of client: UInt64) {
        entries[client, default: Entry(time: clock)].items.append(item)
        count += 1
    }

    /// Takes out what comes next, of the clients whose next item may run.
    ///
    /// - Parameter estimate: nanoseconds that it is likely to take, until `charge` tells.
    mutating func next(
        where mayRun: (Item) -> Bool, estimate: (Item) -> Int64
    ) -> Item? {
        guard count > 0 else { return nil }
        var first: (client: UInt64, time: Int64)?
        for (client, entry) in entries where first.map({ entry.time < $0.time }) ?? true {
            if let item = entry.items.first, mayRun(item) { first = (client, entry.time) }
        }
        guard let (client, time) = first, let item = entries[client]?.items.popFirst() else {
            return nil
        }
        count -= 1
        clock = max(clock, time)
        entries[client]?.running += 1
        entries[client]?.time += estimate(item)
        return item
    }

    /// Whether some client's next item is such a one.
    func contains(where mayRun: (Item) -> Bool) -> Bool {
        count > 0 && entries.values.contains { $0.items.first.map(mayRun) ?? false }
    }

    /// A client's item has run.
    ///
    /// - Parameter estimate: what `next` had charged for it.
    mutating func charge(_ nanoseconds: Int64, estimate: Int64, to client: UInt64) {
        guard let place = entries.index(forKey: client) else { return }
        clock += max(1, nanoseconds / Int64(entries.count))
        entries.values[place].running -= 1
        entries.values[place].time += nanoseconds - estimate
        // Who is away is forgotten: nothing is held for a client that has nothing here.
        let entry = entries.values[place]
        if entry.items.isEmpty, entry.running == 0 { entries.remove(at: place) }
    }

    /// Takes out the newest item of the client who has most, if that is more than `client` has and
    /// one: a full queue has room for everybody's first.
    mutating func pushOut(for client: UInt64) -> Item? {
        guard let most = entries.max(by: { $0.value.items.count < $1.value.items.count }),
            most.value.items.count > (entries[client]?.items.count ?? 0) + 1,
            let item = entries[most.key]?.items.popLast()
        else { return nil }
        count -= 1
        return item
    }
}
