import BroadsheetHTTP
import BroadsheetHTTP2
import BroadsheetSockets
import Glibc

/// One client's HTTP/1 connection, from its first byte to its last: framing, keep-alive and the
/// deadlines of the wire, in one task. Its ``Exchange`` makes the decisions about a request.
final class HTTP1Connection {
    let channel: SocketChannel
    let loopContext: LoopContext
    let listener: ListenerContext
    /// The current request, or the last one.
    let exchange: Exchange
    // Accesses to these never overlap: they are used on the loop, by one function at a time.
    // Exclusivity is not checked.
    @exclusivity(unchecked) private var parser: RequestParser
    /// A request that was read while the task waited, and that the task has to handle.
    @exclusivity(unchecked) private var readyHead: RequestHead?
    /// The part of a prepared response that could not be sent at once.
    var unsent: UnsentResponse?
    /// Held only while it contains bytes or receives some.
    @exclusivity(unchecked) private var buffer: ReadBuffer?
    /// True if a proxy has named the client.
    @exclusivity(unchecked) var isNamed = false
    /// True if this connection counts towards the limit of the client's address.
    var isCounted = false
    /// The time at which an idle connection is closed; an incomplete TLS record does not extend it.
    @exclusivity(unchecked) private var idleDeadline: Int64 = 0
    /// True if the connection is handed off to another process.
    var isPassedOn = false
    /// True if the client speaks HTTP/2, which an ``HTTP2Connection`` handles.
    @exclusivity(unchecked) var speaksHTTP2 = false
    /// Requests, and bytes of responses, since the task last waited: neither many small ones nor a
    /// few large ones may starve the loop's other connections.
    private var streak = 0
    private var streakBytes = 0
    private static let limitStreak = 32
    private static let limitStreakBytes = 64 << 10

    /// The part of a response that was not written at once. The body is not copied, as many
    /// connections may send the same one.
    struct UnsentResponse {
        let head: [UInt8]
        let body: [UInt8]
        /// The number of bytes of both that were written.
        let start: Int

        var count: Int { head.count + body.count - start }
    }

    init(_ channel: SocketChannel, _ loopContext: LoopContext, _ listener: ListenerContext) {
        self.channel = channel
        self.loopContext = loopContext
        self.listener = listener
        exchange = Exchange(channel, loopContext, listener)
        parser = RequestParser(limits: listener.limits.message)
    }

    var limits: ServerLimits { listener.limits }
    var now: Int64 { channel.loop.now }

    /// Serves the client until one side closes the connection.
    func run() async {
        channel.onOverrun = { [unowned self] _ in overrun() }
        channel.onBreak = { [unowned self] _ in abandon() }
        do throws(ChannelError) {
            let deadline = now + limits.handshakeMilliseconds
            try await readProxyHeader(until: deadline)
            try await enter(until: deadline)
            try await serve()
        } catch {
            // The peer is gone or too slow, or the server is stopping: no response can be sent.
        }
        channel.onOverrun = nil
        channel.onBreak = nil
        channel.onArrival = nil
        leave()
        if isPassedOn { handOff() }
        releaseBuffer()
    }

    private func serve() async throws(ChannelError) {
        if speaksHTTP2 { return await serveHTTP2() }
        if listener.redirectPort == nil {
            channel.onArrival = { [unowned self] in serveArrivals() }
        }
        while let head = try await nextHead() {
            guard try await respond(to: head) else { return }
            await yield()
        }
        if speaksHTTP2 { await serveHTTP2() }
    }

    @inline(never)
    private func serveHTTP2() async {
        let connection = HTTP2Connection(channel, loopContext, listener, client: exchange.client)
        await connection.run(buffer.take())
    }

    /// Yields to the loop's other connections if this one sends without a pause.
    private func yield() async {
        streak += 1
        streakBytes += exchange.sent.bytes
        guard streak >= Self.limitStreak || streakBytes >= Self.limitStreakBytes else {
            return
        }
        endStreak()
        await channel.loop.yield()
    }

    private func endStreak() { (streak, streakBytes) = (0, 0) }

    // MARK: Reading

    /// The next request's head; `nil` when the connection ends.
    private func nextHead() async throws(ChannelError) -> RequestHead? {
        var deadline: Int64?
        var isQuiet = false
        var isHurried = false
        idleDeadline = now + limits.idleMilliseconds
        // Invariant: the buffer is missing or holds the beginning of a head.
        while true {
            if let rest = unsent.take() { try await send(rest) }
            do throws(HTTPParseError) {
                if let head = try takeHead() { return head }
            } catch {
                speaksHTTP2 = isPreface(HTTP2Session.clientPreface.count)
                guard !speaksHTTP2 else { return nil }
                guard isPreface(buffer?.bytes.count ?? 0) else {
                    let detail = "The request has \(error.detail)."
                    try await rejectUnread(HTTPError(error.status, detail))
                    return nil
                }
            }
            if canBePassed {
                isPassedOn = true
                return nil
            }
            if buffer != nil { deadline = deadline ?? now + limits.headMilliseconds }
            switch try fill() {
            case .bytes: continue
            case .end: return nil
            case .wouldBlock: break
            }
            endStreak()
            // The hand-off waits for slow clients, so they get less time.
            if let end = deadline, channel.isGivenAway, !isHurried {
                isHurried = true
                deadline = min(end, now + listener.departure.quietMilliseconds)
            }
            if deadline == nil, !isQuiet, channel.isLeaving, isBound {
                isQuiet = true
                let lastUse = idleDeadline - limits.idleMilliseconds
                idleDeadline = min(idleDeadline, lastUse + listener.departure.quietMilliseconds)
            }
            do throws(ChannelError) {
                try await channel.waitReadable(
                    until: deadline ?? idleDeadline, isIdle: deadline == nil)
            } catch .cancelled where channel.isOpen && hasLeftovers {
                // The server is stopping, but finishes the request that was already read.
            } catch .timedOut {
                guard deadline != nil else { return nil }
                try await rejectUnread(
                    HTTPError(.requestTimeout, "The request head did not arrive in time."))
                return nil
            }
        }
    }

    /// The next head, if it is complete. It is not inlined because the connection's task keeps the
    /// memory of `nextHead`'s frame.
    @inline(never)
    private func takeHead() throws(HTTPParseError) -> RequestHead? {
        if let head = readyHead.take() { return head }
        guard let buffer, var head = try parser.parse(Span(_unsafeElements: buffer.bytes)) else {
            return nil
        }
        use(parser.consumed)
        exchange.adoptCookie(of: &head)
        return head
    }

    /// Returns true if the client began with the first `count` octets of the preface of HTTP/2, and
    /// may: it is not a valid request of HTTP/1 (RFC 9113 §3.4).
    private func isPreface(_ count: Int) -> Bool {
        guard listener.takesCleartextHTTP2, !channel.isSecure, listener.redirectPort == nil,
            exchange.requestID.isEmpty, let buffer, buffer.bytes.count >= count
        else { return false }
        return buffer.bytes.prefix(count).elementsEqual(HTTP2Session.clientPreface.prefix(count))
    }

    /// Reads the available bytes into the buffer; if there are none, the buffer is released.
    func fill() throws(ChannelError) -> SocketChannel.ReadResult {
        guard channel.mayRead else { return .wouldBlock }
        let buffer = buffer ?? loopContext.takeBuffer()
        self.buffer = buffer
        let result: SocketChannel.ReadResult
        do throws(ChannelError) {
            result = try channel.read(into: buffer.room())
        } catch {
            releaseBuffer()
            throw error
        }
        if case .bytes(let count) = result { buffer.added(count) }
        if buffer.isEmpty { releaseBuffer() }
        return result
    }

    /// Removes the first bytes of the buffer.
    private func use(_ count: Int) {
        buffer?.consume(count)
        if let buffer, buffer.isEmpty { releaseBuffer() }
    }

    func releaseBuffer() {
        guard let buffer else { return }
        self.buffer = nil
        loopContext.giveBack(buffer)
    }

    /// True if a head or output is left for the task that arose while it waited.
    private var hasLeftovers: Bool { readyHead != nil || unsent != nil }

    // MARK: While the task waits

    /// Serves requests that arrive between exchanges without resuming the task, as long as their
    /// responses are cached.
    ///
    /// - Returns: The time until which the task may keep waiting; `nil` if something is left for
    ///   it.
    private func serveArrivals() -> Int64? {
        var sentBytes = 0
        for _ in 0..<Self.limitStreak {
            do throws(ChannelError) {
                guard case .bytes = try fill() else {
                    return channel.mayRead || buffer != nil ? nil : idleDeadline
                }
            } catch { return nil }
            while let buffer {
                // The task continues, and yields to others.
                guard sentBytes < Self.limitStreakBytes else { return nil }
                do throws(HTTPParseError) {
                    guard var head = try parser.parse(Span(_unsafeElements: buffer.bytes)) else {
                        return nil
                    }
                    use(parser.consumed)
                    exchange.adoptCookie(of: &head)
                    guard respondAtOnce(head) else { return nil }
                    sentBytes += exchange.sent.bytes
                    idleDeadline = now + limits.idleMilliseconds
                } catch {
                    // The task will find the same error.
                    return nil
                }
            }
        }
        return nil
    }

    /// Serves the request if that needs no waiting; otherwise the request is left to the task.
    private func respondAtOnce(_ head: consuming RequestHead) -> Bool {
        guard head.keepsAlive, !channel.isStopping, exchange.isForServedHost(head),
            let ready = exchange.preparedResponse(to: head)
        else {
            readyHead = consume head
            return false
        }
        exchange.begin(head, bytes: parser.consumed)
        guard exchange.isWithinLimits(account: ready.reader?.account) else {
            listener.cache?.takeBack(head)
            readyHead = consume head
            return false
        }
        return ResponseSink(self, keepsAlive: true).send(ready)
    }
}

extension HTTP1Connection {
    /// Serves the request; returns whether the connection stays open.
    private func respond(to head: consuming RequestHead) async throws(ChannelError) -> Bool {
        exchange.begin(head, bytes: parser.consumed)
        defer { exchange.releaseBody() }
        let sink = ResponseSink(self, keepsAlive: head.keepsAlive)
        switch exchange.decide(by: head) {
        case .respond(let response):
            return try await sink.send(response, discardingBodyOf: head)
        case .respondPrepared(let ready):
            if !sink.send(ready), let rest = unsent.take() { try await send(rest) }
            return !channel.isEnding
        case .upgrade(let name, let handler):
            try await sink.switchProtocols(to: name)
            releaseBuffer()
            if let descriptor = channel.detach() { handler(descriptor) }
            return false
        case .route: return try await route(head, sink)
        }
    }

    // The functions below are not inlined, so that the connection's task keeps memory only for the
    // frames of those that it has called.

    /// Serves a request as its route decides.
    @inline(never)
    private func route(
        _ head: borrowing RequestHead, _ sink: consuming ResponseSink
    ) async throws(ChannelError) -> Bool {
        let request = HTTPRequest(
            head.method, head.target, version: head.version, fields: head.fields)
        switch await exchange.decide(on: request, head) {
        case .respond(let response):
            return try await sink.send(response, discardingBodyOf: head)
        case .handle(let route, let context, let handler):
            guard head.framing != .none else {
                return try await handle(request, context, handler, sink)
            }
            switch route.body {
            case .streamed, .spooled:
                return try await respond(to: request, head, context, handler, route, sink)
            case .rejected, .whole:
                return try await respond(to: request, head, context, handler, route, whole: sink)
            }
        }
    }

    /// Calls the handler of a request that is complete.
    @inline(never)
    private func handle(
        _ request: HTTPRequest, _ context: RequestContext, _ handler: HTTPHandler,
        _ sink: consuming ResponseSink
    ) async throws(ChannelError) -> Bool {
        exchange.beginScope(of: context)
        defer { exchange.endScope() }
        let response = await respond(to: request, context, by: handler)
        exchange.noteCharge()
        return try await sink.send(response)
    }

    /// Reads the whole body and calls the handler.
    @inline(never)
    private func respond(
        to request: consuming HTTPRequest, _ head: borrowing RequestHead,
        _ context: RequestContext, _ handler: HTTPHandler, _ route: HTTPRoute,
        whole sink: consuming ResponseSink
    ) async throws(ChannelError) -> Bool {
        guard let body = try await readBody(head, route.body) else { return false }
        var handler = handler
        if body.isLate {
            switch await exchange.admission(to: route, request, context) {
            case .rejected(let response, sender: _):
                exchange.releaseBody()
                return try await sink.send(response)
            case .admitted(let admitted, account: _, sharesAddress: _, sender: _):
                handler = admitted
            }
        }
        request.body = body.bytes
        return try await handle(request, context, handler, sink)
    }

    /// Calls the handler, which reads the body as it arrives.
    @inline(never)
    private func respond(
        to request: HTTPRequest, _ head: borrowing RequestHead, _ context: RequestContext,
        _ handler: HTTPHandler, _ route: HTTPRoute, _ sink: consuming ResponseSink
    ) async throws(ChannelError) -> Bool {
        let upload: Upload
        do throws(BodyFailure) {
            upload = try Upload(self, head, route.body) { [exchange] in
                await exchange.admission(to: route, request, context)
            }
        } catch {
            try await end(after: error)
            return false
        }
        var context = context
        context.body = upload.stream
        exchange.beginScope(of: context)
        defer { exchange.endScope() }
        let response = await respond(to: request, context, by: handler)
        exchange.noteCharge()
        switch upload.finish() {
        case .complete: return try await sink.send(response)
        case .incomplete:
            _ = try await ResponseSink(self, keepsAlive: false).send(response)
            await linger()
            return false
        case .revoked(let rejection): return try await sink.send(rejection)
        case .failed(let failure):
            try await end(after: failure)
            return false
        }
    }

    private func respond(
        to request: HTTPRequest, _ context: RequestContext, by handler: HTTPHandler
    ) async -> HTTPResponse {
        guard let begun = loopContext.beginWork() else { return exchange.response(to: .handedOver) }
        defer { loopContext.endWork(begun) }
        beginHandling()
        let response = await handler(request, context)
        channel.endWork()
        return response
    }

    func beginHandling() { channel.beginWork(until: now + limits.handlerMilliseconds) }

    /// The handler takes too long: its task is cancelled, and the client of a safe request receives
    /// a 503. The outcome of a write is unknown, and a 503 would make the client repeat it.
    private func overrun() {
        exchange.sent.status = .serviceUnavailable
        guard exchange.isRead else { return channel.abortByReset(.timedOut) }
        var response = exchange.response(
            to: HTTPError(.serviceUnavailable, "The request took too long to process."))
        exchange.complete(&response)
        let sink = ResponseSink(self, keepsAlive: false)
        var bytes = sink.wholeHead(of: response, keepsAlive: false)
        if case .bytes(let body) = response.body, !exchange.sent.isHead { bytes += body }
        channel.abort(.timedOut, sending: bytes)
    }

    /// The client has disconnected: a safe request is aborted, so that it does not use a turn of no
    /// benefit. A write continues.
    private func abandon() {
        if exchange.isRead { channel.abortByReset(.disconnected(code: ECONNRESET)) }
    }
}

extension HTTP1Connection: BodySource {
    /// The request's body; `nil` if it was rejected and the connection is finished.
    private func readBody(
        _ head: borrowing RequestHead, _ route: HTTPRouteBody
    ) async throws(ChannelError) -> WholeBody? {
        do throws(BodyFailure) {
            return try await wholeBody(head, route)
        } catch {
            // Releases the room for other requests while this client receives the response.
            exchange.releaseBody()
            try await end(after: error)
            return nil
        }
    }

    /// Reads a body of this length and discards it, so that it takes no room from wanted bodies;
    /// false if the connection is finished.
    func dropBody(_ length: Int) async throws(ChannelError) -> Bool {
        let start = now
        var dropped = 0
        do throws(BodyFailure) {
            // Invariant: the buffer holds the bytes after the first `dropped` bytes of the body.
            while true {
                if let buffer {
                    let count = min(buffer.bytes.count, length - dropped)
                    use(count)
                    dropped += count
                    exchange.sent.receivedBytes += count
                }
                if dropped == length { return true }
                let deadline = limits.bodyDeadline(since: start, received: dropped)
                guard try await more(until: deadline) else { throw .ended }
            }
        } catch {
            try await end(after: error)
            return false
        }
    }

    private func end(after failure: BodyFailure) async throws(ChannelError) {
        switch failure {
        case .ended: return
        case .channel(let error): throw error
        case .rejected(let status, let detail): try await reject(HTTPError(status, detail))
        }
    }

    var hasBodyBytes: Bool { buffer != nil }

    func abandonBody() { channel.abort() }

    func more(until deadline: @autoclosure () -> Int64) async throws(BodyFailure) -> Bool {
        do throws(ChannelError) {
            while true {
                switch try fill() {
                case .bytes: return true
                case .end: return false
                case .wouldBlock: try await channel.waitReadable(until: deadline())
                }
            }
        } catch .timedOut {
            throw .rejected(.requestTimeout, "The request body arrived too slowly.")
        } catch {
            throw .channel(error)
        }
    }

    func decode(
        _ decoder: inout BodyDecoder, into body: inout [UInt8]
    ) throws(BodyFailure) {
        guard let buffer else { return }
        do throws(HTTPParseError) {
            let count = try decoder.decode(Span(_unsafeElements: buffer.bytes), into: &body)
            use(count)
            exchange.sent.receivedBytes += count
        } catch { throw BodyFailure(error) }
    }

    func sendContinue() async throws(BodyFailure) {
        do throws(ChannelError) {
            try await channel.write(
                ResponseSerializer.continueHead, stallMilliseconds: limits.writeStallMilliseconds)
        } catch { throw .channel(error) }
    }
}

extension HTTP1Connection {
    /// Rejects a request and closes the connection in a way that lets the client read the response.
    func reject(_ rejection: HTTPError) async throws(ChannelError) {
        let sink = ResponseSink(self, keepsAlive: false)
        _ = try await sink.send(exchange.response(to: rejection))
        await linger()
    }

    /// Rejects bytes that are not a valid request.
    func rejectUnread(_ rejection: HTTPError) async throws(ChannelError) {
        exchange.beginUnread(receivedBytes: buffer?.bytes.count ?? 0)
        guard !speaksHTTP2 else { return try await rejectConnection(rejection) }
        try await reject(rejection)
    }

    /// Rejects a connection of HTTP/2, which has no stream yet for a response.
    private func rejectConnection(_ rejection: HTTPError) async throws(ChannelError) {
        exchange.sent.status = rejection.status
        defer { exchange.notifyObservers() }
        let session = HTTP2Session(.server, listener.http2, now: now)
        session.terminate(.enhanceYourCalm)
        var frames: [UInt8] = []
        do throws(HTTP2Error) {
            try session.write(to: &frames, upTo: 1_024)
        } catch { return }
        try await channel.write(frames, stallMilliseconds: limits.writeStallMilliseconds)
        await linger()
    }

    // MARK: Slow readers

    /// Sends the part of a response that could not be written at once.
    private func send(_ rest: UnsentResponse) async throws(ChannelError) {
        defer { exchange.notifyObservers() }
        try await writeRest(rest)
    }

    /// Sends the rest of a whole response, which counts towards waiting responses from here on, so
    /// that handlers may generate others.
    func writeRest(_ rest: UnsentResponse) async throws(ChannelError) {
        exchange.endScope()
        try await writeWaiting(rest)
    }

    /// Responses waiting for slow readers are bounded: above the limit, the latest one is dropped.
    func writeWaiting(_ rest: UnsentResponse) async throws(ChannelError) {
        let waitingBytes = listener.waiting.add(rest.count)
        defer { listener.waiting.remove(rest.count) }
        guard waitingBytes <= limits.waitingBytes else {
            channel.reset()
            throw .timedOut
        }
        try await channel.write(
            rest.head, rest.body, from: rest.start,
            stallMilliseconds: limits.writeStallMilliseconds)
    }

    // MARK: Ending

    /// Lets the client read the response before the connection is closed.
    func linger() async {
        releaseBuffer()
        await channel.linger(limits, loopContext)
    }
}

extension HTTP1Connection {
    /// True if another process can continue the connection: no byte of a request has been read, and
    /// TLS, whose keys cannot be passed on, has not begun.
    var canBePassed: Bool {
        channel.isGivenAway && channel.isOpen && buffer == nil && unsent == nil && !isBound
    }

    /// True if the connection is bound to this process, by TLS keys or by a proxy's report of the
    /// client.
    private var isBound: Bool { channel.isSecure || isNamed }

    /// True if the next response is the last one on this connection.
    var isLastResponse: Bool {
        channel.isDraining || loopContext.isClosed
            || channel.isLeaving && isBound || channel.isGivenAway && !canBePassed
    }
}
