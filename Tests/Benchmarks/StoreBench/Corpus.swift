import ArticleAPI
import ArticleStore
import BroadsheetTestSupport

/// Generated articles of about 1 KiB, the same for the same seed: 50 authors, 100 tags, two
/// languages, one published each minute.
struct Corpus {
    static let start = Timestamp(milliseconds: 1_600_000_000_000)

    /// Returns the time of publication of the article with this number.
    static func publication(of number: Int) -> Timestamp {
        start.advanced(byMilliseconds: Int64(number) * 60_000)
    }
    private static let words = """
        bread flour water salt oven crust morning hands table stone river field window letter \
        garden autumn paper market train harbour engine signal winter summer quiet yellow \
        silver ancient public common evening forest island bridge kitchen library measure answer \
        question history
        """.split(separator: " ")

    private var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// The article with this number; numbers ascend.
    mutating func item(_ number: Int) -> ImportItem {
        let time = Self.publication(of: number)
        let title = text(ofBytes: 40)
        let body = text(ofBytes: 1_024)
        let tags = [pick(100), pick(100)].map { "Tag-\($0)" }
        let content = ArticleContent(
            Article.Draft(
                title: title, summary: text(ofBytes: 120), body: body,
                language: number % 5 == 0 ? "ko" : "en", authors: [.name("Writer \(pick(50))")],
                tags: tags[0] == tags[1] ? [tags[0]] : tags, status: .published,
                publishedAt: time),
            slug: .like("\(title.replacing(" ", with: "-"))-\(number)"),
            measure: TextMeasure(words: 150, readingMinutes: 1))
        return ImportItem(
            path: "corpus/\(number)", digest: [1], id: Article.ID(at: time, using: &random),
            content: content)
    }

    private mutating func pick(_ count: UInt64) -> UInt64 { random.next() % count }

    private mutating func text(ofBytes count: Int) -> String {
        var text = ""
        while text.utf8.count < count {
            if !text.isEmpty { text += " " }
            text += Self.words[Int(pick(UInt64(Self.words.count)))]
        }
        return text
    }
}
