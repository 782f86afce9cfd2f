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
