/// Timers of an event loop and deadlines of its channels, which share a timer wheel.
extension EventLoop {
    /// Runs the work once on the loop, up to 64 ms late, but not after the loop has stopped. Only
    /// on the loop.
    @discardableResult
    public func schedule(
        afterMilliseconds delay: Int64, _ work: @escaping () -> Void
    ) -> LoopTimer {
        checkIsOnLoop()
        let time = state.now + max(0, delay)
        let timer = state.timers.add(at: time, work)
        _ = state.wheel.add(timer.token, at: time)
        return timer
    }

    /// Cancels the timer and releases its work. Only on the loop.
    public func cancel(_ timer: LoopTimer) {
        checkIsOnLoop()
        state.timers.remove(timer)
    }

    func tellTimers() {
        for token in state.wheel.take(upTo: state.now) {
            if LoopTimers.holds(token) {
                tellTimer(token)
            } else {
                state.slots[token]?.deadlineReached(now: state.now)
            }
        }
    }

    private func tellTimer(_ token: UInt64) {
        switch state.timers.take(token, now: state.now) {
        case .due(let work): work()
        case .later(let time): _ = state.wheel.add(token, at: time)
        case .cancelled: break
        }
    }
}
