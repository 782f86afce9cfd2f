import HTTP

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
        var waiters: [UnsafeContinuation<CachedResponse?, Never>] = []
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
    /// - Returns: Whether it is still valid, stored or not.
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
        counts.answers += 1
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
        counts.answers -= 1
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
        for dependency in dependencies {
            for place in dependents[dependency] ?? [] { remove(at: place) }
        }
    }

    mutating func settle(_ sequence: Int64, isFailure: Bool) {
        history.settle(sequence, isFailure: isFailure)
    }

    // MARK: Fills

    /// What to do for a key that may not be stored.
    enum Entry {
        case found(CachedResponse)
        /// Generate it; data read from now on includes at least this change.
        case make(stamp: Int64)
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
            return .make(stamp: history.visible)
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

    /// Whether it is still being generated, so that the continuation will be resumed.
    mutating func join(
        _ key: CacheKey, _ continuation: UnsafeContinuation<CachedResponse?, Never>
    ) -> Bool {
        guard fills[key] != nil else { return false }
        fills[key]?.waiters.append(continuation)
        counts.shared &+= 1
        return true
    }

    /// Ends the generation of a response.
    ///
    /// - Returns: The waiting requests and their response; `nil` if it is already invalid.
    mutating func leave(
        _ key: CacheKey, with response: CachedResponse?
    ) -> (waiters: [UnsafeContinuation<CachedResponse?, Never>], response: CachedResponse?) {
        let isCurrent = response.map { insert($0) } ?? false
        return (fills.removeValue(forKey: key)?.waiters ?? [], isCurrent ? response : nil)
    }
}
