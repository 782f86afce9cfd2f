import BroadsheetKit

/// The lines of an article's row in a list.
func rowLines(_ article: Article, now: Timestamp, languages: [String]) -> [String] {
    let row = ArticlePresentation(
        article, in: PresentationLanguage(preferring: languages), now: now,
        secondsFromGMT: { _ in 9 * 3_600 })
    let facts = [row.bylineText, row.dateText, row.readingTimeText].compactMap(\.self)
    return [row.titleText, facts.joined(separator: " · ")] + (row.excerptText.map { [$0] } ?? [])
}
