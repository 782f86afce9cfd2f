import Glibc

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
