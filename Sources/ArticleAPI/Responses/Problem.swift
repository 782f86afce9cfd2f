/// A description of an error, for machines and for people (RFC 9457).
///
/// The types that the backend reports are stable.
///
/// ```swift
/// let detail = Problem.Detail("is longer than 300 characters", at: .pointer("/title"))
/// let problem = Problem(.invalidValues, errors: [detail])
/// let message = problem.faults(at: "/title").first
/// ```
public struct Problem: Error, Sendable, Hashable {
    /// A stable URI, `/problems/<name>`, by which clients tell problems apart.
    public var type: String
    /// A summary, which is the same for every problem of the type.
    public var title: String
    /// The HTTP status.
    public var status: Int
    /// A description of this occurrence, in a sentence.
    public var detail: String?
    /// The request's id.
    public var instance: String?
    /// The individual faults of the request.
    public var errors: [Detail]
    /// The delay for which the response asks (`Retry-After`, RFC 9110 §10.2.3), which is a field of
    /// it and no part of the document; `nil` without one.
    public var retryAfter: Duration?

    public static let mediaType = "application/problem+json"

    public init(
        type: String, title: String, status: Int, detail: String? = nil, instance: String? = nil,
        errors: [Detail] = []
    ) {
        self.type = type
        self.title = title
        self.status = status
        self.detail = detail
        self.instance = instance
        self.errors = errors
    }

    /// A problem of a known kind.
    public init(
        _ kind: Kind, detail: String? = nil, instance: String? = nil, errors: [Detail] = []
    ) {
        self.init(
            type: kind.type, title: kind.title, status: kind.status, detail: detail,
            instance: instance, errors: errors)
    }

    /// The kind; `nil` if this version does not know the type.
    public var kind: Kind? { Kind.allCases.first { $0.type == type } }

    /// One fault of a request, and its place.
    public struct Detail: Sendable, Hashable {
        /// A description of the fault: words that follow the name of the place, or a whole sentence
        /// if there is no place.
        public var detail: String
        public var place: Place?

        public init(_ detail: String, at place: Place? = nil) {
            self.detail = detail
            self.place = place
        }

        /// The detail with its place before it: "The parameter `limit` must be an integer".
        var sentence: String {
            switch place {
            case nil: detail
            case .pointer("")?: "The body \(detail)"
            case .pointer(let pointer)?: "\(pointer) \(detail)"
            case .parameter(let name)?: "The parameter `\(name)` \(detail)"
            case .header(let name)?: "The header field \(name) \(detail)"
            }
        }
    }

    /// A place in a request.
    public enum Place: Sendable, Hashable {
        /// In the body: a JSON pointer (RFC 6901), which is empty for the whole body.
        case pointer(String)
        /// In the path or the query.
        case parameter(String)
        case header(String)
    }
}

extension Problem: JSONModel {
    public static let shape = ObjectCodec(
        named: "Problem", Self.init(type:title:status:detail:instance:errors:),
        .defaulted("type", to: "about:blank", \.type, .text(.line(0...2000))),
        .defaulted("title", to: "", \.title, .text(.line(0...1000))),
        .defaulted("status", to: 0, \.status, .integer(0...999)),
        .optional("detail", \.detail, .text(.anything(0...10_000))),
        .optional("instance", \.instance, .text(.line(0...2000))),
        .defaulted("errors", to: [], \.errors, .array(of: Detail.format, limit: 100)))
}

extension Problem.Detail: JSONModel {
    public static let shape = ObjectCodec(
        named: "ProblemDetail", Self.init(detail:pointer:parameter:header:),
        .required("detail", \.detail, .text(.anything(0...10_000))),
        .optional("pointer", \.pointer, .text(.anything(0...10_000))),
        .optional("parameter", \.parameter, .text(.anything(0...10_000))),
        .optional("header", \.header, .text(.line(0...1000))))

    private init(detail: String, pointer: String?, parameter: String?, header: String?) {
        let places = [
            pointer.map(Problem.Place.pointer), parameter.map(Problem.Place.parameter),
            header.map(Problem.Place.header),
        ]
        self.init(detail, at: places.compactMap(\.self).first)
    }

    private var pointer: String? { if case .pointer(let text)? = place { text } else { nil } }
    private var parameter: String? { if case .parameter(let text)? = place { text } else { nil } }
    private var header: String? { if case .header(let text)? = place { text } else { nil } }
}

extension Problem {
    /// Returns the faults of one field of a form: of the value at a JSON pointer (RFC 6901) or of a
    /// value inside it.
    ///
    /// `error.problem?.faults(at: "/title").isEmpty == false` marks a form's title field.
    ///
    /// - Returns: Phrases that follow the field's name, such as "is longer than 300 characters".
    public func faults(at pointer: String) -> [String] {
        errors.compactMap { error in
            guard case .pointer(let place)? = error.place else { return nil }
            let isInside = place == pointer || place.hasPrefix(pointer + "/")
            return isInside ? error.detail : nil
        }
    }
}

extension Problem {
    /// The problems that the backend reports; their names and statuses are stable.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case malformedRequest = "malformed-request"
        case invalidToken = "invalid-token"
        case unauthenticated
        case forbidden
        case userRequired = "user-required"
        case signUpClosed = "sign-up-closed"
        case commentsClosed = "comments-closed"
        case editTimeOver = "edit-time-over"
        case notTheWriter = "not-the-writer"
        case insecureTransport = "insecure-transport"
        case notFound = "not-found"
        case methodNotAllowed = "method-not-allowed"
        case notAcceptable = "not-acceptable"
        case requestTimeout = "request-timeout"
        case idTaken = "id-taken"
        case slugTaken = "slug-taken"
        case nameTaken = "name-taken"
        case repeatedComment = "repeated-comment"
        case requestInFlight = "request-in-flight"
        case syncReset = "sync-reset"
        case preconditionFailed = "precondition-failed"
        case contentTooLarge = "content-too-large"
        case addressTooLong = "address-too-long"
        case unsupportedMediaType = "unsupported-media-type"
        case expectationFailed = "expectation-failed"
        case misdirectedRequest = "misdirected-request"
        case invalidValues = "invalid-values"
        case keyReused = "idempotency-key-reused"
        case tooManyBookmarks = "too-many-bookmarks"
        case preconditionRequired = "precondition-required"
        case tooManyRequests = "too-many-requests"
        case headerTooLarge = "header-too-large"
        case internalError = "internal-error"
        case notImplemented = "not-implemented"
        case unavailable
        case versionNotSupported = "version-not-supported"
        case storageFull = "storage-full"

        /// `/problems/<name>`.
        public var type: String { "/problems/\(rawValue)" }

        /// The HTTP status (RFC 9110 §15, RFC 6585, RFC 4918 §11.5).
        public var status: Int { entry.status }

        public var title: String { entry.title }

        private var entry: (status: Int, title: String) {
            switch self {
            case .malformedRequest: (400, "The request is malformed")
            case .invalidToken: (400, "The token is not valid here")
            case .unauthenticated: (401, "Authentication is required")
            case .forbidden: (403, "The role does not allow this")
            case .userRequired: (403, "An account is required")
            case .signUpClosed: (403, "Sign-up requires an invitation")
            case .commentsClosed: (403, "The article takes no comments")
            case .editTimeOver: (403, "The time for changes is over")
            case .notTheWriter: (403, "Somebody else wrote this")
            case .insecureTransport: (403, "Credentials require an encrypted connection")
            case .notFound: (404, "Not found")
            case .methodNotAllowed: (405, "The method is not allowed")
            case .notAcceptable: (406, "No acceptable representation is available")
            case .requestTimeout: (408, "The request took too long to arrive")
            case .idTaken: (409, "The id is already in use")
            case .slugTaken: (409, "The slug is already in use")
            case .nameTaken: (409, "The name is already in use")
            case .repeatedComment: (409, "The comment was just written")
            case .requestInFlight: (409, "A request with this key is still in progress")
            case .syncReset: (410, "The copy must be started anew")
            case .preconditionFailed: (412, "Precondition failed")
            case .contentTooLarge: (413, "The body is too large")
            case .addressTooLong: (414, "The URI is too long")
            case .unsupportedMediaType: (415, "The media type is not supported")
            case .expectationFailed: (417, "The expectation cannot be met")
            case .misdirectedRequest: (421, "This host is not served here")
            case .invalidValues: (422, "Validation failed")
            case .keyReused: (422, "The idempotency key was used for another request")
            case .tooManyBookmarks: (422, "There are too many bookmarks")
            case .preconditionRequired: (428, "If-Match is required")
            case .tooManyRequests: (429, "Too many requests")
            case .headerTooLarge: (431, "The header is too large")
            case .internalError: (500, "Internal server error")
            case .notImplemented: (501, "Not implemented")
            case .unavailable: (503, "The service is unavailable")
            case .versionNotSupported: (505, "The HTTP version is not supported")
            case .storageFull: (507, "The storage is full")
            }
        }
    }
}
