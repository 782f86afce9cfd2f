import Sockets

/// What clients may still send, in bounded memory: a table of fixed size, in which a new client
/// takes the place of one whose bucket is full, or else of the one that is the nearest to it.
///
/// A bucket is one number, when it will be full again; a bucket that is full needs no place. (The
/// generic cell rate algorithm, ITU-T I.371.)
final class TokenBuckets: Sendable {
    /// What came of asking for a token.
    enum Outcome: Hashable {
        /// One was taken; so many are left, and the bucket is full again so much later.
        case taken(left: Int, fullInSeconds: Int)
        /// None is there for so long.
        case empty(seconds: Int)
    }

    private struct Bucket {
        var key: RateLimitKey
        /// Monotonic nanoseconds.
        var fullAt: Int64
    }

    private let interval: Int64
    private let window: Int64
    private let shards: [Lock<[Bucket?]>]
    private let setsPerShard: UInt
    private static let shardCount: UInt = 16
    /// Places that a client can be at.
    private static let ways = 8

    /// - Parameter capacity: clients at most that are not at rest, rounded to 128.
    init(_ limit: RateLimit, capacity: Int) {
        interval = max(1, Int64(limit.seconds) * 1_000_000_000 / Int64(limit.requests))
        window = interval * Int64(limit.requests)
        setsPerShard = max(1, UInt(capacity) / (Self.shardCount * UInt(Self.ways)))
        shards = (0..<Self.shardCount).map { _ in Lock([]) }
    }

    /// Takes tokens of the client's.
    ///
    /// - Parameters:
    ///   - tokens: at most what a full bucket holds is taken, so that everything can be paid for.
    ///   - now: monotonic milliseconds.
    func take(_ key: RateLimitKey, tokens: Int = 1, now: Int64) -> Outcome {
        let now = now * 1_000_000
        let price = min(interval * Int64(max(1, tokens)), window)
        let set = (key.digest / Self.shardCount) % setsPerShard
        let first = Int(set) * Self.ways
        return shards[Int(key.digest % Self.shardCount)].withLock { buckets in
            if buckets.isEmpty {
                // A server with few clients needs little of it.
                buckets = Array(repeating: nil, count: Int(setsPerShard) * Self.ways)
            }
            let place = Self.place(of: key, in: buckets, from: first)
            var fullAt = now
            if let bucket = buckets[place], bucket.key == key { fullAt = max(now, bucket.fullAt) }
            fullAt += price
            let used = fullAt - now
            guard used <= window else {
                return .empty(seconds: Self.seconds(used - window))
            }
            buckets[place] = Bucket(key: key, fullAt: fullAt)
            return .taken(
                left: Int((window - used) / interval), fullInSeconds: Self.seconds(used))
        }
    }

    /// Where the client's bucket is, or will be.
    private static func place(
        of key: RateLimitKey, in buckets: borrowing [Bucket?], from first: Int
    ) -> Int {
        var fullest = first
        var earliest = Int64.max
        for place in first..<(first + ways) {
            guard let bucket = buckets[place] else { return place }
            if bucket.key == key { return place }
            if bucket.fullAt < earliest {
                earliest = bucket.fullAt
                fullest = place
            }
        }
        return fullest
    }

    /// Whole seconds, upwards.
    private static func seconds(_ nanoseconds: Int64) -> Int {
        Int((nanoseconds + 999_999_999) / 1_000_000_000)
    }
}
