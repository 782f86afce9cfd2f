package import HTTP

/// A whole request, as a server would see it.
package struct ReceivedRequest: Equatable {
    package var head: RequestHead
    package var body: [UInt8]
}

/// What came out of some bytes: requests, and what ended them.
package struct Reception: Equatable {
    package var requests: [ReceivedRequest] = []
    package var error: HTTPParseError?
    /// Bytes behind the last whole request; 0 after an error.
    package var restBytes = 0

    package var statusCode: Int? { error?.status.code }
}

/// Reads requests from a stream as a connection does: bytes come in pieces, stay in a buffer, and
/// leave it as they are used.
package struct Receiver {
    private var parser: RequestParser
    private let limits: HTTPLimits
    private var buffer: [UInt8] = []
    private var open: (head: RequestHead, decoder: BodyDecoder, body: [UInt8])?
    private var reception = Reception()
    /// Whether a step claimed more bytes than there were.
    package private(set) var isOverrun = false

    package init(limits: HTTPLimits = HTTPLimits()) {
        self.limits = limits
        parser = RequestParser(limits: limits)
    }

    /// What comes out of these pieces, one after the other.
    package static func receive(_ pieces: [ArraySlice<UInt8>], limits: HTTPLimits = HTTPLimits())
        -> Reception
    {
        var receiver = Receiver(limits: limits)
        for piece in pieces { receiver.take(piece) }
        return receiver.result
    }

    package static func receive(_ text: String, limits: HTTPLimits = HTTPLimits()) -> Reception {
        receive([Array(text.utf8)[...]], limits: limits)
    }

    package var result: Reception {
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

    /// - Returns: whether it got further.
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

/// A request of these lines, the last of which is empty.
package func lines(_ lines: String...) -> String { lines.joined(separator: "\r\n") + "\r\n\r\n" }
