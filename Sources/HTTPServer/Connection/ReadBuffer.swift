/// Bytes that were read and are not used yet. It lives on one loop, and goes from connection to
/// connection there.
final class ReadBuffer {
    /// More than the largest head.
    static let capacity = 32 << 10
    private let memory: UnsafeMutableRawBufferPointer
    private var start = 0
    private var end = 0

    init() { memory = .allocate(byteCount: Self.capacity, alignment: 16) }

    deinit { memory.deallocate() }

    var isEmpty: Bool { start == end }

    /// What is there. Valid until the buffer changes.
    var bytes: UnsafeBufferPointer<UInt8> {
        let rest = UnsafeRawBufferPointer(rebasing: memory[start..<end])
        return rest.assumingMemoryBound(to: UInt8.self)
    }

    /// Where the next bytes go; empty if the buffer is full.
    func room() -> UnsafeMutableRawBufferPointer {
        if start == end {
            (start, end) = (0, 0)
        } else if end == memory.count, start > 0 {
            memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[start..<end]))
            (start, end) = (0, end - start)
        }
        return UnsafeMutableRawBufferPointer(rebasing: memory[end...])
    }

    func added(_ count: Int) { end += count }

    func consume(_ count: Int) { start += count }

    func removeAll() { (start, end) = (0, 0) }
}
