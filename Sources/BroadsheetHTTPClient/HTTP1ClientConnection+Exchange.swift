import BroadsheetHTTP
import BroadsheetSockets

extension HTTP1ClientConnection {
    /// Performs the exchange; returns whether another one may follow on the connection.
    func serve(_ exchange: Exchange, on channel: SocketChannel) async -> Bool {
        guard !exchange.isOver else { return true }
        (sentBytes, receivedBytes) = (0, 0)
        channel.beginWork(until: exchange.place.deadline)
        defer { channel.endWork() }
        do throws(HTTPClientError) {
            let isSent = try await write(exchange, channel)
            let head = try await readHead(exchange, channel)
            try await readBody(head, exchange, channel)
            return isSent && head.keepsAlive && buffer.isEmpty && channel.isOpen
        } catch {
            fail(exchange, error)
            return false
        }
    }

    private func fail(_ exchange: Exchange, _ error: HTTPClientError) {
        if exchange.mayRetry(
            after: error, mayEnd: completed > 0, hasSent: sentBytes > 0,
            hasReceived: receivedBytes > 0)
        {
            release()
            return pool.retry(exchange)
        }
        exchange.finish(.failure(error))
        exchange.bodyEnded(.failure(error))
    }

    // MARK: Writing

    /// Larger bodies are sent in pieces of this size; between pieces it checks for an early
    /// response.
    private static var pieceBytes: Int { 64 << 10 }

    /// Sends the request; false if the response arrived before all of it was sent.
    private func write(
        _ exchange: Exchange, _ channel: SocketChannel
    ) async throws(HTTPClientError) -> Bool {
        let bytes = RequestSerializer.bytes(of: exchange.request)
        let bodyBytes = exchange.request.body.count
        let headBytes = bytes.count - bodyBytes
        let progress = exchange.options.uploadProgress
        if bodyBytes <= Self.pieceBytes, progress == nil {
            try await write(bytes, exchange, channel)
            return true
        }
        var position = 0
        // Invariant: the bytes before `position` are sent.
        while position < bytes.count {
            let end = min(bytes.count, max(position, headBytes) + Self.pieceBytes)
            try await write(Array(bytes[position..<end]), exchange, channel)
            position = end
            progress?(position - headBytes, bodyBytes)
            if position < bytes.count, case .bytes = try fill(channel) { return false }
        }
        return true
    }

    private func write(
        _ bytes: [UInt8], _ exchange: Exchange, _ channel: SocketChannel
    ) async throws(HTTPClientError) {
        let written = channel.writeAtOnce(bytes)
        sentBytes += written
        guard written < bytes.count else { return }
        do throws(ChannelError) {
            // From here on the peer may have received any part of the request.
            sentBytes += 1
            try await channel.write(
                bytes, from: written,
                stallMilliseconds: exchange.options.stallMilliseconds ?? Self.longMilliseconds)
        } catch { throw HTTPClientError(error) }
    }

    /// Unlimited: about a year.
    private static var longMilliseconds: Int64 { 1 << 35 }

    // MARK: Reading

    /// The head of the final response.
    private func readHead(
        _ exchange: Exchange, _ channel: SocketChannel
    ) async throws(HTTPClientError) -> ResponseHead {
        var interim = InterimResponses()
        var keepsAlive = true
        // Invariant: the buffer is empty or holds the beginning of a head; `keepsAlive` tells
        // whether all heads before it do.
        while true {
            if var head = try parseHead(exchange.request.method) {
                keepsAlive = keepsAlive && head.keepsAlive
                head.keepsAlive = keepsAlive
                guard head.status.code < 200 else { return head }
                try interim.add(head.status)
                continue
            }
            try await receive(exchange, channel)
        }
    }

    private func parseHead(_ method: HTTPMethod) throws(HTTPClientError) -> ResponseHead? {
        guard !buffer.isEmpty else { return nil }
        do throws(HTTPParseError) {
            let head = try parser.parse(Span(_unsafeElements: buffer.bytes), to: method)
            if head != nil { buffer.consume(parser.consumed) }
            return head
        } catch {
            if speaksHTTP2, pool.requiresHTTP1(origin) { throw .requiresHTTP1(origin) }
            throw .malformed(error.detail)
        }
    }

    /// True if the server begins with settings (RFC 9113 §3.4), instead of a response.
    private var speaksHTTP2: Bool {
        buffer.bytes.count > 3 && buffer.bytes[0] == 0 && buffer.bytes[3] == 4
    }

    /// Waits for bytes and receives them; the end of the stream is an error.
    private func receive(
        _ exchange: Exchange, _ channel: SocketChannel
    ) async throws(HTTPClientError) {
        guard try await more(exchange, channel) else { throw .disconnected }
    }

    /// Waits for bytes and receives them; false at the end of the stream.
    func more(
        _ exchange: Exchange, _ channel: SocketChannel
    ) async throws(HTTPClientError) -> Bool {
        let stall = exchange.options.stallMilliseconds ?? Self.longMilliseconds
        let deadline = channel.loop.now + stall
        while true {
            switch try fill(channel) {
            case .bytes: return true
            case .end: return false
            case .wouldBlock: break
            }
            do throws(ChannelError) {
                try await channel.waitReadable(until: deadline)
            } catch { throw HTTPClientError(error) }
        }
    }

    private func fill(_ channel: SocketChannel) throws(HTTPClientError) -> SocketChannel.ReadResult
    {
        guard channel.mayRead else { return .wouldBlock }
        do throws(ChannelError) {
            let result = try channel.read(into: readRoom())
            if case .bytes(let count) = result {
                buffer.added(count)
                receivedBytes += count
            }
            return result
        } catch { throw HTTPClientError(error) }
    }
}

extension HTTPClientError {
    /// Maps the error of a channel to the error of its exchange.
    init(_ error: ChannelError) {
        switch error {
        case .timedOut: self = .timedOut
        case .cancelled: self = .cancelled
        case .disconnected: self = .disconnected
        case .insecure(.truncated): self = .disconnected
        case .insecure(let failure): self = .insecure(failure)
        }
    }
}
