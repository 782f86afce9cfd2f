import BroadsheetHTTP
import BroadsheetHTTP2
import BroadsheetSockets

/// One client's HTTP/1 connection, from its first byte to its last: framing, keep-alive and the
/// deadlines of the wire, in one task. Its ``Exchange`` makes the decisions about a request.
final class HTTP1Connection {
    let channel: SocketChannel
    let local: LoopContext
    let rules: ConnectionRules
    /// The current request, or the last one.
    let exchange: Exchange
    // Accesses to these never overlap: they are used on the loop, by one function at a time.
    // Exclusivity is not checked.
    @exclusivity(unchecked) private(set) var parser: RequestParser
    /// A request that was read while the task waited, and that the task has to handle.
    @exclusivity(unchecked) private var readyHead: RequestHead?
    /// The part of a prepared response that could not be sent at once.
    var unsent: Unsent?
    /// Held only while it contains bytes or receives some.
    @exclusivity(unchecked) private(set) var buffer: ReadBuffer?
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
    private static let longestStreak = 32
    private static let longestStreakBytes = 64 << 10

    init(_ channel: SocketChannel, _ local: LoopContext, _ rules: ConnectionRules) {
        self.channel = channel
        self.local = local
        self.rules = rules
        exchange = Exchange(channel, local, rules)
        parser = RequestParser(limits: rules.limits.message)
    }

    var limits: ServerLimits { rules.limits }
    var now: Int64 { channel.loop.now }

    /// Serves the client until one side closes the connection.
    func run() async {
        channel.onOverrun = { [unowned self] _ in overrun() }
        channel.onBreak = { [unowned self] _ in abandon() }
        do throws(ChannelError) {
            let deadline = now + limits.handshakeMilliseconds
            try await meetClient(until: deadline)
            try await enter(until: deadline)
            try await serve()
        } catch {
            // The peer is gone or too slow, or the server is stopping: no response can be sent.
        }
        channel.onOverrun = nil
        channel.onBreak = nil
        channel.onArrival = nil
        leave()
        if isPassedOn { passOn() }
        releaseBuffer()
    }

    private func serve() async throws(ChannelError) {
        if speaksHTTP2 { return await serveHTTP2() }
        if rules.redirectPort == nil {
            channel.onArrival = { [unowned self] in serveArrivals() }
        }
        while let head = try await nextHead() {
            guard try await respond(to: head) else { return }
            await giveWay()
        }
        if speaksHTTP2 { await serveHTTP2() }
    }

    @inline(never)
    private func serveHTTP2() async {
        let connection = HTTP2Connection(channel, local, rules, client: exchange.client)
        await connection.run(buffer.take())
    }

    /// Yields to the loop's other connections if this one sends without a pause.
    private func giveWay() async {
        streak += 1
        streakBytes += exchange.sent.bytes
        guard streak >= Self.longestStreak || streakBytes >= Self.longestStreakBytes else {
            return
        }
        endStreak()
        await channel.loop.giveWay()
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
                deadline = min(end, now + rules.departure.quietMilliseconds)
            }
            if deadline == nil, !isQuiet, channel.isLeaving, isBound {
                isQuiet = true
                let lastUse = idleDeadline - limits.idleMilliseconds
                idleDeadline = min(idleDeadline, lastUse + rules.departure.quietMilliseconds)
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
        guard rules.takesCleartextHTTP2, !channel.isSecure, rules.redirectPort == nil,
            exchange.requestID.isEmpty, let buffer, buffer.bytes.count >= count
        else { return false }
        return buffer.bytes.prefix(count).elementsEqual(HTTP2Session.clientPreface.prefix(count))
    }

    /// Reads the available bytes into the buffer; if there are none, the buffer is released.
    func fill() throws(ChannelError) -> SocketChannel.ReadResult {
        guard channel.mayRead else { return .wouldBlock }
        let buffer = buffer ?? local.takeBuffer()
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
    func use(_ count: Int) {
        buffer?.consume(count)
        if let buffer, buffer.isEmpty { releaseBuffer() }
    }

    func releaseBuffer() {
        guard let buffer else { return }
        self.buffer = nil
        local.giveBack(buffer)
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
        for _ in 0..<Self.longestStreak {
            do throws(ChannelError) {
                guard case .bytes = try fill() else {
                    return channel.mayRead || buffer != nil ? nil : idleDeadline
                }
            } catch { return nil }
            while let buffer {
                // The task continues, and yields to others.
                guard sentBytes < Self.longestStreakBytes else { return nil }
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
            rules.cache?.takeBack(head)
            readyHead = consume head
            return false
        }
        return ResponseSink(self, keepsAlive: true).send(ready)
    }
}
