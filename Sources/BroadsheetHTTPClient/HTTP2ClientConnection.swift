import BroadsheetHTTP
import BroadsheetHTTP2
import BroadsheetSockets

/// One HTTP/2 connection to an origin (RFC 9113), whose streams are exchanges.
///
/// Nearly everything happens in callbacks of the channel: the connection's task waits for the end.
final class HTTP2ClientConnection: ClientConnection, @unchecked Sendable {
    // Confined to the pool's loop.
    let origin: HTTPOrigin
    let pool: ConnectionPool
    let channel: SocketChannel
    let session: HTTP2Session
    /// Those that have not ended, and those whose bodies wait to be read.
    private var streams: [Int32: HTTP2ClientStream] = [:]
    /// Those whose requests have bodies that were not passed on yet.
    private var uploads: [HTTP2ClientStream] = []
    private var unsent = UnsentOutput()
    private var isFlushScheduled = false
    /// True while arrivals are processed, after which output is sent anyway.
    private var isReceiving = false
    private var isOver = false
    /// True if it takes no further exchanges.
    private var isLeaving = false
    /// The number of completed exchanges.
    private(set) var completed = 0
    /// The last stream that the server has processed, once it has said so.
    private var lastProcessed: Int32 = 0
    /// The number of streams that the server had accepted when it last rejected one.
    private var acceptedStreams = Int.max
    private(set) var receivedBytes = 0
    /// The time at which the server last sent something.
    private(set) var receivedTime: Int64
    /// The time at which the last exchange ended, or the connection began.
    private var lastUse: Int64
    /// The reason for which the connection has ended.
    private var failure = HTTPClientError.disconnected
    /// The time of the next call of `examine`.
    private var alarm = Int64.max

    /// Bytes after which others get their turn.
    private static let turnLimitBytes = 128 << 10
    /// Four TLS records of the largest size.
    private static let batchBytes = 64 << 10

    init(_ channel: SocketChannel, to origin: HTTPOrigin, in pool: ConnectionPool) {
        self.channel = channel
        self.origin = origin
        self.pool = pool
        let now = channel.loop.now
        session = HTTP2Session(.client, HTTP2Settings(pool.configuration), now: now)
        (receivedTime, lastUse) = (now, now)
    }

    var now: Int64 { channel.loop.now }

    // MARK: Called by the pool

    let isShared = true

    var room: Int {
        guard !isLeaving, !isOver else { return 0 }
        let limit = min(
            pool.configuration.streamsPerConnection, session.peerStreams, acceptedStreams)
        return max(0, limit - streams.count)
    }

    var exchanges: [ClientExchange] { streams.values.map(\.exchange) }

    func take(_ exchange: ClientExchange) {
        guard !exchange.isOver else { return }
        let bytes = exchange.request.body
        let upload = bytes.isEmpty ? nil : HTTP2Body(bytes, isLast: true)
        let fields = HTTP2Fields(exchange.request, to: origin)
        guard let id = session.request([fields], upload) else {
            leave()
            return pool.giveBack(exchange)
        }
        let stream = HTTP2ClientStream(id, exchange, upload, of: self)
        streams[id] = stream
        exchange.place.connection = self
        exchange.place.stream = id
        if upload != nil { uploads.append(stream) } else { exchange.options.uploadProgress?(0, 0) }
        remind(at: stream.deadline)
        scheduleFlush()
    }

    /// Other streams go on.
    func drop(_ exchange: ClientExchange) {
        guard let stream = streams[exchange.place.stream], stream.exchange === exchange else {
            return
        }
        stream.fail(.cancelled)
    }

    func abort() { channel.abort() }

    // MARK: Lifecycle

    func run() async {
        channel.onArrival = { [unowned self] in receive() ? nil : isOver ? nil : .max }
        channel.onWritable = { [unowned self] in if !unsent.isEmpty { flush() } }
        channel.onOverrun = { [unowned self] _ in examine() }
        remind(at: idleDeadline)
        pool.hasRoom(self)
        flush()
        // Invariant: everything that was read is processed.
        while !isOver {
            if receive() {
                await channel.loop.yield()
            } else if !isOver {
                await wait()
            }
        }
        end()
    }

    /// Waits for arrivals that no callback takes, or for the end.
    private func wait() async {
        do throws(ChannelError) {
            try await channel.waitReadable(until: .max, isIdle: true)
        } catch {
            failure = HTTPClientError(error)
            isOver = true
        }
    }

    /// Ends the streams whose responses are incomplete; others can be read to their ends.
    private func end() {
        isOver = true
        channel.onArrival = nil
        channel.onWritable = nil
        channel.onOverrun = nil
        channel.endWork()
        leave()
        for stream in streams.values { stream.connectionEnded(failure) }
    }

    /// Takes no further exchanges; those that it has go on.
    func leave() {
        guard !isLeaving else { return }
        isLeaving = true
        pool.leaves(self)
        endIfUnused()
    }

    private func endIfUnused() {
        guard isLeaving, !isOver, streams.values.allSatisfy(\.isReceived) else { return }
        channel.loop.afterCurrentTurn { [weak self] in self?.close() }
    }

    /// Tells the server that nothing follows, if that is possible without waiting.
    private func close() {
        guard !isOver, streams.values.allSatisfy(\.isReceived) else { return }
        session.terminate(.none)
        flush()
        finish()
    }

    private func finish() {
        guard !isOver else { return }
        isOver = true
        channel.interrupt()
    }

    // MARK: Streams

    func forget(_ stream: HTTP2ClientStream) {
        remove(stream)
        offerRoom()
    }

    private func remove(_ stream: HTTP2ClientStream) {
        streams[stream.id] = nil
        guard streams.isEmpty else { return }
        lastUse = now
        remind(at: idleDeadline)
    }

    private func offerRoom() {
        if isLeaving { endIfUnused() } else { pool.hasRoom(self) }
    }

    /// The exchange was performed.
    func completes(_ stream: HTTP2ClientStream) {
        completed += 1
        forget(stream)
    }

    /// The server has not processed the request: it rejected the stream, or is about to close the
    /// connection (RFC 9113 §6.8, §8.7). The exchange is performed later, or on another connection.
    func returns(_ stream: HTTP2ClientStream) {
        remove(stream)
        let exchange = stream.exchange
        // A server that never processes anything is not retried forever.
        if lastProcessed > 0 { exchange.place.returns = 0 }
        if !isLeaving { acceptedStreams = max(1, streams.count) }
        if exchange.place.returns < Self.limitReturns {
            pool.giveBack(exchange)
        } else {
            stream.end(.disconnected)
        }
        offerRoom()
    }

    private static let limitReturns = 3

    /// The server requires HTTP/1.1 for the request, which it has not processed (RFC 9113 §7).
    func movesToHTTP1(_ stream: HTTP2ClientStream) {
        remove(stream)
        pool.requireHTTP1(origin)
        leave()
        pool.moveToHTTP1(stream.exchange)
        offerRoom()
    }

    /// True if its end does not mean that the server fails.
    var mayEnd: Bool { completed > 0 || pool.requiresHTTP1(origin) }

    /// Returns true if the server may have received a part of the request.
    func hasSent(_ stream: HTTP2ClientStream) -> Bool {
        guard let offset = stream.outputOffset else { return false }
        return offset < session.writtenBytes - unsent.unwrittenCount(on: channel)
    }

    // MARK: Receiving

    /// Reads and processes bytes that have arrived, for a bounded time; true if there may be more.
    private func receive() -> Bool {
        var count = 0
        isReceiving = true
        // Invariant: everything that was read is processed.
        reading: while !isOver, count < Self.turnLimitBytes {
            switch receiveSome() {
            case .bytes(let more): count += more
            case .wouldBlock: break reading
            case .end: isOver = true
            }
        }
        isReceiving = false
        flush()
        return !isOver && count >= Self.turnLimitBytes
    }

    private func receiveSome() -> SocketChannel.ReadResult {
        guard channel.mayRead else { return .wouldBlock }
        let buffer = pool.shared.received
        defer { buffer.removeAll() }
        do throws(ChannelError) {
            let result = try channel.read(into: buffer.room())
            guard case .bytes(let count) = result else { return result }
            buffer.added(count)
            receivedBytes += count
            receivedTime = now
            process(UnsafeRawBufferPointer(buffer.bytes))
            return result
        } catch {
            failure = HTTPClientError(error)
            return .end
        }
    }

    private func process(_ bytes: UnsafeRawBufferPointer) {
        do throws(HTTP2Error) {
            try session.receive(bytes, now: now)
            handleEvents()
        } catch {
            handleEvents()
            failure = Self.invalid
            flush()
            finish()
        }
    }

    private static let invalid = HTTPClientError.malformed("frames that are not valid HTTP/2")

    private func handleEvents() { session.handleEvents { handle($0) } }

    private func handle(_ event: HTTP2Event) {
        switch event {
        case .response(let id, let head, let isLast): streams[id]?.begin(head, isLast: isLast)
        case .data(let id, let bytes): streams[id]?.receive(bytes)
        case .received(let id): streams[id]?.receivedAll()
        case .closed(let id, let code): streams[id]?.closed(by: code)
        case .goAway(let last, let code):
            if code == .http11Required { pool.requireHTTP1(origin) }
            // At first a server may announce that it will end the connection some time.
            lastProcessed = last == .max ? 0 : last
            leave()
        case .settings: offerRoom()
        case .begun(let id, let offset): streams[id]?.outputOffset = offset
        case .sent, .passedOn, .pong, .request, .badRequest: break
        }
    }

    // MARK: Sending

    /// Sends pending output once the jobs of this turn have run.
    func scheduleFlush() {
        guard !isReceiving, !isFlushScheduled, !isOver else { return }
        isFlushScheduled = true
        channel.loop.afterCurrentTurn { [weak self] in
            guard let self else { return }
            isFlushScheduled = false
            flush()
        }
    }

    /// Sends as much as the socket accepts, for a bounded time.
    private func flush() {
        var count = 0
        // Invariant: output written before is sent, unless it is in `unsent`.
        while !isOver, count < Self.turnLimitBytes {
            if !unsent.isEmpty { count += unsent.send(to: channel, now: now) }
            guard unsent.isEmpty, let more = writeBatch() else { break }
            count += more
        }
        if count >= Self.turnLimitBytes { scheduleFlush() }
        if !channel.isOpen { finish() }
        if unsent.isEmpty, !session.wantsToReceive, !session.wantsToSend {
            // If there are streams, the session has ended because of frames from the server.
            failure = Self.invalid
            finish()
        }
    }

    /// Makes frames of requests and their bodies, and sends them with one call; `nil` if there are
    /// none.
    private func writeBatch() -> Int? {
        pool.shared.frames.removeAll(keepingCapacity: true)
        do throws(HTTP2Error) {
            try session.write(to: &pool.shared.frames, upTo: Self.batchBytes)
        } catch {
            finish()
            return nil
        }
        let count = pool.shared.frames.count
        let written = pool.shared.frames.withUnsafeBytes { channel.writeMore($0, from: 0) }
        if written < count {
            unsent = UnsentOutput(Array(pool.shared.frames[written...]), now: now)
        }
        uploads.removeAll { $0.noteUpload() }
        handleEvents()
        return count > 0 ? count : nil
    }

    // MARK: Time limits

    private var idleDeadline: Int64 { lastUse + pool.configuration.idleMilliseconds }

    /// Makes `examine` run at or after this time.
    func remind(at time: Int64) {
        guard time < alarm, !isOver else { return }
        alarm = time
        channel.beginWork(until: time)
    }

    /// Ends streams that have taken too long, and finds the next deadline.
    private func examine() {
        alarm = .max
        for stream in streams.values where stream.deadline <= now { stream.timeOut() }
        if streams.isEmpty, idleDeadline <= now { leave() }
        let next = streams.values.map(\.deadline).min() ?? (isLeaving ? .max : idleDeadline)
        remind(at: next)
        scheduleFlush()
    }
}

extension HTTP2Settings {
    /// Those of a client.
    fileprivate init(_ configuration: HTTPClientConfiguration) {
        self.init()
        // A server may send as much before it knows the settings (RFC 9113 §6.9.2).
        streamWindowBytes = min(max(65_535, configuration.streamWindowBytes), 1 << 30)
        connectionWindowBytes = max(connectionWindowBytes, streamWindowBytes)
        message = configuration.message
        fieldListBytes = message.requestLineBytes + message.fieldBytes + 32 * (message.fields + 8)
    }
}

extension HTTP2Fields {
    /// The fields of a request (RFC 9113 §8.3.1).
    fileprivate init(_ request: HTTPRequest, to origin: HTTPOrigin) {
        self.init()
        append(":method", request.method.rawValue)
        append(":scheme", origin.scheme.rawValue)
        append(":authority", request.fields[.host] ?? origin.authority)
        append(":path", Array(request.target.bytes))
        var fields = request.fields
        fields.remove(.host)
        fields.remove(.contentLength)
        append(contentsOf: fields)
        if let length = request.statedLength { append("content-length", "\(length)") }
    }
}
