import HTTP
import Sockets

/// One client's connection, from its first byte to its last: read, parse, respond, write, in one
/// task.
final class Connection {
    let channel: SocketChannel
    let local: LoopContext
    let rules: ConnectionRules
    // An access to one of these is over before the next begins: they are used on the loop, and by
    // one function at a time. None needs to be watched.
    @exclusivity(unchecked) private var parser: RequestParser
    /// A request that was read while the task waited, and is the task's to answer.
    @exclusivity(unchecked) private var readyHead: RequestHead?
    /// Of the current exchange, while its handler and its response take room.
    var scope: ExchangeScope?
    /// What did not go out at once of an answer that was ready.
    var unsent: Unsent?
    /// Whether the current request only reads.
    private(set) var isRead = true
    /// Held only while it has bytes in it, or takes some.
    @exclusivity(unchecked) private(set) var buffer: ReadBuffer?
    /// The answer to the current request.
    @exclusivity(unchecked) var sent = SentResponse()
    @exclusivity(unchecked) var requestID = ""
    @exclusivity(unchecked) var client: ConnectedClient
    /// Whom the current request comes from, if the client passes it on.
    @exclusivity(unchecked) var forwarded: ForwardedClient?
    /// Whether a proxy has named the client.
    @exclusivity(unchecked) var isNamed = false
    /// Whether the client's address counts this connection.
    var isCounted = false
    /// Of the current request's body, in memory.
    @exclusivity(unchecked) var heldBodyBytes = 0
    /// When a connection without a request ends; half a TLS record does not move it.
    @exclusivity(unchecked) private var idleDeadline: Int64 = 0
    /// The connection goes to another process.
    var isPassedOn = false
    /// Requests, and bytes of answers, since the task last waited: neither many small ones nor a
    /// few that are large keep the loop from others.
    private var streak = 0
    private var streakBytes = 0
    private static let longestStreak = 32
    private static let longestStreakBytes = 64 << 10

    init(_ channel: SocketChannel, _ local: LoopContext, _ rules: ConnectionRules) {
        self.channel = channel
        self.local = local
        self.rules = rules
        client = ConnectedClient(channel.peer, trusting: rules.trustedProxies)
        parser = RequestParser(limits: rules.limits.message)
    }

    var limits: ServerLimits { rules.limits }
    var now: Int64 { channel.loop.now }
    var isObserved: Bool { local.accessLines != nil || !rules.observers.isEmpty }

    /// Serves the client until one side ends it.
    func run() async {
        channel.onOverrun = { [unowned self] _ in overrun() }
        channel.onBreak = { [unowned self] _ in abandon() }
        do throws(ChannelError) {
            let deadline = now + limits.handshakeMilliseconds
            try await meetClient(until: deadline)
            try await enter(until: deadline)
            try await serve()
        } catch {
            // The peer is gone or too slow, or the server stops: there is no one to tell.
        }
        channel.onOverrun = nil
        channel.onBreak = nil
        channel.onArrival = nil
        leave()
        if isPassedOn { passOn() }
        releaseBuffer()
    }

    private func serve() async throws(ChannelError) {
        if rules.redirectPort == nil {
            channel.onArrival = { [unowned self] in answerArrival() }
        }
        while let head = try await nextHead() {
            guard try await exchange(head) else { return }
            await giveWay()
        }
    }

    /// Lets the loop's other connections go on when this one sends without a pause.
    private func giveWay() async {
        streak += 1
        streakBytes += sent.bytes
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
        // Invariant: the buffer holds the beginning of a head, or there is none.
        while true {
            if let rest = unsent.take() { try await send(rest) }
            if let head = readyHead.take() { return head }
            if canBePassed {
                isPassedOn = true
                return nil
            }
            if let buffer {
                do throws(HTTPParseError) {
                    if let head = try parser.parse(Span(_unsafeElements: buffer.bytes)) {
                        use(parser.consumed)
                        return head
                    }
                } catch {
                    let detail = "The request has \(error.detail)."
                    try await refuseUnread(HTTPError(error.status, detail))
                    return nil
                }
                deadline = deadline ?? now + limits.headMilliseconds
            }
            switch try fill() {
            case .bytes: continue
            case .end: return nil
            case .wouldBlock: break
            }
            endStreak()
            // Everybody waits for who is slow now.
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
                // The server stops, and finishes what was read before.
            } catch .timedOut {
                guard deadline != nil else { return nil }
                try await refuseUnread(
                    HTTPError(.requestTimeout, "The request head did not arrive in time."))
                return nil
            }
        }
    }

    /// Reads what is there into the buffer; without a byte in it, no buffer is held behind this.
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

    /// The first bytes of the buffer are used.
    func use(_ count: Int) {
        buffer?.consume(count)
        if let buffer, buffer.isEmpty { releaseBuffer() }
    }

    func releaseBuffer() {
        guard let buffer else { return }
        self.buffer = nil
        local.giveBack(buffer)
    }

    // MARK: One request

    /// Whether something that came while the task waited is left for it.
    private var hasLeftovers: Bool { readyHead != nil || unsent != nil }

    func begin(_ head: borrowing RequestHead) {
        requestID = local.requestID(for: head.fields)
        sent = SentResponse(isObserved)
        sent.isHead = head.method == .head
        isRead = head.method.isSafe
        sent.version = head.version
        sent.origin = rules.crossOrigin?.place(of: head.fields)
        if client.isTrusted { findClient(head.fields) }
        guard isObserved else { return }
        sent.request = (head.method, head.target)
        sent.receivedBytes = parser.consumed
        sent.traceID = TraceContext(head.fields)?.traceID
    }

    // MARK: While the task waits

    /// Answers what comes between requests, as far as answers are ready, without its task.
    ///
    /// - Returns: until when the task may go on waiting; `nil` if something is left for it.
    private func answerArrival() -> Int64? {
        var sentBytes = 0
        for _ in 0..<Self.longestStreak {
            do throws(ChannelError) {
                guard case .bytes = try fill() else {
                    return channel.mayRead || buffer != nil ? nil : idleDeadline
                }
            } catch { return nil }
            while let buffer {
                // The task goes on, and gives way to others.
                guard sentBytes < Self.longestStreakBytes else { return nil }
                do throws(HTTPParseError) {
                    guard let head = try parser.parse(Span(_unsafeElements: buffer.bytes)) else {
                        return nil
                    }
                    use(parser.consumed)
                    guard answerAtOnce(head) else { return nil }
                    sentBytes += sent.bytes
                    idleDeadline = now + limits.idleMilliseconds
                } catch {
                    // The task finds the same.
                    return nil
                }
            }
        }
        return nil
    }

    /// Answers the request if that takes no waiting; otherwise it is left to the task.
    private func answerAtOnce(_ head: consuming RequestHead) -> Bool {
        guard head.keepsAlive, !channel.isStopping, isForServedHost(head),
            let ready = readyAnswer(to: head)
        else {
            readyHead = consume head
            return false
        }
        begin(head)
        guard isWithinLimits(account: ready.reader?.key) else {
            rules.router.cache?.takeBack(head)
            readyHead = consume head
            return false
        }
        return send(ready)
    }
}
