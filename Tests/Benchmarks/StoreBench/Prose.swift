import ArticleAPI
import ArticleStore
import BroadsheetTestSupport

/// Generated articles of about 1.4 KiB whose words are as frequent as in prose (Zipf's law), the
/// same for the same seed: 30 % are in Korean, four in five contain "swift", and each contains one
/// of 20,000 rare words.
struct Prose {
    static let rareWords = 20_000
    private static let vocabulary = 60_000
    private static let particles = ["를", "은", "이", "에", "의", "로", "와"]
    /// With their weights.
    private static let onsets: [(text: String, weight: Int)] = [
        ("s", 11), ("c", 9), ("p", 8), ("d", 6), ("m", 6), ("b", 5), ("t", 6), ("r", 6), ("f", 4),
        ("l", 4), ("g", 3), ("n", 3), ("h", 4), ("w", 3), ("st", 3), ("pr", 3), ("tr", 2), ("v", 2),
    ]
    private static let vowels: [(text: String, weight: Int)] = [
        ("e", 12), ("a", 9), ("o", 8), ("i", 8), ("u", 3),
    ]

    /// The texts of all articles so far.
    private(set) var bytes = 0
    private var random: SplitMix64
    private let english: [String]
    private let korean: [String]
    private let rare: [String]
    /// Those that articles contain.
    private var used: [String] = []
    /// The sums of the frequencies up to each rank.
    private let frequencies: [Double]

    init(seed: UInt64) {
        var shapes = SplitMix64(seed: 1)
        english = (0..<Self.vocabulary).map { _ in Self.word(2 + Int(shapes.next() % 3), &shapes) }
        korean = (0..<Self.vocabulary).map { _ in
            Self.hangul(2 + Int(shapes.next() % 3), &shapes)
        }
        rare = (0..<Self.rareWords).map { _ in "q" + Self.word(4, &shapes) }
        var sum = 0.0
        frequencies = (1...Self.vocabulary).map { rank in
            sum += 1 / Double(rank)
            return sum
        }
        random = SplitMix64(seed: seed)
    }

    /// Queries by what they cost, as JSON.
    var queries: String {
        let lists = [
            ("rare", Array(used.prefix(4_000))), ("common", ["swift"]),
            ("two common", ["swift \(english[0])"]), ("korean", [String(korean[40].prefix(2))]),
            ("prefix", ["co", "pre", "con", "st"]), ("letter", ["c", "s"]),
        ]
        let members = lists.map { name, words in
            #""\#(name)":[\#(words.map { "\"\($0)\"" }.joined(separator: ","))]"#
        }
        return "{\(members.joined(separator: ","))}"
    }

    /// The article with this number; numbers ascend.
    mutating func item(_ number: Int) -> ImportItem {
        let time = Corpus.publication(of: number)
        let isKorean = number % 10 < 3
        let title = text(words: 6, isKorean)
        let word = rare[Int(pick(UInt64(Self.rareWords)))]
        used.append(word)
        var body = text(words: isKorean ? 130 : 180, isKorean) + " " + word
        if pick(5) > 0 { body += " swift" }
        let summary = text(words: 15, isKorean)
        bytes += title.utf8.count + summary.utf8.count + body.utf8.count
        let content = ArticleContent(
            Article.Draft(
                title: title, summary: summary, body: body,
                language: isKorean ? "ko" : "en", authors: [.name("Writer \(pick(50))")],
                tags: ["Tag-\(pick(100))"], status: .published, publishedAt: time),
            slug: .like("prose-\(number)"), measure: TextMeasure(words: 200, readingMinutes: 1))
        return ImportItem(
            path: "prose/\(number)", digest: [1], id: Article.ID(at: time, using: &random),
            content: content)
    }

    private mutating func pick(_ count: UInt64) -> UInt64 { random.next() % count }

    private mutating func text(words count: Int, _ isKorean: Bool) -> String {
        (0..<count).map { _ in isKorean ? koreanWord() : english[rank()] }.joined(separator: " ")
    }

    private mutating func koreanWord() -> String {
        let word = korean[rank()]
        return pick(2) == 0 ? word : word + Self.particles[Int(pick(7))]
    }

    /// A rank by Zipf's law.
    private mutating func rank() -> Int {
        let total = frequencies[Self.vocabulary - 1]
        let share = Double(pick(1 << 32)) / Double(1 << 32) * total
        var (low, high) = (0, Self.vocabulary - 1)
        while low < high {
            let middle = (low + high) / 2
            if frequencies[middle] < share { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private static func word(_ syllables: Int, _ random: inout SplitMix64) -> String {
        (0..<syllables).map { _ in choose(onsets, &random) + choose(vowels, &random) }.joined()
    }

    private static func choose(
        _ parts: [(text: String, weight: Int)], _ random: inout SplitMix64
    ) -> String {
        var rest = Int(random.next() % UInt64(parts.reduce(0) { $0 + $1.weight }))
        for part in parts {
            rest -= part.weight
            if rest < 0 { return part.text }
        }
        return parts[0].text
    }

    private static func hangul(_ syllables: Int, _ random: inout SplitMix64) -> String {
        String(
            String.UnicodeScalarView(
                (0..<syllables).compactMap { _ in
                    // 600 of the 11,172 syllables.
                    Unicode.Scalar(0xAC00 + UInt32(random.next() % 600) * 18)
                }))
    }
}
