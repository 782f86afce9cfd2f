/// The head of a request, and its consequences for the connection. See ``RequestParser``.
public struct RequestHead: Sendable, Equatable {
    public var method: HTTPMethod
    public var target: RequestTarget
    public var version: HTTPVersion
    public var fields: HTTPFields
    public var framing: BodyFraming
    /// True if another request may follow.
    public var keepsAlive: Bool
    /// True if the client waits for 100 (Continue) before it sends the body (RFC 9110 §10.1.1).
    public var expectsContinue: Bool
}

/// The framing of a message's body (RFC 9112 §6). See ``BodyDecoder``.
public enum BodyFraming: Sendable, Hashable {
    case none
    /// Bytes, greater than 0.
    case length(Int)
    case chunked
    /// Until the connection is closed, for responses of HTTP/1; in HTTP/2, until the stream ends.
    case untilClose
}

/// Parses successive request heads from a growing buffer (RFC 9112).
///
/// Pass all bytes from the start of the head; the parser remembers how far it has read. After a
/// head, remove `consumed` bytes from the buffer and continue with the body. A value for one
/// connection; use it anywhere. A head is parsed the same way however it is split into pieces, and
/// a head that another recipient might read differently is rejected.
///
/// ```swift
/// var parser = RequestParser()
/// if let head = try parser.parse(buffer.span) {
///     buffer = buffer.dropFirst(parser.consumed)
///     targets.append("\(head.method) \(head.target)")
/// }
/// ```
public struct RequestParser: Sendable {
    private var scanner: HeadScanner
    /// The length of the last head.
    public private(set) var consumed = 0

    public init(limits: HTTPLimits = HTTPLimits()) {
        scanner = HeadScanner(limits: limits, of: .request)
    }

    /// Parses the head at the start of the bytes; `nil` if it is incomplete.
    ///
    /// - Throws: The error to respond with before closing; the parser is then reset.
    public mutating func parse(
        _ bytes: borrowing Span<UInt8>
    ) throws(HTTPParseError) -> RequestHead? {
        do throws(HTTPParseError) {
            guard let length = try scanner.scan(bytes) else { return nil }
            let head = try head(in: bytes)
            consumed = length
            scanner.reset()
            return head
        } catch {
            scanner.reset()
            throw error
        }
    }

    private func head(in bytes: borrowing Span<UInt8>) throws(HTTPParseError) -> RequestHead {
        let lineEnd = scanner.lineEnds[0]
        let line = try RequestLine(bytes.extracting(scanner.start..<lineEnd))
        let lines = try FieldLines(bytes, lineEnds: scanner.lineEnds)
        try Self.checkHost(lines, line.version)
        let framing = try lines.framing(version: line.version) ?? .none
        return RequestHead(
            method: line.method, target: line.target, version: line.version,
            fields: lines.fields, framing: framing,
            keepsAlive: lines.keepsAlive(version: line.version),
            expectsContinue: try Self.expectsContinue(lines, line.version) && framing != .none)
    }

    /// Requires one valid `Host`, which only HTTP/1.0 may omit (RFC 9112 §3.2).
    private static func checkHost(
        _ lines: FieldLines, _ version: HTTPVersion
    ) throws(HTTPParseError) {
        guard lines.hostCount <= 1 else { throw .bad("more than one Host field") }
        guard lines.hostCount == 1 else {
            guard version == .http10 else { throw .bad("no Host field") }
            return
        }
        guard lines.hasValidHost else { throw .bad("an invalid Host field") }
    }

    private static func expectsContinue(
        _ lines: FieldLines, _ version: HTTPVersion
    ) throws(HTTPParseError) -> Bool {
        guard lines.hasExpect, version == .http11 else { return false }
        guard lines.expectsOnlyContinue else {
            throw HTTPParseError(.expectationFailed, "an expectation other than 100-continue")
        }
        return true
    }
}

/// `method SP request-target SP HTTP-version` (RFC 9112 §3).
private struct RequestLine {
    let method: HTTPMethod
    let target: RequestTarget
    let version: HTTPVersion

    init(_ line: borrowing Span<UInt8>) throws(HTTPParseError) {
        var first = 0
        while first < line.count, line[unchecked: first] != 0x20 { first += 1 }
        var second = first + 1
        while second < line.count, line[unchecked: second] != 0x20 { second += 1 }
        guard second < line.count else { throw .bad("a request line with fewer than three parts") }
        method = try Self.method(line.extracting(0..<first))
        let rest = line.extracting((second + 1)..<line.count)
        // A space in the target: the version follows a later one.
        if rest.count > 8, rest[rest.count - 9] == 0x20,
            (try? Self.version(rest.extracting((rest.count - 8)...))) != nil
        {
            throw .bad(RequestTarget.ParsingError.octet(0x20).description)
        }
        version = try Self.version(rest)
        let bytes = line.extracting((first + 1)..<second).withUnsafeBufferPointer { Array($0) }
        do throws(RequestTarget.ParsingError) {
            target = try RequestTarget(parsing: bytes, method: method)
            guard target.form != .asterisk || method == .options else { throw .form }
        } catch { throw .bad(error.description) }
    }

    private static func method(
        _ bytes: borrowing Span<UInt8>
    ) throws(HTTPParseError) -> HTTPMethod {
        if bytes.count == 3, bytes[0] == 0x47, bytes[1] == 0x45, bytes[2] == 0x54 { return .get }
        let name = bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        guard let method = HTTPMethod(name) else { throw .bad("a method that is not a token") }
        guard bytes.count <= 32 else {
            throw HTTPParseError(.notImplemented, "a method longer than 32 characters")
        }
        return method
    }

    /// Parses `HTTP/1.0` or `HTTP/1.1`; a later minor version counts as 1.1 (RFC 9110 §2.5).
    private static func version(
        _ bytes: borrowing Span<UInt8>
    ) throws(HTTPParseError) -> HTTPVersion {
        let name: StaticString = "HTTP/"
        guard bytes.count == 8 else { throw .bad("a request line without an HTTP version") }
        for index in 0..<5 where bytes[index] != name.utf8Start[index] {
            throw .bad("a request line without an HTTP version")
        }
        guard (48...57).contains(bytes[5]), bytes[6] == 0x2E, (48...57).contains(bytes[7]) else {
            throw .bad("a request line without an HTTP version")
        }
        guard bytes[5] == 0x31 else {
            throw HTTPParseError(.httpVersionNotSupported, "an HTTP version other than 1.0 or 1.1")
        }
        return bytes[7] == 0x30 ? .http10 : .http11
    }
}

/// The reason why bytes are not an acceptable message. The rest of the connection cannot be parsed
/// reliably after this error, so the server responds and closes it. See ``RequestParser``.
public struct HTTPParseError: Error, Sendable, Hashable {
    /// The status of the server's response.
    public let status: HTTPStatus
    /// A description of the fault and its position, for the sender, without the bytes themselves.
    public let detail: String

    public init(_ status: HTTPStatus, _ detail: String) {
        self.status = status
        self.detail = detail
    }

    static func bad(_ detail: String) -> HTTPParseError { HTTPParseError(.badRequest, detail) }
}

/// Maximum sizes in bytes; larger messages are rejected.
///
/// A message is rejected as soon as it exceeds a limit, not when it is complete.
///
/// ```swift
/// var limits = HTTPLimits()
/// limits.requestLineBytes = 2_048
/// var parser = RequestParser(limits: limits)
/// ```
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
