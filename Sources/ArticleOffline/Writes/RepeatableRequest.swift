public import ArticleAPI
import BroadsheetHTTP

/// A request that an outbox may send more than once with the effect of sending it once: its method
/// is `PUT` or `DELETE`, or it is an `IdempotentWriteRequest`.
///
/// ```swift
/// struct RateArticleRequest: RepeatableRequest {
///     static let endpoint = Endpoint(
///         .put, "/v1/ratings/{articleID}", name: "rateArticle", access: .useAccount)
///     typealias Item = NoContent
///     static let parameters = Parameters(
///         Self.init(articleID:rating:), .path("articleID", \.articleID, .identifier()),
///         .body(\.rating))
///     var articleID: Article.ID
///     var rating: Rating
///     var replaces: String? { "rating/\(articleID)" }
/// }
/// ```
///
/// `outbox.send(RateArticleRequest(articleID: id, rating: five))` stores it. An outbox that was
/// made with the type decodes its responses, also after another launch.
public protocol RepeatableRequest: BackendAPIRequest {
    /// The name under which an outbox stores it, and by which later versions of the app know it:
    /// that of the endpoint, or else of the type.
    static var storedName: String { get }

    /// A key shared by requests of which only the last one matters: it replaces those that were not
    /// sent. `nil` if each matters.
    var replaces: String? { get }

    /// A key shared by requests that are sent one after the other, in their order: by default that
    /// of those which it replaces. `nil` if the order does not matter.
    var order: String? { get }
}

extension RepeatableRequest {
    public static var storedName: String {
        endpoint.name.isEmpty ? "\(Self.self)" : endpoint.name
    }

    public var replaces: String? { nil }

    public var order: String? { replaces }
}

/// The comments on an article are sent in their order.
extension CreateCommentRequest: RepeatableRequest {
    public var order: String? { "comments/\(articleID)" }
}

/// Of a bookmark, the last position is sent, or that it was removed.
extension PutBookmarkRequest: RepeatableRequest {
    public var replaces: String? { "bookmark/\(articleID)" }
}

extension DeleteBookmarkRequest: RepeatableRequest {
    public var replaces: String? { "bookmark/\(articleID)" }
}

/// A request as it was printed when it was made: each attempt sends the same bytes, whatever
/// version of the app does so. It has no credentials, and its key is that of its entry.
///
/// `OutboxEntry.request(as:)` reads it. See ``RepeatableRequest``.
public struct PendingRequest: Sendable, Hashable {
    /// `RepeatableRequest.storedName` of its type.
    public let name: String
    let method: String
    let target: String
    /// The lines of the head.
    let fields: [String]
    let body: [UInt8]
    /// The status of a successful response.
    let success: Int
    /// The media type of a successful response; `nil` without a body.
    let mediaType: String?
    /// True if it has an `Idempotency-Key`.
    let isKeyed: Bool
    /// True if only the key, which backends forget, makes it repeatable.
    let expires: Bool
    let replaces: String?
    let order: String?
    /// The article that it is about.
    let article: Article.ID?

    init<Request: RepeatableRequest>(_ request: Request) {
        let endpoint = Request.endpoint
        let isIdempotent = endpoint.method == .put || endpoint.method == .delete
        isKeyed = request is any IdempotentWriteRequest
        precondition(
            isIdempotent || isKeyed,
            "programmer error: \(Request.self) is neither idempotent nor has it a key")
        precondition(
            !endpoint.carriesSecrets, "programmer error: secrets of \(Request.self) would be stored"
        )
        var printed = RequestPrinter.print(request)
        printed.fields.remove(.idempotencyKey)
        name = Request.storedName
        method = endpoint.method.rawValue
        target = "\(printed.target)"
        fields = printed.fields.all.map { "\($0.name): \($0.value)" }
        body = printed.body
        success = endpoint.success.code
        mediaType = Request.Item.encoding.mediaType
        expires = !isIdempotent && !(request is CreateCommentRequest)
        replaces = request.replaces
        order = request.order
        article =
            switch request {
            case let request as CreateCommentRequest: request.articleID
            case let request as PutBookmarkRequest: request.articleID
            case let request as DeleteBookmarkRequest: request.articleID
            default: nil
            }
    }

    /// The request to send; `nil` if this version cannot.
    func printed(key: String) -> HTTPRequest? {
        guard let method = HTTPMethod(method), let target = RequestTarget(Array(target.utf8)) else {
            return nil
        }
        var request = HTTPRequest(method, target, body: body)
        for line in fields {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = HTTPFieldName(String(parts[0])) else { return nil }
            request.fields.append(name, String(parts[1].drop { $0 == " " }))
        }
        if isKeyed { request.fields.set(.idempotencyKey, to: key) }
        return request
    }

    /// The request, if it is one of this type.
    func request<Request: RepeatableRequest>(
        as type: Request.Type, key: String
    ) throws(RequestValidationError) -> Request? {
        guard name == Request.storedName, let printed = printed(key: key),
            let source = RequestSource(printed, for: Request.endpoint)
        else { return nil }
        return try Request(parsing: source)
    }
}

extension PendingRequest: JSONModel {
    public static let shape = ObjectCodec(
        Self.init(
            name:method:target:fields:body:success:mediaType:isKeyed:expires:replaces:order:
            article:),
        .required("name", \.name, .text(.stored)),
        .required("method", \.method, .text(.stored)),
        .required("target", \.target, .text(.stored)),
        .required("fields", \.fields, .array(of: .text(.stored), limit: .max)),
        .required("body", \.body, .text(.hexadecimal)),
        .required("success", \.success, .integer(200...299)),
        .optional("mediaType", \.mediaType, .text(.stored)),
        .required("isKeyed", \.isKeyed, .boolean),
        .required("expires", \.expires, .boolean),
        .optional("replaces", \.replaces, .text(.stored)),
        .optional("order", \.order, .text(.stored)),
        .optional("article", \.article, .identifier()))

    private init(
        name: String, method: String, target: String, fields: [String], body: [UInt8],
        success: Int, mediaType: String?, isKeyed: Bool, expires: Bool, replaces: String?,
        order: String?, article: Article.ID?
    ) {
        self.name = name
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
        self.success = success
        self.mediaType = mediaType
        self.isKeyed = isKeyed
        self.expires = expires
        self.replaces = replaces
        self.order = order
        self.article = article
    }
}

extension TextCodec where Value == String {
    /// Any text.
    fileprivate static var stored: TextCodec { .lines(0...Int.max) }
}

extension TextCodec where Value == [UInt8] {
    /// Bytes as pairs of digits: a text would be changed to its normal form, and not be the same
    /// request any more.
    fileprivate static var hexadecimal: TextCodec {
        TextCodec(
            "hexadecimal digits", .text(TextSchema(.lines, length: 0...Int.max)),
            parse: { text in
                let digits = Array(text.utf8)
                guard digits.count.isMultiple(of: 2) else { return nil }
                var bytes: [UInt8] = []
                bytes.reserveCapacity(digits.count / 2)
                for index in stride(from: 0, to: digits.count, by: 2) {
                    guard let high = PercentEncoding.hexValue(of: digits[index]),
                        let low = PercentEncoding.hexValue(of: digits[index + 1])
                    else { return nil }
                    bytes.append(high << 4 | low)
                }
                return bytes
            },
            print: { bytes in
                let digits = Array("0123456789abcdef".utf8)
                return String(
                    decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
                    as: UTF8.self)
            })
    }
}
