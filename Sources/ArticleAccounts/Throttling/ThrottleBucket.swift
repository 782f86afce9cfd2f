import BroadsheetPlatform

/// The rate at which attempts are accepted: a burst, and then one in each interval.
struct ThrottleRate: Sendable {
    let burst: Int64
    /// In milliseconds.
    let interval: Int64
}

/// The attempts that were made, up to a rate (a token bucket).
struct ThrottleBucket: BoundedTableEntry {
    /// The time at which a bucket that was emptied by all attempts is full again.
    private var endsAt: Int64

    init(at now: Int64) { endsAt = now }

    /// The milliseconds until an attempt is accepted.
    func wait(_ rate: ThrottleRate, at now: Int64) -> Int64 {
        max(0, max(endsAt, now) + rate.interval - now - rate.burst * rate.interval)
    }

    /// Adds an attempt, even to a full bucket, where it displaces others.
    mutating func add(_ rate: ThrottleRate, at now: Int64) {
        endsAt = min(max(endsAt, now) + rate.interval, now + 2 * rate.burst * rate.interval)
    }

    mutating func remove(_ rate: ThrottleRate) { endsAt -= rate.interval }

    func weight(at now: Int64) -> Int64 { endsAt <= now ? -1 : endsAt }
}

extension BoundedTable<ThrottleBucket> {
    /// The milliseconds until the key may have an attempt.
    func wait(_ key: HashedKey, _ rate: ThrottleRate, at now: Int64) -> Int64 {
        self[key, at: now]?.wait(rate, at: now) ?? 0
    }

    mutating func add(_ key: HashedKey, _ rate: ThrottleRate, at now: Int64) {
        update(key, at: now) { bucket in
            var changed = bucket ?? ThrottleBucket(at: now)
            changed.add(rate, at: now)
            bucket = changed
        }
    }
}

extension HashedKey {
    init(name: String?, address: UInt64?) {
        self.init {
            $0.combine(name)
            $0.combine(address)
        }
    }
}
