import COpenSSL

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
    /// What OpenSSL may still read of the operation's input.
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

    /// Sets what OpenSSL reads next. It must not move until it is read or taken back.
    func put(_ bytes: UnsafeRawBufferPointer) { input = bytes }

    /// What OpenSSL did not read.
    func takeInput() -> UnsafeRawBufferPointer {
        defer { input = UnsafeRawBufferPointer(start: nil, count: 0) }
        return input
    }

    var hasOutput: Bool { outputCount > 0 }

    /// What OpenSSL wrote, until `clearOutput`.
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
