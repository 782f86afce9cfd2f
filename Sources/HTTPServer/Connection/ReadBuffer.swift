/// Bytes that were read but not consumed. It belongs to one loop, whose connections take turns with
/// it.
final class ReadBuffer {
    /// Larger than the longest head.
    static let capacity = 32 << 10
    private let memory: UnsafeMutableRawBufferPointer
    private var start = 0
    private var end = 0

    init() { memory = .allocate(byteCount: Self.capacity, alignment: 16) }

    deinit { memory.deallocate() }

    var isEmpty: Bool { start == end }

    /// The contents. Valid until the buffer changes.
    var bytes: UnsafeBufferPointer<UInt8> {
        let rest = UnsafeRawBufferPointer(rebasing: memory[start..<end])
        return rest.assumingMemoryBound(to: UInt8.self)
    }

    /// The free space for the next bytes; empty if the buffer is full.
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
