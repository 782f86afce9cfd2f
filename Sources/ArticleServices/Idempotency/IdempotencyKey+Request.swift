import ArticleAPI
import ArticleStore
import HTTP

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
        let target = RequestPrinter.target(of: request)
        let method = "\(type(of: request).endpoint.method)"
        let path = target.prefix { $0 != "?" }
        let fields = printed.fields.all.flatMap { [$0.name, $0.value] }
        self.init(
            scope: Self.digest([id, method, String(path), key].map { Array($0.utf8) }, secret),
            request: Self.digest(
                ([target] + fields).map { Array($0.utf8) } + [printed.body], secret),
            principal: id, item: Self.item)
    }

    /// The bytes that are stored for an item, from which `KeptItem` restores it.
    @Sendable
    private static func item(_ written: WrittenItem, at time: Timestamp) -> [UInt8] {
        switch written {
        case .article(var article, _):
            // The body is stored already.
            article.body = nil
            return article.asOf(time).json()
        case .author(let author, _): return author.json()
        case .nothing: return []
        }
    }

    /// Each part is prefixed with its length, so that no two lists have the same bytes.
    private static func digest(_ parts: [[UInt8]], _ secret: [UInt8]) -> [UInt8] {
        Digest.hmac(parts.flatMap { Array("\($0.count):".utf8) + $0 }, key: secret)
    }
}

/// The result of a write, restored from its stored form.
protocol KeptItem: Sendable {
    init?(kept bytes: [UInt8], body: String?)

    /// The request that fetches it.
    var location: (any BackendAPIRequest)? { get }
}

extension Article: KeptItem {
    init?(kept bytes: [UInt8], body: String?) {
        guard let article = try? Article(mapping: bytes) else { return nil }
        self = article
        self.body = body
    }

    var location: (any BackendAPIRequest)? { FetchArticleRequest(key: .id(id)) }
}

extension Author: KeptItem {
    init?(kept bytes: [UInt8], body: String?) {
        guard let author = try? Author(mapping: bytes) else { return nil }
        self = author
    }

    var location: (any BackendAPIRequest)? { FetchAuthorRequest(id: id) }
}

extension NoContent: KeptItem {
    init?(kept bytes: [UInt8], body: String?) { self.init() }

    var location: (any BackendAPIRequest)? { nil }
}
