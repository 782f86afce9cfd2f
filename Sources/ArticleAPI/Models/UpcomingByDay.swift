/// Scheduled articles in groups for people: those of today, of tomorrow, of this week, of the
/// next one, and later.
///
/// Days are calendar days in the reader's time zone, and weeks end on Sunday (ISO 8601).
///
/// ```swift
/// let upcoming = UpcomingByDay(articles, now: now) { _ in 9 * 3_600 }
/// for group in upcoming.groups {
///     lines.append("\(group.kind): \(group.articles.map(\.title).joined(separator: ", "))")
/// }
/// ```
public struct UpcomingByDay: Sendable, Hashable {
    /// The period in which the articles of a group become public; in the order of the groups.
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// Until the next midnight. An article whose time has passed, but which is not published
        /// yet, also belongs here: it is expected at any moment.
        case today
        case tomorrow
        /// After tomorrow, up to and including this week's Sunday. It is empty on
        /// Saturdays and Sundays, and on Fridays it is only Sunday.
        case thisWeek
        /// From the next Monday up to and including the Sunday after it. On Sundays, it begins on
        /// Tuesday.
        case nextWeek
        /// After next week.
        case later
    }

    /// The articles of one kind; never without any.
    public struct Group: Sendable, Hashable, Identifiable {
        public let kind: Kind
        /// By `publishedAt`, those of the same time by id.
        public let articles: [Article]

        /// The kind, of which there is only one group.
        public var id: Kind { kind }
    }

    /// At most one of each kind, the nearest first; empty ones are left out.
    public let groups: [Group]

    /// Groups articles by their `publishedAt`; those without one are left out. Their status is not
    /// examined.
    ///
    /// - Parameters:
    ///   - articles: The articles, in any order.
    ///   - now: The time that decides which day is today.
    ///   - secondsFromGMT: The offset of the reader's time zone at a time, positive to the east. It
    ///     is called for each time, so a change to or from daylight saving time is respected.
    public init(
        _ articles: some Sequence<Article>, now: Timestamp,
        secondsFromGMT: (Timestamp) -> Int
    ) {
        let today = LocalDay(now, secondsFromGMT: secondsFromGMT)
        let timed = articles.compactMap { article in
            article.publishedAt.map { (time: $0, article: article) }
        }
        let ordered = timed.sorted { ($0.time, $0.article.id) < ($1.time, $1.article.id) }
        var members: [Kind: [Article]] = [:]
        for (time, article) in ordered {
            let day = LocalDay(time, secondsFromGMT: secondsFromGMT)
            let kind = day.kind(asOf: today)
            members[kind, default: []].append(article)
        }
        groups = Kind.allCases.compactMap { kind in
            members[kind].map { Group(kind: kind, articles: $0) }
        }
    }
}

extension LocalDay {
    /// Weeks since the one that began on Monday, 1969-12-29; 1970-01-01 was a Thursday.
    private var week: Int64 { Timestamp.split(number + 3, by: 7).0 }

    fileprivate func kind(asOf today: LocalDay) -> UpcomingByDay.Kind {
        if number <= today.number { return .today }
        if number == today.number + 1 { return .tomorrow }
        switch week - today.week {
        case 0: return .thisWeek
        case 1: return .nextWeek
        default: return .later
        }
    }
}
