public import BroadsheetHTTP
public import BroadsheetSockets

/// A small HTTP client that uses a new connection for each request.
public struct TestClient: Sendable {
    public let address: SocketAddress

    public init(_ address: SocketAddress) { self.address = address }

    public func send(
        _ method: HTTPMethod, _ target: String, fields: HTTPFields = HTTPFields(),
        body: [UInt8] = []
    ) throws -> ReceivedResponse {
        let connection = try RawConnection(address)
        var head = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        for field in fields.all { head += "\(field.name): \(field.value)\r\n" }
        if !body.isEmpty { head += "Content-Length: \(body.count)\r\n" }
        try connection.send(Array("\(head)\r\n".utf8) + body)
        return try connection.response(to: method)
    }

    public func get(_ target: String) throws -> ReceivedResponse { try send(.get, target) }
}

/// A complete request, as a server receives it.
package struct ReceivedRequest: Equatable {
    package var head: RequestHead
    package var body: [UInt8]
}

/// The result of parsing bytes: requests, and the error that ended them.
package struct ParsedRequests: Equatable {
    package var requests: [ReceivedRequest] = []
    package var error: HTTPParseError?
    /// Bytes after the last complete request; 0 after an error.
    package var restBytes = 0

    package var statusCode: Int? { error?.status.code }
}

/// Parses requests from a stream like a connection does: bytes arrive in pieces, are buffered, and
/// are removed when they are consumed.
package struct Receiver {
    private var parser: RequestParser
    private let limits: HTTPLimits
    private var buffer: [UInt8] = []
    private var open: (head: RequestHead, decoder: BodyDecoder, body: [UInt8])?
    private var reception = ParsedRequests()
    /// True if a step consumed more bytes than available.
    package private(set) var isOverrun = false

    package init(limits: HTTPLimits = HTTPLimits()) {
        self.limits = limits
        parser = RequestParser(limits: limits)
    }

    /// The result of parsing these pieces in order.
    package static func receive(_ pieces: [ArraySlice<UInt8>], limits: HTTPLimits = HTTPLimits())
        -> ParsedRequests
    {
        var receiver = Receiver(limits: limits)
        for piece in pieces { receiver.take(piece) }
        return receiver.result
    }

    package static func receive(_ text: String, limits: HTTPLimits = HTTPLimits()) -> ParsedRequests
    {
        receive([Array(text.utf8)[...]], limits: limits)
    }

    package var result: ParsedRequests {
        var result = reception
        result.restBytes = result.error == nil ? buffer.count : 0
        return result
    }

    package mutating func take(_ bytes: ArraySlice<UInt8>) {
        guard reception.error == nil else { return }
        buffer += bytes
        do throws(HTTPParseError) {
            while try step() {}
        } catch { reception.error = error }
    }

    /// - Returns: True if it made progress.
    private mutating func step() throws(HTTPParseError) -> Bool {
        guard var message = open else {
            let bytes = buffer
            guard let head = try parser.parse(bytes.span) else { return false }
            use(parser.consumed)
            open = (head, try BodyDecoder(head.framing, limits: limits), [])
            return true
        }
        open = nil
        use(try message.decoder.decode(buffer.span, into: &message.body))
        if message.decoder.isComplete {
            reception.requests.append(ReceivedRequest(head: message.head, body: message.body))
            open = nil
            return true
        }
        open = message
        return false
    }

    private mutating func use(_ count: Int) {
        if count > buffer.count { isOverrun = true }
        buffer.removeFirst(min(count, buffer.count))
    }
}

/// A request of these lines followed by an empty line.
package func lines(_ lines: String...) -> String { lines.joined(separator: "\r\n") + "\r\n\r\n" }
