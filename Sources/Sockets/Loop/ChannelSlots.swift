/// The open channels of a loop, by token: a slot's index and generation, so that an event for a
/// closed channel never reaches the next one in its slot.
struct ChannelSlots {
    private var slots: [(generation: UInt32, channel: SocketChannel?)] = []
    private var free: [UInt32] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    subscript(token: UInt64) -> SocketChannel? {
        let slot = slots[Int(UInt32(truncatingIfNeeded: token))]
        return slot.generation == UInt32(token >> 32) ? slot.channel : nil
    }

    mutating func reserve() -> UInt64 {
        count += 1
        if let index = free.popLast() {
            return UInt64(slots[Int(index)].generation) << 32 | UInt64(index)
        }
        slots.append((generation: 0, channel: nil))
        return UInt64(slots.count - 1)
    }

    mutating func fill(_ token: UInt64, with channel: SocketChannel) {
        slots[Int(UInt32(truncatingIfNeeded: token))].channel = channel
    }

    mutating func free(_ token: UInt64) {
        let index = UInt32(truncatingIfNeeded: token)
        // The highest bit is reserved for timers.
        slots[Int(index)].generation = (slots[Int(index)].generation &+ 1) & 0x7FFF_FFFF
        slots[Int(index)].channel = nil
        free.append(index)
        count -= 1
    }

    /// The open channels.
    var open: [SocketChannel] { slots.compactMap(\.channel) }
}
