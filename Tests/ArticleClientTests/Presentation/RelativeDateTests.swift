import ArticleAPI
import ArticleClient
import Testing

/// Dates for readers, in Seoul unless a test says otherwise.
@Suite struct RelativeDateTests {
    private static let now = "2026-03-02T14:30:00+09:00"

    private func text(
        _ date: String, now: String = now, in language: PresentationLanguage = .english,
        isSpoken: Bool = false
    ) throws -> String {
        let date = RelativeDate(try time(date), now: try time(now)) { _ in 9 * 3_600 }
        return isSpoken ? date.spokenText(in: language) : date.text(in: language)
    }

    @Test(arguments: [
        ("2026-03-02T14:30:00+09:00", "Just now", "방금"),
        ("2026-03-02T14:29:01+09:00", "Just now", "방금"),
        ("2026-03-02T14:29:00+09:00", "1 min ago", "1분 전"),
        ("2026-03-02T13:31:00+09:00", "59 min ago", "59분 전"),
        ("2026-03-02T13:30:00+09:00", "1 h ago", "1시간 전"),
        ("2026-03-02T00:00:00+09:00", "14 h ago", "14시간 전"),
        ("2026-03-01T23:59:59+09:00", "Yesterday", "어제"),
        ("2026-03-01T00:00:00+09:00", "Yesterday", "어제"),
        ("2026-02-28T23:59:59+09:00", "Feb 28", "2월 28일"),
        ("2026-01-01T00:00:00+09:00", "Jan 1", "1월 1일"),
        ("2025-12-31T23:59:59+09:00", "Dec 31, 2025", "2025년 12월 31일"),
        ("2026-03-02T14:30:59+09:00", "In a moment", "곧"),
        ("2026-03-02T14:31:00+09:00", "In 1 min", "1분 후"),
        ("2026-03-02T15:30:00+09:00", "Today at 15:30", "오늘 15:30"),
        ("2026-03-02T23:59:59+09:00", "Today at 23:59", "오늘 23:59"),
        ("2026-03-03T00:00:00+09:00", "Tomorrow at 00:00", "내일 00:00"),
        ("2026-03-03T09:05:00+09:00", "Tomorrow at 09:05", "내일 09:05"),
        ("2026-03-04T09:00:00+09:00", "Mar 4 at 09:00", "3월 4일 09:00"),
        ("2027-03-04T09:00:00+09:00", "Mar 4, 2027 at 09:00", "2027년 3월 4일 09:00"),
    ])
    func `a date is relative if it is near`(date: String, english: String, korean: String) throws {
        #expect(try text(date) == english)
        #expect(try text(date, in: .korean) == korean)
    }

    @Test func `minutes are minutes also across midnight`() throws {
        let now = "2026-03-02T00:10:00+09:00"
        #expect(try text("2026-03-01T23:50:00+09:00", now: now) == "20 min ago")
        #expect(try text("2026-03-01T22:50:00+09:00", now: now) == "Yesterday")
    }

    @Test func `spoken dates have no abbreviations`() throws {
        #expect(try text("2026-03-02T14:29:00+09:00", isSpoken: true) == "1 minute ago")
        #expect(try text("2026-03-02T14:28:00+09:00", isSpoken: true) == "2 minutes ago")
        #expect(try text("2026-03-02T13:00:00+09:00", isSpoken: true) == "1 hour ago")
        #expect(try text("2026-03-02T14:35:00+09:00", isSpoken: true) == "In 5 minutes")
        #expect(try text("2026-02-02T14:35:00+09:00", isSpoken: true) == "February 2")
        #expect(
            try text("2027-01-02T14:35:00+09:00", isSpoken: true) == "January 2, 2027 at 14:35")
        #expect(try text("2026-03-01T14:00:00+09:00", isSpoken: true) == "Yesterday")
    }

    @Test func `a change of the clocks moves midnight`() throws {
        // Berlin, on 2026-03-29 at 01:00 UTC: from one to two hours east.
        let change = try time("2026-03-29T01:00:00Z")
        let date = RelativeDate(
            try time("2026-03-28T22:30:00Z"), now: try time("2026-03-29T12:00:00Z")
        ) { $0 < change ? 3_600 : 7_200 }
        #expect(date == .yesterday)
        let later = RelativeDate(
            try time("2026-03-29T22:30:00Z"), now: try time("2026-03-28T12:00:00Z")
        ) { $0 < change ? 3_600 : 7_200 }
        #expect(later.text(in: .english) == "Mar 30 at 00:30")
    }

    @Test func `times before 1970 have a time of day`() throws {
        let date = RelativeDate(
            try time("1969-12-31T21:05:00Z"), now: try time("1969-12-30T12:00:00Z")
        ) { _ in -9 * 3_600 }
        #expect(date.text(in: .english) == "Tomorrow at 12:05")
    }
}
