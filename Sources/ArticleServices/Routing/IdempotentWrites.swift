import ArticleAPI
import ArticleServiceCore
import ArticleStore
import BroadsheetHTTP
import BroadsheetPlatform

/// Executes each write with an idempotency key once; repeated requests get the first response.
final class IdempotentWrites: Sendable {
    private let store: any ArticleStore
    private let secret: [UInt8]
    private let system: SystemEnvironment
    /// The scopes of the writes that this node is carrying out. Between nodes, the transaction
    /// decides which write with a key is the first.
    private let scopes = Lock<Set<[UInt8]>>([])

    /// Larger rejections are not stored.
    private static let rejectionBytes = 64 << 10

    /// - Parameter secret: a 32-byte secret of the store.
    init(store: any ArticleStore, secret: [UInt8], system: SystemEnvironment) {
        self.store = store
        self.secret = secret
        self.system = system
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
        do { return try await store.idempotencyRecord(key.scope, at: system.now) } catch {
            throw ServiceError(error)
        }
    }

    /// A rejection is stored before the client receives it.
    private func keep(_ words: [UInt8], of key: IdempotencyKey) async throws(ServiceError) {
        do { try await store.keepRejection(words, of: key, at: system.now) } catch {
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

extension IdempotencyKey {
    /// The key of a request; `nil` if it has none.
    ///
    /// - Parameter secret: the database's secret, so that stored digests disclose nothing about
    ///   keys and requests.
    init?(of request: some IdempotentWriteRequest, by caller: Principal, secret: [UInt8]) {
        guard let key = request.idempotencyKey, let id = caller.account else { return nil }
        var request = request
        request.idempotencyKey = nil
        let printed = RequestPrinter.print(request)
        let target = printed.target.bytes
        let path = Array(target.prefix { $0 != UInt8(ascii: "?") })
        let names = [id, "\(printed.method)", key].map { Array($0.utf8) }
        let fields = printed.fields.all.flatMap { [Array($0.name.utf8), Array($0.value.utf8)] }
        self.init(
            scope: Self.digest([names[0], names[1], path, names[2]], secret),
            request: Self.digest([target] + fields + [printed.body], secret), principal: id)
    }

    /// Each part is prefixed with its length, so that no two lists have the same bytes.
    private static func digest(_ parts: [[UInt8]], _ secret: [UInt8]) -> [UInt8] {
        Digest.hmac(parts.flatMap { Array("\($0.count):".utf8) + $0 }, key: secret)
    }
}
