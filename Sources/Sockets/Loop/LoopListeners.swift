/// The listening sockets of a loop, by tokens that no channel uses.
struct LoopListeners {
    struct Entry {
        let descriptor: Int32
        /// Accepts waiting connections; returns whether that was possible.
        let arrive: () -> Bool
    }

    private var entries: [UInt64: Entry] = [:]
    private var next: UInt64 = 0
    // Channels do not use this bit in their generations (`ChannelSlots.free`).
    private static let mark: UInt64 = 1 << 63
    /// The delay before a failed accept is retried.
    static let shortageMilliseconds: Int64 = 100

    static func holds(_ token: UInt64) -> Bool { token & mark != 0 }

    subscript(token: UInt64) -> Entry? { entries[token] }

    mutating func add(_ entry: Entry) -> UInt64 {
        next += 1
        entries[next | Self.mark] = entry
        return next | Self.mark
    }

    mutating func remove(_ token: UInt64) -> Entry? { entries.removeValue(forKey: token) }
}
