package import ArticleAPI
package import ArticleServiceCore
import BroadsheetHTTPServer
package import BroadsheetPlatform

/// An attempt to sign in. See ``SignInThrottle``.
package struct SignInAttempt: Sendable, Hashable {
    /// The key of the account's name, even if there is no such account.
    package let name: String
    /// Identifies the client's address or its network (`RequestContext.clientNumber`); `nil` for
    /// this machine, to which limits for each address do not apply.
    package let address: UInt64?
    /// The larger networks of the address (`RequestContext.limitedNetworks`).
    let networks: [UInt64]

    init(name: String, address: UInt64?, networks: [UInt64] = []) {
        self.name = name
        self.address = address
        self.networks = networks
    }

    init(name: String, from context: RequestContext) {
        self.init(
            name: name, address: context.limitedClient, networks: context.limitedNetworks)
    }
}

/// Slows down password guessing without locking anyone out.
///
/// - After 5 failures of an address for a name, or 20 of an address, further attempts have to wait:
///   1 s, then twice as long after each failure, up to 15 min. Failures are forgotten after an hour
///   without an attempt.
/// - A name accepts 10 failures at once and then one attempt in each second from all addresses. If
///   there are more, each address still has one attempt for the name in 15 min, at a time of its
///   own. So guessing from many addresses slows down an account, but cannot lock it.
/// - A network of IPv6 has a rate of failures, whatever its addresses: 80 at once for a /56, and
///   then one in 15 s; 320 for a /48, and then one in 4 s.
/// - An address that has signed in to the account before is exempt from the limits of the name, of
///   its network and of its address as a whole, which others may share.
///
/// An attempt counts as failed until it succeeds, so that concurrent attempts are also limited.
/// Memory is bounded; the least important entries are discarded. Safe to use from any thread; it
/// never blocks.
package final class SignInThrottle: Sendable {
    fileprivate struct State {
        var pairs: BoundedTable<FailedAttempts>
        var addresses: BoundedTable<FailedAttempts>
        /// Those of addresses that are not known for the name.
        var names: BoundedTable<ThrottleBucket>
        var networks: BoundedTable<ThrottleBucket>
        var known: BoundedTable<KnownAddress>
    }

    private let state: Lock<State>
    private let system: SystemEnvironment

    static let pairFailures = 5
    static let addressFailures = 20
    static let nameRate = ThrottleRate(burst: 10, interval: 1_000)
    /// Those of /48 and /56.
    static let networkRates = [
        ThrottleRate(burst: 320, interval: 4_000), ThrottleRate(burst: 80, interval: 15_000),
    ]

    /// - Parameters:
    ///   - entries: The maximum addresses, names and pairs of them that are remembered.
    ///   - system: Its monotonic clock measures the rates.
    package init(entries: Int = 65_536, system: SystemEnvironment) {
        self.system = system
        state = Lock(
            State(
                pairs: BoundedTable(capacity: entries / 16 * 7),
                addresses: BoundedTable(capacity: entries / 4),
                names: BoundedTable(capacity: entries / 8),
                networks: BoundedTable(capacity: entries / 16),
                known: BoundedTable(capacity: entries / 8)))
    }

    /// Counts an attempt, before the password is verified, or rejects it.
    package func begin(_ attempt: SignInAttempt) throws(ServiceError) {
        let now = system.uptimeMilliseconds
        let wait = state.withLock { $0.begin(AttemptKeys(attempt), at: now) }
        if wait > 0 { throw .tooManyAttempts(retryAfterSeconds: Int((wait + 999) / 1_000)) }
    }

    /// The password was correct: the address is known for this account from now on.
    func succeed(_ attempt: SignInAttempt) {
        let now = system.uptimeMilliseconds
        let subject = AttemptKeys(attempt)
        state.withLock { state in
            state.withdraw(subject, at: now)
            state.pairs[subject.pair, at: now] = nil
            if attempt.address != nil {
                state.known[subject.pair, at: now] = KnownAddress(time: now)
            }
        }
    }

    /// The password was not verified, because the server was busy or the request was cancelled.
    func withdraw(_ attempt: SignInAttempt) {
        let now = system.uptimeMilliseconds
        state.withLock { $0.withdraw(AttemptKeys(attempt), at: now) }
    }

    /// Returns true if the address has signed in to the account before.
    func isKnown(_ attempt: SignInAttempt) -> Bool {
        let now = system.uptimeMilliseconds
        let pair = AttemptKeys(attempt).pair
        return state.withLock { $0.known[pair, at: now] != nil }
    }

    /// The number of entries, for tests.
    var count: Int {
        state.withLock { state in
            state.pairs.count + state.addresses.count + state.names.count + state.networks.count
                + state.known.count
        }
    }
}

/// The keys of an attempt.
private struct AttemptKeys {
    let pair: HashedKey
    let name: HashedKey
    let address: HashedKey?
    /// The networks of the address, and their rates.
    let networks: [(key: HashedKey, rate: ThrottleRate)]

    init(_ attempt: SignInAttempt) {
        pair = HashedKey(name: attempt.name, address: attempt.address)
        name = HashedKey(name: attempt.name, address: nil)
        address = attempt.address.map { HashedKey(name: nil, address: $0) }
        networks = zip(attempt.networks, SignInThrottle.networkRates).map { network, rate in
            (HashedKey(name: nil, address: network), rate)
        }
    }
}

extension SignInThrottle.State {
    /// Counts the attempt, or returns the milliseconds until it may be made.
    fileprivate mutating func begin(_ subject: AttemptKeys, at now: Int64) -> Int64 {
        var pair = pairs[subject.pair, at: now] ?? FailedAttempts(time: now)
        let isKnown = known[subject.pair, at: now] != nil
        if let key = subject.address {
            var address = addresses[key, at: now] ?? FailedAttempts(time: now)
            var wait = pair.wait(after: SignInThrottle.pairFailures, now)
            if wait == 0, !isKnown {
                wait = address.wait(after: SignInThrottle.addressFailures, now)
            }
            if wait == 0, !isKnown {
                wait = subject.networks.map { networks.wait($0.key, $0.rate, at: now) }.max() ?? 0
            }
            if wait == 0, !isKnown { wait = count(for: subject, pair, at: now) }
            guard wait == 0 else { return wait }
            if !isKnown {
                for network in subject.networks { networks.add(network.key, network.rate, at: now) }
            }
            address.count(at: now)
            addresses[key, at: now] = address
        } else {
            let wait = count(for: subject, pair, at: now)
            guard wait == 0 else { return wait }
        }
        pair.count(at: now)
        pairs[subject.pair, at: now] = pair
        return 0
    }

    /// Counts the attempt for its name, or returns the milliseconds until it may be made.
    private mutating func count(
        for subject: AttemptKeys, _ pair: FailedAttempts, at now: Int64
    ) -> Int64 {
        if names.wait(subject.name, SignInThrottle.nameRate, at: now) > 0 {
            let wait = ReservedSlot(of: subject.pair).wait(pair, now)
            guard wait == 0 else { return wait }
        }
        names.add(subject.name, SignInThrottle.nameRate, at: now)
        return 0
    }

    /// Reverts the counts of `begin`.
    fileprivate mutating func withdraw(_ subject: AttemptKeys, at now: Int64) {
        pairs[subject.pair, at: now]?.uncount()
        if let key = subject.address { addresses[key, at: now]?.uncount() }
        guard known[subject.pair, at: now] == nil else { return }
        names[subject.name, at: now]?.remove(SignInThrottle.nameRate)
        for network in subject.networks { networks[network.key, at: now]?.remove(network.rate) }
    }
}

/// The attempts of an address, or of an address for a name, that have not succeeded.
private struct FailedAttempts: BoundedTableEntry {
    private var number = 0
    /// The time of the last attempt.
    private var last: Int64

    private static let memory: Int64 = 3_600_000
    private static let limitWait: Int64 = 900_000

    init(time: Int64) { last = time }

    mutating func count(at now: Int64) {
        // Higher numbers make no difference.
        number = min(number + 1, 64)
        last = now
    }

    mutating func uncount() { number = max(0, number - 1) }

    /// The milliseconds until the next attempt, of which the first `free` need not wait.
    func wait(after free: Int, _ now: Int64) -> Int64 {
        guard number >= free else { return 0 }
        let wait = min(1_000 << Int64(min(number - free, 16)), Self.limitWait)
        return max(0, last + wait - now)
    }

    func hasAttempt(since time: Int64) -> Bool { number > 0 && last >= time }

    func weight(at now: Int64) -> Int64 {
        now - last >= Self.memory ? -1 : Int64(number) << 48 | last & (1 << 48 - 1)
    }
}

/// The time at which an address may attempt a name that has too many attempts: once in each period.
/// The time depends only on the address and the name, so that no number of other attempts can
/// displace it.
struct ReservedSlot {
    static let period: Int64 = 900_000
    /// The part of the period in which the attempt may be made.
    static let open: Int64 = 300_000

    private let phase: Int64

    init(of pair: HashedKey) { phase = Int64(pair.low % UInt64(Self.period)) }

    /// The milliseconds since the beginning of the address's period.
    package func position(at now: Int64) -> Int64 {
        let offset = (now - phase) % Self.period
        return offset < 0 ? offset + Self.period : offset
    }

    fileprivate func wait(_ pair: FailedAttempts, _ now: Int64) -> Int64 {
        let position = position(at: now)
        let isOpen = position < Self.open && !pair.hasAttempt(since: now - position)
        return isOpen ? 0 : Self.period - position
    }
}

/// That an address has signed in to an account.
private struct KnownAddress: BoundedTableEntry {
    let time: Int64

    func weight(at now: Int64) -> Int64 { time }
}

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

/// Limits the accounts that an address can create in an hour, all at once or evenly. A /56 of IPv6
/// can create twice as many, a /48 four times.
///
/// Failed attempts also count, as each one discloses if a name is taken. Memory is bounded. Safe to
/// use from any thread.
package final class SignUpThrottle: Sendable {
    private let addressRate: ThrottleRate
    /// Those of /48 and /56.
    private let networkRates: [ThrottleRate]
    private let buckets = Lock(BoundedTable<ThrottleBucket>(capacity: 16_384))
    private let system: SystemEnvironment

    /// - Parameters:
    ///   - count: The maximum accounts in an hour; 1 to 100,000.
    ///   - system: Its monotonic clock measures the rates.
    package init(perHour count: Int, system: SystemEnvironment) {
        func rate(_ share: Int64) -> ThrottleRate {
            let burst = share * Int64(count)
            return ThrottleRate(burst: burst, interval: 3_600_000 / burst)
        }
        addressRate = rate(1)
        networkRates = [rate(4), rate(2)]
        self.system = system
    }

    /// Counts an attempt from an address, or rejects it.
    ///
    /// - Parameter networks: The larger networks of the address (`RequestContext.limitedNetworks`).
    package func take(_ address: UInt64, in networks: [UInt64]) throws(ServiceError) {
        let now = system.uptimeMilliseconds
        let rates = [(address, addressRate)] + zip(networks, networkRates)
        let limits = rates.map { (HashedKey(name: nil, address: $0), $1) }
        let wait = buckets.withLock { buckets in
            let wait = limits.map { buckets.wait($0, $1, at: now) }.max() ?? 0
            guard wait == 0 else { return wait }
            for (key, rate) in limits { buckets.add(key, rate, at: now) }
            return 0
        }
        guard wait == 0 else {
            throw .tooManySignUps(retryAfterSeconds: Int((wait + 999) / 1_000))
        }
    }
}

/// Limits the writes of an account in a minute, all at once or evenly.
///
/// Failed attempts also count. Memory is bounded. Safe to use from any thread.
package final class WriteThrottle: Sendable {
    private let rate: ThrottleRate
    private let buckets = Lock(BoundedTable<ThrottleBucket>(capacity: 8_192))
    private let system: SystemEnvironment

    /// - Parameters:
    ///   - count: The maximum writes in a minute.
    ///   - system: Its monotonic clock measures the rates.
    package init(perMinute count: Int, system: SystemEnvironment) {
        let burst = Int64(max(1, count))
        rate = ThrottleRate(burst: burst, interval: 60_000 / burst)
        self.system = system
    }

    /// Counts a write of a user, or rejects it.
    package func take(_ user: User.ID) throws(ServiceError) {
        let now = system.uptimeMilliseconds
        let key = HashedKey(name: "\(user)", address: nil)
        let wait = buckets.withLock { buckets in
            let wait = buckets.wait(key, rate, at: now)
            if wait == 0 { buckets.add(key, rate, at: now) }
            return wait
        }
        guard wait == 0 else {
            throw .tooManyWrites(retryAfterSeconds: Int((wait + 999) / 1_000))
        }
    }
}
