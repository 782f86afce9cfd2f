/// Why bytes are not an acceptable message. The rest of the connection cannot be parsed reliably
/// after this error, so the server responds and closes it.
public struct HTTPParseError: Error, Sendable, Hashable {
    /// The status of the server's response.
    public let status: HTTPStatus
    /// What was wrong and where, for the sender, without the bytes themselves.
    public let detail: String

    public init(_ status: HTTPStatus, _ detail: String) {
        self.status = status
        self.detail = detail
    }

    static func bad(_ detail: String) -> HTTPParseError { HTTPParseError(.badRequest, detail) }
}

/// Maximum sizes in bytes; larger messages are rejected.
public struct HTTPLimits: Sendable, Hashable {
    /// Of a request line with its line ending; otherwise 414.
    public var requestLineBytes = 8 << 10
    /// Of all field lines with their line endings, and of all trailers, otherwise 431; of all chunk
    /// extensions, otherwise 400.
    public var fieldBytes = 16 << 10
    /// The number of fields; otherwise 431.
    public var fields = 100
    /// Of a body; otherwise 413.
    public var bodyBytes = 3 << 20
    /// Of a chunk size line with its extensions.
    public var chunkLineBytes = 256
    /// Of empty lines before a request line (RFC 9112 §2.2).
    public var emptyLines = 4

    public init() {}
}
