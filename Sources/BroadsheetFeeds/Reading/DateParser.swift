import ArticleAPI

/// Reads a date from left to right. Each part must be understood: a date with a rest that is not
/// is no date, as the rest may be an offset.
struct DateParser {
    /// The time in UTC.
    let time: Timestamp

    init?(_ text: DateText) {
        var reading = ParsedDate(tokens: text.tokens)
        guard reading.readAll(), let day = reading.parts.day,
            reading.clock == nil || reading.parts.hasDay,
            let clock = reading.clock ?? ClockTime(0), reading.understands(text.remarks),
            let east = reading.minutesEast(on: day, at: clock)
        else { return nil }
        let milliseconds =
            day.start.milliseconds + clock.milliseconds - Int64(east) * 60_000
        guard Timestamp.range.contains(milliseconds) else { return nil }
        time = Timestamp(milliseconds: milliseconds)
    }
}

/// The parts of a date that were read.
private struct ParsedDate {
    private let tokens: [DateToken]
    private var position = 0

    private(set) var parts = DateParts()
    private(set) var clock: ClockTime?
    /// Minutes east of UTC, as a number.
    private var offset: Int?
    /// A zone by its name.
    private var zone: TimeZoneName?

    init(tokens: [DateToken]) { self.tokens = tokens }

    /// Reads all tokens; returns true if every part was understood.
    mutating func readAll() -> Bool {
        // Invariant: the tokens before `position` were understood.
        while position < tokens.count {
            guard let next = afterNextPart else { return false }
            self = next
        }
        return true
    }

    private static let kinds: [@Sendable (inout ParsedDate) -> Bool] = [
        { $0.takeClock() }, { $0.takeDate() }, { $0.takeOffset() }, { $0.takeWord() },
        { $0.takeNumber() }, { $0.takeMark() },
    ]

    /// The parts with the next one; `nil` if it is of no known kind.
    private var afterNextPart: ParsedDate? {
        for take in Self.kinds {
            var next = self
            if take(&next) { return next }
        }
        return nil
    }

    /// Minutes from UTC, which is assumed if the text names no zone; `nil` if they are uncertain.
    func minutesEast(on day: CalendarDay, at clock: ClockTime) -> Int? {
        if let offset { return offset }
        guard let zone else { return 0 }
        return zone.minutesEast(on: day, at: clock)
    }

    /// Returns true if the text in parentheses changes nothing, or is a zone where there is no
    /// other.
    mutating func understands(_ remarks: [[DateToken]]) -> Bool {
        guard offset == nil, zone == nil else { return true }
        for remark in remarks {
            var inner = ParsedDate(tokens: remark)
            inner.clock = clock
            while inner.position < remark.count {
                guard inner.takeOffset() || inner.takeZone() || inner.takeWeekday() else {
                    return false
                }
            }
            offset = offset ?? inner.offset
            zone = zone ?? inner.zone
        }
        return true
    }

    // MARK: Tokens

    private func token(_ ahead: Int = 0) -> DateToken? {
        let index = position + ahead
        return tokens.indices.contains(index) ? tokens[index] : nil
    }

    /// The token, if it follows the one before it directly.
    private func joined(_ ahead: Int) -> DateToken? {
        token(ahead).flatMap { $0.isApart ? nil : $0 }
    }

    private func isJoined(_ ahead: Int, _ mark: Unicode.Scalar) -> Bool {
        joined(ahead)?.mark == mark
    }

    // MARK: Times of day

    private mutating func takeClock() -> Bool {
        guard clock == nil, let hour = token()?.number(1...2) else { return false }
        let start = position
        if isJoined(1, ":"), let minute = joined(2)?.number(1...2) {
            position += 3
            let (second, fraction) = takeSecond()
            clock = ClockTime(hour, minute, second, fraction: fraction)
        } else if token(1)?.unit == .hour {
            position += 2
            let minute = take(.minute)
            let second = minute == nil ? nil : take(.second)
            clock = ClockTime(hour, minute ?? 0, second ?? 0)
        } else if let minute = takeMinuteOfHour() {
            clock = ClockTime(hour, minute)
        } else {
            // An hour that only the half of the day shows to be one.
            position += 1
            guard let half = takeHalf(), (1...12).contains(hour) else {
                position = start
                return false
            }
            clock = ClockTime(hour)?.within(half)
            return clock != nil
        }
        if let half = takeHalf() { clock = clock?.within(half) }
        if clock == nil { position = start }
        return clock != nil
    }

    private mutating func takeSecond() -> (Int, fraction: String) {
        guard isJoined(0, ":"), let second = joined(1)?.number(1...2) else { return (0, "") }
        position += 2
        return (second, takeFraction())
    }

    /// The digits after a dot, or at least three after a comma.
    private mutating func takeFraction() -> String {
        guard isJoined(0, ".") || isJoined(0, ","),
            let digits = joined(1)?.digits(isJoined(0, ",") ? 3...30 : 1...30)
        else { return "" }
        position += 2
        return digits
    }

    private mutating func take(_ unit: DateToken.Unit) -> Int? {
        guard let number = token()?.number(1...2), token(1)?.unit == unit else { return nil }
        position += 2
        return number
    }

    /// The rest of `19h10`, `19h`, `19.10 Uhr` and `19 Uhr`, whose first token is the next one.
    private mutating func takeMinuteOfHour() -> Int? {
        if token(1)?.word == "h" {
            guard let minute = token(2)?.number(2...2) else {
                position += 2
                return 0
            }
            position += token(3)?.word == "min" ? 4 : 3
            return minute
        }
        if token(1)?.word == "uhr" {
            position += 2
            return 0
        }
        guard isJoined(1, "."), let minute = joined(2)?.number(2...2), token(3)?.word == "uhr"
        else { return nil }
        position += 4
        return minute
    }

    /// `pm`, `p.m.`, `p. m.` or a word of another language.
    private mutating func takeHalf() -> ClockTime.Half? {
        guard let word = token()?.word else { return nil }
        if let half = DateNames.half(word) {
            position += 1
            return half
        }
        guard let half = DateNames.half(word + "m"), isJoined(1, "."), token(2)?.word == "m" else {
            return nil
        }
        position += isJoined(3, ".") ? 4 : 3
        return half
    }

    /// The time of ISO 8601's basic form after a `T`: `191043`, `1910`, `19`.
    private mutating func takeBasicClock() -> Bool {
        guard clock == nil, let digits = token()?.digits(2...6), digits.utf8.count % 2 == 0 else {
            return false
        }
        let numbers = DateParts.numbers(in: digits, of: [2, 2, 2])
        position += 1
        clock = ClockTime(
            numbers[0], numbers.count > 1 ? numbers[1] : 0, numbers.count > 2 ? numbers[2] : 0,
            fraction: numbers.count > 2 ? takeFraction() : "")
        return clock != nil
    }

    // MARK: Days

    /// A date of numbers between equal marks, or one with units.
    private mutating func takeDate() -> Bool {
        guard let first = token()?.digits(1...4) else { return false }
        if let unit = token(1)?.unit, let number = Int(first), parts.set(unit, number) {
            position += 2
            return true
        }
        guard let mark = joined(1)?.mark, ["-", "/", "."].contains(mark),
            let second = follower(2, of: mark)
        else { return false }
        if token(3)?.mark == mark, joined(3) != nil, let third = follower(4, of: mark) {
            guard parts.set(first, second, third, between: mark) else { return false }
            position += 5
            return true
        }
        guard mark != ".", first.utf8.count == 4, second.utf8.count <= 2,
            parts.set([first, second])
        else { return false }
        position += 3
        return true
    }

    /// The number after a mark; a space is allowed after dots (`20. 3. 2024`).
    private func follower(_ ahead: Int, of mark: Unicode.Scalar) -> String? {
        (mark == "." ? token(ahead) : joined(ahead))?.digits(1...4)
    }

    private mutating func takeNumber() -> Bool {
        guard let token = token(), case .number(let digits) = token.kind else { return false }
        guard token.isApart || follows() else { return false }
        position += 1
        if let day = joined(0)?.word, digits.utf8.count <= 2, DateNames.ordinals.contains(day) {
            position += 1
        }
        guard digits.utf8.count > 4 else { return parts.add(digits) }
        guard let basic = DateParts.basic(digits), parts.set(basic.date) else { return false }
        guard let time = basic.clock else { return digits.utf8.count == 8 }
        guard clock == nil else { return false }
        clock = time
        return true
    }

    /// Returns true if the number is not the end of a word, other than that of a month.
    private func follows() -> Bool {
        guard let previous = token(-1) else { return true }
        return previous.word.map { DateNames.meaning(of: $0)?.month != nil } ?? true
    }

    // MARK: Words

    private mutating func takeWord() -> Bool {
        guard let word = token()?.word else { return false }
        if word == "t", joined(1).map({ $0.digits(1...6) != nil }) == true {
            position += 1
            return takeClock() || takeBasicClock()
        }
        if let half = DateNames.half(word), clock == nil {
            position += 1
            guard takeClock() else { return false }
            clock = clock?.within(half)
            return clock != nil
        }
        if takeZone() { return true }
        if let meaning = DateNames.meaning(of: word), parts.add(meaning) {
            position += 1
            return true
        }
        // A word after a time may be a zone that is spelled like another word.
        guard DateNames.fillers.contains(word), clock == nil || DateNames.endings.contains(word)
        else { return false }
        position += 1
        return true
    }

    private mutating func takeWeekday() -> Bool {
        guard let word = token()?.word, DateNames.meaning(of: word)?.isWeekday == true else {
            return false
        }
        position += 1
        return true
    }

    // MARK: Zones

    /// `GMT`, `EST`, `Etc/UTC`, `America/New_York`.
    private mutating func takeZone() -> Bool {
        guard zone == nil, var name = token()?.word else { return false }
        var length = 1
        while isJoined(length, "/"), let part = joined(length + 1)?.word {
            name += "/" + part
            length += 2
        }
        if let found = TimeZoneName(name) {
            zone = found
        } else if length == 1 || offset == nil {
            return false
        }
        position += length
        return true
    }

    /// `+0900`, `-5`, `+09:00`, `+09:00:00`, also after the name of a zone. A number counts more
    /// than a name, which may be that of several zones; without a time, it must have four digits.
    private mutating func takeOffset() -> Bool {
        guard let sign = token()?.mark, sign == "+" || sign == "-",
            let digits = joined(1)?.digits(1...4), clock != nil || token()?.isApart == true
        else { return false }
        var minutes = Int(digits) ?? 0
        var length = 2
        if digits.utf8.count > 2 {
            minutes = minutes / 100 * 60 + minutes % 100
            guard digits.utf8.suffix(2).first.map({ $0 < 0x36 }) == true else { return false }
        } else if isJoined(2, ":") {
            guard let rest = joined(3)?.number(2...2), rest < 60 else { return false }
            minutes = minutes * 60 + rest
            length = 4
            // Offsets have had no seconds since 1972.
            if isJoined(4, ":"), joined(5)?.digits(2...2) == "00" { length = 6 }
        } else {
            minutes *= 60
        }
        let limit = (sign == "-" ? 12 : 14) * 60
        guard minutes <= limit, clock != nil || digits.utf8.count == 4 || length > 2 else {
            return false
        }
        let east = sign == "-" ? -minutes : minutes
        guard offset ?? east == east else { return false }
        // `MST-07:00` agrees with itself; `EST+5` has its sign the other way round.
        if let fixed = zone?.fixedMinutesEast, token()?.isApart == false, fixed != 0, fixed != east,
            token(-1)?.word != nil
        {
            return false
        }
        offset = east
        position += length
        return true
    }

    /// Marks that separate parts. A minus after a time may be that of an offset, and one at the
    /// beginning that of a year.
    private mutating func takeMark() -> Bool {
        guard let mark = token()?.mark, DateNames.separators.contains(mark) else { return false }
        if clock != nil || position == 0, mark == "-", joined(1)?.digits(1...30) != nil {
            return false
        }
        position += 1
        return true
    }
}
