import BroadsheetHTTP
import BroadsheetHTTP2
import BroadsheetSockets

/// One client's HTTP/2 connection (RFC 9113): its input, and its streams. The ``Exchange`` of a
/// stream makes the decisions about its request.
///
/// Nearly everything happens in callbacks of the channel: the connection's task waits for the end,
/// because resuming it costs more than many requests do. It is used on the connection's loop.
final class HTTP2Connection {
    let channel: SocketChannel
    let loopContext: LoopContext
    let listener: ListenerContext
    let client: ConnectedClient
    let session: HTTP2Session
    // Accesses to these never overlap: they are used on the loop, by one function at a time.
    // Exclusivity is not checked.
    /// Streams that have not ended, and those that have but whose handlers still run.
    @exclusivity(unchecked) private(set) var streams: [Int32: HTTP2Stream] = [:]
    /// The part of the session's output that was not sent at once: its first bytes are sent.
    @exclusivity(unchecked) var unsent = UnsentOutput()
    @exclusivity(unchecked) var isFlushScheduled = false
    /// Streams whose responses were submitted since the last flush.
    @exclusivity(unchecked) var submitted: [HTTP2Stream] = []
    @exclusivity(unchecked) var stage = Stage.open
    /// True if the client sends nothing more.
    @exclusivity(unchecked) private(set) var isInputOver = false
    /// True while arrivals are processed, after which output is sent anyway.
    @exclusivity(unchecked) private(set) var isReceiving = false
    /// The time at which the last request ended, or the connection began.
    @exclusivity(unchecked) private(set) var lastUse: Int64 = 0
    @exclusivity(unchecked) var hasServed = false
    /// The latest time at which the end is announced, because the server is stopping.
    @exclusivity(unchecked) var leaveDeadline = Int64.max
    /// The bytes of bodies that were passed on, and when that number last changed.
    @exclusivity(unchecked) var bodyBytes = 0
    @exclusivity(unchecked) var bodyTime: Int64 = 0
    /// The time at which the head that arrives has to be complete.
    @exclusivity(unchecked) var headDeadline = Int64.max
    /// The time of the next call of `examine`.
    @exclusivity(unchecked) var alarm = Int64.max
    /// The number of streams with a task.
    private var tasks = 0
    private var whenTasksEnd: UnsafeContinuation<Void, Never>?

    /// The progress of the connection towards its end.
    enum Stage {
        case open
        /// The client knows that the end is near; streams that it opens until then are served.
        case announced(until: Int64)
        /// No further streams are accepted.
        case closing
        /// Nothing is read or written any more.
        case over
    }

    /// Bytes after which others get their turn.
    static let turnLimitBytes = 128 << 10

    init(
        _ channel: SocketChannel, _ loopContext: LoopContext, _ listener: ListenerContext,
        client: ConnectedClient
    ) {
        self.channel = channel
        self.loopContext = loopContext
        self.listener = listener
        self.client = client
        session = HTTP2Session(.server, listener.http2, now: channel.loop.now)
    }

    var limits: ServerLimits { listener.limits }
    var now: Int64 { channel.loop.now }
    var isOver: Bool { if case .over = stage { true } else { false } }

    /// Serves the client until one side ends the connection.
    ///
    /// - Parameter start: The bytes received before the protocol was known to be HTTP/2.
    func run(_ start: ReadBuffer?) async {
        channel.onArrival = { [unowned self] in receive() ? nil : isOver ? nil : .max }
        channel.onWritable = { [unowned self] in if !unsent.isEmpty { flush() } }
        channel.onOverrun = { [unowned self] _ in examine() }
        channel.onStop = { [unowned self] in stop() }
        channel.onBreak = nil
        lastUse = now
        remind(at: idleDeadline)
        if channel.isStopping { stop() }
        if let start {
            process(UnsafeRawBufferPointer(start.bytes))
            loopContext.giveBack(start)
        }
        flush()
        // Invariant: everything that was read is processed.
        while !isOver {
            if receive() {
                await channel.loop.yield()
            } else if !isOver {
                await wait()
            }
        }
        await end()
    }

    /// Waits for arrivals that no callback takes, or for the end.
    private func wait() async {
        do throws(ChannelError) {
            try await channel.waitReadable(until: .max, isIdle: !channel.isDraining)
        } catch .cancelled where channel.isOpen {
            // The server has begun to stop; streams go on.
        } catch {
            stage = .over
        }
    }

    /// Ends all streams, and waits for their handlers.
    private func end() async {
        stage = .over
        channel.onArrival = nil
        channel.onWritable = nil
        channel.onStop = nil
        channel.onBreak = nil
        for stream in streams.values { stream.close(by: .cancel) }
        if channel.isOpen, unsent.isEmpty, !isInputOver {
            await channel.linger(limits, loopContext)
        }
        dropUnsent()
        if tasks > 0 { await withUnsafeContinuation { whenTasksEnd = $0 } }
        channel.onOverrun = nil
        channel.endWork()
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
            case .end:
                endInput()
                break reading
            }
        }
        isReceiving = false
        flush()
        return !isOver && count >= Self.turnLimitBytes
    }

    private func receiveSome() -> SocketChannel.ReadResult {
        guard channel.mayRead else { return .wouldBlock }
        let buffer = loopContext.takeBuffer()
        defer { loopContext.giveBack(buffer) }
        do throws(ChannelError) {
            let result = try channel.read(into: buffer.room())
            guard case .bytes(let count) = result else { return result }
            buffer.added(count)
            process(UnsafeRawBufferPointer(buffer.bytes))
            return result
        } catch { return .end }
    }

    /// The client sends nothing more, but may read: complete requests get their responses, as in
    /// HTTP/1.1. GOAWAY says so, and makes a client that does not read either break the connection.
    private func endInput() {
        let isOwing = !unsent.isEmpty || streams.values.contains { !$0.isClosed }
        guard isOwing, channel.isOpen, !channel.isBroken else {
            stage = .over
            return
        }
        isInputOver = true
        headDeadline = .max
        channel.endReading()
        channel.onBreak = { [unowned self] _ in finish() }
        for stream in streams.values { stream.endInput() }
        close()
    }

    private func process(_ bytes: UnsafeRawBufferPointer) {
        do throws(HTTP2Error) {
            try session.receive(bytes, now: now)
        } catch {
            handleEvents()
            return fail()
        }
        handleEvents()
        if !session.isAmidHead {
            headDeadline = .max
        } else if headDeadline == .max {
            headDeadline = now + limits.headMilliseconds
            remind(at: headDeadline)
        }
    }

    func handleEvents() { session.handleEvents { handle($0) } }

    private func handle(_ event: HTTP2Event) {
        switch event {
        case .request(let id, let head, let bytes, let isLast):
            open(id, isLast: isLast)?.begin(head, bytes: bytes)
        case .badRequest(let id, let error, let bytes, let isLast):
            open(id, isLast: isLast)?.reject(error, bytes: bytes)
        case .data(let id, let bytes): streams[id]?.receive(bytes)
        case .received(let id): streams[id]?.receivedAll()
        case .passedOn(let id): streams[id]?.resume()
        case .sent(let id): streams[id]?.sentAll()
        case .closed(let id, let code): streams[id]?.close(by: code)
        case .pong: if case .announced = stage { close() }
        case .goAway, .settings, .response, .begun: break
        }
    }

    // MARK: Streams

    /// A new stream; `nil` if too many handlers still run whose streams the client has reset.
    private func open(_ id: Int32, isLast: Bool) -> HTTP2Stream? {
        guard streams.count < 2 * listener.http2.streams else {
            session.reset(id, .unprocessed)
            return nil
        }
        let stream = HTTP2Stream(id, of: self, isReceived: isLast)
        streams[id] = stream
        if !hasServed { servesFirstRequest() }
        return stream
    }

    func taskBegins() { tasks += 1 }

    func taskEnds() {
        tasks -= 1
        if tasks == 0, let waiting = whenTasksEnd.take() { waiting.resume() }
    }

    /// The stream has ended, and so has its handler.
    func forget(_ stream: HTTP2Stream) {
        streams[stream.id] = nil
        guard streams.isEmpty else { return }
        lastUse = now
        remind(at: idleDeadline)
        announceEndIfDue()
    }
}
