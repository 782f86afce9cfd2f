public import HTTP
import Sockets

/// Keeps answers that are the same for everyone, so that they go out without being made again.
///
/// It is exact: when a change is announced before it becomes visible (`willChange`) and settled
/// behind it (`didChange`), no request is answered with something older than what was visible when
/// it came. An answer is found by its target, as `GET` without credentials asks for it; it goes
/// when something that it depends on changes. Who asks for the same while it is made, shares it.
public final class ResponseCache: Sendable {
    /// What the cache holds and did.
    public struct Statistics: Sendable, Hashable {
        public var answers = 0
        public var bytes = 0
        public var hits = 0
        public var misses = 0
        /// Requests that waited for what another one had made.
        public var shared = 0
        public var evictions = 0
    }

    private let shards: [Lock<CacheShard>]
    /// Milliseconds since 1970.
    private let now: @Sendable () -> Int64
    private let isOn: Bool
    /// Where answers are compressed: never on a loop.
    private let pool = BlockingPool(label: "broadsheet.compression", width: 2, depth: 256)
    /// An answer that takes longer to make is not waited for by others.
    private static let patienceMilliseconds: Int64 = 2_000
    private static let smallestShardBytes = 16 << 20
    private static let mostShards = 8

    /// - Parameters:
    ///   - limitBytes: of all that it keeps; with 0 it keeps nothing, and only compresses.
    ///   - now: milliseconds since 1970, by the clock that `CacheableResponse` means.
    public init(limitBytes: Int, now: @escaping @Sendable () -> Int64) {
        let count = max(1, min(Self.mostShards, limitBytes / Self.smallestShardBytes))
        shards = (0..<count).map { _ in Lock(CacheShard(limitBytes: limitBytes / count)) }
        isOn = limitBytes > 0
        self.now = now
    }

    public var statistics: Statistics {
        shards.reduce(into: Statistics()) { sum, shard in
            let counts = shard.withLock { $0.counts }
            sum.answers += counts.answers
            sum.bytes += counts.bytes
            sum.hits += counts.hits
            sum.misses += counts.misses
            sum.shared += counts.shared
            sum.evictions += counts.evictions
        }
    }

    /// Answers that wait to be compressed.
    public var waitingCompressions: Int { pool.waiting }

    private func shard(_ key: CacheKey) -> Lock<CacheShard> {
        shards[key.shard(of: shards.count)]
    }

    // MARK: Changes

    /// Says before anyone can see it that these things, `nil` for anything, change with the
    /// numbers up to `sequence`: what depends on them goes, and what is read before `didChange`
    /// is not kept.
    public func willChange(_ dependencies: [CacheTag]?, through sequence: Int64) {
        for shard in shards { shard.withLock { $0.announce(dependencies, sequence) } }
    }

    /// Says that everyone sees all changes up to this number. After a failure, there are no others.
    public func didChange(through sequence: Int64, isFailure: Bool = false) {
        for shard in shards { shard.withLock { $0.settle(sequence, isFailure: isFailure) } }
    }

    // MARK: Answers

    /// The answer that is ready for this request, whoever sends it: the same for everyone who sees
    /// no more than everybody does.
    func answer(to head: borrowing RequestHead) -> PreparedResponse? {
        guard isOn, head.method == .get || head.method == .head, head.framing == .none,
            !ConditionalRequest.hasPreconditions(head.fields)
        else { return nil }
        let key = CacheKey(head.target.bytes)
        guard let answer = shard(key).withLock({ $0.find(key) }) else { return nil }
        if stands(answer), let choice = answer.answer(to: head.fields) { return choice.ready }
        // Who asks for it again, as what waits, finds it once more.
        shard(key).withLock { $0.forgetHit() }
        return nil
    }

    /// What was ready for this request did not go out, and is asked for again.
    func takeBack(_ head: borrowing RequestHead) {
        let key = CacheKey(head.target.bytes)
        shard(key).withLock { $0.forgetHit() }
    }

    /// Answers a request that is the same for everyone: what is ready, what another request makes
    /// at the moment, or what `make` gives.
    public func answer(
        _ request: HTTPRequest, _ context: RequestContext, _ make: () async -> CacheableResponse
    ) async -> HTTPResponse {
        let key = CacheKey(request.target.bytes)
        // Twice at most something that is made for others turns out to be too old.
        for _ in 0..<3 where isOn {
            let entry = shard(key).withLock {
                $0.enter(key, now: now(), patienceMilliseconds: Self.patienceMilliseconds)
            }
            switch entry {
            case .found(let answer):
                if stands(answer) { return await respond(answer, to: request) }
                shard(key).withLock { shard in
                    shard.forgetHit()
                    shard.drop(answer)
                }
            case .make(let stamp):
                return await fill(key, stamp, request, context, make)
            case .wait:
                if let answer = await othersAnswer(key) {
                    return await respond(answer, to: request)
                }
            case .goAlone:
                return await answerAlone(key, request, context, make)
            }
        }
        return await answerAlone(key, request, context, make)
    }

    private func fill(
        _ key: CacheKey, _ stamp: Int64, _ request: HTTPRequest, _ context: RequestContext,
        _ make: () async -> CacheableResponse
    ) async -> HTTPResponse {
        switch await make() {
        case .once(let response):
            leave(key, with: nil)
            return response
        case .lasting(let response, _, _) where response.fields.hasRejectedValue:
            leave(key, with: nil)
            return response
        case .lasting(let response, let dependencies, let until):
            let answer = CachedResponse(
                key, template: context.template, response, dependencies: dependencies,
                expiresAt: until, stamp: stamp)
            leave(key, with: answer)
            return await respond(answer, to: request)
        }
    }

    /// Makes an answer for this request alone.
    private func answerAlone(
        _ key: CacheKey, _ request: HTTPRequest, _ context: RequestContext,
        _ make: () async -> CacheableResponse
    ) async -> HTTPResponse {
        switch await make() {
        case .once(let response): return response
        case .lasting(let response, _, _):
            let answer = CachedResponse(
                key, template: context.template, response, dependencies: [], expiresAt: nil,
                stamp: 0)
            return await respond(answer, to: request)
        }
    }

    private func stands(_ answer: CachedResponse) -> Bool {
        answer.expiresAt.map { now() < $0 } ?? true
    }

    // MARK: Sharing

    /// What another request makes; `nil` if it is not for this one.
    private func othersAnswer(_ key: CacheKey) async -> CachedResponse? {
        let answer = await withUnsafeContinuation { continuation in
            let isJoined = shard(key).withLock { $0.join(key, continuation) }
            if !isJoined { continuation.resume(returning: nil) }
        }
        return answer.flatMap { stands($0) ? $0 : nil }
    }

    private func leave(_ key: CacheKey, with answer: CachedResponse?) {
        let (waiters, answer) = shard(key).withLock { $0.leave(key, with: answer) }
        for waiter in waiters { waiter.resume(returning: answer) }
    }

    // MARK: Codings

    private func respond(_ answer: CachedResponse, to request: HTTPRequest) async -> HTTPResponse {
        if let choice = answer.answer(to: request.fields) { return choice.response }
        // Others who ask for the coding meanwhile go without it: nobody waits for a processor.
        let key = CacheKey(request.target.bytes, .coding)
        guard case .possible = answer.compression, shard(key).withLock({ $0.claim(key) }) else {
            return answer.plainAnswer(to: request.fields).response
        }
        defer { leave(key, with: nil) }
        do {
            let compressed = try await pool.run { Gzip.encode(answer.plain.response) }
            let other = CachedResponse(answer, compressed)
            shard(answer.key).withLock { $0.replace(answer, by: other) }
            let choice = other.answer(to: request.fields) ?? answer.plainAnswer(to: request.fields)
            return choice.response
        } catch {
            return answer.plainAnswer(to: request.fields).response
        }
    }
}
