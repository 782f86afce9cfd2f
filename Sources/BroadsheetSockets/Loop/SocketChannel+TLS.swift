import Glibc

extension SocketChannel {
    /// The application protocol that both sides agreed on by ALPN (RFC 7301); `nil` for none.
    public var applicationProtocol: String? { session?.applicationProtocol }

    /// The negotiated version: `TLSv1.2`, `TLSv1.3`; `nil` without TLS.
    public var secureVersion: String? { session.map(\.version) }

    /// True if the handshake resumed an earlier session.
    public var isResumedSession: Bool { session?.isResumed ?? false }

    /// Performs the server's side of a TLS handshake (RFC 8446, RFC 5246); reads and writes are
    /// encrypted from then on.
    ///
    /// - Throws: `insecure` for a failed handshake. After `insecure(.plainHTTP)` the channel can be
    ///   used without TLS; after `cancelled` it can be handed off if it is still open.
    public func secure(
        by server: TLSServer, until deadline: Int64
    ) async throws(ChannelError) {
        try await handshake(until: deadline) { (wires) throws(TLSFailure) in
            try server.makeSession(wires)
        }
    }

    /// Performs the client's side of a TLS handshake and verifies that the server has this name.
    ///
    /// - Parameter protocols: The application protocols to offer; `nil`: those of the client.
    /// - Throws: `insecure(.untrusted)` if the server is not trusted.
    public func secure(
        as client: TLSClient, with host: String, offering protocols: [String]? = nil,
        until deadline: Int64
    ) async throws(ChannelError) {
        try await handshake(until: deadline) { (wires) throws(TLSFailure) in
            try client.makeSession(with: host, offering: protocols, wires)
        }
    }

    func handshake(
        until deadline: Int64, _ make: (TLSRecordBuffers) throws(TLSFailure) -> TLSSession
    ) async throws(ChannelError) {
        let wires = loop.wires
        let session: TLSSession
        do throws(TLSFailure) {
            session = try make(wires)
        } catch { throw fail(.insecure(error)) }
        self.session = session
        // Invariant: the session has everything received so far. A server sends nothing before it
        // has received something.
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        var isUntouched = session.server != nil
        var isDone = session.server == nil
        if isDone { isDone = try await stepHandshake(nothing, until: deadline) }
        while !isDone {
            switch try readRaw(into: wires.received) {
            case .bytes(let count):
                isUntouched = false
                let received = UnsafeRawBufferPointer(rebasing: wires.received[..<count])
                isDone = try await stepHandshake(received, until: deadline)
            case .end: throw fail(.insecure(.truncated))
            case .wouldBlock:
                if isUntouched, isGivenAway {
                    self.session = nil
                    throw .cancelled
                }
                try await waitReadable(until: deadline, isIdle: true)
            }
        }
    }

    /// Passes received bytes to the session and sends its output; true when the handshake is
    /// complete.
    private func stepHandshake(
        _ received: UnsafeRawBufferPointer, until deadline: Int64
    ) async throws(ChannelError) -> Bool {
        guard let session else { throw fail(.cancelled) }
        let isDone: Bool
        do throws(TLSFailure) {
            isDone = try session.handshake(received)
            if isDone, session.canWait { session.hold() } else { try session.flush(sendSome) }
        } catch {
            if error == .plainHTTP {
                session.wires.clearOutput()
                self.session = nil
                throw .insecure(error)
            }
            throw end(session, error)
        }
        if !session.isHolding { try await sendLeftover(session, until: deadline) }
        return isDone
    }

    // MARK: Reading

    func read(
        into buffer: UnsafeMutableRawBufferPointer, through session: TLSSession
    ) throws(ChannelError) -> ReadResult {
        try check()
        let wires = session.wires
        var received = UnsafeRawBufferPointer(start: nil, count: 0)
        // Invariant: the session has everything received so far; the buffer is empty.
        while true {
            if session.mayRead || !received.isEmpty {
                switch try decrypt(into: buffer, received, session) {
                case .done(let count): return .bytes(count)
                case .end: return .end
                case .needsInput: break
                }
            }
            switch try readRaw(into: wires.received) {
            case .bytes(let count):
                received = UnsafeRawBufferPointer(rebasing: wires.received[..<count])
            case .end: throw fail(.insecure(.truncated))
            case .wouldBlock:
                if session.isHolding { sendHeld(session) }
                return .wouldBlock
            }
        }
    }

    /// No write will follow soon that could carry the pending output.
    private func sendHeld(_ session: TLSSession) {
        do throws(TLSFailure) { try session.flush(sendSome) } catch { _ = end(session, error) }
    }

    private func decrypt(
        into buffer: UnsafeMutableRawBufferPointer, _ received: UnsafeRawBufferPointer,
        _ session: TLSSession
    ) throws(ChannelError) -> TLSSession.Progress {
        do throws(TLSFailure) {
            let progress = try session.read(into: buffer, received)
            if session.wires.hasOutput { try session.flush(sendSome) }
            return progress
        } catch { throw end(session, error) }
    }

    // MARK: Writing

    /// The maximum plaintext that is encrypted before it is sent: a few records per call.
    private static var batchBytes: Int { 4 * TLSRecordBuffers.recordBytes }

    func write(
        _ head: [UInt8], _ body: [UInt8], from start: Int, through session: TLSSession,
        stallMilliseconds: Int64
    ) async throws(ChannelError) {
        let total = head.count + body.count
        var written = start + session.heldBack
        // Invariant: the first `written` bytes of both pieces are sent or in the session's pending
        // output.
        while true {
            try check()
            try await sendLeftover(session, stallMilliseconds: stallMilliseconds)
            guard written < total else { return }
            written += try head.withUnsafeBytes { head in
                body.withUnsafeBytes { encryptBatch(head, $0, from: written, session) }
            }.get()
        }
    }

    /// - Returns: The number of bytes consumed; encrypted bytes that could not be sent are pending
    ///   in the session, and `write` does not encrypt them again.
    func writeAtOnce(
        _ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer, through session: TLSSession
    ) -> Int {
        guard session.unsent.isEmpty || session.isHolding else { return 0 }
        var written = 0
        while written < head.count + body.count, session.unsent.isEmpty || session.isHolding {
            // The next use of the channel reports the failure.
            guard case .success(let count) = encryptBatch(head, body, from: written, session)
            else { break }
            written += count
        }
        return written - session.heldBack
    }

    /// Continues to write these bytes without waiting.
    ///
    /// - Parameter start: The last result of the function for the same bytes, at first 0.
    /// - Returns: The number of bytes sent until now.
    public func writeMore(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        guard isWritable, isOpen else { return start }
        guard let session else {
            return start + sendSome(UnsafeRawBufferPointer(rebasing: bytes[start...]))
        }
        var written = start + session.heldBack
        if !session.unsent.isEmpty, !session.isHolding { sendHeld(session) }
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        while written < bytes.count, session.unsent.isEmpty || session.isHolding {
            // The next use of the channel reports the failure.
            guard case .success(let count) = encryptBatch(bytes, nothing, from: written, session)
            else { break }
            written += count
        }
        return written - session.heldBack
    }

    /// The number of bytes that do not count as sent but are encrypted, and may be sent in part.
    var heldBack: Int { session?.heldBack ?? 0 }

    /// Encrypts the next bytes of both pieces and sends as much as the kernel accepts.
    /// - Returns: The number of bytes encrypted.
    private func encryptBatch(
        _ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer, from start: Int,
        _ session: TLSSession
    ) -> Result<Int, ChannelError> {
        do throws(TLSFailure) {
            let end = min(head.count + body.count, start + Self.batchBytes)
            var next = start
            while next < end { next += try session.writeRecord(head, body, from: next) }
            if isEnding, next == head.count + body.count { session.writeEnd() }
            try session.flush(sendSome)
            return .success(next - start)
        } catch { return .failure(self.end(session, error)) }
    }

    private func sendLeftover(
        _ session: TLSSession, stallMilliseconds: Int64
    ) async throws(ChannelError) {
        while !session.unsent.isEmpty {
            try await sendMore(session, until: loop.now + stallMilliseconds)
        }
    }

    private func sendLeftover(
        _ session: TLSSession, until deadline: Int64
    ) async throws(ChannelError) {
        while !session.unsent.isEmpty { try await sendMore(session, until: deadline) }
    }

    private func sendMore(
        _ session: TLSSession, until deadline: Int64
    ) async throws(ChannelError) {
        try check()
        do throws(TLSFailure) {
            try session.flush(sendSome)
        } catch { throw end(session, error) }
        try check()
        if !session.unsent.isEmpty { try await waitWritable(until: deadline) }
    }

    /// Sends as much as the kernel accepts now; a failure closes the channel.
    private func sendSome(_ bytes: UnsafeRawBufferPointer) -> Int {
        while isWritable, isOpen {
            let count = sendRaw(bytes)
            if count >= 0 {
                if count < bytes.count { isWritable = false }
                return count
            }
            let code = errno
            guard code != EINTR else { continue }
            isWritable = false
            if code != EAGAIN { _ = fail(.disconnected(code: code)) }
        }
        return 0
    }

    // MARK: Ending

    /// Sends an alert if there is one, and closes the channel.
    private func end(_ session: TLSSession, _ failure: TLSFailure) -> ChannelError {
        try? session.flush(sendSome)
        return fail(.insecure(failure))
    }

    /// Sends a close_notify alert (RFC 8446 §6.1) if that is possible without waiting.
    func sendEnd(through session: TLSSession) {
        guard isOpen, session.unsent.isEmpty else { return }
        session.writeEnd()
        try? session.flush(sendSome)
    }
}

extension TLSSession {
    /// Encrypts one record that begins at an offset in the two pieces.
    /// - Returns: The number of their bytes in the record.
    fileprivate func writeRecord(
        _ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer, from start: Int
    ) throws(TLSFailure) -> Int {
        let limit = TLSRecordBuffers.recordBytes
        if start >= head.count {
            let rest = body[(start - head.count)...].prefix(limit)
            try write(UnsafeRawBufferPointer(rebasing: rest))
            return rest.count
        }
        let first = head[start...].prefix(limit)
        let second = body.prefix(limit - first.count)
        guard !second.isEmpty else {
            try write(UnsafeRawBufferPointer(rebasing: first))
            return first.count
        }
        wires.joined.copyBytes(from: first)
        UnsafeMutableRawBufferPointer(rebasing: wires.joined[first.count...])
            .copyBytes(from: second)
        try write(
            UnsafeRawBufferPointer(rebasing: wires.joined[..<(first.count + second.count)]))
        return first.count + second.count
    }
}
