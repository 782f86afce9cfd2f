/// The head of a response. See ``ResponseParser``.
public struct ResponseHead: Sendable, Equatable {
    public var status: HTTPStatus
    public var version: HTTPVersion
    public var fields: HTTPFields
    public var framing: BodyFraming
    public var keepsAlive: Bool
}

/// Parses response heads from a growing buffer, as ``RequestParser`` parses request heads.
///
/// A value for one connection; use it anywhere. Interim responses (1xx) are heads of their own,
/// which the caller skips.
///
/// A lenient parser also accepts the deviations of old servers that RFC 9112 allows user agents to
/// accept: bare line feeds (§2.2), odd white space in the status line (§4), folded lines (§5.2),
/// and `Transfer-Encoding` with `Content-Length` or in HTTP/1.0 (§6.1, §6.3). As others may read
/// such a head differently, no other response can follow it (`keepsAlive`).
///
/// ```swift
/// var parser = ResponseParser()
/// let received = Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".utf8)[...]
/// let head = try parser.parse(received.span, to: .get)
/// ```
public struct ResponseParser: Sendable {
    private var scanner: HeadScanner
    private let isLenient: Bool
    /// The length of the last head.
    public private(set) var consumed = 0

    public init(limits: HTTPLimits = HTTPLimits(), isLenient: Bool = false) {
        self.isLenient = isLenient
        scanner = HeadScanner(limits: limits, of: isLenient ? .lenientResponse : .response)
    }

    /// Parses the head at the start of the bytes; `nil` if it is incomplete.
    ///
    /// - Parameters:
    ///   - bytes: Everything received of the head so far.
    ///   - method: The method of the request, which decides whether a body follows (RFC 9112 §6.3).
    public mutating func parse(
        _ bytes: borrowing Span<UInt8>, to method: HTTPMethod
    ) throws(HTTPParseError) -> ResponseHead? {
        do throws(HTTPParseError) {
            guard let length = try scanner.scan(bytes) else { return nil }
            let head = try head(in: bytes, to: method)
            consumed = length
            scanner.reset()
            return head
        } catch {
            scanner.reset()
            throw error
        }
    }

    private func head(
        in bytes: borrowing Span<UInt8>, to method: HTTPMethod
    ) throws(HTTPParseError) -> ResponseHead {
        guard isLenient, scanner.needsRepair(bytes) else {
            return try head(in: bytes, scanner.start, scanner.lineEnds, to: method)
        }
        let (repaired, lineEnds) = scanner.repaired(bytes)
        let octets = repaired[...]
        var head = try head(in: octets.span, 0, lineEnds, to: method)
        head.keepsAlive = false
        return head
    }

    private func head(
        in bytes: borrowing Span<UInt8>, _ start: Int, _ lineEnds: [Int], to method: HTTPMethod
    ) throws(HTTPParseError) -> ResponseHead {
        let line = bytes.extracting(start..<lineEnds[0]).withUnsafeBufferPointer { Array($0) }
        let statusLine = try StatusLine(line, isLenient: isLenient)
        let (version, status) = (statusLine.version, statusLine.status)
        let lines = try FieldLines(bytes, lineEnds: lineEnds)
        let isTunnel = method == .connect && (200...299).contains(status.code)
        let framing: BodyFraming =
            if method == .head || status.forbidsBody || isTunnel { .none } else {
                try lines.framing(version: version, isLenient: isLenient) ?? .untilClose
            }
        let isClear = !statusLine.isOdd && !lines.hasAmbiguousFraming(version: version)
        return ResponseHead(
            status: status, version: version, fields: lines.fields, framing: framing,
            keepsAlive: framing != .untilClose && isClear && lines.keepsAlive(version: version))
    }
}

/// `HTTP-version SP status-code SP [reason]` (RFC 9112 §4).
private struct StatusLine {
    let version: HTTPVersion
    let status: HTTPStatus
    /// True if its parts are separated or surrounded by other white space.
    let isOdd: Bool

    init(_ line: [UInt8], isLenient: Bool) throws(HTTPParseError) {
        var parts = line.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
        let isIndented = line.first.map(Token.isSpace) ?? false
        isOdd = isLenient && (isIndented || Self.status(parts) == nil)
        if isOdd { parts = line.split(maxSplits: 2, whereSeparator: Token.isSpace) }
        guard let status = Self.status(parts) else {
            throw .bad("a status line without a status code")
        }
        // A later minor version counts as 1.1 (RFC 9110 §2.5).
        let version = Array(parts[0])
        guard version.count == 8, version.starts(with: "HTTP/1.".utf8),
            (48...57).contains(version[7])
        else { throw .bad("an HTTP version other than 1.0 or 1.1") }
        self.version = version[7] == 48 ? .http10 : .http11
        self.status = status
    }

    private static func status(_ parts: [ArraySlice<UInt8>]) -> HTTPStatus? {
        guard parts.count >= 2, parts[1].count == 3,
            parts[1].allSatisfy({ (48...57).contains($0) })
        else { return nil }
        return HTTPStatus(parts[1].reduce(0) { $0 * 10 + Int($1 - 48) })
    }
}
