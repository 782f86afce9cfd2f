import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

@testable import BroadsheetHTTPServer

@Suite struct TokenBucketsTests {
    private func buckets(_ limit: String, capacity: Int = 1_024) throws -> TokenBuckets {
        TokenBuckets(try #require(RateLimit(limit)), capacity: capacity)
    }

    private func key(_ number: Int) -> HashedKey {
        let octets = (0..<4).map { UInt8(number >> (24 - 8 * $0) & 0xFF) }
        return HashedKey(.v4(octets, port: 0))
    }

    @Test func `a full burst is allowed, and then as many in each period`() throws {
        let buckets = try buckets("10/5")
        let client = key(1)
        for left in (0..<10).reversed() {
            let full = (10 - left + 1) / 2
            #expect(buckets.take(client, now: 0) == .taken(left: left, fullInSeconds: full))
        }
        #expect(buckets.take(client, now: 0) == .empty(seconds: 1))
        #expect(buckets.take(client, now: 499) == .empty(seconds: 1))
        #expect(buckets.take(client, now: 500) == .taken(left: 0, fullInSeconds: 5))
        #expect(buckets.take(client, now: 999) == .empty(seconds: 1))
        #expect(buckets.take(client, now: 60_000) == .taken(left: 9, fullInSeconds: 1))
    }

    @Test(arguments: [1 as UInt64, 2, 3])
    func `no interval allows more than the bucket and its refill`(seed: UInt64) throws {
        let buckets = try buckets("100/7")
        var generator = SplitMix64(seed: seed)
        var now: Int64 = 0
        var taken = 0
        for _ in 0..<20_000 {
            now += Int64.random(in: 0...20, using: &generator)
            if case .taken = buckets.take(key(5), now: now) { taken += 1 }
        }
        let most = 100 + Int(now) * 100 / 7_000
        #expect((most - 100...most).contains(taken))
    }

    @Test func `servers that share a limit allow as many requests together as one`() throws {
        let servers = try [buckets("12/60"), buckets("12/60"), buckets("12/60")]
        for server in servers { server.share(among: 3) }
        for number in 0..<12 {
            // What is left is true for all of them.
            let left = 12 - (number / 3 + 1) * 3
            guard case .taken(left, _) = servers[number % 3].take(key(1), now: 0) else {
                Issue.record("request \(number) was rejected")
                continue
            }
        }
        for server in servers { #expect(!server.take(key(1), now: 0).isTaken) }
        // Every request can be paid for.
        servers[0].share(among: .max)
        #expect(servers[0].take(key(2), tokens: 1 << 40, now: 0).isTaken)
    }

    @Test func `clients do not share buckets`() throws {
        let buckets = try buckets("1/60")
        for number in 0..<100 { #expect(buckets.take(key(number), now: 0).isTaken) }
        for number in 0..<100 { #expect(!buckets.take(key(number), now: 0).isTaken) }
    }

    @Test func `an IPv6 network is one client, and a mapped IPv4 address counts as IPv4`() {
        func v6(_ tail: [UInt8]) -> HashedKey {
            let head = [0x20, 0x01, 0x0D, 0xB8] + tail
            return HashedKey(.v6(head + [UInt8](repeating: 0, count: 16 - head.count), port: 1))
        }
        #expect(v6([0, 1, 0, 2, 9]) == v6([0, 1, 0, 2, 7, 7]))
        #expect(v6([0, 1, 0, 2]) != v6([0, 1, 0, 3]))
        let mapped = [UInt8](repeating: 0, count: 10) + [255, 255, 203, 0, 113, 9]
        #expect(
            HashedKey(.v6(mapped, port: 1)) == HashedKey(.v4([203, 0, 113, 9], port: 2)))
        #expect(HashedKey(account: "a") == HashedKey(account: "a"))
        #expect(HashedKey(account: "a") != HashedKey(account: "b"))
    }

    @Test func `a flood of clients evicts the fullest buckets`() throws {
        let buckets = try buckets("100/100", capacity: 256)
        let busy = key(0xFFFF_FFFF)
        for _ in 0..<100 { _ = buckets.take(busy, now: 0) }
        // Each sends one request, and has more tokens left than the client that used all of its
        // own.
        for number in 0..<10_000 { #expect(buckets.take(key(number), now: 0).isTaken) }
        #expect(buckets.take(busy, now: 0) == .empty(seconds: 1))
    }

    @Test func `what a stream costs is charged when it is sent`() throws {
        let limit = try #require(RateLimit("10/1"))
        let limiter = RateLimiter("test", limit, capacity: 256)
        func meter(at now: Int64) -> RateMeter {
            RateMeter(limiter: limiter, key: key(1), measure: .address, now: now)
        }
        let now = SystemClock.monotonicNanoseconds / 1_000_000
        // The stream was requested long before another request of the same client.
        let scope = ExchangeScope(meter: meter(at: now - 60_000))
        #expect(meter(at: now).take().outcome.isTaken)
        #expect(scope.charge(1) == nil)
    }

    @Test func `limits are formatted as requests and seconds`() {
        #expect(RateLimit("12000/60") == RateLimit(requests: 12_000, seconds: 60))
        for text in ["", "5", "/", "5/", "/5", "0/5", "5/0", "5/86401", "-1/5", "5/5/5", "a/b"] {
            #expect(RateLimit(text) == nil, "\(text)")
        }
    }
}

extension TokenBuckets.Outcome {
    fileprivate var isTaken: Bool {
        if case .taken = self { true } else { false }
    }
}
