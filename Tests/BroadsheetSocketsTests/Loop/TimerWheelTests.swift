import BroadsheetTestSupport
import Testing

@testable import BroadsheetSockets

@Suite struct TimerWheelTests {
    @Test func `an armed token is shown once, never early, and at most a tick late`() throws {
        var random = SplitMix64(seed: 7)
        var now: Int64 = 1_000_000
        var wheel = TimerWheel(now: now)
        var due: [UInt64: (armed: Int64, shownAt: Int64)] = [:]
        for token in 0..<4_000 as Range<UInt64> {
            let time = now + Int64(random.next() % 60_000)
            due[token] = (time, wheel.add(token, at: time))
            guard token % 3 == 0 else { continue }
            now += Int64(random.next() % 200)
            for shown in wheel.take(upTo: now) {
                let entry = try #require(due[shown])
                due[shown] = nil
                #expect(entry.armed <= now && entry.shownAt <= now)
            }
        }
        // The owner sleeps as long as the wheel says, and finds something each time.
        while let delay = wheel.delay(from: now) {
            now += delay
            let shown = wheel.take(upTo: now)
            #expect(!shown.isEmpty)
            for token in shown {
                let entry = try #require(due[token])
                due[token] = nil
                #expect(entry.armed <= now && now - entry.armed <= 64)
            }
        }
        #expect(due.isEmpty)
    }

    @Test func `a far deadline is shown early enough to be armed again`() {
        var wheel = TimerWheel(now: 0)
        let shownAt = wheel.add(1, at: 10_000_000)
        #expect(shownAt < 10_000_000)
        #expect(wheel.take(upTo: shownAt - 1).isEmpty)
        #expect(wheel.take(upTo: shownAt) == [1])
        #expect(wheel.delay(from: shownAt) == nil)
    }

    @Test func `after a sleep longer than the wheel everything is shown`() {
        var wheel = TimerWheel(now: 0)
        for token in 0..<100 as Range<UInt64> { _ = wheel.add(token, at: Int64(token) * 500) }
        #expect(wheel.take(upTo: 3_600_000).count == 100)
        #expect(wheel.take(upTo: 7_200_000).isEmpty)
    }
}
