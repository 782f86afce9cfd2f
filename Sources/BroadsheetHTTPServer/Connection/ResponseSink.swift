import BroadsheetHTTP
import BroadsheetSockets

/// The sink for the one response to a request. Writing consumes it, so that no request receives two
/// responses: the head is written once, then the body, whole or piece by piece.
///
/// This is the sink of an HTTP/1 connection. It is used on the connection's loop.
struct ResponseSink: ~Copyable {
    private let connection: HTTP1Connection
    /// True if the request lets the connection stay open.
    private let keepsAlive: Bool

    /// Bodies up to this size are copied after the head, which is cheaper than a second buffer.
    private static var copiedBodyBytes: Int { 8 << 10 }

    init(_ connection: HTTP1Connection, keepsAlive: Bool) {
        self.connection = connection
        self.keepsAlive = keepsAlive
    }

    private var exchange: Exchange { connection.exchange }

    /// Sends the response; returns whether another request may follow on the connection.
    consuming func send(_ response: consuming HTTPResponse) async throws(ChannelError) -> Bool {
        if response.fields.hasRejectedValue { response = exchange.response(to: .unsendable) }
        let keepsAlive =
            keepsAlive && !connection.isLastResponse && !Self.asksToClose(&response.fields)
        exchange.complete(&response)
        if connection.channel.isOpen { exchange.sent.status = response.status }
        let goesOn: Bool
        do throws(ChannelError) {
            switch response.body {
            case .stream(let stream) where !exchange.sent.isHead && !response.status.forbidsBody:
                goesOn = try await write(response, stream, keepsAlive: keepsAlive)
            default:
                try await writeWhole(response, keepsAlive: keepsAlive)
                goesOn = keepsAlive
            }
        } catch {
            exchange.notifyObservers()
            throw error
        }
        exchange.notifyObservers()
        return goesOn
    }

    /// Responds to a request whose body is not wanted. A small body is probably in flight; it is
    /// read and discarded, so that the connection stays open. For a large one the connection is
    /// closed.
    consuming func send(
        _ response: HTTPResponse, discardingBodyOf head: borrowing RequestHead
    ) async throws(ChannelError) -> Bool {
        switch head.framing {
        case .none: return try await send(response)
        case .length(let length) where length <= BodyBudget.smallBytes && !head.expectsContinue:
            guard try await connection.dropBody(length) else { return false }
            return try await send(response)
        default:
            let connection = connection
            _ = try await ResponseSink(connection, keepsAlive: false).send(response)
            await connection.linger()
            return false
        }
    }

    /// Agrees to another protocol (RFC 9110 §7.8); further bytes on the connection belong to it.
    consuming func switchProtocols(to name: String) async throws(ChannelError) {
        let response = HTTPResponse(
            .switchingProtocols, fields: [.connection: "Upgrade", .upgrade: name])
        exchange.sent.status = response.status
        defer { exchange.notifyObservers() }
        try await writeWhole(response, keepsAlive: true)
    }

    /// Returns true if a handler asks to close the connection. Removes the fields that the server
    /// writes itself.
    static func asksToClose(_ fields: inout HTTPFields) -> Bool {
        guard fields.hasFramingFields else { return false }
        let asks = fields.list(.connection, has: "close")
        for name in ownFields where fields.contains(name) { fields.remove(name) }
        return asks
    }

    private static let ownFields: [HTTPFieldName] = [
        .connection, .contentLength, .date, .transferEncoding,
    ]

    /// The octets of a response's head alone.
    func wholeHead(of response: borrowing HTTPResponse, keepsAlive: Bool) -> [UInt8] {
        let loopContext = connection.loopContext
        var bytes = loopContext.takeHead()
        ResponseSerializer.appendHead(
            status: response.status, fields: response.fields,
            framing: framing(response.status, response.body), date: loopContext.dateText,
            requestID: exchange.requestID, keepsAlive: keepsAlive, version: exchange.sent.version,
            to: &bytes)
        return bytes
    }

    private func framing(
        _ status: HTTPStatus, _ body: borrowing HTTPBody
    ) -> ResponseSerializer.Framing {
        guard !status.forbidsBody else { return .none }
        switch body {
        case .none: return .length(0)
        case .bytes(let bytes): return .length(bytes.count)
        case .stream(let stream):
            if let length = stream.length { return .length(length) }
            return exchange.sent.version == .http11 ? .chunked : .untilClose
        }
    }

    private func writeWhole(
        _ response: consuming HTTPResponse, keepsAlive: Bool
    ) async throws(ChannelError) {
        var head = wholeHead(of: response, keepsAlive: keepsAlive)
        var body: [UInt8] = []
        if case .bytes(let bytes) = response.body, !exchange.sent.isHead,
            !response.status.forbidsBody
        {
            if bytes.count <= Self.copiedBodyBytes {
                head.append(contentsOf: bytes)
            } else {
                body = bytes
            }
        }
        if !keepsAlive { connection.channel.isEnding = true }
        let written = connection.channel.writeAtOnce(head, body)
        if written < head.count + body.count {
            try await connection.writeRest(
                HTTP1Connection.UnsentResponse(head: head, body: body, start: written))
        }
        exchange.sent.bytes = head.count + body.count
        connection.loopContext.giveBack(consume head)
    }

    // MARK: Prepared responses

    /// Sends a prepared response; false if the task has to send the rest of it.
    consuming func send(_ ready: Exchange.CachedMatch) -> Bool {
        let keepsAlive = keepsAlive && !connection.isLastResponse
        let body = appendPrepared(ready, keepsAlive: keepsAlive)
        let head = connection.loopContext.output.bytes
        if !keepsAlive { connection.channel.isEnding = true }
        let written = connection.channel.writeAtOnce(head, body)
        exchange.sent.status = ready.prepared.response.status
        exchange.sent.template = ready.prepared.template
        if let reader = ready.reader { exchange.sent.sender = reader.sender }
        exchange.sent.bytes = head.count + body.count
        guard written == exchange.sent.bytes else {
            connection.unsent = HTTP1Connection.UnsentResponse(
                head: Array(head), body: body, start: written)
            return false
        }
        exchange.notifyObservers()
        return true
    }

    /// Assembles the head in the loop's buffer, with a small body; returns a large one.
    private func appendPrepared(_ ready: Exchange.CachedMatch, keepsAlive: Bool) -> [UInt8] {
        let output = connection.loopContext.output
        let prepared = ready.prepared
        output.removeAll()
        if ready.reader != nil, let word = prepared.publicWord {
            output.append(prepared.head, ..<word.lowerBound)
            output.append("private")
            output.append(prepared.head, word.upperBound...)
        } else {
            output.append(prepared.head)
        }
        if let line = connection.listener.strictTransportLine, connection.channel.isSecure {
            output.append(line)
        }
        if let crossOrigin = connection.listener.crossOrigin {
            output.append(crossOrigin.fields(at: exchange.sent.origin).wireBytes)
        }
        if exchange.isByCookie { output.append(SessionCookie.varying.wireBytes) }
        if let allowance = exchange.sent.allowance {
            exchange.limiter(of: allowance)?.append(allowance, to: output)
        }
        output.append("Date: ")
        output.append(connection.loopContext.dateText)
        output.append("\r\nX-Request-ID: ")
        output.append(exchange.requestID)
        if !keepsAlive {
            output.append("\r\nConnection: close\r\n\r\n")
        } else if exchange.sent.version == .http10 {
            output.append("\r\nConnection: keep-alive\r\n\r\n")
        } else {
            output.append("\r\n\r\n")
        }
        guard !exchange.sent.isHead else { return [] }
        guard prepared.body.count <= Self.copiedBodyBytes else { return prepared.body }
        output.append(prepared.body)
        return []
    }

    // MARK: Streams

    /// Sends a body piece by piece; the next is requested when the previous one is in the kernel's
    /// buffer.
    private func write(
        _ response: HTTPResponse, _ stream: HTTPBodyStream, keepsAlive: Bool
    ) async throws(ChannelError) -> Bool {
        let channel = connection.channel
        let isDelimited = stream.length != nil || exchange.sent.version == .http11
        let keepsAlive = keepsAlive && isDelimited
        let isChunked = stream.length == nil && isDelimited
        if let stop = stream.stop {
            channel.onStop = stop
            if channel.isStopping { stop() }
            channel.breaksWhenHungUp = true
        }
        defer {
            channel.onStop = nil
            channel.breaksWhenHungUp = false
        }
        try await send(wholeHead(of: response, keepsAlive: keepsAlive), [])
        var count = 0
        do {
            while let piece = try await next(of: stream) {
                guard !piece.isEmpty else { continue }
                guard piece.count <= (stream.length ?? .max) - count else { throw BadLength() }
                try await send(isChunked ? chunkStart(piece.count, isFirst: count == 0) : [], piece)
                count += piece.count
            }
            guard count == stream.length ?? count else { throw BadLength() }
        } catch {
            // The client must not mistake the truncated body for a complete one.
            channel.reset()
            throw error as? ChannelError ?? .cancelled
        }
        if isChunked {
            try await send((count > 0 ? [0x0D, 0x0A] : []) + ResponseSerializer.lastChunk, [])
        }
        return keepsAlive
    }

    /// The next piece. If the client of a safe request disconnects, the stream is cancelled: it may
    /// have nothing to send for a long time, and would not notice.
    private func next(of stream: HTTPBodyStream) async throws -> [UInt8]? {
        connection.channel.beginWork()
        defer { connection.channel.endWork() }
        return try await stream.next()
    }

    private struct BadLength: Error {}

    /// The size line of a chunk, after the line ending of the previous chunk.
    private func chunkStart(_ count: Int, isFirst: Bool) -> [UInt8] {
        Array("\(isFirst ? "" : "\r\n")\(String(count, radix: 16))\r\n".utf8)
    }

    /// A piece that waits for a slow reader counts towards the limit of waiting responses.
    private func send(_ head: [UInt8], _ body: [UInt8]) async throws(ChannelError) {
        let count = head.count + body.count
        exchange.sent.bytes += count
        let written = connection.channel.writeAtOnce(head, body)
        guard written < count else { return }
        try await connection.writeWaiting(
            HTTP1Connection.UnsentResponse(head: head, body: body, start: written))
    }
}

/// The carrier of one exchange: an HTTP/1 connection, or a stream of an HTTP/2 connection. It is
/// used on the connection's loop.
protocol ExchangeTransport: AnyObject {
    /// Starts work that has to be finished by the deadline, in monotonic milliseconds.
    func beginWork(until deadline: Int64)
    func endWork()
    /// Names the carrier for other threads.
    var place: any ExchangeReference { get }
}

extension SocketChannel: ExchangeTransport {
    var place: any ExchangeReference { reference }
}

extension ChannelReference: ExchangeReference {
    func abort(
        afterMilliseconds delay: Int64, ifWanted isWanted: @escaping @Sendable () -> Bool
    ) {
        schedule(afterMilliseconds: delay) { channel in
            if isWanted() { channel.abortByReset(.cancelled) }
        }
    }
}

/// The reason why a request's body cannot be read.
enum BodyFailure: Error {
    case rejected(HTTPStatus, String)
    /// The client disconnected before the end of the body.
    case ended
    case channel(ChannelError)

    static var handedOver: BodyFailure {
        .rejected(HTTPError.handedOver.status, HTTPError.handedOver.detail)
    }
}

/// A body that has arrived.
struct WholeBody {
    let bytes: [UInt8]
    /// True if it arrived after its head, so that access may have been revoked in between.
    let isLate: Bool
}

/// The source of a request's body, however it is framed.
protocol BodySource: AnyObject {
    var exchange: Exchange { get }
    /// True if bytes of the body have arrived that are not decoded yet.
    var hasBodyBytes: Bool { get }
    /// Tells the client that its body is wanted (RFC 9110 §10.1.1).
    func sendContinue() async throws(BodyFailure)
    /// Decodes the bytes that have arrived.
    func decode(
        _ decoder: inout BodyDecoder, into body: inout [UInt8]
    ) throws(BodyFailure)
    /// Waits for bytes; false if no more will come although the body is not complete.
    ///
    /// - Parameter deadline: Evaluated for each wait, since a hand-off shortens it.
    func more(until deadline: @autoclosure () -> Int64) async throws(BodyFailure) -> Bool
    /// The handler's time begins, or goes on after it waited for the client.
    func beginHandling()
    /// The handler has left the body while another task still reads it.
    func abandonBody()
}

extension BodySource {
    /// Reads the whole body, which takes room from other bodies while it is held.
    func wholeBody(
        _ head: borrowing RequestHead, _ route: HTTPRouteBody
    ) async throws(BodyFailure) -> WholeBody {
        let limits = exchange.listener.limits
        var decoder = try limits.bodyDecoder(head.framing, of: route)
        var isLate = false
        var body: [UInt8] = []
        if case .length(let length) = head.framing {
            body.reserveCapacity(min(length, ServerLimits.reservedBodyBytes))
        }
        if head.expectsContinue, !hasBodyBytes { try await sendContinue() }
        let start = exchange.channel.loop.now
        // Invariant: `body` has consumed as many of the received bytes as it could.
        while true {
            try decode(&decoder, into: &body)
            guard exchange.hold(body.count) else {
                throw .rejected(
                    .serviceUnavailable, "Too many request bodies are in progress.")
            }
            if decoder.isComplete { return WholeBody(bytes: body, isLate: isLate) }
            isLate = true
            let deadline = limits.bodyDeadline(since: start, received: body.count)
            guard try await more(until: deadline) else { throw .ended }
        }
    }
}

extension ServerLimits {
    /// The maximum bytes reserved for a body before any of it has arrived.
    fileprivate static let reservedBodyBytes = 64 << 10

    /// - Parameter route: The route's treatment of bodies, which may include a limit.
    func bodyDecoder(
        _ framing: BodyFraming, of route: HTTPRouteBody = .whole()
    ) throws(BodyFailure) -> BodyDecoder {
        var message = message
        switch route {
        case .spooled(let limitBytes): message.bodyBytes = limitBytes
        case .whole(let limitBytes?): message.bodyBytes = min(message.bodyBytes, limitBytes)
        case .rejected, .whole, .streamed: break
        }
        do throws(HTTPParseError) {
            return try BodyDecoder(framing, limits: message)
        } catch { throw BodyFailure(error) }
    }
}

extension BodyFailure {
    init(_ error: HTTPParseError) {
        self = .rejected(error.status, "The request has \(error.detail).")
    }
}
