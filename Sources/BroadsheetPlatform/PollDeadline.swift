import Glibc

/// The end of a time in which descriptors are waited for. It is measured by the machine's clock
/// whatever the environment is, as `poll(2)` waits by it.
package struct PollDeadline: Sendable {
    private let end: Int64

    package init(milliseconds: Int64) {
        end = SystemClock.monotonicNanoseconds + milliseconds * 1_000_000
    }

    /// Waits until the descriptor has one of these events.
    ///
    /// - Returns: False if the time has passed without any.
    package func waits(for events: Int32, of descriptor: Int32) throws(SystemError) -> Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        // An interrupted wait continues with the rest of the time.
        return try retrying("poll") {
            let rest = max(0, end - SystemClock.monotonicNanoseconds)
            return poll(&waiting, 1, Int32(clamping: (rest + 999_999) / 1_000_000))
        } > 0
    }
}
