import BroadsheetSockets
import Glibc

/// A buffer for log lines: raw memory that grows on demand and is reused.
///
/// `@unchecked`: it has one owner at a time, a loop or the writer, and changes owners under the
/// writer's lock.
final class LineBuffer: @unchecked Sendable {
    private var memory: UnsafeMutableRawPointer
    private(set) var capacity: Int
    private(set) var count = 0
    /// The number of lines in it.
    private(set) var lines = 0

    init(capacity: Int) {
        self.capacity = max(64, capacity)
        memory = .allocate(byteCount: self.capacity, alignment: 16)
    }

    /// A buffer with these lines.
    convenience init(_ text: String) {
        self.init(capacity: text.utf8.count)
        append(text)
        lines = text.utf8.reduce(0) { $1 == UInt8(ascii: "\n") ? $0 + 1 : $0 }
    }

    deinit { memory.deallocate() }

    /// The contents. Valid until the buffer changes.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: count) }

    func removeAll() { (count, lines) = (0, 0) }

    func endLine() {
        append(UInt8(ascii: "\n"))
        lines += 1
    }

    // MARK: Appending

    @inline(__always)
    func append(_ byte: UInt8) {
        reserve(1)
        memory.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    @inline(__always)
    func append(_ text: StaticString) {
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    func append(_ bytes: borrowing [UInt8]) { bytes.withUnsafeBytes { append($0) } }

    /// Disfavored, so that literals are `StaticString`s, whose bytes are copied without a
    /// conversion.
    @_disfavoredOverload
    func append(_ text: String) { Self.withBytes(of: text) { append($0) } }

    @inline(__always)
    func append(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        reserve(bytes.count)
        memcpy(memory + count, start, bytes.count)
        count += bytes.count
    }

    func append(_ bytes: Slice<UnsafeRawBufferPointer>) {
        append(UnsafeRawBufferPointer(rebasing: bytes))
    }

    func append(decimal number: Int64) {
        reserve(20)
        if number < 0 { append(UInt8(ascii: "-")) }
        var rest = number.magnitude
        var digits = 1
        var bound: UInt64 = 10
        while rest >= bound, digits < 19 {
            digits += 1
            bound &*= 10
        }
        if rest >= bound { digits += 1 }
        count += digits
        // Invariant: the digits after `place` are written.
        for place in 1...digits {
            let (next, digit) = rest.quotientAndRemainder(dividingBy: 10)
            memory.storeBytes(
                of: UInt8(truncatingIfNeeded: 48 + digit), toByteOffset: count - place,
                as: UInt8.self)
            rest = next
        }
    }

    /// Appends text as the contents of a JSON string (RFC 8259 §7).
    func append(escaping text: String) {
        Self.withBytes(of: text) { bytes in
            // Invariant: everything before `start` is appended.
            var start = 0
            for index in bytes.indices where Self.needsEscape(bytes[index]) {
                append(bytes[start..<index])
                append(escaped: bytes[index])
                start = index + 1
            }
            append(bytes[start...])
        }
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private func append(escaped byte: UInt8) {
        append(UInt8(ascii: "\\"))
        guard byte < 0x20 else { return append(byte) }
        append("u00")
        for digit in [byte >> 4, byte & 15] { append(digit < 10 ? 48 + digit : 87 + digit) }
    }

    /// Native strings lend their octets without a copy.
    @inline(__always)
    private static func withBytes(of text: String, _ body: (UnsafeRawBufferPointer) -> Void) {
        let isDone: Void? = text.utf8.withContiguousStorageIfAvailable {
            body(UnsafeRawBufferPointer($0))
        }
        guard isDone == nil else { return }
        Array(text.utf8).withUnsafeBytes(body)
    }

    /// Appends `203.0.113.9:443`, `[2001:db8::1]:443` or `unix:PATH`; a proxy may report an address
    /// without a port.
    func append(_ peer: SocketAddress, escapesJSON: Bool) {
        switch peer {
        case .v4(let octets, let port):
            for (index, octet) in octets.enumerated() {
                if index > 0 { append(UInt8(ascii: ".")) }
                append(decimal: Int64(octet))
            }
            append(port: port)
        case .v6(let octets, let port):
            if port != 0 { append(UInt8(ascii: "[")) }
            reserve(Int(INET6_ADDRSTRLEN))
            let text = (memory + count).assumingMemoryBound(to: CChar.self)
            octets.withUnsafeBytes { octets in
                _ = inet_ntop(AF_INET6, octets.baseAddress, text, socklen_t(INET6_ADDRSTRLEN))
            }
            count += strnlen(text, Int(INET6_ADDRSTRLEN))
            if port != 0 { append(UInt8(ascii: "]")) }
            append(port: port)
        case .unix(let path):
            append("unix:")
            if escapesJSON { append(escaping: path) } else { append(path) }
        }
    }

    private func append(port: UInt16) {
        guard port != 0 else { return }
        append(UInt8(ascii: ":"))
        append(decimal: Int64(port))
    }

    // MARK: Capacity

    @inline(__always)
    private func reserve(_ more: Int) {
        if capacity - count < more { grow(by: more) }
    }

    @inline(never)
    private func grow(by more: Int) {
        capacity = max(capacity * 2, count + more)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
        larger.copyMemory(from: memory, byteCount: count)
        memory.deallocate()
        memory = larger
    }
}

/// Assembles a response that is sent with one call. It is used on one loop.
final class OutputBuffer {
    /// Larger than any head and body that are assembled here.
    static let capacity = 32 << 10
    private let memory: UnsafeMutableRawBufferPointer
    private var count = 0

    init() { memory = .allocate(byteCount: Self.capacity, alignment: 16) }

    deinit { memory.deallocate() }

    /// The contents. Valid until the buffer changes.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

    func removeAll() { count = 0 }

    func append(_ bytes: borrowing [UInt8]) { bytes.withUnsafeBytes { append($0) } }

    func append(_ bytes: borrowing [UInt8], _ range: some RangeExpression<Int>) {
        bytes.withUnsafeBytes { append(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    func append(_ text: StaticString) {
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends visible ASCII text.
    func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    /// Appends a non-negative number.
    func append(decimal number: Int) {
        var digits = 1
        var rest = number
        while rest >= 10 {
            digits += 1
            rest /= 10
        }
        precondition(
            digits <= memory.count - count, "programmer error: the response does not fit")
        count += digits
        rest = number
        // Invariant: the digits after `place` are written.
        for place in 1...digits {
            memory[count - place] = UInt8(truncatingIfNeeded: 48 + rest % 10)
            rest /= 10
        }
    }

    private func append(_ bytes: UnsafeRawBufferPointer) {
        precondition(
            bytes.count <= memory.count - count, "programmer error: the response does not fit")
        guard let from = bytes.baseAddress, let to = memory.baseAddress else { return }
        memcpy(to + count, from, bytes.count)
        count += bytes.count
    }
}
