public import ArticleAPI

/// A time as readers are shown it: relative to now if it is near, else as a day.
///
/// Its cases are all that the text depends on, so that two dates are equal if their texts are.
///
/// ```swift
/// let date = RelativeDate(time, now: now) { _ in 9 * 3_600 }
/// let label = date.text(in: .english)
/// ```
public enum RelativeDate: Sendable, Hashable {
    /// Less than a minute ago.
    case justNow
    /// 1 to 59.
    case minutesAgo(Int)
    /// Today, at least an hour ago; also when the clocks were set back today.
    case hoursAgo(Int)
    /// On the calendar day before today's, at least an hour ago.
    case yesterday
    case past(LocalDay, isThisYear: Bool)
    /// In less than a minute.
    case soon
    /// 1 to 59.
    case inMinutes(Int)
    /// Today, in an hour or later.
    case laterToday(TimeOfDay)
    /// On the calendar day after today's, in an hour or later.
    case tomorrow(TimeOfDay)
    case future(LocalDay, TimeOfDay, isThisYear: Bool)

    /// Hours and minutes by the clock on the wall.
    public struct TimeOfDay: Sendable, Hashable {
        /// 0 to 23.
        public let hour: Int
        /// 0 to 59.
        public let minute: Int

        /// The time of day of a time; its parameters are those of `LocalDay`.
        init(_ time: Timestamp, _ secondsFromGMT: (Timestamp) -> Int) {
            let (day, milliseconds) = (86_400_000 as Int64, time.milliseconds)
            let local = (milliseconds % day + Int64(secondsFromGMT(time)) * 1_000) % day
            let minutes = Int((local + day) % day / 60_000)
            (hour, minute) = (minutes / 60, minutes % 60)
        }

        /// `09:05`, on a clock of 24 hours.
        public var text: String {
            "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
        }
    }

    /// Creates the form of a time as seen at another one.
    ///
    /// - Parameters:
    ///   - time: the time to show.
    ///   - now: the current time.
    ///   - secondsFromGMT: the offset of the reader's time zone at a time, positive to the east. It
    ///     is called for both times, so a change to or from daylight saving time is respected.
    public init(_ time: Timestamp, now: Timestamp, secondsFromGMT: (Timestamp) -> Int) {
        let day = LocalDay(time, secondsFromGMT: secondsFromGMT)
        let today = LocalDay(now, secondsFromGMT: secondsFromGMT)
        let isPast = time <= now
        let minutes = Int((time.milliseconds - now.milliseconds).magnitude / 60_000)
        let clock = TimeOfDay(time, secondsFromGMT)
        switch (minutes, day.number - today.number) {
        case (0, _): self = isPast ? .justNow : .soon
        case (1..<60, _): self = isPast ? .minutesAgo(minutes) : .inMinutes(minutes)
        case (_, 0): self = isPast ? .hoursAgo(minutes / 60) : .laterToday(clock)
        case (_, -1) where isPast: self = .yesterday
        case (_, 1) where !isPast: self = .tomorrow(clock)
        default:
            let isThisYear = day.year == today.year
            self =
                isPast
                ? .past(day, isThisYear: isThisYear)
                : .future(day, clock, isThisYear: isThisYear)
        }
    }

    /// A short text for labels: `5 min ago`, `Jan 31`, `내일 09:00`.
    public func text(in language: PresentationLanguage) -> String {
        let months = PhraseKey.shortMonths
        return switch self {
        case .justNow: language.phrase(.dateJustNow)
        case .minutesAgo(let count): language.phrase(.dateMinutesAgo, count)
        case .hoursAgo(let count): language.phrase(.dateHoursAgo, count)
        case .yesterday: language.phrase(.dateYesterday)
        case .soon: language.phrase(.dateSoon)
        case .inMinutes(let count): language.phrase(.dateInMinutes, count)
        case .laterToday(let time): language.phrase(.dateToday, time.text)
        case .tomorrow(let time): language.phrase(.dateTomorrow, time.text)
        case .past(let day, let isThisYear): Self.text(day, isThisYear, months, language)
        case .future(let day, let time, let isThisYear):
            language.phrase(
                .dateDayAndTime, Self.text(day, isThisYear, months, language), time.text)
        }
    }

    /// The same without abbreviations, to be spoken: `5 minutes ago`, `January 31`.
    public func spokenText(in language: PresentationLanguage) -> String {
        let months = PhraseKey.months
        return switch self {
        case .minutesAgo(let count): language.phrase(.dateMinutesAgoSpoken, count)
        case .hoursAgo(let count): language.phrase(.dateHoursAgoSpoken, count)
        case .inMinutes(let count): language.phrase(.dateInMinutesSpoken, count)
        case .past(let day, let isThisYear): Self.text(day, isThisYear, months, language)
        case .future(let day, let time, let isThisYear):
            language.phrase(
                .dateDayAndTime, Self.text(day, isThisYear, months, language), time.text)
        case .justNow, .yesterday, .soon, .laterToday, .tomorrow: text(in: language)
        }
    }

    private static func text(
        _ day: LocalDay, _ isThisYear: Bool, _ months: [PhraseKey],
        _ language: PresentationLanguage
    ) -> String {
        let month = language.phrase(months[day.month - 1])
        return isThisYear
            ? language.phrase(.dateDay, month, day.day)
            : language.phrase(.dateDayOfYear, month, day.day, day.year)
    }
}
