import Glibc

/// Room in which an answer is put together before it goes out in one call. It lives on one loop.
final class OutputBuffer {
    /// More than the head and the body that are ever put here.
    static let capacity = 32 << 10
    private let memory: UnsafeMutableRawBufferPointer
    private var count = 0

    init() { memory = .allocate(byteCount: Self.capacity, alignment: 16) }

    deinit { memory.deallocate() }

    /// What is there. Valid until the buffer changes.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

    func removeAll() { count = 0 }

    func append(_ bytes: borrowing [UInt8]) { bytes.withUnsafeBytes { append($0) } }

    func append(_ bytes: borrowing [UInt8], _ range: some RangeExpression<Int>) {
        bytes.withUnsafeBytes { append(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    func append(_ text: StaticString) {
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends a text of visible ASCII.
    func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    /// Appends a number of 0 or more.
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
        // Invariant: the places behind `place` have their digits.
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
