/// Bytes that were read from a channel but not consumed. It belongs to one loop, whose connections
/// can take turns with it.
@usableFromInline
package final class ReadBuffer {
    @usableFromInline let memory: UnsafeMutableRawBufferPointer
    // Invariant: the bytes from `start` to `end` were read but not consumed.
    // Accesses to these never overlap, so exclusivity is not checked.
    @exclusivity(unchecked) @usableFromInline var start = 0
    @exclusivity(unchecked) @usableFromInline var end = 0

    /// - Parameter capacity: In bytes. A head must fit; for longer ones, use another buffer.
    package init(capacity: Int = 32 << 10) {
        memory = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit { memory.deallocate() }

    @inlinable package var isEmpty: Bool { start == end }

    /// The contents. Valid until the buffer changes.
    @inlinable @inline(__always) package var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeRawBufferPointer(rebasing: memory[start..<end]).assumingMemoryBound(to: UInt8.self)
    }

    /// The free space for the next bytes; empty if the buffer is full.
    @inlinable package func room() -> UnsafeMutableRawBufferPointer {
        if start == end {
            (start, end) = (0, 0)
        } else if end == memory.count, start > 0 {
            memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[start..<end]))
            (start, end) = (0, end - start)
        }
        return UnsafeMutableRawBufferPointer(rebasing: memory[end...])
    }

    /// The first bytes of the room have been filled.
    @inlinable package func added(_ count: Int) { end += count }

    @inlinable package func consume(_ count: Int) { start += count }

    @inlinable package func removeAll() { (start, end) = (0, 0) }
}
