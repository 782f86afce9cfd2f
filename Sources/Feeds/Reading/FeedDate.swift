package import ArticleAPI

/// Reads the times of feeds as they are in real life: RFC 3339 and other forms of ISO 8601, RFC 822
/// with the liberties that feeds take, and the output of `ctime(3)`.
///
/// A time without a zone, or with an unknown one, is in UTC; a date without a time is its midnight.
package enum FeedDate {
    /// `nil` if the text is not a time, or is one that does not exist.
    package static func parse(_ text: String) -> Timestamp? {
        let text = String(text.unicodeScalars.prefix(100)).trimmed
        return Timestamp(text) ?? ISODate.parse(text) ?? WordedDate.parse(text)
    }

    /// The time of these parts, at a distance from UTC.
    static func time(
        _ date: (year: Int, month: Int, day: Int), _ clock: ClockTime, minutesEast: Int
    ) -> Timestamp? {
        guard (0...9999).contains(date.year) else { return nil }
        // A leap second is the end of its minute.
        let second = clock.second == 60 ? 59 : clock.second
        let text =
            padded(date.year, 4) + "-" + padded(date.month, 2) + "-" + padded(date.day, 2) + "T"
            + padded(clock.hour, 2) + ":" + padded(clock.minute, 2) + ":" + padded(second, 2) + "."
            + padded(clock.millisecond, 3) + "Z"
        guard abs(minutesEast) < 24 * 60 else { return nil }
        return Timestamp(text)?.advanced(byMilliseconds: Int64(-minutesEast) * 60_000)
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

/// A time of day: `19:10`, `19:10:43`, `9:05:07.25`.
struct ClockTime: Sendable, Hashable {
    var hour = 0
    var minute = 0
    var second = 0
    var millisecond = 0

    init() {}

    /// `nil` unless the text is one to three numbers between colons.
    init?(_ text: Substring) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), let hour = parts[0].digits(1...2),
            let minute = parts[1].digits(1...2), hour < 24, minute < 60
        else { return nil }
        (self.hour, self.minute) = (hour, minute)
        guard parts.count == 3 else { return }
        let seconds = parts[2].split(
            maxSplits: 1, omittingEmptySubsequences: false,
            whereSeparator: { $0 == "." || $0 == "," })
        guard let second = seconds[0].digits(1...2), second <= 60 else { return nil }
        self.second = second
        guard seconds.count == 2 else { return }
        guard let fraction = (seconds[1].prefix(3) + "000").prefix(3).digits(3...3),
            seconds[1].allSatisfy(\.isASCIIDigit)
        else { return nil }
        millisecond = fraction
    }
}

/// `2026-11-24`, `2026-11`, `2026/11/24 19:10`, `20261124T191043Z`, `2026-11-24 19:10:43 +0900`.
private enum ISODate {
    static func parse(_ text: String) -> Timestamp? {
        let (dateText, rest) = split(text)
        guard let date = date(dateText) else { return nil }
        let timeText = rest.drop { $0 == "T" || $0 == "t" || $0 == " " }
        guard !timeText.isEmpty else { return FeedDate.time(date, ClockTime(), minutesEast: 0) }
        let end =
            timeText.firstIndex { !$0.isASCIIDigit && !":.,".contains($0) }
            ?? timeText.endIndex
        guard let clock = clock(timeText[..<end]) else { return nil }
        let zone = String(timeText[end...]).trimmed
        return FeedDate.time(
            date, clock, minutesEast: zone.isEmpty ? 0 : TimeZoneName.minutesEast(zone) ?? 0)
    }

    /// The date, and what follows it.
    private static func split(_ text: String) -> (Substring, Substring) {
        let end = text.firstIndex { !$0.isASCIIDigit && $0 != "-" && $0 != "/" } ?? text.endIndex
        return (text[..<end], text[end...])
    }

    private static func date(_ text: Substring) -> (year: Int, month: Int, day: Int)? {
        let parts = text.split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "/" }
        if parts.count == 1, text.utf8.count == 8 {
            return date([text.prefix(4), text.dropFirst(4).prefix(2), text.suffix(2)])
        }
        return date(parts)
    }

    private static func date(_ parts: [Substring]) -> (year: Int, month: Int, day: Int)? {
        guard (1...3).contains(parts.count), let year = parts[0].digits(4...4) else { return nil }
        var rest = [1, 1]
        for (index, part) in parts.dropFirst().enumerated() {
            guard let number = part.digits(1...2) else { return nil }
            rest[index] = number
        }
        return (year, rest[0], rest[1])
    }

    private static func clock(_ text: Substring) -> ClockTime? {
        guard !text.contains(":") else { return ClockTime(text) }
        // The basic form, without colons.
        guard text.utf8.count >= 4 else { return nil }
        let seconds = text.dropFirst(4)
        let colons = text.prefix(2) + ":" + text.dropFirst(2).prefix(2)
        return ClockTime(seconds.isEmpty ? colons : colons + ":" + seconds)
    }
}

/// `Tue, 24 Nov 2026 19:10:43 GMT` and what resembles it, word by word: the weekday, commas and
/// comments are ignored, and the month is a name.
private enum WordedDate {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
    private static let weekdays: Set<String> = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

    static func parse(_ text: String) -> Timestamp? {
        var (day, month, year): (Int?, Int?, Int?)
        var clock: ClockTime?
        var minutesEast = 0
        for word in words(of: text) {
            if word.contains(":"), clock == nil {
                let end =
                    word.firstIndex { !$0.isASCIIDigit && !":.".contains($0) } ?? word.endIndex
                guard let time = ClockTime(word[..<end]) else { return nil }
                clock = time
                if end < word.endIndex {
                    minutesEast = TimeZoneName.minutesEast(String(word[end...])) ?? 0
                }
            } else if let number = monthNumber(word), month == nil {
                month = number
            } else if weekdays.contains(word.prefix(3).lowercased()), !isZone(word) {
                continue
            } else if let number = word.dayDigits, day == nil {
                day = number
            } else if year == nil, let number = word.digits(2...4) {
                year = number
            } else if let zone = TimeZoneName.minutesEast(String(word)) {
                minutesEast = zone
            }
        }
        guard let day, let month, let year = year.map({ century($0) }) else { return nil }
        return FeedDate.time((year, month, day), clock ?? ClockTime(), minutesEast: minutesEast)
    }

    /// The words, without comments in parentheses (RFC 822 §3.4.3), and without hyphens between the
    /// parts of a date (`24-Nov-2026`).
    private static func words(of text: String) -> [Substring] {
        var depth = 0
        var plain = ""
        for character in text {
            if character == "(" { depth += 1 }
            if depth == 0 { plain.append(character) }
            if character == ")" { depth = max(0, depth - 1) }
        }
        return plain.split { $0 == " " || $0 == "," || $0 == "\t" || $0.isNewline }
            .flatMap { word in
                let parts = word.split(separator: "-")
                return parts.count == 3 && !word.contains(":") ? parts : [word]
            }
    }

    private static func monthNumber(_ word: Substring) -> Int? {
        guard word.utf8.count >= 3 else { return nil }
        return months.firstIndex(of: word.prefix(3).lowercased()).map { $0 + 1 }
    }

    private static func isZone(_ word: Substring) -> Bool {
        TimeZoneName.minutesEast(String(word)) != nil
    }

    /// Years of two digits are those from 1970 to 2069 (RFC 822 had two digits).
    private static func century(_ year: Int) -> Int {
        year >= 100 ? year : year < 70 ? 2000 + year : 1900 + year
    }
}

/// `+0900`, `+09:00`, `GMT`, `EST`, `UTC+2`.
private enum TimeZoneName {
    /// The zones of RFC 822 §5.1, and others that are common in feeds, in minutes.
    private static let named: [String: Int] = [
        "UT": 0, "GMT": 0, "UTC": 0, "Z": 0, "WET": 0, "WEST": 60, "BST": 60, "CET": 60,
        "MET": 60, "CEST": 120, "MEST": 120, "EET": 120, "EEST": 180, "MSK": 180, "IST": 330,
        "HKT": 480, "SGT": 480, "AWST": 480, "JST": 540, "KST": 540, "ACST": 570, "AEST": 600,
        "AEDT": 660, "NZST": 720, "NZDT": 780, "NDT": -150, "NST": -210, "ADT": -180,
        "AST": -240, "EDT": -240, "EST": -300, "CDT": -300, "CST": -360, "MDT": -360,
        "MST": -420, "PDT": -420, "PST": -480, "AKDT": -480, "AKST": -540, "HST": -600,
    ]

    /// `nil` if the name is unknown.
    static func minutesEast(_ text: String) -> Int? {
        let name = text.uppercased()
        if let minutes = named[name] { return minutes }
        guard let sign = name.firstIndex(where: { $0 == "+" || $0 == "-" }),
            sign == name.startIndex || named[String(name[..<sign])] == 0
        else { return nil }
        let digits = name[name.index(after: sign)...].filter { $0 != ":" }
        guard let number = digits[...].digits(1...4) else { return nil }
        let minutes = digits.utf8.count > 2 ? number / 100 * 60 + number % 100 : number * 60
        return name[sign] == "-" ? -minutes : minutes
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && isWholeNumber }
}

extension Substring {
    /// The number that the text is, if it has so many digits and nothing else.
    fileprivate func digits(_ count: ClosedRange<Int>) -> Int? {
        count.contains(utf8.count) && utf8.allSatisfy { (48...57).contains($0) } ? Int(self) : nil
    }

    /// `24`, `4`, `24th`.
    fileprivate var dayDigits: Int? {
        let suffixes = ["st", "nd", "rd", "th"]
        let number = suffixes.contains(suffix(2).lowercased()) ? dropLast(2) : self
        return number.digits(1...2)
    }
}
