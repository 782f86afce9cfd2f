package import Glibc

/// The machine's clocks (`clock_gettime(2)`), in nanoseconds. Those of the years 1677 to 2262 fit
/// into 64 bits; others count as the first or the last of them.
package enum SystemClock {
    /// Since an arbitrary point in time; never set back.
    package static var monotonicNanoseconds: Int64 { nanoseconds(CLOCK_MONOTONIC) }

    /// Since 1970; may be set.
    package static var wallNanoseconds: Int64 { nanoseconds(CLOCK_REALTIME) }

    /// The processor time of this process.
    package static var processNanoseconds: Int64 { nanoseconds(CLOCK_PROCESS_CPUTIME_ID) }

    private static func nanoseconds(_ id: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(id, &time)
        return nanoseconds(time)
    }

    /// A time of the machine, such as that of a file.
    package static func nanoseconds(_ time: timespec) -> Int64 {
        let seconds = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        let sum = seconds.partialValue.addingReportingOverflow(Int64(time.tv_nsec))
        guard seconds.overflow || sum.overflow else { return sum.partialValue }
        return time.tv_sec < 0 ? .min : .max
    }

    /// Blocks the current thread (`nanosleep(2)`).
    static func blockThread(for duration: Duration) {
        let (seconds, attoseconds) = duration.components
        var rest = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        withUnsafeMutablePointer(to: &rest) { rest in
            while nanosleep(rest, rest) == -1, errno == EINTR {}
        }
    }
}
