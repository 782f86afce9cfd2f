extension Problem {
    /// The problems that the backend has; names and statuses are stable.
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
            case .unauthenticated: (401, "Credentials are needed")
            case .forbidden: (403, "The key's role does not allow this")
            case .insecureTransport: (403, "Credentials need an encrypted connection")
            case .notFound: (404, "There is nothing here")
            case .methodNotAllowed: (405, "The method is not allowed here")
            case .notAcceptable: (406, "No acceptable representation")
            case .requestTimeout: (408, "The request took too long to arrive")
            case .idTaken: (409, "The id is taken")
            case .slugTaken: (409, "The slug is taken")
            case .requestInFlight: (409, "The first request with this key is under way")
            case .preconditionFailed: (412, "It was changed in the meantime")
            case .contentTooLarge: (413, "The body is too large")
            case .addressTooLong: (414, "The address is too long")
            case .unsupportedMediaType: (415, "The body's type is not supported")
            case .expectationFailed: (417, "The expectation cannot be met")
            case .misdirectedRequest: (421, "This host is not served here")
            case .invalidValues: (422, "Values cannot be accepted")
            case .keyReused: (422, "The idempotency key belongs to another request")
            case .preconditionRequired: (428, "If-Match is required")
            case .tooManyRequests: (429, "Too many requests")
            case .headerTooLarge: (431, "The header is too large")
            case .internalError: (500, "Something went wrong")
            case .notImplemented: (501, "Not implemented")
            case .unavailable: (503, "Not available at the moment")
            case .versionNotSupported: (505, "The HTTP version is not supported")
            case .storageFull: (507, "The storage is full")
            }
        }
    }
}
