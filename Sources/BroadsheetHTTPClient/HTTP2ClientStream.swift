import BroadsheetHTTP
import BroadsheetHTTP2
import BroadsheetSockets

/// One exchange on an HTTP/2 connection: its request's body, and its response.
///
/// It can outlive its connection while its body is read.
final class HTTP2ClientStream: @unchecked Sendable {
    // Confined to the pool's loop.
    let id: Int32
    let exchange: ClientExchange
    private let connection: HTTP2ClientConnection
    private let upload: HTTP2Body?
    /// The offset of its request in the connection's output; `nil` while it waits in the session.
    var outputOffset: Int?
    private var uploadedBytes = 0
    /// The number of bytes that its connection had received when it began.
    private let receivedBefore: Int
    /// The time at which bytes of the request were last passed on, or some of the response arrived
    /// or was read.
    private var progressTime: Int64
    private var interim = InterimResponses()
    private var response: HTTPResponse?
    private var decoder: ResponseBodyDecoder?
    private var contentDecoder: ContentDecoder?
    /// The bytes of the body that have arrived and were not decoded.
    private var arrived: [UInt8] = []
    private var decodedCount = 0
    /// The decoded body, unless it is streamed.
    private var bytes: [UInt8] = []
    /// A body that is streamed.
    private var pipe: BoundedBodyStream?
    private var isPipeFull = false
    /// True if the response has arrived completely.
    private(set) var isReceived = false
    private var isOver = false

    init(
        _ id: Int32, _ exchange: ClientExchange, _ upload: HTTP2Body?,
        of connection: HTTP2ClientConnection
    ) {
        self.id = id
        self.exchange = exchange
        self.upload = upload
        self.connection = connection
        receivedBefore = connection.receivedBytes
        progressTime = connection.now
    }

    private var pool: ConnectionPool { connection.pool }

    // MARK: Sending

    /// Reports the number of bytes of the request's body that were passed on; true if these are
    /// all, or the stream has ended.
    func noteUpload() -> Bool {
        guard let upload, !isOver else { return true }
        let total = exchange.request.body.count
        let sent = total - upload.unsentCount
        guard sent > uploadedBytes else { return false }
        uploadedBytes = sent
        progressTime = connection.now
        exchange.options.uploadProgress?(sent, total)
        return sent == total
    }

    // MARK: Receiving

    func begin(_ head: ResponseHead, isLast: Bool) {
        progressTime = connection.now
        var head = head
        if isLast || exchange.request.method == .head { head.framing = .none }
        do throws(HTTPClientError) {
            guard head.status.code >= 200 else { return try interim.add(head.status) }
            let (response, decoder) = try exchange.options.begin(head, &contentDecoder)
            self.decoder = decoder
            if exchange.options.isStreamed {
                let pipe = BoundedBodyStream(windowBytes: pool.configuration.streamWindowBytes) {
                    [weak self, pool] in pool.loop.submit { [weak self] in self?.resumeReading() }
                }
                self.pipe = pipe
                exchange.hand(response, length: decoder.length, pipe)
            } else {
                self.response = response
                bytes.reserveCapacity(
                    min(decoder.length ?? 0, ResponseBodyDecoder.reservedBytes))
            }
        } catch { fail(error) }
    }

    func receive(_ more: [UInt8]) {
        progressTime = connection.now
        if arrived.isEmpty { arrived = more } else { arrived += more }
        decode()
    }

    func receivedAll() {
        isReceived = true
        decode()
    }

    /// Resumes decoding after the reader of a streamed body has consumed the buffered pieces.
    private func resumeReading() {
        guard !isOver else { return }
        isPipeFull = false
        progressTime = connection.now
        connection.remind(at: deadline)
        decode()
        connection.scheduleFlush()
    }

    /// Decodes bytes that have arrived as long as there is room for them; the server may then send
    /// more.
    private func decode() {
        guard decoder != nil else { return }
        do throws(HTTPClientError) {
            // Invariant: the first `decodedCount` bytes of `arrived` are decoded.
            while !isPipeFull, decoder?.isComplete == false {
                if decoder?.needsMore == true, decodedCount == arrived.count {
                    guard isReceived else { break }
                    try decoder?.close()
                } else {
                    try decodeSome()
                }
            }
            dropDecoded()
        } catch { return fail(error) }
        if isReceived, decoder?.isComplete == true { complete() }
    }

    private func decodeSome() throws(HTTPClientError) {
        let rest = arrived[decodedCount...]
        guard let pipe else {
            decodedCount += try decoder?.decode(rest.span, into: &bytes) ?? 0
            return
        }
        var piece: [UInt8] = []
        decodedCount += try decoder?.decode(rest.span, into: &piece) ?? 0
        if !piece.isEmpty { isPipeFull = !pipe.add(piece) }
    }

    private func dropDecoded() {
        guard decodedCount > 0 else { return }
        connection.session.consumed(decodedCount, on: id)
        if decodedCount == arrived.count { arrived = [] } else { arrived.removeFirst(decodedCount) }
        decodedCount = 0
    }

    // MARK: Ending

    private func complete() {
        isOver = true
        // The server does not need the rest of the request.
        if let upload, upload.unsentCount > 0 { reset() }
        exchange.place.connection = nil
        if var response {
            response.body = .bytes(bytes)
            exchange.finish(.success(response))
        }
        exchange.bodyEnded(.success(()))
        connection.completes(self)
    }

    /// The stream has ended on the wire.
    func closed(by code: HTTP2ErrorCode) {
        guard !isReceived, !isOver else { return }
        switch code {
        case .unprocessed where decoder == nil:
            isOver = true
            exchange.place.connection = nil
            connection.returns(self)
        case .http11Required where decoder == nil:
            isOver = true
            exchange.place.connection = nil
            connection.movesToHTTP1(self)
        case .protocol, .frameSize, .compression, .flowControl:
            fail(.malformed("a head or body that is not valid HTTP/2"))
        default: fail(.disconnected)
        }
    }

    /// The connection has ended before the response was complete.
    func connectionEnded(_ error: HTTPClientError) {
        guard !isReceived, !isOver else { return }
        guard
            exchange.mayRetry(
                after: error, mayEnd: connection.mayEnd, hasSent: connection.hasSent(self),
                hasReceived: interim.count > 0 || decoder != nil)
        else { return fail(error) }
        isOver = true
        exchange.place.connection = nil
        connection.forget(self)
        pool.retry(exchange)
    }

    /// Ends the stream without a response.
    func fail(_ error: HTTPClientError) {
        guard !isOver else { return }
        isOver = true
        if !isReceived { reset() }
        exchange.place.connection = nil
        connection.forget(self)
        end(error)
    }

    /// Delivers the error to the caller.
    func end(_ error: HTTPClientError) {
        exchange.finish(.failure(error))
        exchange.bodyEnded(.failure(error))
    }

    private func reset() {
        connection.session.reset(id, .cancel)
        connection.scheduleFlush()
    }

    // MARK: Time limits

    /// The time at which `timeOut` is due; monotonic milliseconds.
    var deadline: Int64 {
        let isLimited = pipe == nil || exchange.options.limitsStream
        let whole = isLimited ? exchange.place.deadline : .max
        guard !isPipeFull, !isReceived, let stall = exchange.options.stallMilliseconds else {
            return whole
        }
        return min(whole, progressTime + stall)
    }

    /// If nothing at all has arrived since the stream began, or for half the time that a stream may
    /// stall, the connection is of no use to others.
    func timeOut() {
        let silence = connection.now - connection.receivedTime
        let stall = exchange.options.stallMilliseconds ?? .max
        let isSilent = connection.receivedBytes == receivedBefore
        if isSilent || silence > stall / 2 { connection.leave() }
        fail(.timedOut)
    }
}
