import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@testable import BroadsheetSockets

@Suite(.timeLimit(.minutes(Patience.minutes)))
struct EventLoopTests {
    @Test func `work from another thread wakes a sleeping loop`() async throws {
        let loops = try TestLoops()
        for _ in 0..<200 { #expect(await loops.submit { $0.isOnLoop }) }
        #expect(!loops.loop.isOnLoop)
    }

    @Test func `a channel's task stays on its loop across every kind of call`() async throws {
        let loops = try TestLoops()
        let (peer, side) = try Peer.pair()
        async let places = loops.run(side) { channel in
            peer.send("x")
            return await Self.places(of: channel)
        }
        #expect(await places == [true, true, true, true, true, true])
    }

    private static func places(of channel: SocketChannel) async -> [Bool] {
        let loop = channel.loop
        var places = [loop.isOnLoop]
        _ = try? await channel.receive(1)
        let waiting = loop.schedule(afterMilliseconds: 1) { channel.drain() }
        try? await channel.waitForMore(isIdle: true)
        loop.cancel(waiting)
        places.append(loop.isOnLoop)
        await Task.yield()
        places.append(loop.isOnLoop)
        places.append(await whereAmI(loop))
        async let child = whereAmI(loop)
        places.append(await child)
        await withTaskGroup(of: Bool.self) { group in
            group.addTask { await whereAmI(loop) }
            for await place in group { places.append(place) }
        }
        loop.checkIsOnLoop()
        return places
    }

    @concurrent private static func whereAmI(_ loop: EventLoop) async -> Bool { loop.isOnLoop }

    @Test func `a task that waited for another thread returns to its loop`() async throws {
        let loops = try TestLoops()
        let (peer, side) = try Peer.pair()
        let pool = BlockingPool(label: "test", width: 1, depth: 1)
        let loop = loops.loop
        let places = await loops.run(side) { _ in
            let away = (try? await pool.run { loop.isOnLoop }) ?? true
            return [away, loop.isOnLoop]
        }
        #expect(places == [false, true])
        #expect(peer.receiveState() == 0)
    }

    @Test func `timers run in order, on time, and not after cancellation`() async throws {
        let loops = try TestLoops()
        let told: [(Int64, Int64)] = await withCheckedContinuation { continuation in
            loops.loop.submit { [loop = loops.loop] in
                let start = loop.now
                let told = Lock<[(Int64, Int64)]>([])
                for delay in [300, 0, 150] as [Int64] {
                    loop.schedule(afterMilliseconds: delay) {
                        told.withLock { $0.append((delay, loop.now - start)) }
                        if delay == 300 { continuation.resume(returning: told.withLock { $0 }) }
                    }
                }
                let cancelled = loop.schedule(afterMilliseconds: 100) {
                    told.withLock { $0.append((-1, 0)) }
                }
                loop.cancel(cancelled)
            }
        }
        #expect(told.map(\.0) == [0, 150, 300])
        for (delay, time) in told { #expect(time >= delay) }
    }

    @Test func `yielding tasks resume a few at a time`() async throws {
        let loops = try TestLoops()
        let loop = loops.loop
        let resumed = Lock(0)
        // How many still waited at the beginning of each turn, when posted work runs.
        let counts = Lock<[Int]>([])
        @Sendable func look() {
            counts.withLock { $0.append(loop.state.nextTurn.count) }
            if resumed.withLock({ $0 }) < 40 { loop.submit(look) }
        }
        loop.submit(look)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<40 {
                group.addTask(executorPreference: loop) {
                    await loop.yield()
                    resumed.withLock { $0 += 1 }
                }
            }
        }
        let seen = counts.withLock { $0 }
        // At most eight are resumed per turn, while others may begin to wait.
        #expect(zip(seen, seen.dropFirst()).allSatisfy { $0 - $1 <= 8 })
        #expect(seen.contains { $0 > 0 })
    }

    @Test(arguments: [Backlog.jobs, .work])
    fileprivate func `sockets are polled under load`(backlog: Backlog) async throws {
        let loops = try TestLoops()
        let loop = loops.loop
        let (peer, side) = try Peer.pair()
        let done = Lock(0)
        let seen = Lock<Int?>(nil)
        // A client is waiting; the loop itself notices what it sends.
        let waits = Signal()
        let client = Task {
            await loops.run(side) { channel in
                channel.onArrival = {
                    seen.withLock { $0 = done.withLock { $0 } }
                    return nil
                }
                waits.give()
                try? await channel.waitForMore(isIdle: true)
            }
        }
        await waits.wait()
        // The first item lets the client send, which is ready long before the others end.
        @Sendable func piece(_ number: Int) {
            if number == 0 { peer.send("x") }
            let end = ContinuousClock.now + .milliseconds(2)
            while ContinuousClock.now < end {}
            done.withLock { $0 += 1 }
        }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<Self.pieces {
                switch backlog {
                case .work: loop.submit { piece(number) }
                case .jobs: group.addTask(executorPreference: loop) { piece(number) }
                }
            }
        }
        await client.value
        #expect(await eventually { done.withLock { $0 } == Self.pieces })
        let place = try #require(seen.withLock { $0 })
        #expect(place < Self.pieces / 2, "noticed behind \(place) pieces of work")
    }

    fileprivate enum Backlog { case jobs, work }
    private static let pieces = 64

    @Test func `a quiet loop has no thread and wakes up for its sockets`() async throws {
        let loops = try TestLoops()
        let (peer, side) = try Peer.pair()
        async let received = loops.run(side) { channel -> [UInt8]? in
            var bytes: [UInt8] = []
            while bytes.count < 3, let more = try? await channel.receive(1) { bytes += more }
            return bytes
        }
        for letter in ["y", "e", "s"] {
            #expect(await eventually { loops.loop.channelCount == 1 && loops.loop.isResting })
            peer.send(letter)
        }
        #expect(await received == Array("yes".utf8))
        #expect(await eventually { loops.loop.isResting })
    }

    @Test func `a resting loop wakes up for its timers`() async throws {
        let loops = try TestLoops()
        let told = Lock(false)
        await loops.submit { loop in
            loop.schedule(afterMilliseconds: 70_000) { told.withLock { $0 = true } }
            // The later timer keeps the wake-up of the earlier one.
            loop.schedule(afterMilliseconds: 200) { told.withLock { $0 = true } }
        }
        #expect(await eventually { loops.loop.isResting })
        #expect(await eventually { told.withLock { $0 } })
        #expect(await eventually { loops.loop.isResting })
    }

    @Test func `pending timers are released when the loop stops`() async throws {
        final class Held: Sendable {}
        weak var remembered: Held?
        weak var loop: EventLoop?
        do {
            let loops = try TestLoops()
            let held = Held()
            (remembered, loop) = (held, loops.loop)
            await loops.submit { [held] loop in
                // Like a listener that retries later.
                _ = loop.schedule(afterMilliseconds: 3_600_000) { _ = (held, loop) }
            }
        }
        #expect(await eventually { remembered == nil && loop == nil })
    }

    @Test func `the wall clock has the current second`() async throws {
        let loops = try TestLoops()
        // 2026-01-01; a clock in milliseconds or since start-up would be far off.
        #expect((1_767_225_600..<10_000_000_000).contains(await loops.submit { $0.wallSeconds }))
    }

    @Test func `a group returns its loops round-robin`() throws {
        let loops = try TestLoops(count: 3)
        let turn = (0..<6).map { _ in loops.group.next().index }
        #expect(turn == [0, 1, 2, 0, 1, 2])
    }
}
