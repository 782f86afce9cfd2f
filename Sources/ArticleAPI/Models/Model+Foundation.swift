// Foundation's types for what models say in plain ones. On Linux these are of FoundationEssentials,
// which is small; an app that imports Foundation has the same types.
#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Timestamp {
    /// The moment as Foundation has it: `Text(article.updatedAt.date, style: .relative)`.
    public var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// The moment of a date, to the nearest millisecond, held within `range`.
    public init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        let range = Double(Self.range.lowerBound)...Double(Self.range.upperBound)
        let held = min(max(milliseconds, range.lowerBound), range.upperBound)
        self.init(milliseconds: Int64(held))
    }
}

extension Article.HeroImage {
    /// The picture's address: `AsyncImage(url: article.heroImage?.address)`.
    public var address: URL? { URL(string: url) }
}

extension Article.Source {
    /// Where the article was first published.
    public var address: URL? { url.flatMap { URL(string: $0) } }
}

extension Author {
    /// The author's website.
    public var address: URL? { website.flatMap { URL(string: $0) } }
}
