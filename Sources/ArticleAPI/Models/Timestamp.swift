/// A time in UTC, in milliseconds since 1970-01-01T00:00:00Z.
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
