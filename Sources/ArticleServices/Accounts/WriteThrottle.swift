import ArticleAPI
import Platform

/// Limits how often an account writes something: so many times a minute, all at once or evenly.
///
/// Attempts count, whether they succeed or not. Memory is bounded. Safe to use from any thread.
final class WriteThrottle: Sendable {
    /// When the bucket of an account is full again (a token bucket).
    private struct Bucket: ThrottleEntry {
        var endsAt: Int64

        func weight(at now: Int64) -> Int64 { endsAt <= now ? -1 : endsAt }
    }

    private static let minute: Int64 = 60_000

    private let interval: Int64
    private let accounts = Lock(ThrottleTable<Bucket>(capacity: 8_192))

    init(perMinute: Int) { interval = Self.minute / Int64(max(1, perMinute)) }

    /// Counts a write of a user, or rejects it.
    func take(_ user: User.ID, at time: Timestamp) throws(ServiceError) {
        let now = time.milliseconds
        let key = ThrottleKey(name: "\(user)", address: nil)
        let wait = accounts.withLock { accounts -> Int64 in
            // The clock may have been set back.
            let last = min(accounts[key, at: now]?.endsAt ?? now, now + Self.minute)
            let end = max(last, now) + interval
            guard end - now <= Self.minute else { return end - now - Self.minute }
            accounts[key, at: now] = Bucket(endsAt: end)
            return 0
        }
        guard wait == 0 else {
            throw .tooManyWrites(retryAfterSeconds: Int((wait + 999) / 1_000))
        }
    }
}
