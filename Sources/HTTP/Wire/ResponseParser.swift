/// The head of a response. A value; use it anywhere. See ``ResponseParser``.
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
/// ```swift
/// var parser = ResponseParser()
/// let received = Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".utf8)[...]
/// let head = try parser.parse(received.span, to: .get)
/// ```
public struct ResponseParser: Sendable {
    private var scanner: HeadScanner
    /// The length of the last head.
    public private(set) var consumed = 0

    public init(limits: HTTPLimits = HTTPLimits()) {
        scanner = HeadScanner(limits: limits)
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
        let lineEnd = scanner.lineEnds[0]
        let line = bytes.extracting(scanner.start..<lineEnd).withUnsafeBufferPointer {
            String(decoding: $0, as: UTF8.self)
        }
        let (version, status) = try Self.statusLine(line)
        let lines = try FieldLines(bytes, lineEnds: scanner.lineEnds)
        let isTunnel = method == .connect && (200...299).contains(status.code)
        let framing: BodyFraming =
            if method == .head || status.forbidsBody || isTunnel { .none } else {
                try lines.framing(version: version) ?? .untilClose
            }
        return ResponseHead(
            status: status, version: version, fields: lines.fields, framing: framing,
            keepsAlive: framing != .untilClose && lines.keepsAlive(version: version))
    }

    /// `HTTP-version SP status-code SP [reason]` (RFC 9112 §4).
    private static func statusLine(
        _ line: String
    ) throws(HTTPParseError) -> (HTTPVersion, HTTPStatus) {
        let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[1].utf8.count == 3,
            parts[1].utf8.allSatisfy({ (48...57).contains($0) }), let code = Int(parts[1]),
            let status = HTTPStatus(code)
        else { throw .bad("a status line without a status code") }
        // A later minor version counts as 1.1 (RFC 9110 §2.5).
        let version = Array(parts[0].utf8)
        guard version.count == 8, version.starts(with: "HTTP/1.".utf8),
            (48...57).contains(version[7])
        else { throw .bad("an HTTP version other than 1.0 or 1.1") }
        return (version[7] == 48 ? .http10 : .http11, status)
    }
}
