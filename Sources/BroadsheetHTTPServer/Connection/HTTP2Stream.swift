import BroadsheetHTTP
import BroadsheetHTTP2
import BroadsheetSockets

/// One stream of an HTTP/2 connection: the state of a request and its response, and of their waits.
/// It is used on the connection's loop.
final class HTTP2Stream {
    let id: Int32
    unowned let connection: HTTP2Connection
    let exchange: Exchange
    /// The task that serves the request, unless that took no waiting.
    private var task: Task<Void, Never>?
    /// The bytes of the request's body that have arrived and were not read.
    private var arrived: [UInt8] = []
    /// True if the request is complete.
    private(set) var isReceived: Bool
    /// The reason why the request's body cannot be read.
    private var failure: BodyFailure?
    private var response = Response.none
    /// True if the stream has ended.
    private(set) var isClosed = false
    private var isRecorded = false
    /// Bytes of the response that count as waiting for a slow reader.
    private var waitingBytes = 0
    /// True if a rejected body is small enough to be waited for.
    var discardsBody = false
    /// Ends a response that has no end.
    private var onStop: (@Sendable () -> Void)?
    // The continuation of the task that waits.
    private var waiter: UnsafeContinuation<Void, Never>?
    private var isTimedOut = false
    // Deadlines, in monotonic milliseconds.
    private var waitDeadline = Int64.max
    private var workDeadline = Int64.max
    private var discardDeadline = Int64.max
    /// The time at which the client last took bytes of the body, and the number that were left.
    private var progress = (time: Int64.max, left: 0)

    /// The progress of the response.
    private enum Response {
        case none
        case sending(HTTP2Body)
        /// It was passed on as a whole.
        case sent
    }

    init(_ id: Int32, of connection: HTTP2Connection, isReceived: Bool) {
        self.id = id
        self.connection = connection
        self.isReceived = isReceived
        exchange = Exchange(
            connection.channel, connection.loopContext, connection.listener,
            client: connection.client)
        exchange.transport = self
    }

    private var limits: ServerLimits { connection.limits }
    private var now: Int64 { connection.now }
    var hasResponded: Bool { if case .none = response { false } else { true } }

    // MARK: The task

    /// Serves the request in a task of its own.
    func serve(_ body: @escaping (HTTP2Stream) async -> Void) {
        connection.taskBegins()
        // Both are used on the loop only, which runs the task.
        nonisolated(unsafe) let (stream, work) = (self, body)
        task = connection.channel.loop.spawn {
            await work(stream)
            stream.taskEnded()
        }
    }

    private func taskEnded() {
        task = nil
        exchange.endScope()
        exchange.releaseBody()
        if isClosed { forget() } else if !hasResponded { reset(.internal) }
        connection.taskEnds()
    }

    private func forget() {
        record()
        connection.forget(self)
    }

    private func record() {
        guard !isRecorded else { return }
        isRecorded = true
        exchange.notifyObservers()
    }

    /// Waits until something has happened to the stream.
    ///
    /// - Throws: `timedOut` after the deadline.
    func wait(until deadline: Int64 = .max) async throws(ChannelError) {
        isTimedOut = false
        waitDeadline = deadline
        connection.remind(at: deadline)
        await withUnsafeContinuation { waiter = $0 }
        if isTimedOut { throw .timedOut }
    }

    func resume() {
        waitDeadline = .max
        waiter.take()?.resume()
    }

    // MARK: Called by the connection

    func receive(_ bytes: [UInt8]) {
        // The stream's window stays closed for bytes that are not wanted.
        guard !hasResponded, failure == nil, !isClosed else { return }
        let total = exchange.sent.receivedBytes + arrived.count + bytes.count
        guard connection.listener.bodies.take(bytes.count, total: total) else {
            connection.listener.rejections.add(.bodies, on: connection.channel.loop)
            failure = .rejected(.serviceUnavailable, "Too many request bodies are in progress.")
            return resume()
        }
        if arrived.isEmpty { arrived = bytes } else { arrived += bytes }
        resume()
    }

    func receivedAll() {
        isReceived = true
        discardDeadline = .max
        resume()
    }

    /// The response was passed on. A client that is still sending its request is told to stop
    /// (RFC 9113 §8.1); a little may be in flight.
    func sentAll() {
        response = .sent
        stopWaiting()
        record()
        guard !isReceived else { return }
        guard discardsBody, !connection.isInputOver else { return reset(.none) }
        discardDeadline = now + limits.lingerMilliseconds
        connection.remind(at: discardDeadline)
    }

    /// The client sends nothing more. A response that has begun goes on, unless it has no end: if
    /// nothing is sent for long, it shows too late that the client does not read either.
    func endInput() {
        if onStop != nil { return reset(.cancel) }
        guard !isReceived else { return }
        switch response {
        case .none: reset(.cancel)
        case .sending: break
        case .sent: reset(.none)
        }
    }

    /// The stream has ended; a safe request is aborted, and a write continues.
    func close(by code: HTTP2ErrorCode) {
        guard !isClosed else { return }
        isClosed = true
        response = .sent
        stopWaiting()
        dropArrived()
        onStop = nil
        guard let task else { return forget() }
        if exchange.isRead { task.cancel() }
        resume()
    }

    /// The server is stopping.
    func stop() {
        onStop?()
        resume()
    }

    func noteWaiting() {
        guard case .sending(let body) = response, !isClosed, body.unsentCount > 0 else { return }
        progress = (now, body.unsentCount)
        connection.remind(at: now + limits.writeStallMilliseconds)
        waitingBytes = body.unsentCount
        guard connection.listener.waiting.add(waitingBytes) > limits.waitingBytes else { return }
        reset(.enhanceYourCalm)
    }

    func stopWaiting() {
        connection.listener.waiting.remove(waitingBytes)
        waitingBytes = 0
        progress.time = .max
    }

    /// Ends waits that have taken too long; returns the next deadline.
    func examine(at time: Int64) -> Int64 {
        if workDeadline <= time { overrun() }
        if waitDeadline <= time {
            isTimedOut = true
            resume()
        }
        if discardDeadline <= time {
            discardDeadline = .max
            reset(.none)
        }
        let next = min(workDeadline, waitDeadline, discardDeadline)
        guard case .sending(let body) = response, progress.time < .max else { return next }
        if body.unsentCount < progress.left {
            progress = (time, body.unsentCount)
        } else if progress.time + limits.writeStallMilliseconds <= time {
            guard connection.isStalled(since: progress.time, stream: id) else {
                progress.time = time
                return min(next, time + limits.writeStallMilliseconds)
            }
            reset(.cancel)
            return next
        }
        return min(next, progress.time + limits.writeStallMilliseconds)
    }

    /// The handler takes too long: its task is cancelled, and the client of a safe request receives
    /// a 503. The outcome of a write is unknown, and a 503 would make the client repeat it.
    private func overrun() {
        workDeadline = .max
        task?.cancel()
        guard !isClosed, !hasResponded else { return }
        exchange.sent.status = .serviceUnavailable
        guard exchange.isRead else { return reset(.internal) }
        respond(
            exchange.response(
                to: HTTPError(.serviceUnavailable, "The request took too long to process.")))
    }

    func reset(_ code: HTTP2ErrorCode) {
        guard !isClosed else { return }
        connection.session.reset(id, code)
        connection.scheduleFlush()
    }

    // MARK: The body

    var hasArrived: Bool { !arrived.isEmpty || failure != nil }

    /// Returns the bytes of the body that have arrived since the last call.
    func takeArrived() throws(BodyFailure) -> [UInt8] {
        if let failure { throw failure }
        let bytes = arrived
        dropArrived()
        return bytes
    }

    private func dropArrived() {
        connection.listener.bodies.give(arrived.count)
        arrived = []
    }

    // MARK: The response

    /// - Parameter body: `nil` if there is none.
    func respondsWith(_ body: HTTP2Body?) {
        response = body.map { .sending($0) } ?? .sent
        dropArrived()
    }

    /// - Parameter stop: Ends the body, which may have no end, when the server stops.
    func stops(by stop: (@Sendable () -> Void)?) {
        onStop = isClosed ? nil : stop
        if connection.channel.isStopping { onStop?() }
        if onStop != nil, connection.isInputOver { reset(.cancel) }
    }

    // MARK: Work

    func beginWork(until deadline: Int64) {
        workDeadline = deadline
        connection.remind(at: deadline)
    }

    func endWork() { workDeadline = .max }
}
