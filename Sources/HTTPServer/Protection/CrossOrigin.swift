import HTTP

/// Which origins' pages may read answers in a browser (CORS; Fetch §3.2).
///
/// Each is named exactly; there is no `*`, and no cookies or other credentials of the browser's own
/// are ever asked for: pages send their key themselves.
public struct CrossOrigin: Sendable {
    private var origins: [[UInt8]] = []
    /// What is added to every answer, at the place of its origin; the last for all others.
    private var fields: [HTTPFields] = [[.vary: "Origin"]]

    public init() {}

    public var isEmpty: Bool { origins.isEmpty }

    /// Adds an origin as browsers write it: `https://app.example.org`, `capacitor://localhost`.
    ///
    /// - Returns: false if browsers write none like that.
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

    /// Scheme and host in small letters, a port only where it is not the scheme's own (RFC 6454
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

    // MARK: Answers

    /// What pages may read beyond what every page may (Fetch §4.5).
    private static let exposed = [
        HTTPFieldName.allow, .etag, .link, .location, .rateLimit, .rateLimitPolicy, .retryAfter,
        .wwwAuthenticate, .xRequestID,
    ].map(\.rawValue).joined(separator: ", ")

    /// What pages may send beyond what every page may.
    private static let sendable = [
        HTTPFieldName.authorization, .contentType, .idempotencyKey, .ifMatch, .ifModifiedSince,
        .ifNoneMatch, .ifUnmodifiedSince, .lastEventID, .xRequestID,
    ].map(\.rawValue).joined(separator: ", ")

    private static let methods = [HTTPMethod.get, .head, .post, .put, .patch, .delete]
        .map(\.rawValue).joined(separator: ", ")

    /// The place of the request's origin; `nil` for one that is not named, or none.
    func place(of request: borrowing HTTPFields) -> Int? {
        request.withBytes(of: .origin) { origin in
            origins.firstIndex { known in
                guard known.count == origin.count else { return false }
                for index in origin.indices where origin[index] != known[index] { return false }
                return true
            }
        } ?? nil
    }

    /// What is added to an answer to that origin.
    func fields(at place: Int?) -> HTTPFields { fields[place ?? origins.count] }

    /// The answer to a browser that asks before it sends (a preflight, Fetch §4.8); `nil` for other
    /// requests. What is added to every answer is not in it.
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
