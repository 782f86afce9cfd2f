import BroadsheetHTTP

/// The origins whose pages may read responses in a browser (CORS; Fetch §3.2).
///
/// Each origin is listed exactly; there is no `*`, and browsers are never asked to send cookies or
/// other ambient credentials: pages send their API key themselves.
///
/// ```swift
/// let isOrigin = configuration.crossOrigin.add("https://app.example.org")
/// ```
public struct CrossOrigin: Sendable {
    private var origins: [[UInt8]] = []
    /// The fields added to every response, by the index of its origin; the last entry is for all
    /// other origins.
    private var fields: [HTTPFields] = [[.vary: "Origin"]]

    public init() {}

    public var isEmpty: Bool { origins.isEmpty }

    /// Adds an origin in the form that browsers send: `https://app.example.org`,
    /// `capacitor://localhost`.
    ///
    /// - Returns: False if browsers do not send such an origin.
    public mutating func add(_ origin: String) -> Bool {
        guard Self.isOrigin(origin) else { return false }
        origins.append(Array(origin.utf8))
        fields.insert(
            [
                .vary: "Origin", .accessControlAllowOrigin: origin,
                .accessControlExposeHeaders: Self.exposed,
            ], at: fields.count - 1)
        return true
    }

    /// Scheme and host in lower case, with a port only if it is not the scheme's default (RFC 6454
    /// §6.2).
    private static func isOrigin(_ text: String) -> Bool {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].hasPrefix("//"), text == text.lowercased(),
            let first = parts[0].utf8.first, (97...122).contains(first),
            parts[0].utf8.allSatisfy(isSchemeOctet),
            let authority = Authority(Array(parts[1].dropFirst(2).utf8)),
            !authority.host.contains("*"),
            authority.host + (authority.port.map { ":\($0)" } ?? "") == parts[1].dropFirst(2)
        else { return false }
        return authority.port == nil
            || HTTPOrigin.Scheme(rawValue: String(parts[0]))?.defaultPort != authority.port
    }

    private static func isSchemeOctet(_ octet: UInt8) -> Bool {
        switch octet {
        case 97...122, 48...57, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: false
        }
    }

    // MARK: Responses

    /// The response fields that pages may read besides the safelisted ones (Fetch §4.5).
    private static let exposed = [
        HTTPFieldName.allow, .broadsheetSequence, .etag, .link, .location, .rateLimit,
        .rateLimitPolicy, .retryAfter, .wwwAuthenticate, .xRequestID,
    ].map(\.rawValue).joined(separator: ", ")

    /// The request fields that pages may send besides the safelisted ones. Libraries for traces and
    /// requests add the last ones by themselves.
    private static let sendable =
        ([
            HTTPFieldName.authorization, .broadsheetAfter, .contentType, .idempotencyKey, .ifMatch,
            .ifModifiedSince, .ifNoneMatch, .ifUnmodifiedSince, .lastEventID, .traceparent,
            .xRequestID,
        ].map(\.rawValue) + ["baggage", "sentry-trace", "tracestate", "X-Requested-With"])
        .joined(separator: ", ")

    private static let methods = [HTTPMethod.get, .head, .post, .put, .patch, .delete]
        .map(\.rawValue).joined(separator: ", ")

    /// The index of the request's origin; `nil` if it is not listed, or there is none.
    func place(of request: borrowing HTTPFields) -> Int? {
        request.withBytes(of: .origin) { origin in
            origins.firstIndex { known in
                guard known.count == origin.count else { return false }
                for index in origin.indices where origin[index] != known[index] { return false }
                return true
            }
        } ?? nil
    }

    /// The fields to add to a response to that origin.
    func fields(at place: Int?) -> HTTPFields { fields[place ?? origins.count] }

    /// The response to a preflight request (Fetch §4.8), without the fields that every response
    /// has; `nil` for other requests.
    func preflight(_ head: borrowing RequestHead, from place: Int?) -> HTTPResponse? {
        guard place != nil, head.method == .options,
            head.fields.contains(.accessControlRequestMethod)
        else { return nil }
        return HTTPResponse(
            .noContent,
            fields: [
                .vary: "Access-Control-Request-Method, Access-Control-Request-Headers",
                .accessControlAllowMethods: Self.methods,
                .accessControlAllowHeaders: Self.sendable, .accessControlMaxAge: "7200",
                .cacheControl: "no-store",
            ])
    }
}
