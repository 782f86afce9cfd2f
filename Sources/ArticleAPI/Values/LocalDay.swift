import HTTP

/// A day of the calendar, without a time: the one that a time belongs to in some time zone.
///
/// A value of the Gregorian calendar, also for times before it was introduced; use it anywhere.
///
/// ```swift
/// let day = LocalDay(time, secondsFromGMT: { _ in 9 * 3_600 })
/// let text = "\(day.year)-\(day.month)-\(day.day)"
/// ```
public struct LocalDay: Sendable, Hashable, Comparable {
    /// Days since 1970-01-01, negative before that.
    public let number: Int64

    /// The day of a time.
    ///
    /// - Parameters:
    ///   - time: any time.
    ///   - secondsFromGMT: the offset of a time zone at a time, positive to the east.
    public init(_ time: Timestamp, secondsFromGMT: (Timestamp) -> Int) {
        let milliseconds = time.milliseconds + Int64(secondsFromGMT(time)) * 1_000
        number = Timestamp.split(milliseconds, by: 86_400_000).0
    }

    public var year: Int { Calendar.date(day: number).year }
    /// 1 to 12.
    public var month: Int { Calendar.date(day: number).month }
    /// The day of the month, 1 to 31.
    public var day: Int { Calendar.date(day: number).day }

    public static func < (left: LocalDay, right: LocalDay) -> Bool { left.number < right.number }
}
