/// The sockets of a loop at which connections arrive, by tokens that no channel has.
struct LoopListeners {
    struct Entry {
        let descriptor: Int32
        /// Takes who waits there; says whether that was possible.
        let arrive: () -> Bool
    }

    private var entries: [UInt64: Entry] = [:]
    private var next: UInt64 = 0
    // Channels leave this bit of their generations alone (`ChannelSlots.free`).
    private static let mark: UInt64 = 1 << 63
    /// How long connections wait that could not be taken.
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
