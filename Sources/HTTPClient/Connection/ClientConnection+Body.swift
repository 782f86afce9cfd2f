import HTTP
import Sockets

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
