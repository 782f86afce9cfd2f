import BroadsheetPlatform

/// Listening sockets of an event loop.
extension EventLoop {
    /// Calls `arrive` on the loop whenever connections wait at the socket, until `endListening`. If
    /// it returns false, the loop retries after a moment. Only on the loop.
    func listen(at descriptor: Int32, _ arrive: @escaping () -> Bool) -> UInt64 {
        checkIsOnLoop()
        let token = state.listeners.add(.init(descriptor: descriptor, arrive: arrive))
        watch(token)
        return token
    }

    /// Only on the loop.
    func endListening(_ token: UInt64) {
        checkIsOnLoop()
        if let listener = state.listeners.remove(token) { poller.forget(listener.descriptor) }
    }

    private func watch(_ token: UInt64) {
        guard let listener = state.listeners[token] else { return }
        do throws(SystemError) {
            try poller.watchArrivals(listener.descriptor, token: token)
        } catch { watchLater(token) }
    }

    private func watchLater(_ token: UInt64) {
        schedule(afterMilliseconds: LoopListeners.shortageMilliseconds) { [self] in watch(token) }
    }

    func notifyListeners() {
        guard !state.arrivals.isEmpty else { return }
        let arrivals = state.arrivals
        state.arrivals = []
        for token in arrivals {
            guard let listener = state.listeners[token], !listener.arrive() else { continue }
            // The poller would immediately report the connection that still waits.
            poller.forget(listener.descriptor)
            watchLater(token)
        }
    }
}

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
