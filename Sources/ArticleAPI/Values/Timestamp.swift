import BroadsheetHTTP

/// A time in UTC, in milliseconds since 1970-01-01T00:00:00Z.
///
/// It is always within `range`.
///
/// ```swift
/// let time = Timestamp("2026-01-31T23:59:59+01:00")
/// let text = time?.advanced(byMilliseconds: 1_000).description
/// ```
public struct Timestamp: Sendable, Hashable, Comparable {
    /// Milliseconds since 1970, negative before that; within the years 0000 to 9999.
    public let milliseconds: Int64

    /// 0000-01-01T00:00:00.000Z to 9999-12-31T23:59:59.999Z: the range of RFC 3339.
    public static let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

    /// The time `milliseconds` after 1970, clamped to `range`.
    public init(milliseconds: Int64) {
        self.milliseconds = min(max(milliseconds, Self.range.lowerBound), Self.range.upperBound)
    }

    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// This time plus `milliseconds`, clamped to `range`.
    public func advanced(byMilliseconds milliseconds: Int64) -> Timestamp {
        let (sum, overflow) = self.milliseconds.addingReportingOverflow(milliseconds)
        guard overflow else { return Timestamp(milliseconds: sum) }
        return Timestamp(milliseconds: milliseconds < 0 ? .min : .max)
    }
}

extension Timestamp: LosslessStringConvertible {
    /// The RFC 3339 form in UTC with milliseconds: `2026-01-31T23:59:59.999Z`.
    public var description: String {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the RFC 3339 form.
    func write(to bytes: inout [UInt8]) {
        let (days, time) = Self.split(milliseconds, by: 86_400_000)
        let date = Calendar.date(day: days)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 24) { text in
            func pair(_ value: Int, at place: Int, _ end: UInt8) {
                text[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / 10)
                text[place + 1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10)
                text[place + 2] = end
            }
            let milliseconds = Int(time % 1000)
            // Each pair is followed by the separator, or by what overwrites it.
            pair(date.year / 100, at: 0, 0)
            pair(date.year % 100, at: 2, UInt8(ascii: "-"))
            pair(date.month, at: 5, UInt8(ascii: "-"))
            pair(date.day, at: 8, UInt8(ascii: "T"))
            pair(Int(time / 3_600_000), at: 11, UInt8(ascii: ":"))
            pair(Int(time / 60_000 % 60), at: 14, UInt8(ascii: ":"))
            pair(Int(time / 1000 % 60), at: 17, UInt8(ascii: "."))
            pair(milliseconds / 10, at: 20, UInt8(ascii: "0") + UInt8(milliseconds % 10))
            text[23] = UInt8(ascii: "Z")
            bytes.append(contentsOf: UnsafeBufferPointer(text))
        }
    }

    /// Parses an RFC 3339 time (§5.6): an offset is converted to UTC, and digits after the
    /// milliseconds are truncated.
    ///
    /// `nil` for dates that do not exist, for leap seconds (which a count of milliseconds cannot
    /// represent), and for times outside the years 0000 to 9999 in UTC.
    public init?(_ description: String) {
        var text = TimestampScanner(bytes: Array(description.utf8.prefix(64)))
        guard description.utf8.count <= 64, let year = text.number(4), text.skip("-"),
            let month = text.number(2), text.skip("-"), let day = text.number(2),
            text.skip("T") || text.skip("t"), let hour = text.number(2), text.skip(":"),
            let minute = text.number(2), text.skip(":"), let second = text.number(2),
            let millisecond = text.fraction(), let offset = text.offset(), text.isAtEnd
        else { return nil }
        self.init(
            year: Int(year), month: Int(month), day: Int(day), hour: Int(hour),
            minute: Int(minute), second: Int(second), millisecond: Int(millisecond),
            minutesEast: Int(offset))
    }

    /// Parses an RFC 3339 time; the form that `write` gives is parsed without making a string.
    init?(plain text: borrowing Span<UInt8>) {
        if let time = Self.written(text) {
            self = time
        } else {
            self.init(text.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) })
        }
    }

    /// The time in the form `2026-01-31T23:59:59.999Z`.
    private static func written(_ text: borrowing Span<UInt8>) -> Timestamp? {
        guard text.count == 24, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            text[10] == UInt8(ascii: "T"), text[13] == UInt8(ascii: ":"),
            text[16] == UInt8(ascii: ":"), text[19] == UInt8(ascii: "."),
            text[23] == UInt8(ascii: "Z"),
            let year = number(text, 0..<4), let month = number(text, 5..<7),
            let day = number(text, 8..<10), let hour = number(text, 11..<13),
            let minute = number(text, 14..<16), let second = number(text, 17..<19),
            let millisecond = number(text, 20..<23)
        else { return nil }
        return Timestamp(
            year: year, month: month, day: day, hour: hour, minute: minute, second: second,
            millisecond: millisecond, minutesEast: 0)
    }

    @inline(__always)
    private static func number(_ text: borrowing Span<UInt8>, _ range: Range<Int>) -> Int? {
        var value = 0
        // Invariant: `value` is that of the digits before `index`.
        for index in range {
            let digit = text[index] &- 48
            guard digit < 10 else { return nil }
            value = value &* 10 &+ Int(digit)
        }
        return value
    }

    /// `nil` for dates that do not exist.
    private init?(
        year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int, millisecond: Int,
        minutesEast: Int
    ) {
        guard (1...12).contains(month), hour < 24, minute < 60, second < 60,
            day >= 1, day <= Calendar.daysIn(month: month, year: year)
        else { return nil }
        let days = Calendar.day(year: year, month: month, day: day)
        let minutes = (days * 24 + Int64(hour)) * 60 + Int64(minute - minutesEast)
        let milliseconds = (minutes * 60 + Int64(second)) * 1000 + Int64(millisecond)
        guard Self.range.contains(milliseconds) else { return nil }
        self.init(milliseconds: milliseconds)
    }

    /// Division that rounds down, including for negative values.
    static func split(_ value: Int64, by divisor: Int64) -> (Int64, Int64) {
        let remainder = value % divisor
        return remainder < 0
            ? (value / divisor - 1, remainder + divisor) : (value / divisor, remainder)
    }
}

/// The text of a time while it is parsed from left to right.
private struct TimestampScanner {
    let bytes: [UInt8]
    var position = 0

    var isAtEnd: Bool { position == bytes.count }

    mutating func number(_ count: Int) -> Int64? {
        guard position + count <= bytes.count else { return nil }
        var value: Int64 = 0
        for byte in bytes[position..<position + count] {
            guard (48...57).contains(byte) else { return nil }
            value = value * 10 + Int64(byte - 48)
        }
        position += count
        return value
    }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, UInt32(bytes[position]) == character.value else {
            return false
        }
        position += 1
        return true
    }

    /// The milliseconds of `.` and digits; 0 if absent, `nil` if no digits follow the dot.
    mutating func fraction() -> Int64? {
        guard skip(".") else { return 0 }
        guard var value = number(1) else { return nil }
        var digits = 1
        while let digit = number(1) {
            if digits < 3 { value = value * 10 + digit }
            digits += 1
        }
        while digits < 3 {
            value *= 10
            digits += 1
        }
        return value
    }

    /// Minutes east of UTC.
    mutating func offset() -> Int64? {
        if skip("Z") || skip("z") { return 0 }
        let isEast = skip("+")
        guard isEast || skip("-"), let hours = number(2), skip(":"), let minutes = number(2),
            hours < 24, minutes < 60
        else { return nil }
        return isEast ? hours * 60 + minutes : -(hours * 60 + minutes)
    }
}
