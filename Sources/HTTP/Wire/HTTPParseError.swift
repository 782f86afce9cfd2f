/// Why bytes are no message that this side takes. After one, nothing that follows on the connection
/// can be trusted: it is answered and closed.
public struct HTTPParseError: Error, Sendable, Hashable {
    /// What a server answers.
    public let status: HTTPStatus
    /// What was wrong and where, for the sender; without the bytes themselves.
    public let detail: String

    public init(_ status: HTTPStatus, _ detail: String) {
        self.status = status
        self.detail = detail
    }

    static func bad(_ detail: String) -> HTTPParseError { HTTPParseError(.badRequest, detail) }
}

/// The sizes beyond which a message is refused, in bytes.
public struct HTTPLimits: Sendable, Hashable {
    /// Of a request line with its end: 414 beyond.
    public var requestLineBytes = 8 << 10
    /// Of all field lines with their ends, and of all trailers: 431 beyond; of all chunk
    /// extensions: 400 beyond.
    public var fieldBytes = 16 << 10
    /// The number of fields: 431 beyond.
    public var fields = 100
    /// Of a body: 413 beyond.
    public var bodyBytes = 3 << 20
    /// Of a chunk's size line with its extensions.
    public var chunkLineBytes = 256
    /// Of empty lines before a request line (RFC 9112 §2.2).
    public var emptyLines = 4

    public init() {}
}
