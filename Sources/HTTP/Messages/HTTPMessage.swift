/// A version of HTTP/1 (RFC 9112 §2.3).
public enum HTTPVersion: Sendable, Hashable {
    case http10, http11
}

/// A complete request, received or to be sent.
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
}

/// A response to a request.
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

/// The body of a response.
public enum HTTPBody: Sendable {
    case none
    case bytes([UInt8])
    case stream(HTTPBodyStream)
}

/// A body that is produced piece by piece; each piece is requested when the previous one was sent.
public struct HTTPBodyStream: Sendable {
    /// The length of the whole body in bytes, if known in advance.
    public let length: Int?
    /// The next piece; `nil` at the end. An error truncates the message in a way that the receiver
    /// detects.
    public let next: @Sendable () async throws -> [UInt8]?

    public init(length: Int? = nil, next: @escaping @Sendable () async throws -> [UInt8]?) {
        self.length = length
        self.next = next
    }
}
