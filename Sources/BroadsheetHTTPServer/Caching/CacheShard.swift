import BroadsheetHTTP
import Glibc

/// One part of the cache under one lock: responses in slots, indexed by key and by cache tag.
///
/// Eviction uses the clock algorithm: a hand passes over the slots and spares those used since its
/// last pass.
struct CacheShard {
    private struct Slot {
        let response: CachedResponse
        var wasUsed: Bool
    }

    /// A response that is being generated, and the requests that wait for it.
    private struct Fill {
        let startedAt: Int64
        var waiters: [Waiter] = []
    }

    /// A request that waits for the response that another request generates.
    struct Waiter {
        let continuation: UnsafeContinuation<CachedResponse?, Never>
        /// The state of the data when the request arrived, which the response has to include.
        let stamp: ReadStamp
    }

    static let fieldLimitBytes = 8 << 10
    private let limitBytes: Int
    private var slots: [Slot?] = []
    private var freeSlots: [Int] = []
    private var places: [CacheKey: Int] = [:]
    private var dependents: [CacheTag: Set<Int>] = [:]
    private var fills: [CacheKey: Fill] = [:]
    private var history = InvalidationLog()
    private var hand = 0
    private(set) var counts = ResponseCache.Statistics()

    init(limitBytes: Int) { self.limitBytes = limitBytes }

    // MARK: Responses

    /// The cached response for the key.
    mutating func find(_ key: CacheKey) -> CachedResponse? {
        guard let place = places[key], let response = slots[place]?.response else { return nil }
        slots[place]?.wasUsed = true
        counts.hits &+= 1
        return response
    }

    /// Uncounts a hit whose response the request could not use.
    mutating func forgetHit() { counts.hits &-= 1 }

    /// Stores the response if it is still valid, and evicts others for it.
    ///
    /// - Returns: True if it is still valid, stored or not.
    mutating func insert(_ response: CachedResponse) -> Bool {
        guard history.isCurrent(response.dependencies, readAt: response.stamp) else { return false }
        if let place = places[response.key] { remove(at: place) }
        // No response may take the whole cache, and its head has to fit the loop's buffer.
        guard response.cost <= limitBytes / 2,
            response.plain.response.fields.wireBytes.count <= Self.fieldLimitBytes
        else { return true }
        while counts.bytes + response.cost > limitBytes { evictOne() }
        let place = freeSlots.popLast() ?? slots.count
        if place == slots.count { slots.append(nil) }
        slots[place] = Slot(response: response, wasUsed: false)
        places[response.key] = place
        for dependency in response.dependencies {
            dependents[dependency, default: []].insert(place)
        }
        counts.bytes += response.cost
        counts.responses += 1
        return true
    }

    /// Replaces `response` if it is still stored.
    mutating func replace(_ response: CachedResponse, by other: CachedResponse) {
        guard let place = places[response.key], slots[place]?.response === response else { return }
        _ = insert(other)
    }

    /// Removes the response if it is still stored.
    mutating func drop(_ response: CachedResponse) {
        guard let place = places[response.key], slots[place]?.response === response else { return }
        remove(at: place)
    }

    private mutating func evictOne() {
        // Invariant: after one pass no slot counts as used, so the second pass finds one to evict.
        while true {
            if hand >= slots.count { hand = 0 }
            defer { hand += 1 }
            guard let slot = slots[hand] else { continue }
            guard slot.wasUsed else {
                counts.evictions &+= 1
                return remove(at: hand)
            }
            slots[hand]?.wasUsed = false
        }
    }

    private mutating func remove(at place: Int) {
        guard let response = slots[place]?.response else { return }
        slots[place] = nil
        freeSlots.append(place)
        places[response.key] = nil
        for dependency in response.dependencies {
            dependents[dependency]?.remove(place)
            if dependents[dependency]?.isEmpty == true { dependents[dependency] = nil }
        }
        counts.bytes -= response.cost
        counts.responses -= 1
    }

    // MARK: Changes

    /// These tags (`nil`: all) are about to be invalidated: removes the responses that depend on
    /// them.
    mutating func announce(_ dependencies: [CacheTag]?, _ sequence: Int64) {
        history.announce(dependencies, sequence)
        guard let dependencies else {
            for place in slots.indices { remove(at: place) }
            return
        }
        removeDependents(of: dependencies)
    }

    /// These tags were invalidated by something that is visible.
    mutating func invalidate(_ dependencies: [CacheTag]) {
        history.invalidate(dependencies)
        removeDependents(of: dependencies)
    }

    private mutating func removeDependents(of dependencies: [CacheTag]) {
        for dependency in dependencies {
            for place in dependents[dependency] ?? [] { remove(at: place) }
        }
    }

    mutating func settle(_ sequence: Int64, isFailure: Bool) {
        history.settle(sequence, isFailure: isFailure)
    }

    // MARK: Fills

    /// The next step for a key without a stored response, or that response.
    enum Entry {
        case found(CachedResponse)
        /// Generate it; data read from now on is at least as recent.
        case make(stamp: ReadStamp)
        /// Another request is generating it: wait.
        case wait
        /// Another request has been generating it for so long that it is no longer worth waiting
        /// for.
        case goAlone
    }

    mutating func enter(_ key: CacheKey, now: Int64, patienceMilliseconds: Int64) -> Entry {
        if let response = find(key) { return .found(response) }
        counts.misses &+= 1
        guard let fill = fills[key] else {
            fills[key] = Fill(startedAt: now)
            return .make(stamp: history.stamp)
        }
        let age = now - fill.startedAt
        return age >= 0 && age <= patienceMilliseconds ? .wait : .goAlone
    }

    /// Claims the generation of something that no request waits for; false if it is already
    /// claimed.
    mutating func claim(_ key: CacheKey) -> Bool {
        guard fills[key] == nil else { return false }
        fills[key] = Fill(startedAt: 0)
        return true
    }

    /// Returns true if the response is still being generated, so that the continuation will be
    /// resumed.
    mutating func join(
        _ key: CacheKey, _ continuation: UnsafeContinuation<CachedResponse?, Never>
    ) -> Bool {
        guard fills[key] != nil else { return false }
        let waiter = Waiter(continuation: continuation, stamp: history.stamp)
        fills[key]?.waiters.append(waiter)
        counts.shared &+= 1
        return true
    }

    /// Ends the generation of a response, which is stored if it is still valid.
    ///
    /// - Returns: The waiting requests, each with its response: `nil` if the response may lack a
    ///   change that was visible when the request arrived. A later change does not matter.
    mutating func leave(
        _ key: CacheKey, with response: CachedResponse?
    ) -> [(UnsafeContinuation<CachedResponse?, Never>, CachedResponse?)] {
        let isCurrent = response.map { insert($0) } ?? false
        return (fills.removeValue(forKey: key)?.waiters ?? []).map { waiter in
            let isComplete = isCurrent || response?.stamp.includes(waiter.stamp) ?? false
            return (waiter.continuation, isComplete ? response : nil)
        }
    }
}

/// The key of a public response: the octets of its target. Tables hash it with a per-process seed,
/// so that clients cannot choose targets that collide.
struct CacheKey: Hashable {
    /// `response` is an entry; `coding` is only claimed while a content coding of it is produced.
    enum Purpose: UInt8 { case response, coding }

    let octets: [UInt8]
    let purpose: Purpose

    init(_ octets: [UInt8], _ purpose: Purpose = .response) {
        self.octets = octets
        self.purpose = purpose
    }

    /// Selects one of `count` shards by the last octets: cheap, and an uneven distribution does no
    /// harm.
    func shard(of count: Int) -> Int {
        let sum = octets.suffix(8).reduce(UInt(octets.count)) { $0 &* 31 &+ UInt($1) }
        return Int(sum % UInt(count))
    }

    func hash(into hasher: inout Hasher) {
        octets.withUnsafeBytes { hasher.combine(bytes: $0) }
    }

    static func == (left: CacheKey, right: CacheKey) -> Bool {
        left.purpose == right.purpose
            && left.octets.count == right.octets.count
            && left.octets.withUnsafeBytes { left in
                right.octets.withUnsafeBytes { right in
                    guard let left = left.baseAddress, let start = right.baseAddress else {
                        return true
                    }
                    return memcmp(left, start, right.count) == 0
                }
            }
    }
}

/// The state of the data from which a response is generated.
struct ReadStamp {
    /// It includes at least the changes up to this one.
    var change: Int64 = 0
    /// The invalidations without a number up to this one are also included.
    var invalidation: Int64 = 0

    func includes(_ other: ReadStamp) -> Bool {
        other.change <= change && other.invalidation <= invalidation
    }
}

/// Records the last change of each cache tag, to decide if data read earlier is still valid.
///
/// Changes are numbered by the change sequence. A change is announced before it becomes visible to
/// any reader and settled when it is visible to all; in between, a read may return old or new data.
struct InvalidationLog {
    private var lastChange: [CacheTag: Int64] = [:]
    /// Tags that are missing in `lastChange` may have changed up to here.
    private var floor: Int64 = 0
    /// Reads that start now see all changes up to here.
    private(set) var visible: Int64 = 0
    /// The number of calls of `invalidate`, and the last one for each tag.
    private var invalidations: Int64 = 0
    private var lastInvalidation: [CacheTag: Int64] = [:]
    /// Tags that are missing in `lastInvalidation` may have been invalidated up to here.
    private var invalidationFloor: Int64 = 0
    /// Above this limit single tags are forgotten; whatever is read in that time is not stored.
    static let limit = 4_096

    /// The stamp of reads that start now.
    var stamp: ReadStamp { ReadStamp(change: visible, invalidation: invalidations) }

    /// Records that the data behind these tags has changed, and that reads that start now see it.
    mutating func invalidate(_ dependencies: [CacheTag]) {
        invalidations += 1
        if lastInvalidation.count + dependencies.count > Self.limit {
            lastInvalidation.removeAll(keepingCapacity: true)
            invalidationFloor = invalidations
        }
        for dependency in dependencies.prefix(Self.limit) {
            lastInvalidation[dependency] = invalidations
        }
    }

    /// The change of these tags (`nil`: all) is about to become visible.
    mutating func announce(_ dependencies: [CacheTag]?, _ sequence: Int64) {
        guard let dependencies, lastChange.count + dependencies.count <= Self.limit else {
            lastChange.removeAll(keepingCapacity: true)
            floor = max(floor, sequence)
            guard let dependencies, dependencies.count <= Self.limit else { return }
            return announce(dependencies, sequence)
        }
        for dependency in dependencies {
            lastChange[dependency] = max(lastChange[dependency] ?? 0, sequence)
        }
    }

    /// All changes up to this one are visible, and there are no others: those announced above it
    /// were rolled back.
    mutating func settle(_ sequence: Int64, isFailure: Bool) {
        visible = max(visible, sequence)
        guard isFailure else { return }
        floor = min(floor, visible)
        lastChange = lastChange.mapValues { [visible] in min($0, visible) }
    }

    /// Returns true if data that depends on these tags, read at `stamp` or later, is still valid.
    func isCurrent(_ dependencies: [CacheTag], readAt stamp: ReadStamp) -> Bool {
        floor <= stamp.change && invalidationFloor <= stamp.invalidation
            && dependencies.allSatisfy { tag in
                lastChange[tag] ?? 0 <= stamp.change
                    && lastInvalidation[tag] ?? 0 <= stamp.invalidation
            }
    }
}
