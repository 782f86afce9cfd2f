import BroadsheetPlatform
import BroadsheetTestSupport
import Dispatch
import Testing

@Suite(.timeLimit(.minutes(Patience.minutes)))
struct BlockingPoolTests {
    @Test func `a result is returned to the caller`() async throws {
        let pool = BlockingPool(label: "test", width: 1, depth: 1)
        #expect(try await pool.run { 6 * 7 } == 42)
    }

    @Test func `the pool runs its full width, however few cores there are`()
        async throws
    {
        let pool = BlockingPool(label: "test", width: 6, depth: 0)
        let meeting = DispatchSemaphore(value: 0)
        let arrivals = Lock(0)
        // Each waits for all: with fewer than six threads it would never end.
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    try? await pool.run {
                        let isLast = arrivals.withLock { arrivals in
                            arrivals += 1
                            return arrivals == 6
                        }
                        if isLast { for _ in 0..<6 { meeting.signal() } }
                        meeting.wait()
                    }
                }
            }
        }
        #expect(arrivals.withLock { $0 } == 6)
    }

    @Test func `the pool never exceeds its width`() async throws {
        let pool = BlockingPool(label: "test", width: 2, depth: 100)
        let counts = Lock((now: 0, most: 0))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    try? await pool.run {
                        counts.withLock { counts in
                            counts.now += 1
                            counts.most = max(counts.most, counts.now)
                        }
                        counts.withLock { $0.now -= 1 }
                    }
                }
            }
        }
        #expect((1...2).contains(counts.withLock { $0.most }))
    }

    @Test func `a full pool rejects work before queueing it, and recovers`() async throws {
        let pool = BlockingPool(label: "test", width: 1, depth: 2)
        let gate = DispatchSemaphore(value: 0)
        let order = Lock<[Int]>([])
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        async let first: Void = pool.run {
            beginning.yield()
            gate.wait()
            order.withLock { $0.append(0) }
        }
        for await _ in begun { break }
        async let second: Void = pool.run { order.withLock { $0.append(1) } }
        while pool.waiting < 1 { await Task.yield() }
        async let third: Void = pool.run { order.withLock { $0.append(2) } }
        while pool.waiting < 2 { await Task.yield() }
        await #expect(throws: BlockingPool.Full.self) {
            try await pool.run { order.withLock { $0.append(3) } }
        }
        gate.signal()
        _ = try await (first, second, third)
        #expect(order.withLock { $0 } == [0, 1, 2])
        #expect(try await pool.run { true })
    }

    @Test func `a worker reports when it becomes idle, and not before`() async throws {
        let kept = Lock([0, 0])
        let rests = Lock<[[Int]]>([])
        let pool = BlockingPool(label: "test", width: 2, depth: 100) { worker in
            let count = kept.withLock { kept in
                defer { kept[worker] = 0 }
                return kept[worker]
            }
            rests.withLock { $0.append([worker, count]) }
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    try? await pool.run { worker in kept.withLock { $0[worker] += 1 } }
                }
            }
        }
        // After the workers' current items, which include becoming idle.
        let seen = Lock<[Int]>([])
        await pool.runOnEachThread { worker in seen.withLock { $0.append(worker) } }
        #expect(seen.withLock { $0 } == [0, 1])
        #expect(kept.withLock { $0 } == [0, 0])
        #expect(rests.withLock { $0 }.reduce(0) { $0 + $1[1] } == 100)
    }

    @Test func `sequential work never finds a pool of one full`() async throws {
        let pool = BlockingPool(label: "test", width: 1, depth: 0)
        for number in 0..<1_000 { #expect(try await pool.run { number } == number) }
    }

    @Test func `finished work is released`() async throws {
        final class Held: Sendable {}
        let pool = BlockingPool(label: "test", width: 1, depth: 1)
        weak var remembered: Held?
        do {
            let held = Held()
            remembered = held
            try await pool.run { [held] in _ = held }
        }
        // The worker has released one item before it begins the next.
        try await pool.run {}
        #expect(remembered == nil)
    }
}
