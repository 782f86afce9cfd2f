import Glibc

/// Why a channel does not go on.
public enum ChannelError: Error, Sendable, Hashable {
    /// The deadline came.
    case timedOut
    /// The server stops, or someone closed the channel.
    case cancelled
    /// The peer is gone (`ECONNRESET`, `EPIPE`, …).
    case disconnected(code: Int32)
    /// TLS was not agreed on, or broke.
    case insecure(TLSFailure)
}

/// A connected socket on its loop: never blocks, suspends only when it would.
///
/// It lives on its loop's thread and in one task there; nothing of it is for other threads.
public final class SocketChannel {
    public let peer: SocketAddress
    public let loop: EventLoop
    private let token: UInt64
    private(set) var descriptor: Int32
    /// The task that the channel lives in.
    var task: Task<Void, Never>?

    /// What is written next is the last: TLS's own end goes out with it.
    public var isEnding = false
    /// TLS, if the channel speaks it.
    var session: TLSSession?

    private var isReadable = true
    var isWritable = true
    private var isHungUp = false
    var isBroken = false
    // Asked for each request, and never while they change: none needs to be watched.
    @exclusivity(unchecked) public private(set) var isDraining = false
    /// The server is about to give its connections away …
    @exclusivity(unchecked) public private(set) var isLeaving = false
    /// … and does so now.
    @exclusivity(unchecked) public private(set) var isGivenAway = false
    private var isTimedOut = false
    private var isInterrupted = false
    private var failure: ChannelError?

    /// What the task waits for.
    private enum Wait {
        case none
        case readable(UnsafeContinuation<Void, Never>, isIdle: Bool)
        case writable(UnsafeContinuation<Void, Never>)
    }
    private var wait = Wait.none
    /// When the wait has to be over; monotonic milliseconds.
    private var waitDeadline = Int64.max
    /// When the work has to be over; monotonic milliseconds.
    var workDeadline = Int64.max
    /// When the loop's wheel next shows this channel.
    private var armedAt = Int64.max
    /// Called on the loop when work is not over in time, while the task is still at it; it should
    /// end the channel.
    public var onOverrun: ((SocketChannel) -> Void)?
    /// Called on the loop when the peer has gone, and would get no answer, while the task is at
    /// work (`beginWork`).
    public var onBreak: ((SocketChannel) -> Void)?
    /// Asked on the loop when something comes while the task waits idly (`waitReadable`): until
    /// when the task may go on waiting, as it is dealt with; `nil` if it is the task's. To resume
    /// a task costs more than many a request.
    @exclusivity(unchecked) public var onArrival: (() -> Int64?)?

    init(
        _ descriptor: consuming Descriptor, peer: SocketAddress, token: UInt64, loop: EventLoop
    ) {
        self.descriptor = descriptor.release()
        self.peer = peer
        self.token = token
        self.loop = loop
    }

    deinit { close() }

    public var isOpen: Bool { descriptor >= 0 && failure == nil }

    // MARK: Reading

    /// What a read gave.
    public enum ReadResult: Sendable, Hashable {
        case bytes(Int)
        /// The peer sends no more.
        case end
        /// Nothing is there: wait.
        case wouldBlock
    }

    /// Whether a read may give something; otherwise it is known that nothing is there.
    public var mayRead: Bool { isReadable || failure != nil || session?.mayRead ?? false }

    /// Reads what is there (`recv(2)`) into a buffer that is not empty.
    public func read(
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(ChannelError) -> ReadResult {
        guard let session else { return try readRaw(into: buffer) }
        return try read(into: buffer, through: session)
    }

    func readRaw(
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(ChannelError) -> ReadResult {
        try check()
        guard isReadable else { return .wouldBlock }
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 {
                // Less than there was room for: drained, and the next bytes are a new edge; unless
                // the peer has closed, as that edge may have passed already.
                if count < buffer.count, !isHungUp { isReadable = false }
                return .bytes(count)
            }
            if count == 0 { return .end }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                isReadable = false
                return .wouldBlock
            default: throw fail(.disconnected(code: errno))
            }
        }
    }

    /// Waits until there may be something to read.
    ///
    /// - Parameters:
    ///   - deadline: monotonic milliseconds (`loop.now`).
    ///   - isIdle: between requests: a server that stops ends such a wait at once.
    /// - Throws: `timedOut`, after which the channel can still be used.
    public func waitReadable(until deadline: Int64, isIdle: Bool = false)
        async throws(ChannelError)
    {
        defer { isInterrupted = false }
        try check()
        guard !isReadable, !isInterrupted else { return }
        if isIdle, isDraining { throw .cancelled }
        isTimedOut = false
        waitDeadline = deadline
        arm()
        await withUnsafeContinuation { continuation in
            // What it waits for may have come while the task was on its way here.
            let isOver = isReadable || isTimedOut || isInterrupted || isIdle && isDraining
            wait = .readable(continuation, isIdle: isIdle)
            if isOver || !isOpen { resume() }
        }
        try check()
        guard !isReadable, !isInterrupted else { return }
        if isTimedOut { throw .timedOut }
        if isIdle, isDraining { throw .cancelled }
    }

    /// Ends a wait for something to read, this one or the next: the task has something else to do.
    public func interrupt() {
        isInterrupted = true
        if case .readable = wait { resume() }
    }

    // MARK: Writing

    /// Writes both pieces, in as few calls as it takes (`sendmsg(2)`).
    ///
    /// - Parameters:
    ///   - start: how many bytes are out already.
    ///   - stallMilliseconds: how long it may go without any progress.
    public func write(
        _ head: [UInt8], _ body: [UInt8] = [], from start: Int = 0, stallMilliseconds: Int64
    ) async throws(ChannelError) {
        if let session {
            return try await write(
                head, body, from: start, through: session, stallMilliseconds: stallMilliseconds)
        }
        let total = head.count + body.count
        var written = start
        // Invariant: the first `written` of both pieces' bytes are out.
        while written < total {
            try check()
            if isWritable {
                let count = send(head, body, from: written)
                if count > 0 {
                    written += count
                    continue
                }
                let code = errno
                guard code != EINTR else { continue }
                guard code == EAGAIN else { throw fail(.disconnected(code: code)) }
                isWritable = false
            }
            try await waitWritable(until: loop.now + stallMilliseconds)
        }
    }

    /// - Throws: `timedOut`, and then the channel is of no use any more.
    func waitWritable(until deadline: Int64) async throws(ChannelError) {
        isTimedOut = false
        waitDeadline = deadline
        arm()
        await withUnsafeContinuation { continuation in
            wait = .writable(continuation)
            if isWritable || isTimedOut || !isOpen { resume() }
        }
        try check()
    }

    /// Writes both pieces if one call takes them.
    /// - Returns: how many bytes went out; `write` goes on from there.
    public func writeAtOnce(_ head: [UInt8], _ body: [UInt8] = []) -> Int {
        head.withUnsafeBytes { writeAtOnce($0, body) }
    }

    /// Writes both pieces if one call takes them; the first is the caller's until it returns.
    /// - Returns: how many bytes went out.
    public func writeAtOnce(_ head: UnsafeRawBufferPointer, _ body: [UInt8]) -> Int {
        guard isWritable, isOpen else { return 0 }
        return body.withUnsafeBytes { body in
            if let session { return writeAtOnce(head, body, through: session) }
            return max(0, send(head, body, from: 0))
        }
    }

    /// `send(2)`; -1 and `errno` for a failure.
    func sendRaw(_ bytes: UnsafeRawBufferPointer) -> Int {
        Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    }

    private func send(_ head: [UInt8], _ body: [UInt8], from written: Int) -> Int {
        head.withUnsafeBytes { head in
            body.withUnsafeBytes { send(head, $0, from: written) }
        }
    }

    /// One call for what is left of both pieces; -1 and `errno` as `sendmsg(2)` gives them.
    private func send(
        _ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer, from written: Int
    ) -> Int {
        let headLeft = max(0, head.count - written)
        let bodySkipped = max(0, written - head.count)
        guard headLeft > 0, body.count > 0 else {
            let piece = headLeft > 0 ? head[(head.count - headLeft)...] : body[bodySkipped...]
            return sendRaw(UnsafeRawBufferPointer(rebasing: piece))
        }
        let start = head.baseAddress.map { $0 + (head.count - headLeft) }
        var pieces = (
            iovec(iov_base: .init(mutating: start), iov_len: headLeft),
            iovec(iov_base: .init(mutating: body.baseAddress), iov_len: body.count)
        )
        return withUnsafeMutableBytes(of: &pieces) { pieces in
            var message = msghdr()
            message.msg_iov = pieces.baseAddress?.assumingMemoryBound(to: iovec.self)
            message.msg_iovlen = 2
            return sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL))
        }
    }

    // MARK: Ending

    /// Tells the peer that nothing more comes (`shutdown(2)`), and goes on reading.
    public func shutdownWrite() {
        if let session { sendEnd(through: session) }
        if descriptor >= 0 { shutdown(descriptor, Int32(SHUT_WR)) }
    }

    /// Sends what goes out at once and ends the channel, whatever its task is doing; the task is
    /// cancelled, and its next use of the channel throws.
    public func abort(_ error: ChannelError = .cancelled, sending bytes: [UInt8] = []) {
        guard isOpen else { return }
        if !bytes.isEmpty { _ = writeAtOnce(bytes) }
        if let session { sendEnd(through: session) }
        _ = fail(error)
        shutdownWrite()
        task?.cancel()
        resume()
    }

    /// The same without a word: the peer sees a failure, and no end.
    public func abortByReset(_ error: ChannelError) {
        guard isOpen else { return }
        _ = fail(error)
        reset()
        task?.cancel()
        resume()
    }

    public func close() {
        guard descriptor >= 0 else { return }
        if let session { sendEnd(through: session) }
        Glibc.close(descriptor)
        descriptor = -1
    }

    /// Ends the channel so that the peer sees a failure and no end (`SO_LINGER` of 0: `RST`).
    public func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &linger,
            socklen_t(MemoryLayout.size(ofValue: linger)))
        close()
    }

    func fail(_ error: ChannelError) -> ChannelError {
        failure = failure ?? error
        return error
    }

    func check() throws(ChannelError) {
        if let failure { throw failure }
        guard descriptor >= 0 else { throw .cancelled }
    }

    // MARK: Told by the loop

    func note(_ event: ReadyEvent) {
        if event.isHungUp { isHungUp = true }
        if event.isBroken { noteBreak() }
        if event.isReadable {
            isReadable = true
            if case .readable(_, let isIdle) = wait { arrived(isIdle: isIdle) }
        }
        if event.isWritable {
            isWritable = true
            if case .writable = wait { resume() }
        }
    }

    private func arrived(isIdle: Bool) {
        guard isIdle, !isStopping, isOpen, let onArrival, let deadline = onArrival() else {
            return resume()
        }
        // Armed already for an earlier time, which will find this one.
        waitDeadline = deadline
    }

    /// The wheel shows this channel: its deadline may have come, or have moved on.
    func deadlineReached(now: Int64) {
        // An entry for another time stands in the wheel: this one was left behind.
        guard armedAt <= now else { return }
        armedAt = .max
        if workDeadline <= now {
            workDeadline = .max
            onOverrun?(self)
        }
        if waitDeadline <= now {
            if case .writable = wait { _ = fail(.timedOut) } else { isTimedOut = true }
            resume()
        }
        arm()
    }

    /// The server stops: an idle wait ends.
    func drain() {
        isDraining = true
        if case .readable(_, isIdle: true) = wait { resume() }
    }

    /// The server gives its connections away: a wait to read ends early, and nothing fails for it.
    func leave(now isGivenAway: Bool) {
        isLeaving = true
        self.isGivenAway = isGivenAway
        if case .readable = wait { interrupt() }
    }

    /// Whether the server has begun to stop, or to give its connections away.
    public var isStopping: Bool { isDraining || isLeaving }

    /// Gives the socket away, open: the channel is closed behind this. `nil` if it was before.
    public func detach() -> Descriptor? {
        guard isOpen else { return nil }
        loop.forget(descriptor)
        defer { descriptor = -1 }
        return Descriptor(descriptor)
    }

    /// Has the wheel show this channel in time for its next deadline.
    func arm() {
        let time = min(waitDeadline, workDeadline)
        guard time < armedAt else { return }
        armedAt = loop.arm(token, at: time)
    }

    private func resume() {
        let wait = wait
        self.wait = .none
        waitDeadline = .max
        switch wait {
        case .none: return
        case .readable(let continuation, _), .writable(let continuation): continuation.resume()
        }
    }
}
