import ArticleAPI
import Testing

/// Days of the calendar.
@Suite struct LocalDayTests {
    private func day(_ text: String, hours: Int = 0) throws -> [Int] {
        let day = LocalDay(try #require(Timestamp(text))) { _ in hours * 3_600 }
        return [day.year, day.month, day.day]
    }

    @Test func `a day depends on the time zone`() throws {
        #expect(try day("2026-01-01T00:00:00Z") == [2026, 1, 1])
        #expect(try day("2026-01-01T00:00:00Z", hours: -5) == [2025, 12, 31])
        #expect(try day("2024-02-28T15:00:00Z", hours: 9) == [2024, 2, 29])
        #expect(try day("1969-12-31T23:59:59Z") == [1969, 12, 31])
        #expect(try day("1969-12-31T23:59:59Z", hours: 1) == [1970, 1, 1])
    }

    @Test func `days are ordered and numbered from 1970 on`() throws {
        let first = LocalDay(Timestamp(milliseconds: 0)) { _ in 0 }
        let before = LocalDay(Timestamp(milliseconds: -1)) { _ in 0 }
        #expect(first.number == 0 && before.number == -1 && before < first)
    }
}
