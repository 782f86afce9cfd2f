/// The name of a field (RFC 9110 §5.1): a case-insensitive token.
///
/// The names of registered fields are constants; others are checked when they are made, so that a
/// name cannot contain the end of a line.
///
/// ```swift
/// if let name = HTTPFieldName("X-Audience") { fields[name] = "editors" }
/// ```
public struct HTTPFieldName: Sendable {
    /// The name in its original case.
    public let rawValue: String
    let bytes: [UInt8]

    /// The name; `nil` if the text is not a token.
    public init?(_ name: String) {
        guard !name.isEmpty, name.utf8.allSatisfy(Token.contains) else { return nil }
        self.init(known: name)
    }

    private init(known name: String) {
        rawValue = name
        bytes = Array(name.utf8)
    }

    public static let accept = HTTPFieldName(known: "Accept")
    public static let acceptEncoding = HTTPFieldName(known: "Accept-Encoding")
    public static let accessControlAllowHeaders = HTTPFieldName(
        known: "Access-Control-Allow-Headers")
    public static let accessControlAllowMethods = HTTPFieldName(
        known: "Access-Control-Allow-Methods")
    public static let accessControlAllowOrigin = HTTPFieldName(known: "Access-Control-Allow-Origin")
    public static let accessControlExposeHeaders = HTTPFieldName(
        known: "Access-Control-Expose-Headers")
    public static let accessControlMaxAge = HTTPFieldName(known: "Access-Control-Max-Age")
    public static let accessControlRequestMethod = HTTPFieldName(
        known: "Access-Control-Request-Method")
    public static let age = HTTPFieldName(known: "Age")
    public static let allow = HTTPFieldName(known: "Allow")
    public static let authorization = HTTPFieldName(known: "Authorization")
    public static let broadsheetAfter = HTTPFieldName(known: "Broadsheet-After")
    public static let broadsheetSequence = HTTPFieldName(known: "Broadsheet-Sequence")
    public static let cacheControl = HTTPFieldName(known: "Cache-Control")
    public static let connection = HTTPFieldName(known: "Connection")
    public static let contentDisposition = HTTPFieldName(known: "Content-Disposition")
    public static let contentEncoding = HTTPFieldName(known: "Content-Encoding")
    public static let contentLength = HTTPFieldName(known: "Content-Length")
    public static let contentLocation = HTTPFieldName(known: "Content-Location")
    public static let contentSecurityPolicy = HTTPFieldName(known: "Content-Security-Policy")
    public static let contentType = HTTPFieldName(known: "Content-Type")
    public static let cookie = HTTPFieldName(known: "Cookie")
    public static let crossOriginOpenerPolicy = HTTPFieldName(known: "Cross-Origin-Opener-Policy")
    public static let crossOriginResourcePolicy = HTTPFieldName(
        known: "Cross-Origin-Resource-Policy")
    public static let date = HTTPFieldName(known: "Date")
    public static let etag = HTTPFieldName(known: "ETag")
    public static let expect = HTTPFieldName(known: "Expect")
    public static let forwarded = HTTPFieldName(known: "Forwarded")
    public static let host = HTTPFieldName(known: "Host")
    public static let idempotencyKey = HTTPFieldName(known: "Idempotency-Key")
    public static let ifMatch = HTTPFieldName(known: "If-Match")
    public static let ifModifiedSince = HTTPFieldName(known: "If-Modified-Since")
    public static let ifNoneMatch = HTTPFieldName(known: "If-None-Match")
    public static let ifUnmodifiedSince = HTTPFieldName(known: "If-Unmodified-Since")
    public static let lastEventID = HTTPFieldName(known: "Last-Event-ID")
    public static let lastModified = HTTPFieldName(known: "Last-Modified")
    public static let link = HTTPFieldName(known: "Link")
    public static let location = HTTPFieldName(known: "Location")
    public static let origin = HTTPFieldName(known: "Origin")
    public static let permissionsPolicy = HTTPFieldName(known: "Permissions-Policy")
    public static let proxyAuthorization = HTTPFieldName(known: "Proxy-Authorization")
    public static let range = HTTPFieldName(known: "Range")
    public static let rateLimit = HTTPFieldName(known: "RateLimit")
    public static let rateLimitPolicy = HTTPFieldName(known: "RateLimit-Policy")
    public static let referrerPolicy = HTTPFieldName(known: "Referrer-Policy")
    public static let retryAfter = HTTPFieldName(known: "Retry-After")
    public static let secFetchSite = HTTPFieldName(known: "Sec-Fetch-Site")
    public static let server = HTTPFieldName(known: "Server")
    public static let setCookie = HTTPFieldName(known: "Set-Cookie")
    public static let strictTransportSecurity = HTTPFieldName(known: "Strict-Transport-Security")
    public static let traceparent = HTTPFieldName(known: "traceparent")
    public static let trailer = HTTPFieldName(known: "Trailer")
    public static let transferEncoding = HTTPFieldName(known: "Transfer-Encoding")
    public static let upgrade = HTTPFieldName(known: "Upgrade")
    public static let userAgent = HTTPFieldName(known: "User-Agent")
    public static let vary = HTTPFieldName(known: "Vary")
    public static let via = HTTPFieldName(known: "Via")
    public static let wwwAuthenticate = HTTPFieldName(known: "WWW-Authenticate")
    public static let xAccelBuffering = HTTPFieldName(known: "X-Accel-Buffering")
    public static let xContentTypeOptions = HTTPFieldName(known: "X-Content-Type-Options")
    public static let xForwardedFor = HTTPFieldName(known: "X-Forwarded-For")
    public static let xForwardedProto = HTTPFieldName(known: "X-Forwarded-Proto")
    public static let xRealIP = HTTPFieldName(known: "X-Real-IP")
    public static let xRequestID = HTTPFieldName(known: "X-Request-ID")
}

extension HTTPFieldName: Hashable {
    public static func == (left: HTTPFieldName, right: HTTPFieldName) -> Bool {
        Token.equal(left.bytes, right.bytes)
    }

    public func hash(into hasher: inout Hasher) {
        for byte in bytes { hasher.combine(Token.lowercase(byte)) }
    }
}

extension HTTPFieldName: CustomStringConvertible {
    public var description: String { rawValue }
}
