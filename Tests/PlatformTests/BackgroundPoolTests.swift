import Dispatch
import Glibc
import Platform
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(Patience.minutes)))
struct BackgroundPoolTests {
    /// A pool of one thread, which is busy until the gate is opened.
    private struct BusyPool {
        let pool: BackgroundPool
        let gate = DispatchSemaphore(value: 0)
        let first: Task<Void, any Error>

        init(depth: Int) async {
            let pool = BackgroundPool(width: 1, depth: depth)
            let begun = Signal()
            self.pool = pool
            first = Task { [gate] in
                try await pool.run(for: 0) {
                    begun.give()
                    gate.wait()
                }
            }
            await begun.wait()
        }

        /// Opens the gate and waits for the first item.
        func open() async throws {
            gate.signal()
            try await first.value
        }
    }

    /// A task that queues an item, which records its name.
    private static func queue(
        _ name: String, of client: UInt64, in pool: BackgroundPool, _ order: Lock<[String]>
    ) async -> Task<Void, any Error> {
        let before = pool.waiting
        let task = Task {
            try await pool.run(for: client) { order.withLock { $0.append(name) } }
        }
        #expect(await eventually { pool.waiting > before })
        return task
    }

    /// The nice value of the calling thread, according to the kernel (proc(5)).
    private static func niceValue() -> Int? {
        guard let file = fopen("/proc/thread-self/stat", "r") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 4_096)
        guard fgets(&line, Int32(line.count), file) != nil else { return nil }
        let text = String(
            decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // The second attribute, a name in parentheses, may contain spaces; nice is the nineteenth.
        guard let end = text.lastIndex(of: ")") else { return nil }
        let rest = text[text.index(after: end)...].split(separator: " ")
        return rest.count > 16 ? Int(rest[16]) : nil
    }

    @Test func `work runs at the lowest priority, and changes that of no other thread`()
        async throws
    {
        let pool = BackgroundPool(width: 2, depth: 0)
        let before = Self.niceValue()
        #expect(before != nil)
        #expect(try await pool.run(for: 1) { Self.niceValue() } == 19)
        #expect(Self.niceValue() == before)
    }

    @Test func `a thread ends when the work is done, and a new one starts for the next item`()
        async throws
    {
        let pool = BackgroundPool(width: 1, depth: 0)
        for number in 0..<100 {
            let result = try await pool.run(for: UInt64(number)) { number }
            #expect(result == number)
        }
        #expect(pool.running == 0 && pool.waiting == 0)
    }

    @Test func `the pool runs its full width and never more`() async throws {
        let pool = BackgroundPool(width: 3, depth: 100)
        let counts = Lock((now: 0, most: 0, arrivals: 0))
        let meeting = DispatchSemaphore(value: 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                group.addTask {
                    try await pool.run(for: UInt64(number % 7)) {
                        let arrival = counts.withLock { counts in
                            counts.now += 1
                            counts.most = max(counts.most, counts.now)
                            counts.arrivals += 1
                            return counts.arrivals
                        }
                        // The first three wait for each other: fewer threads would never end.
                        if arrival == 3 { for _ in 0..<3 { meeting.signal() } }
                        if arrival <= 3 { meeting.wait() }
                        counts.withLock { $0.now -= 1 }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(counts.withLock { $0.most } == 3)
    }

    @Test func `clients take turns, and each one's items stay in order`() async throws {
        let busy = await BusyPool(depth: 10)
        let order = Lock<[String]>([])
        var tasks: [Task<Void, any Error>] = []
        for (name, client) in [("a1", 1), ("a2", 1), ("a3", 1), ("b1", 2), ("b2", 2), ("c1", 3)] {
            tasks.append(await Self.queue(name, of: UInt64(client), in: busy.pool, order))
        }
        try await busy.open()
        for task in tasks { try await task.value }
        let names = order.withLock { $0 }
        // The order of clients within a round is arbitrary.
        #expect(Set(names[..<3]) == ["a1", "b1", "c1"])
        #expect(Set(names[3..<5]) == ["a2", "b2"])
        #expect(names[5...] == ["a3"])
    }

    @Test func `a full pool rejects work, but makes room for a client with less`() async throws {
        let busy = await BusyPool(depth: 2)
        let order = Lock<[String]>([])
        let first = await Self.queue("a1", of: 1, in: busy.pool, order)
        let second = await Self.queue("a2", of: 1, in: busy.pool, order)
        await #expect(throws: BackgroundPool.Failure.full) {
            try await busy.pool.run(for: 1) {}
        }
        let other = Task {
            try await busy.pool.run(for: 2) { order.withLock { $0.append("b1") } }
        }
        await #expect(throws: BackgroundPool.Failure.full) { try await second.value }
        #expect(busy.pool.waiting == 2)
        try await busy.open()
        try await first.value
        try await other.value
        #expect(Set(order.withLock { $0 }) == ["a1", "b1"])
    }

    @Test func `a cancelled task leaves the queue at once, and its work is not done`()
        async throws
    {
        let busy = await BusyPool(depth: 1)
        let order = Lock<[String]>([])
        let cancelled = await Self.queue("a1", of: 1, in: busy.pool, order)
        cancelled.cancel()
        await #expect(throws: BackgroundPool.Failure.cancelled) { try await cancelled.value }
        #expect(busy.pool.waiting == 0)
        let next = await Self.queue("a2", of: 1, in: busy.pool, order)
        try await busy.open()
        try await next.value
        #expect(order.withLock { $0 } == ["a2"])
    }

    @Test func `a task that was cancelled before does not wait`() async throws {
        let busy = await BusyPool(depth: 1)
        let (pool, begin) = (busy.pool, Signal())
        let task = Task {
            await begin.wait()
            try await pool.run(for: 1) {}
        }
        task.cancel()
        begin.give()
        await #expect(throws: BackgroundPool.Failure.cancelled) { try await task.value }
        #expect(pool.waiting == 0)
        try await busy.open()
    }

    @Test func `work that has begun is finished, although its task is cancelled`() async throws {
        let busy = await BusyPool(depth: 0)
        busy.first.cancel()
        try await busy.open()
    }

    @Test func `tasks that are cancelled at any time end once, and the pool is empty`()
        async throws
    {
        let pool = BackgroundPool(width: 2, depth: 1_000)
        let done = Counter()
        let ended = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<500 {
                group.addTask {
                    let task = Task {
                        try await pool.run(for: UInt64(number % 5)) { _ = done.next() }
                    }
                    if number % 2 == 0 { await Task.yield() }
                    if number % 3 != 0 { task.cancel() }
                    return (try? await task.value) != nil
                }
            }
            var count = 0
            for await isDone in group where isDone { count += 1 }
            return count
        }
        #expect(ended == done.value && ended >= 167)
        #expect(pool.waiting == 0 && pool.running == 0)
    }
}
