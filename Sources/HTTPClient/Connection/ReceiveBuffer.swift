/// Bytes that a connection has received but not consumed.
final class ReceiveBuffer {
    private let memory: UnsafeMutableRawBufferPointer
    private var start = 0
    private var end = 0

    /// - Parameter capacity: Larger than the longest head, in bytes.
    init(capacity: Int) { memory = .allocate(byteCount: capacity, alignment: 16) }

    deinit { memory.deallocate() }

    var isEmpty: Bool { start == end }

    /// The contents. Valid until the buffer changes.
    var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeRawBufferPointer(rebasing: memory[start..<end]).assumingMemoryBound(to: UInt8.self)
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

    func use(_ count: Int) { start += count }
}
