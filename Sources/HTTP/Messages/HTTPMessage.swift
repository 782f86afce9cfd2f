/// A version of HTTP/1 (RFC 9112 §2.3).
public enum HTTPVersion: Sendable, Hashable {
    case http10, http11
}

/// A request, received whole or to be sent.
public struct HTTPRequest: Sendable, Equatable {
    public var method: HTTPMethod
    public var target: RequestTarget
    public var version: HTTPVersion
    public var fields: HTTPFields
    /// Empty where there is none.
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

/// An answer to a request.
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

/// What an answer carries.
public enum HTTPBody: Sendable {
    case none
    case bytes([UInt8])
    case stream(HTTPBodyStream)
}

/// A body that is made piece by piece, each asked for when the one before it has gone out.
public struct HTTPBodyStream: Sendable {
    /// The whole length in bytes, if it is known before.
    public let length: Int?
    /// The next piece; `nil` at the end. An error cuts the message off, so that the receiver sees
    /// that it is not whole.
    public let next: @Sendable () async throws -> [UInt8]?

    public init(length: Int? = nil, next: @escaping @Sendable () async throws -> [UInt8]?) {
        self.length = length
        self.next = next
    }
}
