import ArticleAPI
import ArticleStore
import HTTP

extension WriteKey {
    /// The key that a request brings; `nil` if it has none.
    init?(of request: some RepeatableRequest, by caller: Caller) {
        guard let scope = Self.scope(of: request, by: caller) else { return nil }
        var request = request
        request.idempotencyKey = nil
        let printed = RequestPrinter.print(request)
        let fields = printed.fields.all.flatMap { [$0.name, $0.value] }
        self.init(
            scope: scope,
            request: Self.digest(
                ([RequestPrinter.target(of: request)] + fields).map { Array($0.utf8) }
                    + [printed.body]),
            refusal: Self.refusal)
    }

    /// What the key belongs to: caller, method and path.
    static func scope(of request: some RepeatableRequest, by caller: Caller) -> [UInt8]? {
        guard let key = request.idempotencyKey, case .key(let id, _, _) = caller else { return nil }
        let target = RequestPrinter.target(of: request)
        let path = target.prefix { $0 != "?" }
        let method = "\(type(of: request).endpoint.method)"
        return digest([id, method, String(path), key].map { Array($0.utf8) })
    }

    /// A refusal that holds as long as the key does; what may go away is not kept.
    private static func refusal(_ error: StoreError) -> [UInt8]? {
        var problem = ServiceError(error).problem(instance: "")
        guard (400..<500).contains(problem.status), problem.status != 401, problem.status != 429
        else { return nil }
        problem.instance = nil
        return problem.json()
    }

    /// The length of each part stands before it, so that no two lists give the same bytes.
    private static func digest(_ parts: [[UInt8]]) -> [UInt8] {
        Digest.sha256(parts.flatMap { Array("\($0.count):".utf8) + $0 })
    }
}
