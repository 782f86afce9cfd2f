import HTTP
import Sockets

extension Connection {
    /// Bodies up to this size are copied after the head, which is cheaper than a second buffer.
    private static var copiedBodyBytes: Int { 8 << 10 }

    /// Sends the response; returns whether another request may follow on the connection.
    func answer(
        _ response: consuming HTTPResponse, keepsAlive: Bool
    ) async throws(ChannelError) -> Bool {
        if response.fields.hasRejectedValue { response = self.response(to: .unsendable) }
        let keepsAlive = keepsAlive && !isLastResponse && !asksToClose(&response.fields)
        complete(&response)
        if channel.isOpen { sent.status = response.status }
        let goesOn: Bool
        do throws(ChannelError) {
            switch response.body {
            case .stream(let stream) where !sent.isHead && !response.status.forbidsBody:
                goesOn = try await write(response, stream, keepsAlive: keepsAlive)
            default:
                try await writeWhole(response, keepsAlive: keepsAlive)
                goesOn = keepsAlive
            }
        } catch {
            notifyObservers()
            throw error
        }
        notifyObservers()
        return goesOn
    }

    /// Rejects a request and closes the connection in a way that lets the client read the response.
    func reject(_ refusal: HTTPError) async throws(ChannelError) {
        _ = try await answer(response(to: refusal), keepsAlive: false)
        await linger()
    }

    /// Rejects bytes that are not a valid request.
    func rejectUnread(_ refusal: HTTPError) async throws(ChannelError) {
        sent = SentResponse(isObserved)
        sent.receivedBytes = buffer?.bytes.count ?? 0
        forwarded = nil
        requestID = local.requestID(for: HTTPFields())
        try await reject(refusal)
    }

    private func notifyObservers() {
        guard isObserved else { return }
        let record = sent.record(peer: clientAddress, requestID: requestID)
        for observer in rules.observers { observer.finished(record) }
        local.accessLines?.append(record)
    }

    // MARK: Heads

    /// Adds the fields that every response has.
    func complete(_ response: inout HTTPResponse) {
        SecurityHeaders.add(to: &response.fields, of: response.status)
        if let strictTransport = rules.strictTransport, channel.isSecure {
            response.fields[.strictTransportSecurity] = strictTransport
        }
        if let crossOrigin = rules.crossOrigin {
            response.fields.append(contentsOf: crossOrigin.fields(at: sent.origin))
        }
        if let allowance = sent.allowance {
            limiter(of: allowance)?.append(allowance, to: &response.fields)
        }
    }

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
            requestID: requestID, keepsAlive: keepsAlive, version: sent.version, to: &bytes)
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
            return sent.version == .http11 ? .chunked : .untilClose
        }
    }

    private func writeWhole(
        _ response: consuming HTTPResponse, keepsAlive: Bool
    ) async throws(ChannelError) {
        var head = wholeHead(of: response, keepsAlive: keepsAlive)
        var body: [UInt8] = []
        if case .bytes(let bytes) = response.body, !sent.isHead, !response.status.forbidsBody {
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
        sent.bytes = head.count + body.count
        local.giveBack(head)
    }

    // MARK: Prepared responses

    /// Sends a prepared response on a connection that stays open; false if the task has to send the
    /// rest of it.
    func send(_ ready: Ready) -> Bool {
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
            output.append(crossOrigin.fields(at: sent.origin).wireBytes)
        }
        if let allowance = sent.allowance { limiter(of: allowance)?.append(allowance, to: output) }
        output.append("Date: ")
        output.append(local.dateText)
        output.append("\r\nX-Request-ID: ")
        output.append(requestID)
        output.append(sent.version == .http10 ? "\r\nConnection: keep-alive\r\n\r\n" : "\r\n\r\n")
        var body: [UInt8] = []
        if !sent.isHead {
            if ready.body.count <= Self.copiedBodyBytes {
                output.append(ready.body)
            } else {
                body = ready.body
            }
        }
        let head = output.bytes
        let written = channel.writeAtOnce(head, body)
        sent.status = ready.response.status
        sent.template = ready.template
        sent.bytes = head.count + body.count
        guard written == sent.bytes else {
            unsent = Unsent(head: Array(head), body: body, start: written)
            return false
        }
        notifyObservers()
        return true
    }

    /// Sends what could not be written at once.
    func send(_ rest: Unsent) async throws(ChannelError) {
        defer { notifyObservers() }
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
        endScope()
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
        let isDelimited = stream.length != nil || sent.version == .http11
        let keepsAlive = keepsAlive && isDelimited
        let isChunked = stream.length == nil && isDelimited
        try await send(wholeHead(of: response, keepsAlive: keepsAlive), [])
        var count = 0
        do {
            while let piece = try await stream.next() {
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

    private struct BadLength: Error {}

    /// The size line of a chunk, after the line ending of the previous chunk.
    private func chunkStart(_ count: Int, isFirst: Bool) -> [UInt8] {
        Array("\(isFirst ? "" : "\r\n")\(String(count, radix: 16))\r\n".utf8)
    }

    private func send(_ head: [UInt8], _ body: [UInt8])
        async throws(ChannelError)
    {
        try await channel.write(head, body, stallMilliseconds: limits.writeStallMilliseconds)
        sent.bytes += head.count + body.count
    }

    // MARK: Ending

    /// Responds to a client above the connection limit.
    func turnAway() async {
        do throws(ChannelError) {
            let deadline = now + limits.handshakeMilliseconds
            try await meetClient(until: deadline)
            try await secure(until: deadline)
            try await rejectUnread(HTTPError(.serviceUnavailable, "Too many connections."))
        } catch {
            // The client has disconnected.
        }
        releaseBuffer()
    }

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
