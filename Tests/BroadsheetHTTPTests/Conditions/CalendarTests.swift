import BroadsheetHTTP
import Testing

@Suite("The calendar")
struct CalendarTests {
    @Test func `every day of 800 years follows the day before`() {
        var expected = (year: 1_600, month: 1, day: 1)
        let first = Calendar.day(year: 1_600, month: 1, day: 1)
        for day in first..<(first + 2 * 146_097) {
            let (year, month, dayOfMonth) = expected
            guard Calendar.date(day: day) == expected,
                Calendar.day(year: year, month: month, day: dayOfMonth) == day
            else {
                Issue.record("day \(day) is not \(expected)")
                return
            }
            if dayOfMonth < Calendar.daysIn(month: month, year: year) {
                expected.day += 1
            } else {
                expected = month < 12 ? (year, month + 1, 1) : (year + 1, 1, 1)
            }
        }
        #expect(expected == (2_400, 1, 1))
    }

    @Test func `known dates have the expected day numbers`() {
        #expect(Calendar.day(year: 1_970, month: 1, day: 1) == 0)
        #expect(Calendar.day(year: 1_969, month: 12, day: 31) == -1)
        #expect(Calendar.day(year: 0, month: 1, day: 1) == -719_528)
        #expect(
            [1_900, 2_000, 2_023, 2_024].map { Calendar.daysIn(month: 2, year: $0) } == [
                28, 29, 28, 29,
            ])
    }
}
