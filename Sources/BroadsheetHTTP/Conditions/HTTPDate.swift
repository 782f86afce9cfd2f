/// Dates in fields (RFC 9110 §5.6.7), in whole seconds since 1970.
///
/// Every date that it writes can be read again. Its functions use no locale and may be used on any
/// thread.
///
/// ```swift
/// fields[.lastModified] = HTTPDate.text(784_111_777)
/// let seconds = fields[.lastModified].flatMap(HTTPDate.seconds)
/// ```
public enum HTTPDate {
    private static let days = Names(
        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
    private static let months = Names(
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

    /// Formats `Sun, 06 Nov 1994 08:49:37 GMT`; years are clamped to 0000 to 9999.
    public static func text(_ seconds: Int64) -> String {
        let seconds = min(max(seconds, -62_167_219_200), 253_402_300_799)
        let day = Calendar.floorDivide(seconds, 86_400)
        let time = Int(seconds - day * 86_400)
        let date = Calendar.date(day: day)
        let weekday = Int(Calendar.floorModulo(day + 4, 7))
        return String(unsafeUninitializedCapacity: 29) { buffer in
            var writer = DateWriter(buffer: buffer)
            writer.put(days.all[weekday].prefix(3))
            writer.put(", ".utf8)
            writer.put(date.day, 2)
            writer.put(" ".utf8)
            writer.put(months.all[date.month - 1])
            writer.put(" ".utf8)
            writer.put(date.year, 4)
            writer.put(" ".utf8)
            writer.put(time / 3_600, 2)
            writer.put(":".utf8)
            writer.put(time / 60 % 60, 2)
            writer.put(":".utf8)
            writer.put(time % 60, 2)
            writer.put(" GMT".utf8)
            return writer.count
        }
    }

    /// Parses the three forms that a recipient must accept; `nil` for anything else. A leap second
    /// counts as the second before it.
    public static func seconds(_ text: String) -> Int64? {
        var reader = DateReader(text)
        // `Sunday` starts with `Sun`, so the long name is tried first.
        let isLong = reader.name(days, letters: 9) != nil
        guard isLong || reader.name(days, letters: 3) != nil else { return nil }
        let date: (year: Int, month: Int, day: Int)?
        let time: Int?
        if isLong {  // Sunday, 06-Nov-94 08:49:37 GMT
            date = reader.text(", ") ? reader.date(separator: "-", yearDigits: 2) : nil
            time = reader.text(" ") ? reader.time() : nil
            guard reader.text(" GMT") else { return nil }
        } else if reader.text(", ") {  // Sun, 06 Nov 1994 08:49:37 GMT
            date = reader.date(separator: " ", yearDigits: 4)
            time = reader.text(" ") ? reader.time() : nil
            guard reader.text(" GMT") else { return nil }
        } else {  // Sun Nov  6 08:49:37 1994
            guard reader.text(" "), let month = reader.name(months, letters: 3), reader.text(" "),
                let day = reader.text(" ") ? reader.number(1) : reader.number(2),
                reader.text(" ")
            else { return nil }
            time = reader.time()
            guard reader.text(" "), let year = reader.number(4) else { return nil }
            date = (year, month + 1, day)
        }
        guard let date, let time, reader.isAtEnd, date.day >= 1,
            date.day <= Calendar.daysIn(month: date.month, year: date.year)
        else { return nil }
        let day = Calendar.day(year: date.year, month: date.month, day: date.day)
        return day * 86_400 + Int64(time)
    }

    /// Names as octets.
    fileprivate struct Names: Sendable {
        let all: [[UInt8]]
        init(_ names: String...) { all = names.map { Array($0.utf8) } }
    }

    /// Writes the parts of a date into a buffer that is large enough.
    private struct DateWriter {
        let buffer: UnsafeMutableBufferPointer<UInt8>
        private(set) var count = 0

        init(buffer: UnsafeMutableBufferPointer<UInt8>) { self.buffer = buffer }

        mutating func put(_ bytes: some Sequence<UInt8>) {
            for byte in bytes {
                buffer[count] = byte
                count += 1
            }
        }

        mutating func put(_ number: Int, _ digits: Int) {
            var rest = number
            for place in (0..<digits).reversed() {
                buffer[count + place] = UInt8(48 + rest % 10)
                rest /= 10
            }
            count += digits
        }
    }

    /// Reads the parts of a date one by one.
    private struct DateReader {
        private let bytes: [UInt8]
        private var position = 0

        init(_ text: String) { bytes = Array(text.utf8) }

        var isAtEnd: Bool { position == bytes.count }

        mutating func text(_ text: String) -> Bool {
            guard bytes[position...].starts(with: text.utf8) else { return false }
            position += text.utf8.count
            return true
        }

        /// The index of the next name, abbreviated to this many letters.
        mutating func name(_ names: Names, letters: Int) -> Int? {
            let index = names.all.firstIndex { name in
                bytes[position...].starts(with: name.prefix(letters))
            }
            guard let index else { return nil }
            position += min(names.all[index].count, letters)
            return index
        }

        mutating func number(_ digits: Int) -> Int? {
            guard bytes.count - position >= digits else { return nil }
            var number = 0
            for byte in bytes[position..<(position + digits)] {
                guard (48...57).contains(byte) else { return nil }
                number = number * 10 + Int(byte - 48)
            }
            position += digits
            return number
        }

        /// `06-Nov-94`, `06 Nov 1994`
        mutating func date(
            separator: String, yearDigits: Int
        ) -> (year: Int, month: Int, day: Int)? {
            guard let day = number(2), text(separator), let month = name(months, letters: 3),
                text(separator), let year = number(yearDigits)
            else { return nil }
            return (yearDigits == 2 ? fullYear(year) : year, month + 1, day)
        }

        /// A two-digit year is at most 50 years in the future (from 2026), otherwise in the past.
        private func fullYear(_ short: Int) -> Int { short <= 76 ? 2_000 + short : 1_900 + short }

        /// The second of the day.
        mutating func time() -> Int? {
            guard let hour = number(2), text(":"), let minute = number(2), text(":"),
                let second = number(2), hour < 24, minute < 60, second <= 60
            else { return nil }
            return hour * 3_600 + minute * 60 + min(second, 59)
        }
    }
}

/// The proleptic Gregorian calendar, in days since 1970-01-01.
///
/// It is package-internal: in apps it would shadow Foundation's `Calendar`.
package enum Calendar {
    /// The number of the day; the inverse of `date(day:)`.
    package static func day(year: Int, month: Int, day: Int) -> Int64 {
        // Years start in March, so that the leap day is the last day of its year; an era is 400
        // years.
        let year = Int64(month <= 2 ? year - 1 : year)
        let era = floorDivide(year, 400)
        let yearOfEra = year - era * 400
        let dayOfYear = Int64((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1)
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// The date of the day with this number.
    package static func date(day: Int64) -> (year: Int, month: Int, day: Int) {
        let shifted = day + 719_468
        let era = floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = Int(marchMonth < 10 ? marchMonth + 3 : marchMonth - 9)
        return (
            Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0), month,
            Int(dayOfYear - (153 * marchMonth + 2) / 5 + 1)
        )
    }

    /// The number of days in a month, 1 to 12.
    package static func daysIn(month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    static func floorDivide(_ number: Int64, _ divisor: Int64) -> Int64 {
        (number - floorModulo(number, divisor)) / divisor
    }

    static func floorModulo(_ number: Int64, _ divisor: Int64) -> Int64 {
        (number % divisor + divisor) % divisor
    }
}
