/// A version of HTTP (RFC 9112 §2.3, RFC 9113). See ``HTTPRequest``.
public enum HTTPVersion: Sendable, Hashable {
    case http10, http11, http2
}

/// A complete request, received or to be sent.
///
/// Its parts are valid by their types, but not necessarily together: how the body is delimited is
/// decided when the request is sent (``RequestSerializer``).
///
/// ```swift
/// var request = HTTPRequest(.post, target, fields: [.contentType: "application/json"])
/// request.body = Array(#"{"title":"News"}"#.utf8)
/// ```
public struct HTTPRequest: Sendable, Equatable {
    public var method: HTTPMethod
    public var target: RequestTarget
    public var version: HTTPVersion
    public var fields: HTTPFields
    /// Empty without a body.
    public var body: [UInt8]

    public init(
        _ method: HTTPMethod, _ target: RequestTarget, version: HTTPVersion = .http11,
        fields: HTTPFields = HTTPFields(), body: [UInt8] = []
    ) {
        self.method = method
        self.target = target
        self.version = version
        self.fields = fields
        self.body = body
    }

    /// The length of the body in bytes, for `Content-Length`; `nil` if the field is left out, as
    /// there is no body and the method does not suggest one (RFC 9110 §8.6).
    package var statedLength: Int? {
        let expectsBody = method == .post || method == .put || method == .patch
        return expectsBody || !body.isEmpty ? body.count : nil
    }
}

/// A response to a request.
///
/// The fields do not include those of the body's framing: the sender adds `Content-Length`,
/// `Transfer-Encoding`, `Connection` and `Date`.
///
/// ```swift
/// var response = HTTPResponse(.ok, body: .bytes(Array("hello".utf8)))
/// response.fields[.contentType] = "text/plain"
/// ```
public struct HTTPResponse: Sendable {
    public var status: HTTPStatus
    public var fields: HTTPFields
    public var body: HTTPBody

    public init(
        _ status: HTTPStatus, fields: HTTPFields = HTTPFields(), body: HTTPBody = .none
    ) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}

/// The body of a response: none, in memory, or produced while it is sent.
///
/// Copies of a stream share its pieces: each piece is delivered once.
///
/// ```swift
/// switch response.body {
/// case .none: break
/// case .bytes(let bytes): received += bytes
/// case .stream(let stream): while let piece = try await stream.next() { received += piece }
/// }
/// ```
public enum HTTPBody: Sendable {
    case none
    case bytes([UInt8])
    case stream(HTTPBodyStream)
}

/// A body that is produced piece by piece; each piece is requested when the previous one was sent.
///
/// A sender whose receiver disconnects cancels the task that waits for the next piece. Safe to use
/// from any thread; a sender calls `next` from one task at a time.
///
/// ```swift
/// let stream = HTTPBodyStream {
///     guard let line = lines.withLock({ $0.popFirst() }) else { return nil }
///     return Array("\(line)\n".utf8)
/// }
/// let response = HTTPResponse(.ok, body: .stream(stream))
/// ```
public struct HTTPBodyStream: Sendable {
    /// The length of the whole body in bytes, if known in advance.
    public let length: Int?
    /// The next piece; `nil` at the end. An error truncates the message in a way that the receiver
    /// detects.
    public let next: @Sendable () async throws -> [UInt8]?
    /// Called when the sender stops or is being replaced, possibly more than once and during
    /// `next`, by a thread that it must not block. A stream that has no end should then end itself:
    /// the sender waits for it, up to its grace period. A receiver that closes its side of the
    /// connection counts as disconnected.
    public let stop: (@Sendable () -> Void)?

    public init(
        length: Int? = nil, stop: (@Sendable () -> Void)? = nil,
        next: @escaping @Sendable () async throws -> [UInt8]?
    ) {
        self.length = length
        self.stop = stop
        self.next = next
    }
}

/// A request method (RFC 9110 §9): a case-sensitive token.
///
/// A method that is not known counts as neither safe nor idempotent.
///
/// ```swift
/// let canRepeat = request.method.isIdempotent
/// let custom = HTTPMethod("REPORT")
/// ```
public struct HTTPMethod: Sendable, Hashable {
    public let rawValue: String

    /// The method with this name; `nil` if it is not a token (RFC 9110 §5.6.2).
    public init?(_ name: String) {
        guard !name.isEmpty, name.utf8.allSatisfy(Token.contains) else { return nil }
        rawValue = name
    }

    private init(known name: String) { rawValue = name }

    public static let get = HTTPMethod(known: "GET")
    public static let head = HTTPMethod(known: "HEAD")
    public static let post = HTTPMethod(known: "POST")
    public static let put = HTTPMethod(known: "PUT")
    public static let patch = HTTPMethod(known: "PATCH")
    public static let delete = HTTPMethod(known: "DELETE")
    public static let options = HTTPMethod(known: "OPTIONS")
    public static let connect = HTTPMethod(known: "CONNECT")
    public static let trace = HTTPMethod(known: "TRACE")

    /// True if the method is safe (RFC 9110 §9.2.1).
    public var isSafe: Bool {
        self == .get || self == .head || self == .options || self == .trace
    }

    /// True if the method is idempotent (RFC 9110 §9.2.2).
    public var isIdempotent: Bool { isSafe || self == .put || self == .delete }
}

extension HTTPMethod: CustomStringConvertible {
    public var description: String { rawValue }
}

/// A status code (RFC 9110 §15), 100 to 599.
///
/// Codes without a constant are also valid.
///
/// ```swift
/// let isSuccess = (200..<300).contains(response.status.code)
/// let line = "\(HTTPStatus.notFound)"
/// ```
public struct HTTPStatus: Sendable, Hashable {
    public let code: Int

    /// The status with this code; `nil` outside 100 to 599.
    public init?(_ code: Int) {
        guard (100...599).contains(code) else { return nil }
        self.code = code
    }

    private init(known code: Int) { self.code = code }

    /// True if responses with this status never have a body (RFC 9110 §6.4.1).
    public var forbidsBody: Bool { code < 200 || code == 204 || code == 304 }

    public static let `continue` = HTTPStatus(known: 100)
    public static let switchingProtocols = HTTPStatus(known: 101)
    public static let ok = HTTPStatus(known: 200)
    public static let created = HTTPStatus(known: 201)
    public static let accepted = HTTPStatus(known: 202)
    public static let nonAuthoritativeInformation = HTTPStatus(known: 203)
    public static let noContent = HTTPStatus(known: 204)
    public static let partialContent = HTTPStatus(known: 206)
    public static let movedPermanently = HTTPStatus(known: 301)
    public static let found = HTTPStatus(known: 302)
    public static let seeOther = HTTPStatus(known: 303)
    public static let notModified = HTTPStatus(known: 304)
    public static let temporaryRedirect = HTTPStatus(known: 307)
    public static let permanentRedirect = HTTPStatus(known: 308)
    public static let badRequest = HTTPStatus(known: 400)
    public static let unauthorized = HTTPStatus(known: 401)
    public static let forbidden = HTTPStatus(known: 403)
    public static let notFound = HTTPStatus(known: 404)
    public static let methodNotAllowed = HTTPStatus(known: 405)
    public static let notAcceptable = HTTPStatus(known: 406)
    public static let requestTimeout = HTTPStatus(known: 408)
    public static let conflict = HTTPStatus(known: 409)
    public static let gone = HTTPStatus(known: 410)
    public static let lengthRequired = HTTPStatus(known: 411)
    public static let preconditionFailed = HTTPStatus(known: 412)
    public static let contentTooLarge = HTTPStatus(known: 413)
    public static let uriTooLong = HTTPStatus(known: 414)
    public static let unsupportedMediaType = HTTPStatus(known: 415)
    public static let rangeNotSatisfiable = HTTPStatus(known: 416)
    public static let expectationFailed = HTTPStatus(known: 417)
    public static let misdirectedRequest = HTTPStatus(known: 421)
    public static let unprocessableContent = HTTPStatus(known: 422)
    public static let upgradeRequired = HTTPStatus(known: 426)
    public static let preconditionRequired = HTTPStatus(known: 428)
    public static let tooManyRequests = HTTPStatus(known: 429)
    public static let requestHeaderFieldsTooLarge = HTTPStatus(known: 431)
    public static let internalServerError = HTTPStatus(known: 500)
    public static let notImplemented = HTTPStatus(known: 501)
    public static let badGateway = HTTPStatus(known: 502)
    public static let serviceUnavailable = HTTPStatus(known: 503)
    public static let gatewayTimeout = HTTPStatus(known: 504)
    public static let httpVersionNotSupported = HTTPStatus(known: 505)
    public static let insufficientStorage = HTTPStatus(known: 507)

    /// The standard reason phrase of the code; empty for an unassigned code.
    public var reason: String { Self.reasons[code] ?? "" }

    private static let reasons: [Int: String] = [
        100: "Continue", 101: "Switching Protocols", 200: "OK", 201: "Created", 202: "Accepted",
        203: "Non-Authoritative Information", 204: "No Content", 206: "Partial Content",
        301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
        307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request",
        401: "Unauthorized", 403: "Forbidden",
        404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable",
        408: "Request Timeout", 409: "Conflict", 410: "Gone", 411: "Length Required",
        412: "Precondition Failed", 413: "Content Too Large", 414: "URI Too Long",
        415: "Unsupported Media Type", 416: "Range Not Satisfiable", 417: "Expectation Failed",
        421: "Misdirected Request", 422: "Unprocessable Content", 426: "Upgrade Required",
        428: "Precondition Required", 429: "Too Many Requests",
        431: "Request Header Fields Too Large", 500: "Internal Server Error",
        501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable",
        504: "Gateway Timeout", 505: "HTTP Version Not Supported", 507: "Insufficient Storage",
    ]
}

extension HTTPStatus: CustomStringConvertible {
    public var description: String { reason.isEmpty ? "\(code)" : "\(code) \(reason)" }
}
