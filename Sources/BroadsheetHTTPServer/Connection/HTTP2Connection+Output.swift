import BroadsheetHTTP
import BroadsheetHTTP2
import BroadsheetSockets

/// Sending: the frames of all streams that have something to send go out together.
extension HTTP2Connection {
    /// Sends pending output once the jobs of this turn have run.
    func scheduleFlush() {
        guard !isReceiving, !isFlushScheduled else { return }
        isFlushScheduled = true
        channel.loop.afterCurrentTurn { [weak self] in
            guard let self else { return }
            isFlushScheduled = false
            flush()
        }
    }

    /// Sends as much as the socket accepts, for a bounded time.
    func flush() {
        guard !isOver else { return }
        var count = 0
        // Invariant: output written before is sent, unless it is in `unsent`.
        while count < Self.turnLimitBytes {
            if !unsent.isEmpty {
                let held = unsent.bytes.count
                count += unsent.send(to: channel, now: now)
                guard unsent.isEmpty else { break }
                listener.waiting.remove(held)
            }
            guard let more = writeBatch() else { break }
            count += more
        }
        if count >= Self.turnLimitBytes { scheduleFlush() }
        noteWaiting()
        if !channel.isOpen {
            finish()
        } else if unsent.isEmpty, !session.wantsToSend, !expectsMore {
            finish()
        }
    }

    /// True if the client, or a response, may cause more output. After the end of the input a
    /// stream whose head is incomplete causes none, although the session waits for it.
    private var expectsMore: Bool {
        session.wantsToReceive && !(isInputOver && streams.values.allSatisfy(\.isClosed))
    }

    /// Makes frames of the streams' bodies and other output, and sends them with one call; `nil` if
    /// there are none.
    private func writeBatch() -> Int? {
        loopContext.frames.removeAll(keepingCapacity: true)
        do throws(HTTP2Error) {
            try session.write(to: &loopContext.frames, upTo: Self.batchBytes)
        } catch {
            finish()
            return nil
        }
        if session.sentBodyBytes != bodyBytes {
            (bodyBytes, bodyTime) = (session.sentBodyBytes, now)
        }
        handleEvents()
        guard !loopContext.frames.isEmpty else { return nil }
        let written = loopContext.frames.withUnsafeBytes { channel.writeMore($0, from: 0) }
        if written < loopContext.frames.count {
            hold(Array(loopContext.frames[written...]))
        }
        return loopContext.frames.count
    }

    /// Keeps bytes that the socket has not accepted, which count towards the limit of waiting
    /// responses.
    private func hold(_ bytes: [UInt8]) {
        unsent = UnsentOutput(bytes, now: now)
        remind(at: now + limits.writeStallMilliseconds)
        if listener.waiting.add(bytes.count) > limits.waitingBytes { channel.reset() }
    }

    /// Drops the unsent output.
    func dropUnsent() {
        listener.waiting.remove(unsent.bytes.count)
        unsent = UnsentOutput()
    }

    /// Returns true if a stream's body does not go on because of the client: its window is closed,
    /// or that of the connection.
    func isStalled(since time: Int64, stream id: Int32) -> Bool {
        !session.isWindowOpen(of: id) || bodyTime <= time
    }

    /// Four TLS records of the largest size.
    private static let batchBytes = 64 << 10

    /// Bodies that were not sent at once count towards the limit of waiting responses.
    private func noteWaiting() {
        guard !submitted.isEmpty else { return }
        let streams = submitted
        submitted = []
        for stream in streams { stream.noteWaiting() }
    }

    // MARK: Time limits

    /// The time at which the connection is closed unless a request arrives.
    var idleDeadline: Int64 {
        let allowed = limits.idleMilliseconds
        let quiet = channel.isLeaving ? listener.departure.quietMilliseconds : allowed
        return lastUse + min(allowed, quiet)
    }

    /// Makes `examine` run at or after this time.
    func remind(at time: Int64) {
        guard time < alarm else { return }
        alarm = time
        channel.beginWork(until: time)
    }

    /// Ends streams and waits that have taken too long, and finds the next deadline.
    func examine() {
        alarm = .max
        let time = now
        var next = Int64.max
        for stream in streams.values { next = min(next, stream.examine(at: time)) }
        guard !isOver else { return remind(at: next) }
        if streams.isEmpty, case .open = stage {
            if idleDeadline <= time { announceEnd() } else { next = min(next, idleDeadline) }
        }
        if headDeadline <= time {
            session.terminate(.enhanceYourCalm)
            fail()
        }
        next = min(next, headDeadline)
        announceEndIfDue()
        if case .open = stage { next = min(next, leaveDeadline) }
        if case .announced(let deadline) = stage {
            if deadline <= time { close() } else { next = min(next, deadline) }
        }
        if !unsent.isEmpty {
            let deadline = unsent.progressTime + limits.writeStallMilliseconds
            if deadline <= time { channel.abort(.timedOut) }
            next = min(next, deadline)
        }
        flush()
        if !isOver { remind(at: next) }
    }

    // MARK: Ending

    /// The server begins to stop or to hand off its connections, or does it.
    func stop() {
        for stream in streams.values { stream.stop() }
        leaveIfUsed()
        remind(at: idleDeadline)
        scheduleFlush()
    }

    /// Begins to end the connection if it has served a request; a new one gets the chance to serve
    /// one, within limits.
    private func leaveIfUsed() {
        guard hasServed || channel.isDraining else { return }
        leaveDeadline = min(leaveDeadline, now + limits.burstMilliseconds)
        remind(at: leaveDeadline)
        announceEndIfDue()
    }

    /// The first request has arrived on a connection that cannot be handed off. One that was opened
    /// while the server only prepares for it goes on: its client has just lost another one.
    func servesFirstRequest() {
        hasServed = true
        if channel.isDraining || channel.isGivenAway { leaveIfUsed() }
    }

    /// Announces the end with the last response of a burst. Some clients, Chromium among them, fail
    /// requests that they have assigned to the connection when the announcement arrives.
    func announceEndIfDue() {
        guard leaveDeadline < .max, streams.isEmpty || leaveDeadline <= now else { return }
        announceEnd()
    }

    /// Begins to end the connection in two steps, so that no request is lost (RFC 9113 §6.8).
    func announceEnd() {
        guard case .open = stage else { return }
        stage = .announced(until: now + Self.announcementMilliseconds)
        session.announceEnd()
        remind(at: now + Self.announcementMilliseconds)
        scheduleFlush()
    }

    /// The maximum wait for the client's acknowledgement.
    private static let announcementMilliseconds: Int64 = 1_000

    /// Accepts no further streams.
    func close() {
        stage = .closing
        session.end()
        scheduleFlush()
    }

    /// Ends the connection after an error, of which the client is told if possible.
    func fail() {
        flush()
        finish()
    }

    func finish() {
        guard !isOver else { return }
        stage = .over
        channel.interrupt()
    }
}
