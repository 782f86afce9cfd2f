import Dispatch

/// The Dispatch sources that wake a resting loop, so that it needs no thread to wait: one for
/// whatever its poller watches, and one for its next timer.
final class LoopSources: Sendable {
    // Dispatch sources may be used from any thread (dispatch_source_create(3)).
    private nonisolated(unsafe) let events: any DispatchSourceRead
    // As above.
    private nonisolated(unsafe) let timer: any DispatchSourceTimer

    /// - Parameter descriptor: A poller's descriptor (`Poller.descriptor`).
    init(_ descriptor: Int32, on queue: DispatchQueue) {
        events = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        timer = DispatchSource.makeTimerSource(queue: queue)
    }

    /// Calls `wake` on the queue, until `cancel`, whenever the descriptor is readable or the timer
    /// fires. The descriptor must stay open as long as something retains `wake`.
    func activate(_ wake: @escaping @Sendable () -> Void) {
        events.setEventHandler(handler: wake)
        timer.setEventHandler(handler: wake)
        // Released only when Dispatch no longer watches the descriptor.
        events.setCancelHandler { withExtendedLifetime(wake) {} }
        events.activate()
        timer.activate()
    }

    /// Makes the timer fire once, and only then.
    func setTimer(afterMilliseconds delay: Int64) {
        timer.schedule(deadline: .now() + .milliseconds(Int(delay)))
    }

    func cancel() {
        events.cancel()
        timer.cancel()
    }
}
