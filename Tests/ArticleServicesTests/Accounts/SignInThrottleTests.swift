import ArticleAPI
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@testable import ArticleAccounts
@testable import ArticleServiceCore
@testable import ArticleServices

/// A throttle with a clock that tests set.
private struct ThrottleFixture {
    let throttle: SignInThrottle
    private let clock = ManualClock(at: Timestamp(milliseconds: 1_000_000_000))

    init(entries: Int = 65_536) {
        throttle = SignInThrottle(entries: entries, system: clock.system)
    }

    var now: Int64 { clock.system.uptimeMilliseconds }

    func advance(seconds: Int) { advance(milliseconds: Int64(seconds) * 1_000) }

    func advance(milliseconds: Int64) { clock.advance(milliseconds: milliseconds) }

    /// Addresses that have no attempt of their own for the name in the next five minutes.
    func addresses(waitingFor name: String) -> some IteratorProtocol<UInt64> {
        let now = now
        return (0...).lazy.map { UInt64($0) }.filter { address in
            let position = ReservedSlot(of: HashedKey(name: name, address: address)).position(
                at: now)
            return (ReservedSlot.open..<ReservedSlot.period - 300_000).contains(position)
        }.makeIterator()
    }

    /// A failure; the seconds to wait if it was rejected, or 0.
    func fail(_ name: String, _ address: UInt64?) -> Int {
        let attempt = SignInAttempt(name: name, address: address)
        do throws(ServiceError) {
            try throttle.begin(attempt)
            return 0
        } catch {
            guard case .tooManyAttempts(let seconds) = error else {
                Issue.record("\(error)")
                return -1
            }
            return seconds
        }
    }

    /// A success; the seconds to wait if it was rejected, or 0.
    func succeed(_ name: String, _ address: UInt64?) -> Int {
        let seconds = fail(name, address)
        if seconds == 0 { throttle.succeed(SignInAttempt(name: name, address: address)) }
        return seconds
    }
}

@Suite struct SignInThrottleTests {
    @Test func `after five failures an address waits twice as long for a name each time`() {
        let fixture = ThrottleFixture()
        for _ in 0..<5 { #expect(fixture.fail("mina", 1) == 0) }
        for wait in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900] {
            #expect(fixture.fail("mina", 1) == wait)
            fixture.advance(milliseconds: Int64(wait) * 1_000 - 1)
            #expect(fixture.fail("mina", 1) == 1)
            fixture.advance(milliseconds: 1)
            #expect(fixture.fail("mina", 1) == 0)
        }
        // Neither another name nor another address has to wait.
        #expect(fixture.fail("jun", 1) == 0)
        #expect(fixture.fail("mina", 2) == 0)
    }

    @Test func `attempts that are rejected do not prolong the wait`() {
        let fixture = ThrottleFixture()
        for _ in 0..<7 { _ = fixture.fail("mina", 1) }
        for _ in 0..<100 { #expect(fixture.fail("mina", 1) == 1) }
        fixture.advance(seconds: 1)
        #expect(fixture.fail("mina", 1) == 0)
    }

    @Test func `attempts that have not ended count as failed`() {
        let fixture = ThrottleFixture()
        for _ in 0..<5 { #expect(fixture.fail("mina", 1) == 0) }
        #expect(fixture.fail("mina", 1) == 1)
        let attempt = SignInAttempt(name: "mina", address: 1)
        for _ in 0..<5 { fixture.throttle.withdraw(attempt) }
        for _ in 0..<5 { #expect(fixture.fail("mina", 1) == 0) }
        #expect(fixture.fail("mina", 1) == 1)
    }

    @Test func `failures are forgotten after an hour without an attempt`() {
        let fixture = ThrottleFixture()
        for _ in 0..<5 { #expect(fixture.fail("mina", 1) == 0) }
        fixture.advance(milliseconds: 3_599_999)
        #expect(fixture.fail("mina", 1) == 0)
        #expect(fixture.fail("mina", 1) == 2)
        fixture.advance(seconds: 3_600)
        for _ in 0..<5 { #expect(fixture.fail("mina", 1) == 0) }
        #expect(fixture.fail("mina", 1) == 1)
    }

    @Test func `a success clears the failures of the address for the name`() {
        let fixture = ThrottleFixture()
        for _ in 0..<10 {
            for _ in 0..<4 { #expect(fixture.fail("mina", 1) == 0) }
            #expect(fixture.succeed("mina", 1) == 0)
            // The limits of the address would interfere.
            fixture.advance(seconds: 3_600)
        }
    }

    @Test func `after twenty failures an address waits, whatever the names`() {
        let fixture = ThrottleFixture()
        for number in 0..<20 { #expect(fixture.fail("name\(number)", 1) == 0) }
        for wait in [1, 2, 4, 8] {
            #expect(fixture.fail("another", 1) == wait)
            fixture.advance(seconds: wait)
            #expect(fixture.fail("another\(wait)", 1) == 0)
        }
        #expect(fixture.fail("another", 2) == 0)
    }

    @Test func `the own account does not help an address to guess the passwords of others`() {
        let fixture = ThrottleFixture()
        #expect(fixture.succeed("mallory", 1) == 0)
        var guesses = 0
        for number in 0..<1_000 {
            if fixture.fail("name\(number)", 1) == 0 { guesses += 1 }
            #expect(fixture.succeed("mallory", 1) == 0)
        }
        #expect(guesses == 20)
    }

    @Test func `an address that signed in before is not delayed by others of its address`() {
        let fixture = ThrottleFixture()
        #expect(fixture.succeed("mina", 1) == 0)
        for number in 0..<40 { _ = fixture.fail("name\(number)", 1) }
        #expect(fixture.fail("jun", 1) > 0)
        #expect(fixture.succeed("mina", 1) == 0)
    }

    @Test func `a name accepts ten failures, and then one in each second`() {
        let fixture = ThrottleFixture()
        var addresses = fixture.addresses(waitingFor: "mina")
        for _ in 0..<10 { #expect(fixture.fail("mina", addresses.next()) == 0) }
        for _ in 0..<20 {
            #expect(fixture.fail("mina", addresses.next()) > 0)
            fixture.advance(milliseconds: 999)
            #expect(fixture.fail("mina", addresses.next()) > 0)
            fixture.advance(milliseconds: 1)
            #expect(fixture.fail("mina", addresses.next()) == 0)
        }
        #expect(fixture.fail("jun", addresses.next()) == 0)
    }

    @Test func `in an attack from many addresses, each one has an attempt in 15 minutes`() {
        let fixture = ThrottleFixture()
        var others: UInt64 = 1_000_000
        func attack() {
            for _ in 0..<200 {
                _ = fixture.fail("mina", others)
                others += 1
            }
        }
        for address in 0..<50 {
            attack()
            let wait = fixture.fail("mina", UInt64(address))
            #expect((0...600).contains(wait))
            if wait > 0 {
                fixture.advance(seconds: wait)
                attack()
                #expect(fixture.fail("mina", UInt64(address)) == 0)
            }
            attack()
            let next = fixture.fail("mina", UInt64(address))
            #expect((600...900).contains(next))
            fixture.advance(seconds: next)
            attack()
            // From now on the address is known, and not delayed at all.
            #expect(fixture.succeed("mina", UInt64(address)) == 0)
            attack()
            #expect(fixture.succeed("mina", UInt64(address)) == 0)
        }
    }

    @Test func `a network is limited, whatever its addresses and names`() {
        let fixture = ThrottleFixture()
        func fail(_ number: UInt64, in networks: [UInt64]) -> Bool {
            let attempt = SignInAttempt(
                name: "name\(number)", address: 1_000 + number, networks: networks)
            return (try? fixture.throttle.begin(attempt)) != nil
        }
        let known = SignInAttempt(name: "mina", address: 7, networks: [1, 10])
        #expect((try? fixture.throttle.begin(known)) != nil)
        fixture.throttle.succeed(known)
        #expect(fixture.throttle.isKnown(known))
        let accepted = (0..<200).count { fail($0, in: [1, 10]) }
        #expect(accepted == 80)
        // Other parts of the larger network are not affected until it has used up its own rate.
        let others = (200..<1_000).count { fail($0, in: [1, 11 + $0 % 10]) }
        #expect(others == 320 - 80)
        #expect(!fail(1_000, in: [1, 50]) && fail(1_000, in: [2, 60]))
        #expect((try? fixture.throttle.begin(known)) != nil)
        fixture.advance(seconds: 4)
        #expect(fail(1_001, in: [1, 51]) && !fail(1_002, in: [1, 51]))
    }

    @Test func `an attempt that is withdrawn or succeeds does not count for its network`() {
        let fixture = ThrottleFixture()
        for number in 0..<UInt64(500) {
            let attempt = SignInAttempt(name: "name\(number)", address: number, networks: [1, 10])
            #expect((try? fixture.throttle.begin(attempt)) != nil)
            if number % 2 == 0 {
                fixture.throttle.withdraw(attempt)
            } else {
                fixture.throttle.succeed(attempt)
            }
        }
    }

    @Test func `successful attempts do not use up a name's limit`() {
        let fixture = ThrottleFixture()
        for address in 0..<100 { #expect(fixture.succeed("mina", UInt64(address)) == 0) }
    }

    @Test func `this machine is only limited by the name`() {
        let fixture = ThrottleFixture()
        for number in 0..<100 { #expect(fixture.fail("name\(number)", nil) == 0) }
        for _ in 0..<10 { #expect(fixture.fail("mina", nil) == 0) }
        #expect((1...900).contains(fixture.fail("mina", nil)))
        fixture.advance(seconds: 1)
        #expect(fixture.succeed("mina", nil) == 0)
    }

    @Test func `a rejection is a 429 that says when to retry`() {
        let error = ServiceError.tooManyAttempts(retryAfterSeconds: 64)
        let response = error.response(to: "test") { _ in }
        #expect(response.status.code == 429 && response.fields[.retryAfter] == "64")
    }
}

@Suite struct SignInThrottleModelTests {
    /// The same rules without any bounds: all failures by name and address.
    private struct Model {
        struct Count {
            var number = 0
            var last: Int64 = 0
        }
        var pairs: [SignInAttempt: Count] = [:]
        var addresses: [UInt64: Count] = [:]
        var backlogs: [String: Int64] = [:]
        var known: Set<SignInAttempt> = []

        private static func wait(_ count: Count?, after free: Int, _ now: Int64) -> Int64 {
            guard let count, now - count.last < 3_600_000, count.number >= free else { return 0 }
            var seconds: Int64 = 1
            for _ in free..<count.number where seconds < 900 { seconds *= 2 }
            return max(0, count.last + min(seconds, 900) * 1_000 - now)
        }

        private static func increment(_ count: inout Count, _ now: Int64) {
            if now - count.last >= 3_600_000 { count.number = 0 }
            count.number += 1
            count.last = now
        }

        mutating func begin(_ attempt: SignInAttempt, _ now: Int64) -> Int64 {
            guard let address = attempt.address else { return -1 }
            let isKnown = known.contains(attempt)
            var wait = Self.wait(pairs[attempt], after: 5, now)
            if wait == 0, !isKnown { wait = Self.wait(addresses[address], after: 20, now) }
            if wait == 0, !isKnown {
                let end = max(backlogs[attempt.name] ?? 0, now)
                if end + 1_000 > now + 10_000 {
                    let key = HashedKey(name: attempt.name, address: address)
                    let position = ReservedSlot(of: key).position(at: now)
                    let hasHadIt = pairs[attempt].map {
                        $0.number > 0 && $0.last >= now - position
                    }
                    if position >= 300_000 || hasHadIt == true { wait = 900_000 - position }
                }
                if wait == 0 { backlogs[attempt.name] = min(end + 1_000, now + 20_000) }
            }
            guard wait == 0 else { return wait }
            Self.increment(&pairs[attempt, default: Count()], now)
            Self.increment(&addresses[address, default: Count()], now)
            return 0
        }

        mutating func withdraw(_ attempt: SignInAttempt) {
            pairs[attempt]?.number -= 1
            if let address = attempt.address { addresses[address]?.number -= 1 }
            if !known.contains(attempt), let end = backlogs[attempt.name] {
                backlogs[attempt.name] = end - 1_000
            }
        }

        mutating func succeed(_ attempt: SignInAttempt) {
            withdraw(attempt)
            pairs[attempt] = nil
            known.insert(attempt)
        }
    }

    @Test(arguments: 1...20)
    func `the throttle decides as a model without bounds does`(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let fixture = ThrottleFixture()
        var model = Model()
        var rejections = 0
        for _ in 0..<3_000 {
            // A pause may be longer than failures are remembered, which would need a model of what
            // is forgotten when; those are tested separately.
            fixture.advance(milliseconds: Int64.random(in: 0...400, using: &generator))
            let attempt = SignInAttempt(
                name: "name\(Int.random(in: 0..<5, using: &generator))",
                address: UInt64.random(in: 0..<30, using: &generator))
            let expected = model.begin(attempt, fixture.now)
            let wait = fixture.fail(attempt.name, attempt.address)
            #expect(wait == Int((expected + 999) / 1_000))
            guard wait == 0 else {
                rejections += 1
                continue
            }
            switch Int.random(in: 0..<20, using: &generator) {
            case 0:
                model.succeed(attempt)
                fixture.throttle.succeed(attempt)
            case 1:
                model.withdraw(attempt)
                fixture.throttle.withdraw(attempt)
            default: break
            }
        }
        #expect((100..<2_900).contains(rejections))
    }

    @Test func `memory is bounded, and what matters most is kept`() {
        var generator = SplitMix64(seed: 1)
        let fixture = ThrottleFixture(entries: 1_024)
        for _ in 0..<6 { _ = fixture.fail("mina", 1) }
        for number in 0..<50_000 {
            fixture.advance(milliseconds: 1)
            let address = UInt64.random(in: 2..<1 << 40, using: &generator)
            if number.isMultiple(of: 100) {
                _ = fixture.succeed("name\(number)", address)
            } else {
                _ = fixture.fail("name\(Int.random(in: 0..<20_000, using: &generator))", address)
            }
            // One that goes on is not displaced by those that try once.
            if number.isMultiple(of: 1_000) { _ = fixture.fail("mina", 1) }
        }
        #expect((512...1_024).contains(fixture.throttle.count))
        #expect(fixture.fail("mina", 1) > 0)
    }
}
