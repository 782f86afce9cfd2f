import BroadsheetHTTP

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

    /// A day of the calendar; `nil` for one that does not exist.
    ///
    /// - Parameters:
    ///   - year: 0 to 9999.
    ///   - month: 1 to 12.
    ///   - day: the day of the month, from 1.
    public init?(year: Int, month: Int, day: Int) {
        guard (0...9999).contains(year), (1...12).contains(month), day >= 1,
            day <= Calendar.daysIn(month: month, year: year)
        else { return nil }
        number = Calendar.day(year: year, month: month, day: day)
    }

    public var year: Int { Calendar.date(day: number).year }
    /// 1 to 12.
    public var month: Int { Calendar.date(day: number).month }
    /// The day of the month, 1 to 31.
    public var day: Int { Calendar.date(day: number).day }

    public static func < (left: LocalDay, right: LocalDay) -> Bool { left.number < right.number }
}

extension LocalDay: LosslessStringConvertible {
    /// The form of RFC 3339: `2026-01-31`.
    public var description: String {
        func digits(_ value: Int, _ count: Int) -> String {
            let text = String(abs(value))
            return (value < 0 ? "-" : "")
                + String(repeating: "0", count: max(0, count - text.count)) + text
        }
        return "\(digits(year, 4))-\(digits(month, 2))-\(digits(day, 2))"
    }

    /// Parses `2026-01-31`; `nil` for days that do not exist.
    public init?(_ description: String) {
        let parts = description.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2],
            parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }),
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2])
        else { return nil }
        self.init(year: year, month: month, day: day)
    }
}
