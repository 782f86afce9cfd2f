import Platform

/// The token buckets of clients in bounded memory: a set-associative table of fixed size, in which
/// a new client replaces one whose bucket is full, or otherwise the one closest to it.
///
/// A bucket is one number, the time when it will be full again; a full bucket needs no entry. (The
/// generic cell rate algorithm, ITU-T I.371.)
final class TokenBuckets: Sendable {
    /// The result of taking tokens.
    enum Outcome: Hashable {
        /// Tokens were taken; so many are left, and the bucket is full again after so many seconds.
        case taken(left: Int, fullInSeconds: Int)
        /// The bucket has too few tokens until so many seconds have passed.
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
    /// The number of entries in a set.
    private static let ways = 8

    /// - Parameter capacity: The maximum number of clients with buckets that are not full, rounded
    ///   to 128.
    init(_ limit: RateLimit, capacity: Int) {
        interval = max(1, Int64(limit.seconds) * 1_000_000_000 / Int64(limit.requests))
        window = interval * Int64(limit.requests)
        setsPerShard = max(1, UInt(capacity) / (Self.shardCount * UInt(Self.ways)))
        shards = (0..<Self.shardCount).map { _ in Lock([]) }
    }

    /// Takes tokens from the client's bucket.
    ///
    /// - Parameters:
    ///   - tokens: Capped at the size of a full bucket, so that every request can be paid for.
    ///   - now: Monotonic milliseconds.
    func take(_ key: RateLimitKey, tokens: Int = 1, now: Int64) -> Outcome {
        let now = now * 1_000_000
        let price = min(interval * Int64(max(1, tokens)), window)
        let set = (key.digest / Self.shardCount) % setsPerShard
        let first = Int(set) * Self.ways
        return shards[Int(key.digest % Self.shardCount)].withLock { buckets in
            if buckets.isEmpty {
                // The memory is touched only by servers that have clients to count.
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

    /// The index of the client's bucket, existing or new.
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

    /// Whole seconds, rounded up.
    private static func seconds(_ nanoseconds: Int64) -> Int {
        Int((nanoseconds + 999_999_999) / 1_000_000_000)
    }
}
