import BroadsheetPlatform

/// A listening socket of an event loop.
struct ListeningEntry {
    let descriptor: Int32
    /// Accepts waiting connections; returns whether that was possible.
    let arrive: () -> Bool
}

extension EventLoop {
    /// The delay before a failed accept is retried.
    private static let shortageMilliseconds: Int64 = 100

    /// Calls `arrive` on the loop whenever connections wait at the socket, until `endListening`. If
    /// it returns false, the loop retries after a moment. Only on the loop.
    func listen(at descriptor: Int32, _ arrive: @escaping () -> Bool) -> UInt64 {
        checkIsOnLoop()
        let token = state.listeners.add(ListeningEntry(descriptor: descriptor, arrive: arrive))
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
        schedule(afterMilliseconds: Self.shortageMilliseconds) { [self] in watch(token) }
    }

    func notifyListeners() {
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
