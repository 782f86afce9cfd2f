package import ArticleAPI

/// Reads the times of feeds as they are in real life: RFC 3339 and other forms of ISO 8601, RFC 822
/// with the liberties that feeds take, the output of `ctime(3)`, dates as people write them in
/// many languages, and Unix times.
///
/// ```swift
/// let time = FeedDate.parse("Tue, 24 Nov 2026 7:10 PM EST")
/// ```
package enum FeedDate {
    /// Bytes of a time; a longer text is none.
    package static let limitBytes = 400

    /// The time in UTC; `nil` if the text is not a time, if it can mean several, or if any part of
    /// it is not understood: a time is never a guess.
    ///
    /// A time without an offset is in UTC; a date without a time is its midnight. A numeric date is
    /// read if its order is certain: `30/03/2020` is, `03/04/2020` is not.
    package static func parse(_ text: String) -> Timestamp? {
        guard text.utf8.count <= limitBytes else { return nil }
        let text = text.trimmed
        let time =
            Timestamp(text) ?? unixTime(text)
            ?? DateText(text).flatMap { DateParser($0)?.time }
        // The date that programs without a time write (`time.Time{}` in Go).
        return time == absent ? nil : time
    }

    private static let absent = Timestamp("0001-01-01T00:00:00Z")

    /// Seconds since 1970, or milliseconds; not those of before April 1973, and no day and minute.
    private static func unixTime(_ digits: String) -> Timestamp? {
        guard [9, 10, 12, 13].contains(digits.utf8.count),
            digits.utf8.allSatisfy({ (48...57).contains($0) }), DateParts.basic(digits) == nil,
            let number = Int64(digits)
        else { return nil }
        return Timestamp(milliseconds: digits.utf8.count > 10 ? number : number * 1_000)
    }
}

/// A day of the Gregorian calendar.
struct CalendarDay: Sendable, Hashable {
    let year: Int
    let month: Int
    let day: Int

    /// Its midnight in UTC.
    let start: Timestamp

    /// `nil` if there is no such day.
    init?(year: Int, month: Int, day: Int) {
        guard (0...9999).contains(year), (1...12).contains(month), (1...31).contains(day),
            let start = Timestamp(
                "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))"
                    + "T00:00:00Z")
        else { return nil }
        (self.year, self.month, self.day, self.start) = (year, month, day, start)
    }

    /// 0 for Sunday to 6 for Saturday.
    var weekday: Int {
        let days = (start.milliseconds - Timestamp.range.lowerBound) / 86_400_000
        // 0000-01-01 was a Saturday.
        return Int((days + 6) % 7)
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

/// A time of day: `19:10`, `19:10:43`, `9:05:07.25`, `24:00`.
struct ClockTime: Sendable, Hashable {
    let hour: Int
    let minute: Int
    let second: Int
    let millisecond: Int

    /// Half of a day, as `AM` and `PM` say.
    enum Half: Sendable { case morning, afternoon }

    /// `nil` if there is no such time. A leap second is the end of its minute.
    ///
    /// - Parameter fraction: the digits after those of the seconds.
    init?(_ hour: Int, _ minute: Int = 0, _ second: Int = 0, fraction: String = "") {
        let isEndOfDay = hour == 24 && minute == 0 && second == 0
        guard (0...23).contains(hour) || isEndOfDay, (0...59).contains(minute),
            (0...60).contains(second),
            let millisecond = Int((fraction.prefix(3) + "000").prefix(3)),
            !isEndOfDay || fraction.allSatisfy({ $0 == "0" })
        else { return nil }
        (self.hour, self.minute) = (hour, minute)
        self.second = min(second, 59)
        self.millisecond = millisecond
    }

    /// The time in this half of the day; `nil` if its hour is none of that.
    func within(_ half: Half) -> ClockTime? {
        let hour: Int? =
            switch (half, self.hour) {
            case (.morning, 12): 0
            case (.morning, 0...11), (.afternoon, 12...23): self.hour
            case (.afternoon, 1...11): self.hour + 12
            default: nil
            }
        return hour.flatMap { ClockTime(changing: self, hour: $0) }
    }

    private init(changing time: ClockTime, hour: Int) {
        self.hour = hour
        (minute, second, millisecond) = (time.minute, time.second, time.millisecond)
    }

    var milliseconds: Int64 {
        Int64(((hour * 60 + minute) * 60 + second) * 1_000 + millisecond)
    }
}
