import HTTP
import Sockets
import Synchronization

extension HTTP1Connection {
    /// Bodies up to this size are copied after the head, which is cheaper than a second buffer.
    private static var copiedBodyBytes: Int { 8 << 10 }

    /// Sends the response; returns whether another request may follow on the connection.
    func send(
        _ response: consuming HTTPResponse, keepsAlive: Bool
    ) async throws(ChannelError) -> Bool {
        if response.fields.hasRejectedValue { response = exchange.response(to: .unsendable) }
        let keepsAlive = keepsAlive && !isLastResponse && !asksToClose(&response.fields)
        exchange.complete(&response)
        if channel.isOpen { exchange.sent.status = response.status }
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

    /// Rejects a request and closes the connection in a way that lets the client read the response.
    func reject(_ rejection: HTTPError) async throws(ChannelError) {
        _ = try await send(exchange.response(to: rejection), keepsAlive: false)
        await linger()
    }

    /// Rejects bytes that are not a valid request.
    func rejectUnread(_ rejection: HTTPError) async throws(ChannelError) {
        exchange.beginUnread(receivedBytes: buffer?.bytes.count ?? 0)
        try await reject(rejection)
    }

    // MARK: Heads

    /// Whether a handler asks to close the connection. Removes the fields that the server writes
    /// itself.
    private func asksToClose(_ fields: inout HTTPFields) -> Bool {
        guard fields.hasFramingFields else { return false }
        let asks = fields.list(.connection, has: "close")
        for name in Self.ownFields where fields.contains(name) { fields.remove(name) }
        return asks
    }

    private static let ownFields: [HTTPFieldName] = [
        .connection, .contentLength, .date, .transferEncoding,
    ]

    /// The octets of the head alone.
    func wholeHead(of response: borrowing HTTPResponse, keepsAlive: Bool) -> [UInt8] {
        var bytes = local.takeHead()
        ResponseSerializer.appendHead(
            status: response.status, fields: response.fields,
            framing: framing(response.status, response.body), date: local.dateText,
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
        if !keepsAlive { channel.isEnding = true }
        let written = channel.writeAtOnce(head, body)
        if written < head.count + body.count {
            try await writeRest(Unsent(head: head, body: body, start: written))
        }
        exchange.sent.bytes = head.count + body.count
        local.giveBack(head)
    }

    // MARK: Prepared responses

    /// Sends a prepared response; false if the task has to send the rest of it.
    func send(_ ready: Exchange.Ready, keepsAlive: Bool) -> Bool {
        let isPrivate = ready.reader != nil
        let ready = ready.prepared
        let output = local.output
        output.removeAll()
        if isPrivate, let word = ready.publicWord {
            output.append(ready.head, ..<word.lowerBound)
            output.append("private")
            output.append(ready.head, word.upperBound...)
        } else {
            output.append(ready.head)
        }
        if let line = rules.strictTransportLine, channel.isSecure { output.append(line) }
        if let crossOrigin = rules.crossOrigin {
            output.append(crossOrigin.fields(at: exchange.sent.origin).wireBytes)
        }
        if let allowance = exchange.sent.allowance {
            exchange.limiter(of: allowance)?.append(allowance, to: output)
        }
        output.append("Date: ")
        output.append(local.dateText)
        output.append("\r\nX-Request-ID: ")
        output.append(exchange.requestID)
        if !keepsAlive {
            output.append("\r\nConnection: close\r\n\r\n")
        } else if exchange.sent.version == .http10 {
            output.append("\r\nConnection: keep-alive\r\n\r\n")
        } else {
            output.append("\r\n\r\n")
        }
        var body: [UInt8] = []
        if !exchange.sent.isHead {
            if ready.body.count <= Self.copiedBodyBytes {
                output.append(ready.body)
            } else {
                body = ready.body
            }
        }
        let head = output.bytes
        if !keepsAlive { channel.isEnding = true }
        let written = channel.writeAtOnce(head, body)
        exchange.sent.status = ready.response.status
        exchange.sent.template = ready.template
        exchange.sent.bytes = head.count + body.count
        guard written == exchange.sent.bytes else {
            unsent = Unsent(head: Array(head), body: body, start: written)
            return false
        }
        exchange.notifyObservers()
        return true
    }

    /// Sends what could not be written at once.
    func send(_ rest: Unsent) async throws(ChannelError) {
        defer { exchange.notifyObservers() }
        try await writeRest(rest)
    }

    /// Responses waiting for slow readers are bounded: above the limit, the latest one is dropped.
    private func writeRest(_ rest: Unsent) async throws(ChannelError) {
        let waitingBytes = rules.waiting.add(rest.count)
        defer { rules.waiting.remove(rest.count) }
        guard waitingBytes <= limits.waitingBytes else {
            channel.reset()
            throw .timedOut
        }
        // From here on the response counts towards waiting responses, and handlers may generate
        // others.
        exchange.endScope()
        try await channel.write(
            rest.head, rest.body, from: rest.start,
            stallMilliseconds: limits.writeStallMilliseconds)
    }

    // MARK: Streams

    /// Sends a body piece by piece; the next is requested when the previous one is in the kernel's
    /// buffer.
    private func write(
        _ response: HTTPResponse, _ stream: HTTPBodyStream, keepsAlive: Bool
    ) async throws(ChannelError) -> Bool {
        let isDelimited = stream.length != nil || exchange.sent.version == .http11
        let keepsAlive = keepsAlive && isDelimited
        let isChunked = stream.length == nil && isDelimited
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
        channel.beginWork()
        defer { channel.endWork() }
        return try await stream.next()
    }

    private struct BadLength: Error {}

    /// The size line of a chunk, after the line ending of the previous chunk.
    private func chunkStart(_ count: Int, isFirst: Bool) -> [UInt8] {
        Array("\(isFirst ? "" : "\r\n")\(String(count, radix: 16))\r\n".utf8)
    }

    private func send(_ head: [UInt8], _ body: [UInt8])
        async throws(ChannelError)
    {
        try await channel.write(head, body, stallMilliseconds: limits.writeStallMilliseconds)
        exchange.sent.bytes += head.count + body.count
    }

    // MARK: Ending

    /// Shuts the connection down for writing, then reads and discards what the client still sends,
    /// within limits: closing at once would reset the connection and could discard the response.
    func linger() async {
        channel.shutdownWrite()
        let deadline = now + limits.lingerMilliseconds
        var dropped = 0
        if let buffer { use(buffer.bytes.count) }
        do throws(ChannelError) {
            while dropped < limits.lingerBytes, now < deadline {
                switch try fill() {
                case .bytes(let count):
                    dropped += count
                    use(count)
                case .end: return
                case .wouldBlock: try await channel.waitReadable(until: deadline)
                }
            }
        } catch {
            // The client has disconnected, or the time is up.
        }
    }
}

/// The part of a response that was not written at once. The body is not copied, as many connections
/// may send the same one.
struct Unsent {
    let head: [UInt8]
    let body: [UInt8]
    /// How many bytes of both were written.
    let start: Int

    var count: Int { head.count + body.count - start }
}

/// The bytes of responses that wait for slow readers, over all loops.
final class WaitingResponses: Sendable {
    private let bytes = Atomic<Int>(0)

    /// - Returns: The new total.
    func add(_ count: Int) -> Int { bytes.add(count, ordering: .relaxed).newValue }

    func remove(_ count: Int) { bytes.subtract(count, ordering: .relaxed) }
}
