import ArticleAPI

/// The parts of a day in a text, until all of it is known.
struct DateParts {
    /// Year, month and day whose order was certain.
    private var known: [DateToken.Unit: Int] = [:]
    /// Three numbers, and the mark between them.
    private var written: (numbers: [String], mark: Unicode.Scalar)?
    /// Numbers with nothing but space between them.
    private var numbers: [String] = []
    private var months: [Int] = []
    private var weekday: Int?
    /// Words that name a month in one language, and a weekday in another (`mar`).
    private var ambiguous: [DateNames.Meaning] = []

    // MARK: Adding

    /// Notes a number with its unit; false if there is one, or if it is a unit of time.
    mutating func set(_ unit: DateToken.Unit, _ number: Int) -> Bool {
        guard [.year, .month, .day].contains(unit), known[unit] == nil else { return false }
        known[unit] = number
        return true
    }

    /// Year, month and day in this order; the last ones may be missing.
    mutating func set(_ numbers: [String]) -> Bool {
        zip([DateToken.Unit.year, .month, .day], numbers).allSatisfy { unit, digits in
            Int(digits).map { set(unit, $0) } ?? false
        }
    }

    mutating func set(_ day: CalendarDay) -> Bool {
        set(.year, day.year) && set(.month, day.month) && set(.day, day.day)
    }

    mutating func set(
        _ first: String, _ second: String, _ third: String, between mark: Unicode.Scalar
    ) -> Bool {
        guard written == nil else { return false }
        written = ([first, second, third], mark)
        return true
    }

    mutating func add(_ digits: String) -> Bool {
        numbers.append(digits)
        return numbers.count <= 3
    }

    mutating func add(_ meaning: DateNames.Meaning) -> Bool {
        switch (meaning.month, meaning.isWeekday) {
        case (.some, true): ambiguous.append(meaning)
        case (let month?, false): months.append(month)
        default: weekday = weekday ?? meaning.weekday
        }
        return months.count + ambiguous.count <= 4
    }

    // MARK: The day

    /// True if the text has a day, and not only a year or a month.
    var hasDay: Bool { written != nil || known[.day] != nil || numbers.count > 1 }

    /// The day that the parts mean; `nil` if they mean none, or several.
    var day: CalendarDay? {
        if let written {
            return numbers.isEmpty && months.isEmpty && known.isEmpty
                ? only(of: candidates(written.numbers, written.mark)) : nil
        }
        if !known.isEmpty {
            guard numbers.isEmpty, months.isEmpty, let year = known[.year],
                known[.month] != nil || known[.day] == nil
            else { return nil }
            return day(year, known[.month] ?? 1, known[.day] ?? 1)
        }
        if numbers.count == 3 {
            return months.isEmpty ? only(of: candidates(numbers, " ")) : nil
        }
        return months.isEmpty && ambiguous.isEmpty ? year : dayOfNamedMonth
    }

    private var year: CalendarDay? {
        guard numbers.count == 1, numbers[0].utf8.count == 4, let year = Int(numbers[0]) else {
            return nil
        }
        return day(year, 1, 1)
    }

    private var dayOfNamedMonth: CalendarDay? {
        let names = months.isEmpty ? ambiguous.compactMap(\.month) : months
        guard let month = names.first, names.count == 1 || months.isEmpty,
            names.allSatisfy({ $0 == month })
        else { return nil }
        let years = numbers.filter { $0.utf8.count == 4 }
        let days = numbers.filter { $0.utf8.count <= 2 }
        switch (years.count, days.count) {
        case (1, 0): return Int(years[0]).flatMap { day($0, month, 1) }
        case (1, 1): return Self.pair(years[0], days[0]).flatMap { day($0, month, $1) }
        // RFC 822 had years of two digits.
        case (0, 2) where days[1].utf8.count == 2:
            return Self.pair(days[1], days[0]).flatMap { day(Self.century($0), month, $1) }
        default: return nil
        }
    }

    private static func pair(_ first: String, _ second: String) -> (Int, Int)? {
        guard let first = Int(first), let second = Int(second) else { return nil }
        return (first, second)
    }

    /// Those from 1970 to 2069.
    private static func century(_ year: Int) -> Int { year < 70 ? 2000 + year : 1900 + year }

    /// Years of other calendars are later (2567 in Thailand).
    private func day(_ year: Int, _ month: Int, _ day: Int) -> CalendarDay? {
        year < 2200 ? CalendarDay(year: year, month: month, day: day) : nil
    }

    // MARK: Numeric dates

    /// The days that three numbers may mean. A year of two digits is the last one, or the first;
    /// 30 to 69 are no years then, but days.
    private func candidates(_ texts: [String], _ mark: Unicode.Scalar) -> Set<CalendarDay> {
        let numbers = texts.compactMap { Int($0) }
        let lengths = texts.map(\.utf8.count)
        guard numbers.count == 3, lengths[1] <= 2 else { return [] }
        func isYear(_ index: Int) -> Bool {
            lengths[index] == 4
                || lengths[index] == 2 && mark != " " && !(30..<70).contains(numbers[index])
        }
        func year(_ index: Int) -> Int {
            lengths[index] == 4 ? numbers[index] : Self.century(numbers[index])
        }
        var days: [CalendarDay?] = []
        if isYear(0), lengths[2] <= 2 { days.append(day(year(0), numbers[1], numbers[2])) }
        if isYear(2), lengths[0] <= 2 {
            days.append(day(year(2), numbers[1], numbers[0]))
            // Nobody who writes dots begins with the month.
            if mark != "." { days.append(day(year(2), numbers[0], numbers[1])) }
        }
        return Set(days.compactMap(\.self))
    }

    /// The only one, or the only one on the weekday that the text names.
    private func only(of days: Set<CalendarDay>) -> CalendarDay? {
        if days.count == 1 { return days.first }
        let named = weekday ?? ambiguous.lazy.compactMap(\.weekday).first
        let matching = days.filter { $0.weekday == named }
        return matching.count == 1 ? matching.first : nil
    }

    // MARK: Numbers without marks

    /// A day and a time without any marks: `20261124`, `202611241910`, `20261124191043`.
    static func basic(_ digits: String) -> (date: CalendarDay, clock: ClockTime?)? {
        guard [8, 12, 14].contains(digits.utf8.count) else { return nil }
        let numbers = numbers(in: digits, of: [4, 2, 2, 2, 2, 2])
        guard (1900..<2200).contains(numbers[0]),
            let date = CalendarDay(year: numbers[0], month: numbers[1], day: numbers[2])
        else { return nil }
        guard numbers.count > 3 else { return (date, nil) }
        let second = numbers.count > 5 ? numbers[5] : 0
        return ClockTime(numbers[3], numbers[4], second).map { (date, $0) }
    }

    /// Splits digits into numbers of the given lengths.
    static func numbers(in digits: String, of lengths: [Int]) -> [Int] {
        var rest = digits[...]
        return lengths.compactMap { length in
            defer { rest = rest.dropFirst(length) }
            return Int(rest.prefix(length))
        }
    }
}
