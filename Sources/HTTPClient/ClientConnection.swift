import HTTP
import Platform
import Sockets

/// One connection to an origin, from connecting to closing, in one task: it waits for an exchange,
/// sends its request, receives its response, and repeats.
final class ClientConnection: @unchecked Sendable {
    /// The state of the connection.
    enum Phase {
        case connecting
        case open
        case failed(HTTPClientError)
    }

    let origin: HTTPOrigin
    let pool: ConnectionPool
    private(set) var phase = Phase.connecting
    private var channel: SocketChannel?
    /// The current or next exchange.
    private(set) var exchange: Exchange?
    var parser: ResponseParser
    let buffer: ReadBuffer
    /// Created for the first gzip body and reused for later ones.
    var gzip: GzipDecoder?
    /// The number of completed exchanges.
    private(set) var completed = 0
    /// The bytes of the current request that were sent, and of its response that were received.
    var sentBytes = 0
    var receivedBytes = 0
    private var roomWaiter: UnsafeContinuation<Void, Never>?

    init(_ origin: HTTPOrigin, in pool: ConnectionPool) {
        self.origin = origin
        self.pool = pool
        parser = ResponseParser(limits: pool.configuration.message)
        let message = pool.configuration.message
        buffer = ReadBuffer(
            capacity: max(32 << 10, message.requestLineBytes + message.fieldBytes + 1_024))
    }

    // MARK: Called by the pool

    /// Assigns an exchange to an idle connection.
    func take(_ exchange: Exchange) {
        self.exchange = exchange
        exchange.place.connection = self
        channel?.interrupt()
    }

    /// Closes the connection immediately, whatever it is doing.
    func abort() {
        channel?.abort()
        roomAgain()
    }

    /// The reader of a streamed body has consumed what was buffered.
    func roomAgain() { roomWaiter.take()?.resume() }

    // MARK: Lifecycle

    /// - Parameters:
    ///   - deadline: Until when the socket must be connected; monotonic milliseconds.
    ///   - secureDeadline: Until when the TLS handshake must be complete.
    func run(
        _ channel: SocketChannel, connectedBy deadline: Int64, securedBy secureDeadline: Int64
    ) async {
        self.channel = channel
        do throws(ChannelError) {
            try await channel.waitConnected(until: deadline)
            try await secure(channel, until: secureDeadline)
        } catch {
            phase = .failed(connectError(error))
            return
        }
        phase = .open
        pool.isFree(self)
        channel.onOverrun = { $0.abort(.timedOut) }
        while let exchange = await next() {
            guard await serve(exchange, on: channel) else { break }
            completed += 1
            release()
            pool.isFree(self)
        }
        release()
        channel.onOverrun = nil
        self.channel = nil
    }

    /// The next exchange; `nil` when the connection has closed or was idle for too long.
    private func next() async -> Exchange? {
        guard let channel else { return nil }
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

    /// Waits until `roomAgain` is called or the exchange ends.
    func waitForRoom() async {
        await withUnsafeContinuation { roomWaiter = $0 }
    }

    /// Detaches the connection from its exchange.
    func release() {
        exchange?.place.connection = nil
        exchange = nil
    }

    private func secure(
        _ channel: SocketChannel, until deadline: Int64
    ) async throws(ChannelError) {
        guard origin.scheme == .https, case .host(let host, _) = origin.place else { return }
        guard let tls = pool.tls else { throw .cancelled }
        try await channel.secure(as: tls, with: host, until: deadline)
    }

    private func connectError(_ error: ChannelError) -> HTTPClientError {
        switch error {
        case .disconnected(let code): .cannotConnect(origin, SystemError("connect", code: code))
        case .timedOut: .cannotConnect(origin, .connectTimedOut)
        case .cancelled: .cannotConnect(origin, .connectCancelled)
        case .insecure(let failure): .insecure(failure)
        }
    }
}

extension ClientConnection {
    /// Reads the body after the head, and delivers the response to the exchange.
    func readBody(
        _ head: ResponseHead, _ exchange: Exchange, _ channel: SocketChannel
    ) async throws(HTTPClientError) {
        let isCoded = exchange.options.decodesGzip && head.hasGzipBody
        if isCoded, gzip == nil { gzip = GzipDecoder() }
        var response = HTTPResponse(head.status, fields: head.fields)
        if isCoded, gzip != nil {
            // They describe the encoded body, which the caller does not see.
            response.fields.remove(.contentEncoding)
            response.fields.remove(.contentLength)
        }
        var body = try ResponseBodyDecoder(
            head.framing, isCoded ? gzip : nil, limitBytes: exchange.options.bodyBytes)
        if exchange.options.isStreamed {
            return try await stream(response, &body, exchange, channel)
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(body.length ?? 0, Self.reservedBytes))
        while !body.isComplete { try await decode(&body, into: &bytes, exchange, channel) }
        response.body = .bytes(bytes)
        exchange.finish(.success(response))
    }

    /// Reserves no memory for what a peer only announces.
    private static var reservedBytes: Int { 256 << 10 }

    /// Delivers the head to the caller, then the body as fast as it is read.
    private func stream(
        _ response: HTTPResponse, _ body: inout ResponseBodyDecoder, _ exchange: Exchange,
        _ channel: SocketChannel
    ) async throws(HTTPClientError) {
        channel.endWork()
        let pipe = BodyPipe(windowBytes: pool.configuration.streamWindowBytes) {
            [weak self, pool] in pool.loop.submit { [weak self] in self?.roomAgain() }
        }
        hand(response, body.length, pipe, to: exchange)
        while !body.isComplete {
            var piece: [UInt8] = []
            try await decode(&body, into: &piece, exchange, channel)
            if !piece.isEmpty, !pipe.add(piece), channel.isOpen { await waitForRoom() }
            guard channel.isOpen || body.isComplete else { throw .cancelled }
        }
        exchange.bodyEnded(.success(()))
    }

    /// From here on only the caller holds the reader, whose release ends the exchange.
    private func hand(
        _ response: HTTPResponse, _ length: Int?, _ pipe: BodyPipe, to exchange: Exchange
    ) {
        var response = response
        let reader = BodyReader(pipe, of: exchange)
        response.body = .stream(HTTPBodyStream(length: length) { try await reader.next() })
        exchange.finish(.success(response), streaming: pipe)
    }

    /// Decodes what was received, or waits for more first.
    private func decode(
        _ body: inout ResponseBodyDecoder, into bytes: inout [UInt8], _ exchange: Exchange,
        _ channel: SocketChannel
    ) async throws(HTTPClientError) {
        if body.needsMore, buffer.isEmpty, try await !more(exchange, channel) {
            return try body.close()
        }
        try body.decode(buffer, into: &bytes)
    }
}

extension ResponseHead {
    /// Whether a body follows with gzip as its only content coding (RFC 9110 §8.4.1.3).
    fileprivate var hasGzipBody: Bool {
        guard framing != .none, let coding = fields.combined(.contentEncoding)?.lowercased() else {
            return false
        }
        return coding == "gzip" || coding == "x-gzip"
    }
}
