extension Problem {
    /// The problems that the backend reports; their names and statuses are stable.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case malformedRequest = "malformed-request"
        case unauthenticated
        case forbidden
        case insecureTransport = "insecure-transport"
        case notFound = "not-found"
        case methodNotAllowed = "method-not-allowed"
        case notAcceptable = "not-acceptable"
        case requestTimeout = "request-timeout"
        case idTaken = "id-taken"
        case slugTaken = "slug-taken"
        case requestInFlight = "request-in-flight"
        case preconditionFailed = "precondition-failed"
        case contentTooLarge = "content-too-large"
        case addressTooLong = "address-too-long"
        case unsupportedMediaType = "unsupported-media-type"
        case expectationFailed = "expectation-failed"
        case misdirectedRequest = "misdirected-request"
        case invalidValues = "invalid-values"
        case keyReused = "idempotency-key-reused"
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
            case .unauthenticated: (401, "Authentication is required")
            case .forbidden: (403, "The key's role does not allow this")
            case .insecureTransport: (403, "Credentials require an encrypted connection")
            case .notFound: (404, "Not found")
            case .methodNotAllowed: (405, "The method is not allowed")
            case .notAcceptable: (406, "No acceptable representation is available")
            case .requestTimeout: (408, "The request took too long to arrive")
            case .idTaken: (409, "The id is already in use")
            case .slugTaken: (409, "The slug is already in use")
            case .requestInFlight: (409, "A request with this key is still in progress")
            case .preconditionFailed: (412, "Precondition failed")
            case .contentTooLarge: (413, "The body is too large")
            case .addressTooLong: (414, "The URI is too long")
            case .unsupportedMediaType: (415, "The media type is not supported")
            case .expectationFailed: (417, "The expectation cannot be met")
            case .misdirectedRequest: (421, "This host is not served here")
            case .invalidValues: (422, "Validation failed")
            case .keyReused: (422, "The idempotency key was used for another request")
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
