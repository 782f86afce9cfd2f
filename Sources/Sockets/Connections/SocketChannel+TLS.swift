import Glibc

extension SocketChannel {
    /// Whether what is written can be read by the peer alone.
    public var isSecure: Bool { session?.isEstablished ?? false }

    /// The version that was agreed on: `TLSv1.2`, `TLSv1.3`; `nil` in the clear.
    public var secureVersion: String? { session.map(\.version) }

    /// Whether the handshake went on with what an earlier one had agreed on.
    public var isResumedSession: Bool { session?.isResumed ?? false }

    /// Takes part in a client's TLS handshake (RFC 8446, RFC 5246); what is read and written from
    /// then on is inside.
    ///
    /// - Throws: `insecure` for a failed handshake; after `insecure(.plainHTTP)` the channel can be
    ///   used in the clear, and given away after `cancelled` if it is still open.
    public func secure(
        by server: TLSServer, until deadline: Int64
    ) async throws(ChannelError) {
        try await shakeHands(until: deadline) { (wires) throws(TLSFailure) in
            try server.makeSession(wires)
        }
    }

    /// Begins TLS with the server of this name, and makes sure that it is the one.
    ///
    /// - Throws: `insecure(.untrusted)` for a server that is not to be trusted.
    public func secure(
        as client: TLSClient, with host: String, until deadline: Int64
    ) async throws(ChannelError) {
        try await shakeHands(until: deadline) { (wires) throws(TLSFailure) in
            try client.makeSession(with: host, wires)
        }
    }

    func shakeHands(
        until deadline: Int64, _ make: (TLSRecordBuffers) throws(TLSFailure) -> TLSSession
    ) async throws(ChannelError) {
        let wires = loop.wires
        let session: TLSSession
        do throws(TLSFailure) {
            session = try make(wires)
        } catch { throw fail(.insecure(error)) }
        self.session = session
        // Invariant: everything received before is with the session. A server has nothing to say
        // before it has heard something.
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

    /// Gives the session what was received, and sends what it answers; true when the handshake is
    /// done.
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
        // Invariant: what was received before is with the session; the buffer is empty.
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

    /// Nothing follows soon that it could go out with.
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

    /// What is encrypted before it is sent, at most: a few records a call.
    private static var batchBytes: Int { 4 * TLSRecordBuffers.recordBytes }

    func write(
        _ head: [UInt8], _ body: [UInt8], from start: Int, through session: TLSSession,
        stallMilliseconds: Int64
    ) async throws(ChannelError) {
        let total = head.count + body.count
        var written = start + session.heldBack
        // Invariant: the first `written` of both pieces' bytes are sent or in the session's rest.
        while true {
            try check()
            try await sendLeftover(session, stallMilliseconds: stallMilliseconds)
            guard written < total else { return }
            written += try head.withUnsafeBytes { head in
                body.withUnsafeBytes { encryptBatch(head, $0, from: written, session) }
            }.get()
        }
    }

    /// - Returns: how many bytes went out; of those that are encrypted and did not, the session
    ///   knows, and `write` does not encrypt them again.
    func writeAtOnce(
        _ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer, through session: TLSSession
    ) -> Int {
        guard session.unsent.isEmpty || session.isHolding else { return 0 }
        var written = 0
        while written < head.count + body.count, session.unsent.isEmpty || session.isHolding {
            // Of a failure, the next use of the channel tells.
            guard case .success(let count) = encryptBatch(head, body, from: written, session)
            else { break }
            written += count
        }
        return written - session.heldBack
    }

    /// Encrypts the next bytes of both pieces and sends what goes out.
    /// - Returns: how many bytes were encrypted.
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

    /// Sends what the kernel takes now; a failure ends the channel.
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

    /// Says what is wrong, in an alert if there is one, and ends the channel.
    private func end(_ session: TLSSession, _ failure: TLSFailure) -> ChannelError {
        try? session.flush(sendSome)
        return fail(.insecure(failure))
    }

    /// Tells the peer inside TLS that nothing more comes (RFC 8446 §6.1), if it goes out at once.
    func sendEnd(through session: TLSSession) {
        guard isOpen, session.unsent.isEmpty else { return }
        session.writeEnd()
        try? session.flush(sendSome)
    }
}

extension TLSSession {
    /// Encrypts one record that begins at a place in two pieces.
    /// - Returns: how many of their bytes are in it.
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
