import ArticleAPI

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension Timestamp {
    /// The wall clock (`clock_gettime(2)`, CLOCK_REALTIME), in whole milliseconds.
    static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(
            milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
