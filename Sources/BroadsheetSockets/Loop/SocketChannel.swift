public import BroadsheetPlatform
import Glibc

/// A connected non-blocking socket on its loop, which suspends its task when a call would block.
///
/// It is used on its loop, by one task; it must not be shared with other threads.
public final class SocketChannel {
    public let peer: SocketAddress
    public let loop: EventLoop
    let token: UInt64
    private(set) var descriptor: Int32
    /// The task that uses the channel.
    var task: Task<Void, Never>?

    /// The next write is the last one, so a close_notify alert is sent with it.
    public var isEnding = false
    /// The TLS session, if the channel is encrypted.
    var session: TLSSession?

    private var isReadable = true
    var isWritable = true
    private var isHungUp = false
    /// True if no sent byte can arrive any more.
    public private(set) var isBroken = false
    private var isReadToEnd = false
    /// True if a peer that sends no more counts as disconnected, as for a response without an end.
    public var breaksWhenHungUp = false { didSet { noteBreakIfHungUp() } }
    // Read for each request, and never while they change, so exclusivity is not checked.
    @exclusivity(unchecked) public private(set) var isDraining = false
    /// The server is about to hand off its connections …
    @exclusivity(unchecked) public private(set) var isLeaving = false
    /// … and is doing so now.
    @exclusivity(unchecked) public private(set) var isGivenAway = false
    private var isTimedOut = false
    private var isInterrupted = false
    private var failure: ChannelError?

    /// The event for which the task waits.
    private enum Wait {
        case none
        case readable(UnsafeContinuation<Void, Never>, isIdle: Bool)
        case writable(UnsafeContinuation<Void, Never>)
    }
    private var wait = Wait.none
    /// The deadline of the wait; monotonic milliseconds.
    private var waitDeadline = Int64.max
    /// The deadline of the work; monotonic milliseconds.
    private var workDeadline = Int64.max
    private var isWorking = false
    /// The time at which the loop's timer wheel shows this channel next.
    private var armedAt = Int64.max
    /// Called on the loop when the work deadline expires while the task is still busy; it should
    /// close the channel.
    public var onOverrun: ((SocketChannel) -> Void)?
    /// Called on the loop when the peer disconnects while the task is at work (`beginWork`), so
    /// that it cannot receive the response.
    public var onBreak: ((SocketChannel) -> Void)?
    /// Called on the loop when the server begins to stop or to hand off its connections, and again
    /// when it does.
    public var onStop: (() -> Void)?
    /// Called on the loop when something arrives while the task waits idly (`waitReadable`). It
    /// returns the time until which the task may keep waiting, if it has handled the arrival, or
    /// `nil` to resume the task. Resuming a task costs more than many requests do.
    @exclusivity(unchecked) public var onArrival: (() -> Int64?)?
    /// Called on the loop when the socket accepts bytes and the task does not wait for that.
    @exclusivity(unchecked) public var onWritable: (() -> Void)?

    init(
        _ descriptor: consuming Descriptor, peer: SocketAddress, token: UInt64, loop: EventLoop
    ) {
        self.descriptor = descriptor.release()
        self.peer = peer
        self.token = token
        self.loop = loop
    }

    deinit { close() }

    /// True if the channel is encrypted.
    public var isSecure: Bool { session?.isEstablished ?? false }
    public var isOpen: Bool { descriptor >= 0 && failure == nil }

    // MARK: Reading

    /// The result of a read.
    public enum ReadResult: Sendable, Hashable {
        case bytes(Int)
        /// The peer sends no more bytes.
        case end
        /// Nothing is available: wait.
        case wouldBlock
    }

    /// True if a read may return something; otherwise nothing is known to be available.
    public var mayRead: Bool {
        isReadable || failure != nil || !isReadToEnd && session?.mayRead ?? false
    }

    /// Reads nothing more, as the peer sends no more bytes: a wait for input ends only when it is
    /// interrupted, and `onBreak` is called when the peer is gone.
    public func endReading() {
        isReadToEnd = true
        isReadable = false
    }

    /// Reads available bytes (`recv(2)`) into a buffer that is not empty.
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
                // A short read drained the socket, so the next bytes cause a new edge; unless the
                // peer has closed, as that edge may have been reported already.
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
    ///   - deadline: Monotonic milliseconds (`loop.now`).
    ///   - isIdle: True between requests: a stopping server ends such a wait immediately.
    /// - Throws: `timedOut`; the channel can still be used afterwards.
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
            // The event may have happened before the task suspended.
            let isOver = isReadable || isTimedOut || isInterrupted || isIdle && isDraining
            wait = .readable(continuation, isIdle: isIdle)
            if isOver || !isOpen { resume() }
        }
        try check()
        guard !isReadable, !isInterrupted else { return }
        if isTimedOut { throw .timedOut }
        if isIdle, isDraining { throw .cancelled }
    }

    /// Ends the current or the next wait for input: the task has something else to do.
    public func interrupt() {
        isInterrupted = true
        if case .readable = wait { resume() }
    }

    // MARK: Writing

    /// Writes both pieces with as few calls as possible (`sendmsg(2)`).
    ///
    /// - Parameters:
    ///   - start: The number of bytes already sent.
    ///   - stallMilliseconds: The maximum time without progress.
    public func write(
        _ head: [UInt8], _ body: [UInt8] = [], from start: Int = 0, stallMilliseconds: Int64
    ) async throws(ChannelError) {
        if let session {
            return try await write(
                head, body, from: start, through: session, stallMilliseconds: stallMilliseconds)
        }
        let total = head.count + body.count
        var written = start
        // Invariant: the first `written` bytes of both pieces are sent.
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

    /// Waits until the connection is established.
    ///
    /// - Throws: Also `disconnected` with the error code of `connect(2)`.
    public func waitConnected(until deadline: Int64) async throws(ChannelError) {
        while true {
            try check()
            var code: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
            guard code == 0 else { throw fail(.disconnected(code: code)) }
            isWritable = hasPeer
            if isWritable { return }
            try await waitWritable(until: deadline)
        }
    }

    private var hasPeer: Bool {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                getpeername(descriptor, pointer, &length) == 0
            }
        }
    }

    /// - Throws: `timedOut`; the channel cannot be used afterwards.
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

    /// Writes both pieces with one call.
    /// - Returns: The number of bytes sent; `write` continues from there.
    public func writeAtOnce(_ head: [UInt8], _ body: [UInt8] = []) -> Int {
        head.withUnsafeBytes { writeAtOnce($0, body) }
    }

    /// Writes both pieces with one call; the first is borrowed until it returns.
    /// - Returns: The number of bytes sent.
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

    /// Sends the rest of both pieces with one call; -1 and `errno` as from `sendmsg(2)`.
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

    /// Shuts the socket down for writing (`shutdown(2)`); reading remains possible.
    public func shutdownWrite() {
        if let session { sendEnd(through: session) }
        if descriptor >= 0 { shutdown(descriptor, Int32(SHUT_WR)) }
    }

    /// Resets the connection, so that the peer sees an error (`SO_LINGER` of 0: `RST`).
    public func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &linger,
            socklen_t(MemoryLayout.size(ofValue: linger)))
        close()
    }

    /// Sends as many of the bytes as it can at once and closes the channel, whatever its task is
    /// doing; the task is cancelled, and its next use of the channel throws.
    public func abort(_ error: ChannelError = .cancelled, sending bytes: [UInt8] = []) {
        guard isOpen else { return }
        if !bytes.isEmpty { _ = writeAtOnce(bytes) }
        if let session { sendEnd(through: session) }
        _ = fail(error)
        shutdownWrite()
        task?.cancel()
        resume()
    }

    /// The same without an orderly shutdown: the peer sees an error.
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

    func fail(_ error: ChannelError) -> ChannelError {
        failure = failure ?? error
        return error
    }

    func check() throws(ChannelError) {
        if let failure { throw failure }
        guard descriptor >= 0 else { throw .cancelled }
    }

    // MARK: Called by the loop

    func note(_ event: ReadyEvent) {
        if event.isHungUp { isHungUp = true }
        if event.isBroken { noteBreak() } else { noteBreakIfHungUp() }
        if event.isReadable, !isReadToEnd {
            isReadable = true
            if case .readable(_, let isIdle) = wait { arrived(isIdle: isIdle) }
        }
        if event.isWritable {
            isWritable = true
            if case .writable = wait { resume() } else { onWritable?() }
        }
    }

    private func arrived(isIdle: Bool) {
        guard isIdle, !isStopping, isOpen, let onArrival, let deadline = onArrival() else {
            return resume()
        }
        // It is already armed for an earlier time, and will then be armed again.
        waitDeadline = deadline
    }

    /// The wheel shows this channel: its deadline may have expired or moved.
    func deadlineReached(now: Int64) {
        // This is a stale entry of the wheel; a newer one exists.
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

    /// The server is stopping: an idle wait ends.
    func drain() {
        isDraining = true
        onStop?()
        if case .readable(_, isIdle: true) = wait { resume() }
    }

    /// The server hands off its connections: a wait for input ends early without an error.
    func leave(now isGivenAway: Bool) {
        isLeaving = true
        self.isGivenAway = isGivenAway
        onStop?()
        if case .readable = wait { interrupt() }
    }

    /// Releases the open socket and closes the channel; `nil` if the channel was already closed.
    public func detach() -> Descriptor? {
        guard isOpen else { return nil }
        loop.forget(descriptor)
        defer { descriptor = -1 }
        return Descriptor(descriptor)
    }

    /// Makes the wheel show this channel in time for its next deadline.
    private func arm() {
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

/// Work that the channel's task does before it can send a response.
extension SocketChannel {
    /// Starts work, by default without a deadline; `onOverrun` is called if it is not finished by
    /// then. `onBreak` is called if the peer disconnects before that, or already has.
    public func beginWork(until deadline: Int64 = .max) {
        isWorking = true
        workDeadline = deadline
        arm()
        if isBroken { onBreak?(self) }
    }

    /// True if the server has begun to stop or to hand off its connections.
    public var isStopping: Bool { isDraining || isLeaving }

    public func endWork() {
        isWorking = false
        workDeadline = .max
    }

    /// A peer that has shut down its side may still want to read; but if nothing is sent for long,
    /// it shows too late that it does not.
    private func noteBreakIfHungUp() {
        if isHungUp, breaksWhenHungUp, !isBroken { noteBreak() }
    }

    /// Called by the loop when the peer has disconnected.
    private func noteBreak() {
        isBroken = true
        if isWorking { onBreak?(self) }
    }
}
