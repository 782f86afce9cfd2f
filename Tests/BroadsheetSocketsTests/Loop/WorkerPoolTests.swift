import BroadsheetSockets
import BroadsheetTestSupport
import Dispatch
import Testing

@testable import BroadsheetPlatform

@Suite(.timeLimit(.minutes(Patience.minutes)))
struct WorkerPoolTests {
    private typealias Client = WorkerPool.Client
    private typealias Demand = WorkerPool.Demand

    @Test func `a turn's work runs on a thread of the pool, then resumes where it began`()
        async throws
    {
        let loops = try TestLoops()
        let (peer, side) = try Peer.pair()
        let pool = WorkerPool(label: "test", width: 2, depth: 1)
        let places = await loops.run(side) { channel -> [Bool] in
            let loop = channel.loop
            guard let slot = try? pool.slot(for: Demand(Client(.keyed))) else { return [] }
            var places = [pool.currentWorker == nil]
            places += await withTaskExecutorPreference(slot) {
                let first = pool.currentWorker != nil && !loop.isOnLoop
                // A task with a turn does not wait for another one.
                let inner = try? await pool.run { worker in worker == pool.currentWorker }
                await Task.yield()
                return [first, inner == true, pool.currentWorker != nil && !slot.isRejected]
            }
            return places + [loop.isOnLoop, pool.currentWorker == nil]
        }
        #expect(places == [true, true, true, true, true, true])
        #expect(peer.receiveState() == 0)
    }

    @Test func `a client with many turns does not delay another one`() async throws {
        let order = try await orderOfTurns(
            [Demand(Client(.anonymous, number: 1))].repeated(20)
                + [Demand(Client(.anonymous, number: 2))])
        #expect(try #require(order.firstIndex(of: 20)) <= 2)
        #expect(order.filter { $0 < 20 } == Array(0..<20))
    }

    @Test func `each kind of client has its share, regardless of the others`()
        async throws
    {
        let anonymous = (0..<20).map { Demand(Client(.anonymous, number: UInt64($0))) }
        let order = try await orderOfTurns(
            anonymous + [Demand(Client(.keyed)), Demand(Client(.house))])
        #expect(try #require(order.firstIndex(of: 20)) <= 3)
        #expect(try #require(order.firstIndex(of: 21)) <= 3)
    }

    /// The order in which turns begin that were requested while the only thread was busy.
    private func orderOfTurns(_ demands: [Demand]) async throws -> [Int] {
        let pool = WorkerPool(label: "test", width: 1, depth: 100)
        let (gate, begun) = (DispatchSemaphore(value: 0), Signal())
        let order = Lock<[Int]>([])
        // It has its own share of time, and so do anonymous clients: they go last.
        let other = Demand(Client(.anonymous, number: 99))
        async let busy: Void? = try? pool.run(for: other) { _ in
            begun.give()
            gate.wait()
        }
        await begun.wait()
        await withTaskGroup(of: Void.self) { group in
            for (number, demand) in demands.enumerated() {
                group.addTask {
                    try? await pool.run(for: demand) { _ in
                        order.withLock { $0.append(number) }
                        // Longer than its estimate, and the same for all.
                        let end = ContinuousClock.now + .milliseconds(1)
                        while ContinuousClock.now < end {}
                    }
                }
                while pool.queued <= number { await Task.yield() }
            }
            gate.signal()
        }
        await busy
        return order.withLock { $0 }
    }

    @Test func `heavy work leaves one thread for the rest`() async throws {
        let pool = WorkerPool(label: "test", width: 2, depth: 100)
        let (gate, begun) = (DispatchSemaphore(value: 0), Signal())
        let heavy = Demand(Client(.anonymous, number: 1), isHeavy: true)
        async let first: Void? = try? pool.run(for: heavy) { _ in
            begun.give()
            gate.wait()
        }
        await begun.wait()
        async let second: Void? = try? pool.run(for: heavy) { _ in }
        while pool.waiting < 1 { await Task.yield() }
        // With both threads at heavy work this would never end.
        let light = Demand(Client(.anonymous, number: 2))
        #expect(try await pool.run(for: light) { _ in 42 } == 42)
        #expect(pool.waiting == 1)
        gate.signal()
        _ = await (first, second)
    }

    @Test func `output holds its reservation until it is released, and others wait`()
        async throws
    {
        let pool = WorkerPool(label: "test", width: 3, depth: 100, limitBytes: 4 << 20)
        let page = Demand(Client(.keyed), isHeavy: true, bytes: 2 << 20)
        var slots: [WorkSlot] = []
        for bytes in [1 << 20, 1 << 20] {
            let slot = try pool.slot(for: page)
            await withTaskExecutorPreference(slot) { slot.accountForOutput(bytes: bytes) }
            slots.append(slot)
        }
        #expect(pool.bytes == 2 << 20)
        // A quarter is reserved for light work.
        let small = try pool.slot(for: Demand(Client(.keyed), bytes: 1 << 20))
        await withTaskExecutorPreference(small) {}
        let hasBegun = Lock(false)
        let third = try pool.slot(for: page)
        async let work: Void = withTaskExecutorPreference(third) {
            hasBegun.withLock { $0 = true }
        }
        try await pool.run { _ in }
        #expect(!hasBegun.withLock { $0 } && pool.waiting == 1)
        for slot in slots { slot.end() }
        await work
        #expect(pool.bytes == 3 << 20)
        small.end()
        third.end()
        #expect(pool.bytes == 0 && pool.waiting == 0)
    }

    @Test func `a full pool accepts another client's first turn and rejects the busiest client`()
        async throws
    {
        let pool = WorkerPool(label: "test", width: 1, depth: 4)
        let (gate, begun) = (DispatchSemaphore(value: 0), Signal())
        async let busy: Void? = try? pool.run { _ in
            begun.give()
            gate.wait()
        }
        await begun.wait()
        let greedy = Demand(Client(.anonymous, number: 1))
        let rejected = Lock<[Int]>([])
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask {
                    do { try await pool.run(for: greedy) { _ in } } catch {
                        rejected.withLock { $0.append(number) }
                    }
                }
                while pool.queued <= number { await Task.yield() }
            }
            // Full: the same client is rejected, while the queue of another kind has room.
            #expect(throws: WorkerPool.Full.self) { try pool.slot(for: greedy) }
            let keyed = try? pool.slot(for: Demand(Client(.keyed)))
            #expect(keyed != nil)
            keyed?.end()
            let other = try? pool.slot(for: Demand(Client(.anonymous, number: 2)))
            #expect(other != nil)
            gate.signal()
            other?.end()
        }
        await busy
        #expect(rejected.withLock { $0 } == [3])
        #expect(pool.waiting == 0 && pool.bytes == 0)
    }
}

extension Array {
    fileprivate func repeated(_ times: Int) -> Array {
        (0..<times).flatMap { _ in self }
    }
}
