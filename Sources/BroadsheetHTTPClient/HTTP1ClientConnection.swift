import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetSockets

/// One HTTP/1.1 connection to an origin, until it closes: it waits for an exchange, sends its
/// request, receives its response, and repeats.
final class HTTP1ClientConnection: ClientConnection, @unchecked Sendable {
    let origin: HTTPOrigin
    let pool: ConnectionPool
    private let channel: SocketChannel
    /// The current or next exchange.
    private(set) var exchange: ClientExchange?
    var parser: ResponseParser
    /// It grows when a head needs more; see `readRoom`.
    private(set) var buffer = ReadBuffer()
    /// Created for the first coded body and reused for later ones.
    var contentDecoder: ContentDecoder?
    /// The number of completed exchanges.
    private(set) var completed = 0
    /// The bytes of the current request that were sent, and of its response that were received.
    var sentBytes = 0
    var receivedBytes = 0
    private var roomWaiter: UnsafeContinuation<Void, Never>?

    init(_ channel: SocketChannel, to origin: HTTPOrigin, in pool: ConnectionPool) {
        self.channel = channel
        self.origin = origin
        self.pool = pool
        parser = ResponseParser(limits: pool.configuration.message, isLenient: true)
    }

    // MARK: Called by the pool

    let isShared = false
    var room: Int { exchange == nil ? 1 : 0 }
    var exchanges: [ClientExchange] { exchange.map { [$0] } ?? [] }

    /// Assigns an exchange to an idle connection.
    func take(_ exchange: ClientExchange) {
        self.exchange = exchange
        exchange.place.connection = self
        channel.interrupt()
    }

    /// Nothing else can follow an incomplete response.
    func drop(_ exchange: ClientExchange) { abort() }

    func abort() {
        channel.abort()
        resumeReading()
    }

    /// Resumes decoding after the reader of a streamed body has consumed the buffered pieces.
    func resumeReading() { roomWaiter.take()?.resume() }

    // MARK: Lifecycle

    func run() async {
        pool.hasRoom(self)
        channel.onOverrun = { $0.abort(.timedOut) }
        while let exchange = await next() {
            guard await serve(exchange, on: channel) else { break }
            completed += 1
            release()
            pool.hasRoom(self)
        }
        release()
        channel.onOverrun = nil
    }

    /// The next exchange; `nil` when the connection has closed or was idle for too long.
    private func next() async -> ClientExchange? {
        let deadline = channel.loop.now + pool.configuration.idleMilliseconds
        do throws(ChannelError) {
            // Invariant: no unsolicited bytes have been received.
            while true {
                if channel.mayRead {
                    guard case .wouldBlock = try channel.read(into: buffer.room()) else { break }
                }
                if let exchange { return exchange }
                try await channel.waitReadable(until: deadline)
            }
        } catch {
            // Closed, or idle for too long.
        }
        if let exchange {
            release()
            pool.retry(exchange)
        }
        return nil
    }

    /// The free space for the next bytes. If a head fills the buffer, a larger one replaces it, up
    /// to the size of the longest head; the parser rejects longer ones.
    func readRoom() -> UnsafeMutableRawBufferPointer {
        let room = buffer.room()
        guard room.isEmpty else { return room }
        let usedBytes = buffer.bytes.count
        let message = pool.configuration.message
        let limitBytes = message.requestLineBytes + message.fieldBytes + 1_024
        guard usedBytes < limitBytes else { return room }
        let larger = ReadBuffer(capacity: min(2 * usedBytes, limitBytes))
        larger.room().copyMemory(from: UnsafeRawBufferPointer(buffer.bytes))
        larger.added(usedBytes)
        buffer = larger
        return larger.room()
    }

    /// Waits until `resumeReading` is called or the exchange ends.
    func waitForRoom() async {
        await withUnsafeContinuation { roomWaiter = $0 }
    }

    /// Detaches the connection from its exchange.
    func release() {
        exchange?.place.connection = nil
        exchange = nil
    }
}

extension HTTP1ClientConnection {
    /// Reads the body after the head, and delivers the response to the exchange.
    func readBody(
        _ head: ResponseHead, _ exchange: ClientExchange, _ channel: SocketChannel
    ) async throws(HTTPClientError) {
        var (response, body) = try exchange.options.begin(head, &contentDecoder)
        if exchange.options.isStreamed {
            return try await stream(response, &body, exchange, channel)
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(body.length ?? 0, ResponseBodyDecoder.reservedBytes))
        while !body.isComplete { try await decode(&body, into: &bytes, exchange, channel) }
        response.body = .bytes(bytes)
        exchange.finish(.success(response))
    }

    /// Delivers the head to the caller, then the body as fast as it is read.
    private func stream(
        _ response: HTTPResponse, _ body: inout ResponseBodyDecoder, _ exchange: ClientExchange,
        _ channel: SocketChannel
    ) async throws(HTTPClientError) {
        if !exchange.options.limitsStream { channel.endWork() }
        let pipe = BoundedBodyStream(windowBytes: pool.configuration.streamWindowBytes) {
            [weak self, pool] in pool.loop.submit { [weak self] in self?.resumeReading() }
        }
        exchange.hand(response, length: body.length, pipe)
        while !body.isComplete {
            var piece: [UInt8] = []
            try await decode(&body, into: &piece, exchange, channel)
            if !piece.isEmpty, !pipe.add(piece), channel.isOpen { await waitForRoom() }
            guard channel.isOpen || body.isComplete else { throw .cancelled }
        }
        exchange.bodyEnded(.success(()))
    }

    /// Decodes received bytes, or waits for more first.
    private func decode(
        _ body: inout ResponseBodyDecoder, into bytes: inout [UInt8], _ exchange: ClientExchange,
        _ channel: SocketChannel
    ) async throws(HTTPClientError) {
        if body.needsMore, buffer.isEmpty, try await !more(exchange, channel) {
            return try body.close()
        }
        buffer.consume(
            try body.decode(Span(_unsafeElements: buffer.bytes), into: &bytes))
    }
}

extension HTTP1ClientConnection {
    /// Performs the exchange; returns whether another one may follow on the connection.
    func serve(_ exchange: ClientExchange, on channel: SocketChannel) async -> Bool {
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

    private func fail(_ exchange: ClientExchange, _ error: HTTPClientError) {
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
        _ exchange: ClientExchange, _ channel: SocketChannel
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
        _ bytes: [UInt8], _ exchange: ClientExchange, _ channel: SocketChannel
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
        _ exchange: ClientExchange, _ channel: SocketChannel
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
        _ exchange: ClientExchange, _ channel: SocketChannel
    ) async throws(HTTPClientError) {
        guard try await more(exchange, channel) else { throw .disconnected }
    }

    /// Waits for bytes and receives them; false at the end of the stream.
    func more(
        _ exchange: ClientExchange, _ channel: SocketChannel
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
