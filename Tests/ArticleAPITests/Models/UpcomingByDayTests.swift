import ArticleAPI
import BroadsheetTestSupport
import Foundation
import Testing

/// Scheduled articles by day, compared with Foundation's calendar.
@Suite struct UpcomingByDayTests {
    private typealias Kind = UpcomingByDay.Kind

    private static func article(_ time: Timestamp?, _ number: UInt64 = 1) -> Article {
        var article = Samples.article
        article.id = Article.ID(high: 0x7000, low: 1 << 63 | number)!
        article.publishedAt = time
        return article
    }

    private static func kind(
        of time: Timestamp, now: Timestamp, _ secondsFromGMT: (Timestamp) -> Int
    ) -> Kind? {
        UpcomingByDay([article(time)], now: now, secondsFromGMT: secondsFromGMT).groups.first?.kind
    }

    /// Thursday is 2026-12-31, Sunday 2027-01-03. The offset is in minutes.
    @Test(arguments: [
        ("2026-12-31T12:00:00Z", "2026-12-31T23:59:59.999Z", 0, Kind.today),
        ("2026-12-31T12:00:00Z", "2027-01-01T00:00:00Z", 0, .tomorrow),
        ("2026-12-31T12:00:00Z", "2027-01-01T23:59:59.999Z", 0, .tomorrow),
        ("2026-12-31T12:00:00Z", "2027-01-02T00:00:00Z", 0, .thisWeek),
        ("2026-12-31T12:00:00Z", "2027-01-03T23:59:59.999Z", 0, .thisWeek),
        ("2026-12-31T12:00:00Z", "2027-01-04T00:00:00Z", 0, .nextWeek),
        ("2026-12-31T12:00:00Z", "2027-01-10T23:59:59.999Z", 0, .nextWeek),
        ("2026-12-31T12:00:00Z", "2027-01-11T00:00:00Z", 0, .later),
        // On Friday, only Sunday is left; on Saturday, nothing; on Sunday, Monday is tomorrow.
        ("2027-01-01T00:00:00Z", "2027-01-03T00:00:00Z", 0, .thisWeek),
        ("2027-01-02T00:00:00Z", "2027-01-03T23:59:59.999Z", 0, .tomorrow),
        ("2027-01-02T23:59:59.999Z", "2027-01-04T00:00:00Z", 0, .nextWeek),
        ("2027-01-03T23:59:59.999Z", "2027-01-04T00:00:00Z", 0, .tomorrow),
        ("2027-01-03T00:00:00Z", "2027-01-05T00:00:00Z", 0, .nextWeek),
        ("2027-01-03T00:00:00Z", "2027-01-11T00:00:00Z", 0, .later),
        ("2027-01-04T00:00:00Z", "2027-01-10T23:59:59.999Z", 0, .thisWeek),
        // What is overdue is expected today.
        ("2026-12-31T12:00:00Z", "2026-12-31T00:00:00Z", 0, .today),
        ("2026-12-31T12:00:00Z", "2026-12-01T00:00:00Z", 0, .today),
        // In Kathmandu, the day begins at 18:15 UTC; in the Marquesas, at 09:30.
        ("2026-12-31T18:14:59.999Z", "2026-12-31T18:15:00Z", 345, .tomorrow),
        ("2026-12-31T18:15:00Z", "2027-01-01T18:14:59.999Z", 345, .today),
        ("2026-12-31T09:29:59.999Z", "2026-12-31T09:30:00Z", -570, .tomorrow),
        ("2026-12-31T09:30:00Z", "2027-01-04T09:29:59.999Z", -570, .thisWeek),
        // Before 1970, days and weeks begin no differently.
        ("1969-12-27T23:59:59.999Z", "1969-12-28T23:59:59.999Z", 0, .tomorrow),
        ("1969-12-26T12:00:00Z", "1969-12-28T23:59:59.999Z", 0, .thisWeek),
        ("1969-12-26T12:00:00Z", "1969-12-29T00:00:00Z", 0, .nextWeek),
        ("0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z", 0, .later),
    ])
    func `a day begins at midnight, and a week on Monday`(
        now: String, time: String, minutes: Int, kind: UpcomingByDay.Kind
    ) throws {
        let (now, time) = (try #require(Timestamp(now)), try #require(Timestamp(time)))
        #expect(Self.kind(of: time, now: now) { _ in minutes * 60 } == kind)
    }

    @Test func `the offset is that of each time`() throws {
        // In Berlin, 2026-10-25 has 25 hours: +02:00 until 01:00 UTC, then +01:00.
        let change = try #require(Timestamp("2026-10-25T01:00:00Z"))
        let berlin = { (time: Timestamp) in time < change ? 7_200 : 3_600 }
        let thursday = try #require(Timestamp("2026-10-22T12:00:00Z"))
        let saturday = try #require(Timestamp("2026-10-23T22:00:00Z"))
        let lastMinute = try #require(Timestamp("2026-10-25T22:59:00Z"))
        let monday = try #require(Timestamp("2026-10-25T23:00:00Z"))
        #expect(Self.kind(of: lastMinute, now: thursday, berlin) == .thisWeek)
        #expect(Self.kind(of: monday, now: thursday, berlin) == .nextWeek)
        #expect(Self.kind(of: lastMinute, now: saturday, berlin) == .tomorrow)
        #expect(
            Self.kind(of: saturday, now: saturday.advanced(byMilliseconds: -1), berlin) == .tomorrow
        )
        #expect(
            Self.kind(of: lastMinute, now: change.advanced(byMilliseconds: -1), berlin) == .today)
    }

    // MARK: Laws

    @Test func `groups are in order, complete and sorted, whatever the order of the articles`() {
        var random = SplitMix64(seed: 20_261_122)
        for _ in 0..<300 {
            let now = Timestamp(milliseconds: .random(in: 0...4_102_444_800_000, using: &random))
            let offset = Int.random(in: -12 * 60...14 * 60, using: &random) * 60
            // Few different times, so that ids decide; some articles have no time.
            let articles = (0..<UInt64.random(in: 0...12, using: &random)).map { number in
                let hours = Int64.random(in: -30...300, using: &random)
                let time = now.advanced(byMilliseconds: hours / 7 * 7 * 3_600_000)
                return Self.article(hours % 9 == 0 ? nil : time, number)
            }
            let upcoming = UpcomingByDay(articles, now: now) { _ in offset }
            let kinds = upcoming.groups.map(\.kind)
            #expect(kinds == Kind.allCases.filter(kinds.contains))
            #expect(upcoming.groups.allSatisfy { !$0.articles.isEmpty })
            // With the same offset throughout, the groups follow each other in time.
            let all = upcoming.groups.flatMap(\.articles)
            let keys = all.compactMap { article in article.publishedAt.map { ($0, article.id) } }
            #expect(zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 })
            #expect(Set(all) == Set(articles.filter { $0.publishedAt != nil }))
            #expect(all.count == keys.count)
            let shuffled = articles.shuffled(using: &random)
            #expect(UpcomingByDay(shuffled, now: now) { _ in offset } == upcoming)
        }
    }

    @Test(arguments: [
        "GMT", "Asia/Kathmandu", "Asia/Seoul", "Europe/Berlin", "America/New_York",
        "America/St_Johns", "Australia/Lord_Howe", "Pacific/Chatham", "Pacific/Kiritimati",
    ])
    func `groups agree with Foundation's calendar, also where clocks change`(zone: String) throws {
        let timeZone = try #require(TimeZone(identifier: zone))
        let calendar = LocalCalendar(timeZone)
        var random = SplitMix64(seed: UInt64(zone.utf8.count))
        for round in 0..<400 {
            let now = calendar.interestingTime(round, using: &random)
            let distance = Int64.random(in: -2 * 86_400_000...12 * 86_400_000, using: &random)
            var time = now.advanced(byMilliseconds: distance)
            // Every other time is within a second of midnight.
            if round.isMultiple(of: 2) {
                time = calendar.midnight(before: time)
                    .advanced(byMilliseconds: .random(in: -1_000...1_000, using: &random))
            }
            let upcoming = UpcomingByDay([Self.article(time)], now: now, in: timeZone)
            let expected = calendar.kind(of: time, now: now)
            #expect(upcoming.groups.map(\.kind) == [expected], "\(time) at \(now)")
        }
    }
}

/// The days and weeks of a time zone, as Foundation counts them.
private struct LocalCalendar {
    private var local = Calendar(identifier: .iso8601)
    private var utc = Calendar(identifier: .iso8601)

    init(_ timeZone: TimeZone) {
        local.timeZone = timeZone
        utc.timeZone = .gmt
    }

    /// A time of the years 2020 to 2030: any, or within a week before a change of clocks, or within
    /// a week before the end of a year.
    func interestingTime(_ round: Int, using random: inout SplitMix64) -> Timestamp {
        let any = Timestamp(
            milliseconds: .random(in: 1_577_836_800_000...1_893_456_000_000, using: &random))
        let change = local.timeZone.nextDaylightSavingTimeTransition(after: any.date)
        let year = local.dateInterval(of: .year, for: any.date)?.end
        let end = [nil, change, year][round % 3].map { Timestamp($0) } ?? any
        return end.advanced(
            byMilliseconds: -Int64.random(in: -3_600_000...7 * 86_400_000, using: &random))
    }

    func midnight(before time: Timestamp) -> Timestamp {
        Timestamp(local.startOfDay(for: time.date))
    }

    func kind(of time: Timestamp, now: Timestamp) -> UpcomingByDay.Kind {
        let days = day(time) - day(now)
        if days <= 0 { return .today }
        if days == 1 { return .tomorrow }
        switch (monday(time) - monday(now)) / 7 {
        case 0: return .thisWeek
        case 1: return .nextWeek
        default: return .later
        }
    }

    /// The day on which the week of a time begins.
    private func monday(_ time: Timestamp) -> Int {
        let start = local.dateInterval(of: .weekOfYear, for: time.date)?.start ?? time.date
        return day(Timestamp(start))
    }

    /// A number for each day of the calendar; consecutive days have consecutive numbers.
    private func day(_ time: Timestamp) -> Int {
        let parts = local.dateComponents([.year, .month, .day], from: time.date)
        let date = utc.date(from: parts)
        return Int((date?.timeIntervalSince1970 ?? .infinity) / 86_400)
    }
}
