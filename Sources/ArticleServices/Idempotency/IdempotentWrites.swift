import ArticleAPI
import ArticleStore
import HTTP
import Platform

/// Executes each write with an idempotency key once; repeated requests get the first response.
final class IdempotentWrites: Sendable {
    private let store: any ArticleStore
    private let secret: [UInt8]
    private let now: @Sendable () -> Timestamp
    /// The scopes of running writes, which are all known here, as only one process owns the file.
    private let scopes = Lock<Set<[UInt8]>>([])

    /// Larger rejections are not stored.
    private static let rejectionBytes = 64 << 10

    /// - Parameter secret: a 32-byte secret of the store.
    init(store: any ArticleStore, secret: [UInt8], now: @escaping @Sendable () -> Timestamp) {
        self.store = store
        self.secret = secret
        self.now = now
    }

    /// Handles a write; if it has a key, only if the key is new and not used by a running write.
    func once<Request: IdempotentWriteRequest>(
        _ request: Request, by caller: Principal,
        _ handle: (Request, Principal, IdempotencyKey?) async throws(ServiceError) -> Reply<
            Request.Item
        >
    ) async throws(ServiceError) -> Reply<Request.Item> where Request.Item: KeptItem {
        guard let key = IdempotencyKey(of: request, by: caller, secret: secret) else {
            return try await handle(request, caller, nil)
        }
        guard scopes.withLock({ $0.insert(key.scope).inserted }) else { throw .inFlight }
        defer { scopes.withLock { _ = $0.remove(key.scope) } }
        if let kept = try await find(key) {
            guard Digest.areEqual(kept.request, key.request) else { throw .keyReused }
            return try Self.reply(kept.outcome)
        }
        do throws(ServiceError) { return try await handle(request, caller, key) } catch {
            if let words = Self.rejection(error) { try await keep(words, of: key) }
            throw error
        }
    }

    private func find(_ key: IdempotencyKey) async throws(ServiceError) -> IdempotencyRecord? {
        do { return try await store.keptWrite(key.scope, at: now()) } catch {
            throw ServiceError(error)
        }
    }

    /// A rejection is stored before the client receives it.
    private func keep(_ words: [UInt8], of key: IdempotencyKey) async throws(ServiceError) {
        do { try await store.keepRejection(words, of: key, at: now()) } catch {
            throw ServiceError(error)
        }
    }

    private static func reply<Item: KeptItem>(
        _ outcome: IdempotencyRecord.Outcome
    ) throws(ServiceError) -> Reply<Item> {
        switch outcome {
        case .done(let bytes, let isNew, let body):
            guard let item = Item(kept: bytes, body: body) else {
                throw .unavailable(cause: "the stored result of a write cannot be read")
            }
            return Reply(item, location: isNew ? item.location : nil)
        case .rejected(let words):
            let problem: Problem
            do throws(ResponseMapperError) { problem = try Problem(mapping: words) } catch {
                throw .unavailable(cause: "a stored rejection cannot be read: \(error)")
            }
            throw .rejectedBefore(problem)
        }
    }

    /// The body of a permanent rejection, which is stored with the key; `nil` for a temporary one,
    /// after which the write may be sent again.
    static func rejection(_ error: ServiceError) -> [UInt8]? {
        switch error {
        case .inFlight, .keyReused: return nil
        default: break
        }
        var problem = error.problem(instance: "")
        guard (400..<500).contains(problem.status), problem.status != 401, problem.status != 429
        else { return nil }
        problem.instance = nil
        let words = problem.json()
        return words.count <= rejectionBytes ? words : nil
    }
}
