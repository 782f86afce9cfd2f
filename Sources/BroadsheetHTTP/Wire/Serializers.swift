/// Writes requests as HTTP/1.1 octets (RFC 9112 §3).
///
/// The body's length is always stated correctly, whatever the fields say. Its functions may be used
/// on any thread.
///
/// ```swift
/// let request = HTTPRequest(.get, target, fields: [.host: "example.org"])
/// let bytes = RequestSerializer.bytes(of: request)
/// ```
public enum RequestSerializer {
    /// Serializes the whole request: request line, fields, `Content-Length` if there is a body or
    /// the method implies one, and the body. The fields must include `Host`; a body length among
    /// them is ignored, as the body determines it.
    public static func bytes(of request: HTTPRequest) -> [UInt8] {
        var fields = request.fields
        fields.remove(.contentLength)
        fields.remove(.transferEncoding)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(
            request.target.bytes.count + fields.wireBytes.count + request.body.count + 64)
        bytes.append(contentsOf: request.method.rawValue.utf8)
        bytes.append(UInt8(ascii: " "))
        bytes.append(contentsOf: request.target.bytes)
        bytes.append(
            contentsOf: (request.version == .http10 ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n").utf8)
        bytes.append(contentsOf: fields.wireBytes)
        if let length = request.statedLength {
            bytes.append(contentsOf: "Content-Length: \(length)\r\n".utf8)
        }
        bytes.append(contentsOf: "\r\n".utf8)
        bytes.append(contentsOf: request.body)
        return bytes
    }
}

/// Writes responses as HTTP/1.1 octets (RFC 9112 §4).
///
/// It does not check its arguments: the caller sends a body that matches the framing, and no fields
/// with a rejected value. Its functions may be used on any thread.
///
/// ```swift
/// var bytes: [UInt8] = []
/// ResponseSerializer.appendHead(
///     status: .ok, fields: [.contentType: "text/plain"], framing: .chunked,
///     date: Array(HTTPDate.text(784_111_777).utf8), keepsAlive: true, version: .http11,
///     to: &bytes)
/// ResponseSerializer.appendChunk(Array("hello".utf8), to: &bytes)
/// bytes += ResponseSerializer.lastChunk
/// ```
public enum ResponseSerializer {
    /// The framing of the body.
    public enum Framing: Sendable, Hashable {
        /// No body and no `Content-Length`: 1xx, 204, 304.
        case none
        case length(Int)
        case chunked
        /// Until the connection is closed (for HTTP/1.0).
        case untilClose
    }

    /// Appends the status line and the fields with the final empty line. This writes `Connection`,
    /// `Content-Length`, `Transfer-Encoding` and `Date`, which must not be among the fields.
    ///
    /// - Parameters:
    ///   - status: The status, which determines the reason phrase.
    ///   - fields: All other fields.
    ///   - framing: The framing, which indicates the end of the body.
    ///   - date: The value of `Date`, as written by `HTTPDate.text`.
    ///   - requestID: The value of `X-Request-ID`, visible ASCII; empty for none.
    ///   - keepsAlive: True if another request may follow.
    ///   - version: The version of the request.
    ///   - bytes: The buffer to append the head to.
    public static func appendHead(
        status: HTTPStatus, fields: borrowing HTTPFields, framing: Framing, date: [UInt8],
        requestID: String = "", keepsAlive: Bool, version: HTTPVersion, to bytes: inout [UInt8]
    ) {
        appendConstant(status: status, fields: fields, framing: framing, to: &bytes)
        append("Date: ", to: &bytes)
        bytes.append(contentsOf: date)
        append("\r\n", to: &bytes)
        if !requestID.isEmpty {
            append("X-Request-ID: ", to: &bytes)
            bytes.append(contentsOf: requestID.utf8)
            append("\r\n", to: &bytes)
        }
        if !keepsAlive {
            append("Connection: close\r\n", to: &bytes)
        } else if version == .http10 {
            append("Connection: keep-alive\r\n", to: &bytes)
        }
        append("\r\n", to: &bytes)
    }

    /// Appends the part of a head that is the same for every request, without the final empty line.
    public static func appendConstant(
        status: HTTPStatus, fields: borrowing HTTPFields, framing: Framing,
        to bytes: inout [UInt8]
    ) {
        bytes.append(contentsOf: StatusLines.line(status))
        bytes.append(contentsOf: fields.wireBytes)
        switch framing {
        case .none, .untilClose: break
        case .length(let length):
            append("Content-Length: ", to: &bytes)
            appendDecimal(length, to: &bytes)
            append("\r\n", to: &bytes)
        case .chunked: append("Transfer-Encoding: chunked\r\n", to: &bytes)
        }
    }

    /// Appends one chunk (RFC 9112 §7.1); nothing for an empty piece, which would end the body.
    public static func appendChunk(_ data: [UInt8], to bytes: inout [UInt8]) {
        guard !data.isEmpty else { return }
        bytes.append(contentsOf: String(data.count, radix: 16).utf8)
        append("\r\n", to: &bytes)
        bytes.append(contentsOf: data)
        append("\r\n", to: &bytes)
    }

    /// The end of a chunked body.
    public static let lastChunk = Array("0\r\n\r\n".utf8)

    /// The interim response that asks a client to send its body (RFC 9110 §15.2.1).
    public static let continueHead = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    private static func append(_ text: StaticString, to bytes: inout [UInt8]) {
        bytes.append(
            contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private static func appendDecimal(_ number: Int, to bytes: inout [UInt8]) {
        if number >= 10 { appendDecimal(number / 10, to: &bytes) }
        bytes.append(48 + UInt8(number % 10))
    }
}

/// Status lines, created once.
private enum StatusLines {
    static func line(_ status: HTTPStatus) -> [UInt8] { lines[status.code - 100] }

    private static let lines: [[UInt8]] = (100...599).map { code in
        let reason = HTTPStatus(code)?.reason ?? ""
        return Array("HTTP/1.1 \(code) \(reason)\r\n".utf8)
    }
}
