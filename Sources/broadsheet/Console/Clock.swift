import ArticleAPI
import Platform

extension Timestamp {
    /// The wall clock, in whole milliseconds.
    static var now: Timestamp {
        Timestamp(milliseconds: SystemClock.wallNanoseconds / 1_000_000)
    }
}
