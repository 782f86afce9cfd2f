// Conversions to Foundation's types. On Linux they come from FoundationEssentials, which is small;
// an app that imports Foundation has the same types.
#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Timestamp {
    /// The time as a `Date`: `Text(article.updatedAt.date, style: .relative)`.
    public var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// The time of a date, rounded to milliseconds and clamped to `range`.
    public init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        let range = Double(Self.range.lowerBound)...Double(Self.range.upperBound)
        let held = min(max(milliseconds, range.lowerBound), range.upperBound)
        self.init(milliseconds: Int64(held))
    }
}

extension Article.HeroImage {
    /// The picture's URL: `AsyncImage(url: article.heroImage?.address)`.
    public var address: URL? { URL(string: url) }
}

extension Article.Source {
    /// The URL of the article's first publication.
    public var address: URL? { url.flatMap { URL(string: $0) } }
}

extension Author {
    /// The author's website.
    public var address: URL? { website.flatMap { URL(string: $0) } }
}

extension UpcomingByDay {
    /// Groups articles by the days of a time zone, by default the user's:
    /// `UpcomingByDay(articles, now: Timestamp(.now)).groups`
    ///
    /// On Linux, a program that imports only FoundationEssentials has no named time zones, and
    /// `TimeZone.current` is GMT; it has to import Foundation.
    public init(
        _ articles: some Sequence<Article>, now: Timestamp, in timeZone: TimeZone = .current
    ) {
        self.init(articles, now: now) { timeZone.secondsFromGMT(for: $0.date) }
    }
}
