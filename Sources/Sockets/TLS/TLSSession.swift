import COpenSSL

/// One connection's TLS session (`SSL`): encrypts and decrypts bytes, but does not transfer them.
/// It is used on its channel's loop.
final class TLSSession {
    private let ssl: OpaquePointer
    let wires: TLSRecordBuffers
    /// Retained for the callbacks.
    let server: TLSServer.Material?
    /// Received encrypted bytes that were not passed to OpenSSL yet.
    private var unread = Leftover()
    /// Encrypted bytes that were not sent yet.
    private(set) var unsent = Leftover()
    /// How many plaintext bytes `unsent` contains.
    private var unsentPlain = 0
    /// OpenSSL may produce more output without new input.
    private var mayHaveMore = false
    /// The peer sent a close_notify alert.
    private(set) var hasEnded = false
    private(set) var isEstablished = false
    /// Pending output may be sent together with the next write, or at the latest when there is
    /// nothing left to read.
    private(set) var isHolding = false

    /// The maximum pending output besides responses, for a peer that keeps sending and never reads.
    private static let unsentLimit = 256 << 10

    /// Takes ownership of the `SSL`.
    init(_ ssl: OpaquePointer, _ wires: TLSRecordBuffers, _ server: TLSServer.Material?) {
        self.ssl = ssl
        self.wires = wires
        self.server = server
        wires.attach(ssl)
        SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit { SSL_free(ssl) }

    /// The session of an `SSL` in a callback.
    static func of(_ ssl: OpaquePointer?) -> TLSSession? {
        SSL_get_ex_data(ssl, 0).map { Unmanaged<TLSSession>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Accesses the `SSL` to read or change the parameters of the handshake.
    func withSSL<Result>(_ body: (OpaquePointer) -> Result) -> Result { body(ssl) }

    // MARK: Input

    /// Whether `read` may produce bytes before new ones are received.
    var mayRead: Bool { mayHaveMore || !unread.isEmpty || hasEnded || isHolding }

    /// The result of processing input.
    enum Progress {
        case done(Int)
        case end
        case needsInput
    }

    /// One step of the handshake, with newly received bytes.
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

    /// Decrypts into the buffer, which is not empty, starting with bytes that were received
    /// earlier.
    func read(
        into buffer: UnsafeMutableRawBufferPointer, _ received: UnsafeRawBufferPointer
    ) throws(TLSFailure) -> Progress {
        guard !hasEnded else { return .end }
        begin(received)
        var total = 0
        // Invariant: the buffer's first `total` bytes are plaintext; the record buffers hold the
        // remaining input.
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

    /// Keeps the input that OpenSSL did not read.
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

    /// Encrypts one record's plaintext into the record buffers.
    func write(_ bytes: UnsafeRawBufferPointer) throws(TLSFailure) {
        ERR_clear_error()
        var written = 0
        // The record buffers accept everything, so a write never stops halfway.
        guard SSL_write_ex(ssl, bytes.baseAddress, bytes.count, &written) == 1,
            written == bytes.count
        else { throw .last() }
        unsentPlain += written
    }

    /// Writes a close_notify alert to the record buffers (`SSL_shutdown(3)`).
    func writeEnd() {
        guard isEstablished, SSL_get_shutdown(ssl) & SSL_SENT_SHUTDOWN == 0 else { return }
        ERR_clear_error()
        _ = SSL_shutdown(ssl)
        ERR_clear_error()
    }

    /// Whether the peer can continue without the handshake's last output: the session tickets of a
    /// TLS 1.3 server.
    var canWait: Bool { server != nil && SSL_version(ssl) == TLS1_3_VERSION }

    /// Keeps the output in the record buffers for later.
    func hold() {
        guard wires.hasOutput else { return }
        unsent.append(wires.encrypted)
        wires.clearOutput()
        isHolding = true
    }

    /// Sends the pending output and then the record buffers' output, as far as `send` accepts it.
    ///
    /// - Parameter send: Sends bytes and returns how many were accepted.
    func flush(_ send: (UnsafeRawBufferPointer) -> Int) throws(TLSFailure) {
        isHolding = false
        if !unsent.isEmpty {
            // Sends both with one call.
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

    /// How many plaintext bytes the pending output contains.
    var heldBack: Int { unsentPlain }

    /// A queue of bytes that holds no memory while it is empty.
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
