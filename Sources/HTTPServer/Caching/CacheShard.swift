import HTTP

/// A part of the cache, under one lock: answers in slots, found by key and by what they depend on.
///
/// Room is made by a hand that goes round the slots: it spares what was used since it last came by.
struct CacheShard {
    private struct Slot {
        let answer: CachedResponse
        var wasUsed: Bool
    }

    /// An answer that is being made, and who waits for it.
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

    // MARK: Answers

    /// The answer that is kept for the key.
    mutating func find(_ key: CacheKey) -> CachedResponse? {
        guard let place = places[key], let answer = slots[place]?.answer else { return nil }
        slots[place]?.wasUsed = true
        counts.hits &+= 1
        return answer
    }

    /// What was found was of no use to the request.
    mutating func forgetHit() { counts.hits &-= 1 }

    /// Keeps the answer, if what it was made of still stands, and lets others go for it.
    ///
    /// - Returns: whether it still stands, kept or not.
    mutating func insert(_ answer: CachedResponse) -> Bool {
        guard history.stands(answer.dependencies, readAt: answer.stamp) else { return false }
        if let place = places[answer.key] { remove(at: place) }
        // One answer does not take the room of all, and its head fits a loop's buffer.
        guard answer.cost <= limitBytes / 2,
            answer.plain.response.fields.wireBytes.count <= Self.fieldLimitBytes
        else { return true }
        while counts.bytes + answer.cost > limitBytes { evictOne() }
        let place = freeSlots.popLast() ?? slots.count
        if place == slots.count { slots.append(nil) }
        slots[place] = Slot(answer: answer, wasUsed: false)
        places[answer.key] = place
        for dependency in answer.dependencies {
            dependents[dependency, default: []].insert(place)
        }
        counts.bytes += answer.cost
        counts.answers += 1
        return true
    }

    /// Takes the place of `answer` if that is what is kept.
    mutating func replace(_ answer: CachedResponse, by other: CachedResponse) {
        guard let place = places[answer.key], slots[place]?.answer === answer else { return }
        _ = insert(other)
    }

    /// Lets the answer go, if it is still there.
    mutating func drop(_ answer: CachedResponse) {
        guard let place = places[answer.key], slots[place]?.answer === answer else { return }
        remove(at: place)
    }

    private mutating func evictOne() {
        // Invariant: after one round nothing counts as used, so that the second finds something.
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
        guard let answer = slots[place]?.answer else { return }
        slots[place] = nil
        freeSlots.append(place)
        places[answer.key] = nil
        for dependency in answer.dependencies {
            dependents[dependency]?.remove(place)
            if dependents[dependency]?.isEmpty == true { dependents[dependency] = nil }
        }
        counts.bytes -= answer.cost
        counts.answers -= 1
    }

    // MARK: Changes

    /// These things, `nil` for anything, are about to change: what was made of them goes.
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

    /// What to do for a key that may not be there.
    enum Entry {
        case found(CachedResponse)
        /// Make it; what is read from now on is of this change or later.
        case make(stamp: Int64)
        /// Someone makes it: wait.
        case wait
        /// Someone has been making it for so long that nobody waits for it any more.
        case goAlone
    }

    mutating func enter(_ key: CacheKey, now: Int64, patienceMilliseconds: Int64) -> Entry {
        if let answer = find(key) { return .found(answer) }
        counts.misses &+= 1
        guard let fill = fills[key] else {
            fills[key] = Fill(startedAt: now)
            return .make(stamp: history.visible)
        }
        let age = now - fill.startedAt
        return age >= 0 && age <= patienceMilliseconds ? .wait : .goAlone
    }

    /// Takes the making of something that nobody waits for; false if another has it.
    mutating func claim(_ key: CacheKey) -> Bool {
        guard fills[key] == nil else { return false }
        fills[key] = Fill(startedAt: 0)
        return true
    }

    /// Whether someone still makes it, and will resume the continuation.
    mutating func join(
        _ key: CacheKey, _ continuation: UnsafeContinuation<CachedResponse?, Never>
    ) -> Bool {
        guard fills[key] != nil else { return false }
        fills[key]?.waiters.append(continuation)
        counts.shared &+= 1
        return true
    }

    /// The making is over.
    ///
    /// - Returns: who waits, and what for: `nil` if what was made is not for them.
    mutating func leave(
        _ key: CacheKey, with answer: CachedResponse?
    ) -> (waiters: [UnsafeContinuation<CachedResponse?, Never>], answer: CachedResponse?) {
        let stands = answer.map { insert($0) } ?? false
        return (fills.removeValue(forKey: key)?.waiters ?? [], stands ? answer : nil)
    }
}
