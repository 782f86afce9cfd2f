import ArticleAPI
import BroadsheetHTTP

/// A header field of responses, described once among the components.
enum ResponseField: String, CaseIterable {
    case requestID = "X-Request-ID"
    case cacheControl = "Cache-Control"
    case vary = "Vary"
    case etag = "ETag"
    case lastModified = "Last-Modified"
    case location = "Location"
    case link = "Link"
    case rateLimit = "RateLimit"
    case rateLimitPolicy = "RateLimit-Policy"
    case retryAfter = "Retry-After"
    case authenticate = "WWW-Authenticate"

    /// The fields of any response. Those of limits are absent where no limit applies.
    static let ofEveryResponse: [ResponseField] = [.requestID, .rateLimit, .rateLimitPolicy]

    /// The fields of a problem with this status.
    static func ofProblem(_ status: Int) -> [ResponseField] {
        switch status {
        case 401: ofEveryResponse + [.authenticate]
        case 429, 503: ofEveryResponse + [.retryAfter]
        default: ofEveryResponse
        }
    }

    /// References to these fields, for a response.
    static func references(to fields: [ResponseField]) -> JSONValue {
        .members(
            allCases.filter(fields.contains).map { field in
                (field.rawValue, .reference(to: field.rawValue, in: "headers"))
            })
    }

    /// `#/components/headers`.
    static var components: JSONValue {
        .members(allCases.map { ($0.rawValue, $0.description) })
    }

    private var description: JSONValue {
        let (words, pattern, isRequired) = parts
        return .members(
            ("description", .string(words)), ("required", isRequired ? .boolean(true) : nil),
            ("schema", schema(pattern)))
    }

    private func schema(_ pattern: String?) -> JSONValue {
        if self == .retryAfter {
            return .members(("type", .string("integer")), ("minimum", .integer(0)))
        }
        return .members(
            ("type", .string("string")), ("pattern", pattern.map(JSONValue.string)))
    }

    private var parts: (words: String, pattern: String?, isRequired: Bool) {
        switch self {
        case .requestID:
            ("Identifies the request in the server's logs.", "^[!-~]+$", true)
        case .cacheControl: ("Who may store the response (RFC 9111 §5.2.2).", nil, true)
        case .vary: ("What the response depends on (RFC 9110 §12.5.5).", nil, true)
        case .etag:
            (
                "The strong validator of the representation, for `If-None-Match` and `If-Match` "
                    + "(RFC 9110 §8.8.3).", #"^"[!#-~]+"$"#, true
            )
        case .lastModified:
            (
                "When the representation last changed (RFC 9110 §8.8.2); absent for some time "
                    + "after a change.", "^[A-Z][a-z]{2}, .+ GMT$", false
            )
        case .location: ("Where the created resource is (RFC 9110 §10.2.2).", "^/", true)
        case .link:
            (
                "The next page, if there is one (RFC 8288): `</v1/…>; rel=\"next\"`.", "^<.+>; ",
                false
            )
        case .rateLimit:
            (
                "The requests that are left, and the seconds until there are more "
                    + "(draft-ietf-httpapi-ratelimit-headers-10).",
                #"^"[^"]+";r=[0-9]+;t=[0-9]+$"#, false
            )
        case .rateLimitPolicy:
            (
                "The number of requests in a number of seconds "
                    + "(draft-ietf-httpapi-ratelimit-headers-10).",
                #"^"[^"]+";q=[0-9]+;w=[0-9]+$"#, false
            )
        case .retryAfter:
            ("The seconds after which the request can be repeated (RFC 9110 §10.2.3).", nil, true)
        case .authenticate:
            ("How to authenticate (RFC 9110 §11.6.1, RFC 6750 §3).", "^Bearer ", true)
        }
    }
}
