import COpenSSL

/// One connection's TLS (`SSL`): turns encrypted bytes into plain ones and back, and moves none
/// itself. It lives on its channel's loop.
final class TLSSession {
    private let ssl: OpaquePointer
    let wires: TLSRecordBuffers
    /// Keeps what callbacks ask for.
    let server: TLSServer.Material?
    /// Received, encrypted, and not given to OpenSSL yet.
    private var unread = Leftover()
    /// Encrypted, and not sent yet.
    private(set) var unsent = Leftover()
    /// How many plain bytes are in `unsent`.
    private var unsentPlain = 0
    /// OpenSSL may give more without new input.
    private var mayHaveMore = false
    /// The peer said that nothing more comes.
    private(set) var hasEnded = false
    private(set) var isEstablished = false
    /// What is unsent may go out with what is written next, or at the latest when nothing is left
    /// to read.
    private(set) var isHolding = false

    /// The most that may wait to be sent beside answers: a peer that asks and never reads.
    private static let unsentLimit = 256 << 10

    /// Takes the `SSL` over.
    init(_ ssl: OpaquePointer, _ wires: TLSRecordBuffers, _ server: TLSServer.Material?) {
        self.ssl = ssl
        self.wires = wires
        self.server = server
        wires.attach(ssl)
        SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit { SSL_free(ssl) }

    /// The session that a callback is called for.
    static func of(_ ssl: OpaquePointer?) -> TLSSession? {
        SSL_get_ex_data(ssl, 0).map { Unmanaged<TLSSession>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Reads what the handshake agreed on, or changes what it will ask.
    func withSSL<Result>(_ body: (OpaquePointer) -> Result) -> Result { body(ssl) }

    // MARK: Input

    /// Whether `read` may give something before new bytes are received.
    var mayRead: Bool { mayHaveMore || !unread.isEmpty || hasEnded || isHolding }

    /// What OpenSSL made of its input.
    enum Progress {
        case done(Int)
        case end
        case needsInput
    }

    /// One step of the handshake, with bytes that were just received.
    func handshake(_ received: UnsafeRawBufferPointer) throws(TLSFailure) -> Bool {
        begin(received)
        let result = SSL_do_handshake(ssl)
        let code = result == 1 ? SSL_ERROR_NONE : SSL_get_error(ssl, result)
        keepInput()
        switch code {
        case SSL_ERROR_NONE:
            isEstablished = true
            return true
        case SSL_ERROR_WANT_READ: return false
        default: throw failure()
        }
    }

    /// Decrypts into the buffer, which is not empty: first what was received before.
    func read(
        into buffer: UnsafeMutableRawBufferPointer, _ received: UnsafeRawBufferPointer
    ) throws(TLSFailure) -> Progress {
        guard !hasEnded else { return .end }
        begin(received)
        var total = 0
        // Invariant: the buffer's first `total` bytes are plain; the wires hold what is left.
        while total < buffer.count {
            var count = 0
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[total...])
            let result = SSL_read_ex(ssl, rest.baseAddress, rest.count, &count)
            if result == 1 {
                total += count
                mayHaveMore = count == rest.count
                if wires.input.isEmpty, !mayHaveMore { break }
                continue
            }
            mayHaveMore = false
            switch SSL_get_error(ssl, result) {
            case SSL_ERROR_WANT_READ: break
            case SSL_ERROR_ZERO_RETURN: hasEnded = true
            default:
                keepInput()
                throw failure()
            }
            break
        }
        keepInput()
        if total > 0 { return .done(total) }
        return hasEnded ? .end : .needsInput
    }

    private func begin(_ received: UnsafeRawBufferPointer) {
        ERR_clear_error()
        wires.put(received.isEmpty ? unread.bytes : received)
    }

    /// Keeps what OpenSSL left of its input.
    private func keepInput() { unread.replace(by: wires.takeInput()) }

    private func failure() -> TLSFailure {
        let result = SSL_get_verify_result(ssl)
        if server == nil, result != X509_V_OK {
            ERR_clear_error()
            let text = X509_verify_cert_error_string(result).map { String(cString: $0) }
            return .untrusted(code: result, reason: text ?? "error \(result)")
        }
        return .last()
    }

    /// `TLSv1.3` (`SSL_get_version`).
    var version: String { String(cString: SSL_get_version(ssl)) }

    /// `SSL_session_reused`.
    var isResumed: Bool { SSL_session_reused(ssl) == 1 }

    // MARK: Output

    /// Encrypts one record's plaintext into the wires.
    func write(_ bytes: UnsafeRawBufferPointer) throws(TLSFailure) {
        ERR_clear_error()
        var written = 0
        // The wires take everything, so that a write never stops halfway.
        guard SSL_write_ex(ssl, bytes.baseAddress, bytes.count, &written) == 1,
            written == bytes.count
        else { throw .last() }
        unsentPlain += written
    }

    /// Puts the alert that nothing more comes into the wires (`SSL_shutdown(3)`).
    func writeEnd() {
        guard isEstablished, SSL_get_shutdown(ssl) & SSL_SENT_SHUTDOWN == 0 else { return }
        ERR_clear_error()
        _ = SSL_shutdown(ssl)
        ERR_clear_error()
    }

    /// Whether the peer needs nothing of the handshake's last output to go on: the tickets of a
    /// server of TLS 1.3.
    var canWait: Bool { server != nil && SSL_version(ssl) == TLS1_3_VERSION }

    /// Keeps what is in the wires for later.
    func hold() {
        guard wires.hasOutput else { return }
        unsent.append(wires.encrypted)
        wires.clearOutput()
        isHolding = true
    }

    /// Sends what is in the wires, behind what was left before, as far as `send` takes it.
    ///
    /// - Parameter send: sends bytes, and tells how many it took.
    func flush(_ send: (UnsafeRawBufferPointer) -> Int) throws(TLSFailure) {
        isHolding = false
        if !unsent.isEmpty {
            // Both go out in one call.
            if wires.hasOutput { unsent.append(wires.encrypted) }
            unsent.drop(send(unsent.bytes))
        } else if wires.hasOutput {
            let taken = send(wires.encrypted)
            let rest = UnsafeRawBufferPointer(rebasing: wires.encrypted[taken...])
            if !rest.isEmpty { unsent.append(rest) }
        }
        wires.clearOutput()
        if unsent.isEmpty { unsentPlain = 0 }
        guard unsent.count <= Self.unsentLimit else {
            throw .refused(reason: "the peer keeps sending without reading")
        }
    }

    /// How many plain bytes stand in what was not sent yet.
    var heldBack: Int { unsentPlain }

    /// Bytes that wait for their turn; without any, no memory is held.
    struct Leftover: ~Copyable {
        private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        private var start = 0

        deinit { memory.deallocate() }

        var isEmpty: Bool { start == memory.count }
        var count: Int { memory.count - start }
        var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[start...]) }

        mutating func drop(_ count: Int) {
            start += count
            if isEmpty { reset(to: UnsafeMutableRawBufferPointer(start: nil, count: 0)) }
        }

        mutating func append(_ more: UnsafeRawBufferPointer) {
            let joined = UnsafeMutableRawBufferPointer.allocate(
                byteCount: count + more.count, alignment: 1)
            joined.copyMemory(from: bytes)
            UnsafeMutableRawBufferPointer(rebasing: joined[count...]).copyMemory(from: more)
            reset(to: joined)
        }

        /// The new bytes may be the end of the old ones.
        mutating func replace(by rest: UnsafeRawBufferPointer) {
            if !isEmpty, rest.count <= count,
                rest.baseAddress == bytes.baseAddress?.advanced(by: count - rest.count)
            {
                return drop(count - rest.count)
            }
            guard !(rest.isEmpty && isEmpty) else { return }
            let kept = UnsafeMutableRawBufferPointer.allocate(byteCount: rest.count, alignment: 1)
            kept.copyMemory(from: rest)
            reset(to: kept)
        }

        private mutating func reset(to new: UnsafeMutableRawBufferPointer) {
            memory.deallocate()
            memory = new
            start = 0
        }
    }
}
