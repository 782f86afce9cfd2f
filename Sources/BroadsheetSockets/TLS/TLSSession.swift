import CBroadsheetOpenSSL

/// One connection's TLS session (`SSL`): encrypts and decrypts bytes, but does not transfer them.
/// It is used on its channel's loop.
final class TLSSession {
    private let ssl: OpaquePointer
    let wires: TLSRecordBuffers
    /// Retained for the callbacks.
    let server: TLSServer.Material?
    /// Received encrypted bytes that were not passed to OpenSSL yet.
    private var unread = PendingBytes()
    /// Encrypted bytes that were not sent yet.
    private(set) var unsent = PendingBytes()
    /// The number of plaintext bytes in `unsent`.
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
    private static let limitUnsentBytes = 256 << 10

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

    /// True if `read` may produce bytes before new ones are received.
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

    /// The protocol chosen by ALPN (`SSL_get0_alpn_selected(3)`).
    var applicationProtocol: String? {
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &name, &count)
        guard count > 0 else { return nil }
        let bytes = UnsafeBufferPointer(start: name, count: Int(count))
        return String(decoding: bytes, as: UTF8.self)
    }

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

    /// True if the peer can continue without the handshake's last output: the session tickets of a
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
    /// - Parameter send: Sends bytes and returns the number accepted.
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
        guard unsent.count <= Self.limitUnsentBytes else {
            throw .rejected(reason: "the peer keeps sending without reading")
        }
    }

    /// The number of plaintext bytes in the pending output.
    var heldBack: Int { unsentPlain }

    /// A queue of bytes that holds no memory while it is empty.
    struct PendingBytes: ~Copyable {
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

/// The buffers through which all TLS sessions of one loop exchange encrypted bytes with OpenSSL, so
/// that idle sessions hold no memory.
///
/// Only one operation of one session uses them at a time (`BIO_meth_new(3)`).
final class TLSRecordBuffers {
    /// Receives encrypted bytes; larger than the longest record (RFC 8446 §5.2).
    let received = UnsafeMutableRawBufferPointer.allocate(byteCount: 32 << 10, alignment: 16)
    /// Joins pieces that are encrypted into one record.
    let joined = UnsafeMutableRawBufferPointer.allocate(
        byteCount: TLSRecordBuffers.recordBytes, alignment: 16)
    /// The rest of the operation's input, which OpenSSL may still read.
    private(set) var input = UnsafeRawBufferPointer(start: nil, count: 0)
    private var output = UnsafeMutableRawBufferPointer.allocate(
        byteCount: TLSRecordBuffers.outputBytes, alignment: 16)
    private var outputCount = 0
    private let bio: OpaquePointer

    /// The plaintext of one record (RFC 8446 §5.1).
    static let recordBytes = 16 << 10
    /// Capacity for the records that are sent in one call; it grows temporarily if a handshake
    /// needs more.
    private static let outputBytes = 72 << 10

    init() {
        // Programmer error: a BIO without a source fails only when memory is exhausted.
        guard let bio = BIO_new(Self.method) else { preconditionFailure("BIO_new: out of memory") }
        self.bio = bio
        BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        BIO_set_init(bio, 1)
    }

    deinit {
        BIO_set_data(bio, nil)
        BIO_free(bio)
        received.deallocate()
        joined.deallocate()
        output.deallocate()
    }

    /// Makes a session read and write here (`SSL_set_bio(3)`, which takes a reference).
    func attach(_ ssl: OpaquePointer) {
        BIO_up_ref(bio)
        SSL_set_bio(ssl, bio, bio)
    }

    // MARK: One operation

    /// Sets the bytes that OpenSSL reads next. They must not move until they are read or taken
    /// back.
    func put(_ bytes: UnsafeRawBufferPointer) { input = bytes }

    /// Returns the input that OpenSSL did not read.
    func takeInput() -> UnsafeRawBufferPointer {
        defer { input = UnsafeRawBufferPointer(start: nil, count: 0) }
        return input
    }

    var hasOutput: Bool { outputCount > 0 }

    /// The bytes that OpenSSL wrote, until `clearOutput`.
    var encrypted: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: output[..<outputCount])
    }

    func clearOutput() {
        outputCount = 0
        guard output.count > Self.outputBytes else { return }
        output.deallocate()
        output = .allocate(byteCount: Self.outputBytes, alignment: 16)
    }

    // MARK: Called by OpenSSL

    private func give(_ target: UnsafeMutableRawPointer, _ count: Int) -> Int {
        let taken = min(count, input.count)
        guard taken > 0, let start = input.baseAddress else { return 0 }
        target.copyMemory(from: start, byteCount: taken)
        input = UnsafeRawBufferPointer(rebasing: input[taken...])
        return taken
    }

    private func take(_ source: UnsafeRawPointer, _ count: Int) {
        if output.count - outputCount < count {
            let larger = UnsafeMutableRawBufferPointer.allocate(
                byteCount: (outputCount + count) * 2, alignment: 16)
            larger.copyMemory(from: encrypted)
            output.deallocate()
            output = larger
        }
        output.baseAddress?.advanced(by: outputCount).copyMemory(from: source, byteCount: count)
        outputCount += count
    }

    private static func wires(of bio: OpaquePointer?) -> TLSRecordBuffers? {
        BIO_get_data(bio).map { Unmanaged<TLSRecordBuffers>.fromOpaque($0).takeUnretainedValue() }
    }

    // After its creation OpenSSL only reads it.
    private nonisolated(unsafe) static let method: OpaquePointer? = {
        let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "broadsheet wires")
        BIO_meth_set_read(method) { bio, target, count in
            BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
            guard let wires = TLSRecordBuffers.wires(of: bio), let target, count > 0 else {
                return -1
            }
            let given = wires.give(target, Int(count))
            guard given == 0 else { return Int32(given) }
            BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
            return -1
        }
        BIO_meth_set_write(method) { bio, source, count in
            BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
            guard let wires = TLSRecordBuffers.wires(of: bio), let source, count > 0 else {
                return -1
            }
            wires.take(source, Int(count))
            return count
        }
        BIO_meth_set_ctrl(method) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
        return method
    }()
}
