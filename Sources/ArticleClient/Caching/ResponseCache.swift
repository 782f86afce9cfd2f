import BroadsheetHTTP

/// Stores responses with their validators, up to a limit, so that the backend can validate a copy
/// instead of sending it again (RFC 9111, a private cache).
///
/// A copy is only used for the account that received it. If the cache is full, the copies that were
/// not used for the longest time are removed. Safe to use from any thread.
///
/// ```swift
/// let cache = ResponseCache(limitBytes: 32 << 20)
/// let backend = BackendService(
///     configuration: configuration, transport: transport, cache: cache)
/// ```
public final class ResponseCache: Sendable {
    private struct State {
        var entries: [CacheKey: CachedResponse] = [:]
        var bytes = 0
        var uses = 0
        /// Copies of earlier generations are revalidated before they are used.
        var generation = 0
    }

    private let limitBytes: Int
    private let state = Locked(State())

    /// - Parameter limitBytes: the maximum size of all copies with their fields; a response larger
    ///   than a quarter of it is not stored.
    public init(limitBytes: Int = 8 << 20) { self.limitBytes = limitBytes }

    /// The size of all copies, in bytes.
    public var bytes: Int { state.withLock { $0.bytes } }

    public func removeAll() {
        state.withLock { state in
            state.entries = [:]
            state.bytes = 0
        }
    }

    // MARK: For requests

    /// Requires revalidation of all copies, after a write.
    func expireAll() { state.withLock { $0.generation += 1 } }

    /// The generation of responses that are requested now.
    var generation: Int { state.withLock { $0.generation } }

    func copy(for key: CacheKey) -> CachedResponse? {
        state.withLock { state in
            guard var entry = state.entries[key] else { return nil }
            state.uses += 1
            entry.lastUse = state.uses
            state.entries[key] = entry
            if entry.generation != state.generation { entry.lifetime = nil }
            return entry
        }
    }

    /// - Returns: the copy that it replaces.
    @discardableResult
    func store(_ copy: CachedResponse, for key: CacheKey) -> CachedResponse? {
        let cost = copy.bytes.count + copy.fields.wireBytes.count + key.bytes.count
        return state.withLock { state in
            guard cost <= limitBytes / 4 else { return remove(key, from: &state) }
            var copy = copy
            state.uses += 1
            copy.lastUse = state.uses
            copy.cost = cost
            let old = state.entries.updateValue(copy, forKey: key)
            state.bytes += cost - (old?.cost ?? 0)
            if state.bytes > limitBytes { shrink(&state) }
            return old
        }
    }

    /// Replaces a response with these bytes by an earlier copy, or by none. Any other response
    /// stays.
    func restore(_ copy: CachedResponse?, insteadOf bytes: [UInt8], for key: CacheKey) {
        let isReplaced = state.withLock { state in
            guard let entry = state.entries[key] else { return true }
            guard entry.bytes == bytes else { return false }
            remove(key, from: &state)
            return true
        }
        if isReplaced, let copy { store(copy, for: key) }
    }

    /// Removes the copies of an owner whose session has ended.
    func removeAll(of owner: String) {
        state.withLock { state in
            for key in state.entries.keys where key.owner == owner { remove(key, from: &state) }
        }
    }

    /// - Returns: the copy that there was.
    @discardableResult
    func remove(_ key: CacheKey) -> CachedResponse? { state.withLock { remove(key, from: &$0) } }

    @discardableResult
    private func remove(_ key: CacheKey, from state: inout State) -> CachedResponse? {
        let old = state.entries.removeValue(forKey: key)
        if let old { state.bytes -= old.cost }
        return old
    }

    /// Removes the least recently used copies, a quarter at a time, so that sorting is rare.
    private func shrink(_ state: inout State) {
        for (key, _) in state.entries.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
            guard state.bytes > limitBytes / 4 * 3 else { return }
            remove(key, from: &state)
        }
    }
}

/// The parts that determine a response's bytes: the request's origin, content and account.
///
/// This is a class because each request uses its key in several places.
final class CacheKey: Hashable, Sendable {
    let origin: HTTPOrigin
    /// The owner of the session, which stays the same when a token is renewed.
    let owner: String
    /// Method, target and all fields except the token, and so everything that `Vary` may name.
    let bytes: [UInt8]
    /// The hash of everything, stored because the key is looked up several times.
    private let digest: Int

    init(_ request: borrowing HTTPRequest, to origin: HTTPOrigin, by owner: String) {
        self.origin = origin
        self.owner = owner
        // The parts are taken one by one, because a copy of the request would copy all of them.
        let (target, fields) = (request.target.bytes, request.fields.wireBytes)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(target.count + fields.count + 16)
        bytes += request.method.rawValue.utf8
        bytes.append(0x20)
        bytes += target
        bytes.append(0x20)
        bytes += fields
        self.bytes = bytes
        var hasher = Hasher()
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        hasher.combine(owner)
        digest = hasher.finalize()
    }

    static func == (left: CacheKey, right: CacheKey) -> Bool {
        left === right
            || left.digest == right.digest && left.bytes == right.bytes
                && left.owner == right.owner && left.origin == right.origin
    }

    func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}

/// A cached response.
struct CachedResponse: Sendable {
    var fields: HTTPFields
    let bytes: [UInt8]
    /// The time of the backend's last confirmation (`ClientEnvironment.now`), and the response's
    /// age at that time.
    var confirmed: Duration
    var ageThen: Duration
    /// The time for which it may be used without revalidation; `nil` for not at all.
    var lifetime: Duration?
    let generation: Int
    var lastUse = 0
    var cost = 0

    /// `nil` for a response that must not or need not be stored (RFC 9111 §3).
    init?(
        _ fields: HTTPFields, _ bytes: [UInt8], generation: Int, now: Duration
    ) {
        let control = CacheControl(fields)
        lifetime = control.lifetimeSeconds.map { .seconds($0) }
        let varies = fields.list(.vary, has: "*")
        guard !control.forbidsStorage, !varies, fields.contains(.etag) || lifetime != nil
        else { return nil }
        self.fields = fields
        self.bytes = bytes
        self.generation = generation
        confirmed = now
        ageThen = Self.age(fields)
    }

    var etag: String? { fields[.etag] }

    /// Returns the response's age on arrival, according to its fields (RFC 9111 §5.1).
    static func age(_ fields: HTTPFields) -> Duration {
        .seconds(max(0, fields[.age].flatMap { Int64($0) } ?? 0))
    }

    func age(now: Duration) -> Duration { ageThen + max(.zero, now - confirmed) }

    func isFresh(now: Duration) -> Bool {
        lifetime.map { age(now: now) < $0 } ?? false
    }

    /// The copy after the backend has validated it (RFC 9111 §4.3.4).
    func confirmed(by new: HTTPFields, generation: Int, now: Duration) -> CachedResponse? {
        var (merged, new) = (fields, new)
        new.remove(.contentLength)
        merged.replace(by: new)
        return CachedResponse(merged, bytes, generation: generation, now: now)
    }
}
