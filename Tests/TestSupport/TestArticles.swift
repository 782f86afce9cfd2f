package import ArticleAPI

/// Makes articles for tests; the same number always gives the same article.
package func article(
    _ number: Int, title: String? = nil, summary: String = "", body: String? = nil,
    bodyHTML: String? = nil, authors: [String] = [], tags: [String] = [],
    status: Article.Status = .published, at time: Timestamp? = nil
) -> Article {
    let made = Timestamp(milliseconds: Int64(number))
    var random = FixedGenerator()
    return Article(
        id: Article.ID(at: made, using: &random), slug: "a\(number)",
        title: title ?? "Article \(number)", summary: summary, body: body, bodyHTML: bodyHTML,
        language: "en", authors: authors.map { Author.Reference(named: $0) },
        tags: tags.map { ArticleTag(named: $0) }, status: status, publishedAt: time,
        createdAt: made, updatedAt: made, wordCount: 3, readingMinutes: 1)
}

/// Ids of tests differ by their times.
private struct FixedGenerator: RandomNumberGenerator {
    mutating func next() -> UInt64 { 7 }
}
