/// Dates in fields (RFC 9110 §5.6.7), as whole seconds since 1970.
public enum HTTPDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// `Sun, 06 Nov 1994 08:49:37 GMT`; years 0000 to 9999, others are held within.
    public static func text(_ seconds: Int64) -> String {
        let seconds = min(max(seconds, -62_167_219_200), 253_402_300_799)
        let day = Calendar.floorDivide(seconds, 86_400)
        let time = seconds - day * 86_400
        let date = Calendar.date(day: day)
        let weekday = Int(Calendar.floorModulo(day + 4, 7))
        return "\(days[weekday]), \(pad(date.day)) \(months[date.month - 1]) "
            + "\(pad(date.year, 4)) \(pad(Int(time / 3_600))):\(pad(Int(time / 60 % 60))):"
            + "\(pad(Int(time % 60))) GMT"
    }

    /// Reads the three forms that a recipient must know; `nil` for anything else.
    public static func seconds(_ text: String) -> Int64? {
        let words = text.split { $0 == " " || $0 == "," || $0 == "-" }.map(String.init)
        switch words.count {
        case 6 where text.contains("-"):  // Sunday, 06-Nov-94 08:49:37 GMT
            guard words[5] == "GMT", words[3].utf8.count == 2, let short = number(words[3])
            else { return nil }
            return seconds(day: words[1], month: words[2], year: fullYear(short), time: words[4])
        case 6:  // Sun, 06 Nov 1994 08:49:37 GMT
            guard words[5] == "GMT", words[3].utf8.count == 4, let year = number(words[3])
            else { return nil }
            return seconds(day: words[1], month: words[2], year: year, time: words[4])
        case 5:  // Sun Nov  6 08:49:37 1994
            guard words[4].utf8.count == 4, let year = number(words[4]) else { return nil }
            return seconds(day: words[2], month: words[1], year: year, time: words[3])
        default: return nil
        }
    }

    private static func seconds(day: String, month: String, year: Int, time: String) -> Int64? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard let day = number(day), let month = months.firstIndex(of: month), clock.count == 3,
            clock.allSatisfy({ $0.utf8.count == 2 }),
            let hour = number(clock[0]), let minute = number(clock[1]),
            let second = number(clock[2]), hour < 24, minute < 60, second <= 60,
            day >= 1, day <= Calendar.daysIn(month: month + 1, year: year)
        else { return nil }
        let days = Calendar.day(year: year, month: month + 1, day: day)
        return days * 86_400 + Int64(hour * 3_600 + minute * 60 + min(second, 59))
    }

    /// A two-digit year is the one less than 50 years ahead; reckoned from 2000 to 2049, as no
    /// sender of this form is younger (RFC 9110 §5.6.7).
    private static func fullYear(_ short: Int) -> Int { short < 50 ? 2_000 + short : 1_900 + short }

    private static func number(_ digits: String) -> Int? {
        digits.utf8.allSatisfy { (48...57).contains($0) } ? Int(digits) : nil
    }

    private static func pad(_ number: Int, _ width: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
