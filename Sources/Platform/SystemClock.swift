import Glibc

/// The machine's clocks (`clock_gettime(2)`), in nanoseconds.
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
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
