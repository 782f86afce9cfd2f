import BroadsheetPlatform
import BroadsheetTestSupport
import Dispatch
import Glibc
import Testing

@Suite(.timeLimit(.minutes(Patience.minutes)))
struct BackgroundPoolTests {
    /// A pool of one thread, which is busy until the gate is opened.
    private struct BusyPool {
        let pool: BackgroundPool
        let gate = DispatchSemaphore(value: 0)
        let first: Task<Void, any Error>

        init(depth: Int, reserved: Int = 0) async {
            let pool = BackgroundPool(width: 1, depth: depth, reserved: reserved)
            let begun = Signal()
            self.pool = pool
            first = Task { [gate] in
                try await pool.run(for: .init(networks: [0])) {
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
            try await pool.run(for: .init(networks: [client])) {
                order.withLock { $0.append(name) }
            }
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
        #expect(try await pool.run(for: .init(networks: [1])) { Self.niceValue() } == 19)
        #expect(Self.niceValue() == before)
    }

    @Test func `one of the threads can be prompt, whichever ended before`()
        async throws
    {
        let pool = BackgroundPool(width: 3, depth: 0, isPrompt: true)
        let usual = try #require(Self.niceValue())
        for _ in 0..<20 {
            let begun = Lock(0)
            let meeting = DispatchSemaphore(value: 0)
            let values = try await withThrowingTaskGroup(of: Int?.self) { group in
                for number in 0..<3 {
                    group.addTask {
                        try await pool.run(for: .init(networks: [UInt64(number)])) {
                            // Each has a thread to itself, as none ends before all have begun.
                            let isLast = begun.withLock { count in
                                count += 1
                                return count == 3
                            }
                            if isLast { for _ in 0..<3 { meeting.signal() } }
                            meeting.wait()
                            return Self.niceValue()
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(values.compactMap(\.self).sorted() == [usual, 19, 19])
        }
    }

    @Test func `a thread ends when the work is done, and a new one starts for the next item`()
        async throws
    {
        let pool = BackgroundPool(width: 1, depth: 0)
        for number in 0..<100 {
            let result = try await pool.run(for: .init(networks: [UInt64(number)])) { number }
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
                    try await pool.run(for: .init(networks: [UInt64(number % 7)])) {
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
            try await busy.pool.run(for: .init(networks: [1])) {}
        }
        let other = Task {
            try await busy.pool.run(for: .init(networks: [2])) {
                order.withLock { $0.append("b1") }
            }
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
            try await pool.run(for: .init(networks: [1])) {}
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
                        try await pool.run(for: .init(networks: [UInt64(number % 5)])) {
                            _ = done.next()
                        }
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

    /// Queues an item of a client in a network; `nil` if it was rejected at once.
    private static func queue(
        _ name: String, of networks: [UInt64], isKnown: Bool = false, in pool: BackgroundPool,
        _ ended: Lock<[String: Bool]>
    ) async -> Task<Void, Never> {
        let before = (pool.waiting, ended.withLock { $0.count })
        let task = Task {
            let client = BackgroundPool.Client(networks: networks, isKnown: isKnown)
            let isDone = (try? await pool.run(for: client) {}) != nil
            ended.withLock { $0[name] = isDone }
        }
        #expect(
            await eventually { (pool.waiting, ended.withLock { $0.count }) != before })
        return task
    }

    @Test func `a network that has filled the pool makes room for others`() async throws {
        let busy = await BusyPool(depth: 8)
        let ended = Lock<[String: Bool]>([:])
        var tasks: [Task<Void, Never>] = []
        // Each client of the network has one item.
        for number in 1...8 {
            let path = [1, UInt64(10 + number / 5), UInt64(100 + number)]
            tasks.append(await Self.queue("a\(number)", of: path, in: busy.pool, ended))
        }
        tasks.append(await Self.queue("a9", of: [1, 11, 109], in: busy.pool, ended))
        #expect(ended.withLock { $0 } == ["a9": false])
        for number in 1...4 {
            let path: [UInt64] = [2, 20, UInt64(200 + number)]
            tasks.append(await Self.queue("b\(number)", of: path, in: busy.pool, ended))
        }
        #expect(await eventually { ended.withLock { $0.count } == 5 })
        // Both have four places now.
        tasks.append(await Self.queue("b5", of: [2, 20, 205], in: busy.pool, ended))
        #expect(ended.withLock { $0["b5"] } == false)
        // A third network gets a place of either.
        tasks.append(await Self.queue("c", of: [3, 30, 300], in: busy.pool, ended))
        try await busy.open()
        for task in tasks { await task.value }
        let done = ended.withLock { $0.filter(\.value).keys }
        #expect(done.contains("c") && done.count == 8)
        #expect((3...4).contains(done.count { $0.hasPrefix("a") }))
        #expect((3...4).contains(done.count { $0.hasPrefix("b") }))
    }

    @Test func `known clients have places that unknown ones cannot take`() async throws {
        let busy = await BusyPool(depth: 4, reserved: 1)
        let ended = Lock<[String: Bool]>([:])
        var tasks: [Task<Void, Never>] = []
        for number in 1...4 {
            let path = [UInt64](repeating: UInt64(number), count: 3)
            tasks.append(await Self.queue("\(number)", of: path, in: busy.pool, ended))
        }
        #expect(ended.withLock { $0 } == ["4": false])
        let path: [UInt64] = [9, 9, 9]
        tasks.append(await Self.queue("known", of: path, isKnown: true, in: busy.pool, ended))
        #expect(busy.pool.waiting == 4)
        try await busy.open()
        for task in tasks { await task.value }
        #expect(ended.withLock { $0["known"] } == true)
        #expect(busy.pool.waiting == 0 && busy.pool.running == 0)
    }

    @Test func `known clients do not keep out unknown ones`() async throws {
        let busy = await BusyPool(depth: 8, reserved: 4)
        let order = Lock<[String]>([])
        var tasks: [Task<Void, any Error>] = []
        for number in 1...4 {
            for isKnown in [true, false] {
                let before = busy.pool.waiting
                tasks.append(
                    Task {
                        let client = BackgroundPool.Client(networks: [7], isKnown: isKnown)
                        try await busy.pool.run(for: client) {
                            order.withLock { $0.append("\(isKnown) \(number)") }
                        }
                    })
                #expect(await eventually { busy.pool.waiting > before })
            }
        }
        try await busy.open()
        for task in tasks { try await task.value }
        let known = order.withLock { $0.map { $0.hasPrefix("true") } }
        #expect(known == [true, false, true, false, true, false, true, false])
    }
}
