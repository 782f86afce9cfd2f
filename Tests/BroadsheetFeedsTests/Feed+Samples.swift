import ArticleAPI
import BroadsheetFeeds

/// Feeds that are made of a seed, as texts of strangers are: with markup, controls and scripts.
struct FeedMaker {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    private mutating func next(_ limit: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(limit))
    }

    private static let pieces = [
        "Bread", "]]>", "<&>\"'", "<b>bold</b>", "&amp;", "&lt;i&gt;", "&#8217;", "&nbsp;", "<!--",
        "-->", "<![CDATA[", "👩‍👩‍👧", "שלום", "عربي", "\u{202E}rtl\u{202C}", "é", "e\u{301}", "한국어",
        "?>", "<?xml", "\u{FEFF}", "\u{FFFD}", "\u{85}", "\u{2028}", "a  b", "%20", "{}", "\\",
        "</title>", "&bomb;", "\u{10FFFF}",
    ]

    /// A line without white space around it.
    mutating func line() -> String {
        (0...next(4)).map { _ in Self.pieces[next(Self.pieces.count)] }.joined(separator: " ")
    }

    private mutating func maybe<Value>(_ value: Value) -> Value? { next(3) == 0 ? nil : value }

    private mutating func lines() -> String {
        (0...next(3)).map { _ in line() }.joined(separator: "\n")
    }

    private mutating func names() -> [String] {
        var names: [String] = []
        for _ in 0..<next(4) {
            let name = line()
            if !names.contains(name) { names.append(name) }
        }
        return names
    }

    private mutating func time() -> Timestamp {
        Timestamp(milliseconds: Int64(next(4_000_000_000)) * 1_000 + Int64(next(1_000)))
    }

    mutating func feed() -> Feed {
        let address = "https://example.org/feeds/articles?page=\(next(100))&tag=a%20b"
        var feed = Feed(id: address, title: "Feed \(line())", address: address)
        feed.subtitle = lines()
        feed.homePage = "https://example.org/"
        feed.firstPage = maybe("https://example.org/feeds/articles")
        feed.nextPage = maybe("https://example.org/feeds/articles?cursor=x_\(next(100))")
        feed.language = maybe("ko")
        feed.updatedAt = time()
        feed.entries = (0..<next(5)).map { _ in entry() }
        return feed
    }

    private mutating func entry() -> FeedEntry {
        let number = next(1_000_000)
        var entry = FeedEntry(
            id: "urn:uuid:00000000-0000-7000-8000-\(1_000_000 + number)00000", title: line())
        entry.url = "https://example.org/v1/articles/\(number)"
        entry.summary = lines()
        entry.contentHTML =
            "<p>\(next(100)) &lt;b&gt; \(Self.pieces[11])</p>\n"
            + "<a href=\"https://example.org/\">x</a>"
        entry.contentMarkdown = maybe("# \(line())\n\n    code\n")
        entry.slug = maybe("slug-\(number)")
        entry.authors = names()
        entry.tags = names()
        entry.language = maybe("zh-Hant-TW")
        entry.publishedAt = maybe(time())
        entry.updatedAt = time()
        entry.image = maybe(
            FeedEntry.Image(
                url: "https://example.org/\(number).png?a=1&b=2", alternativeText: maybe(line())))
        return entry
    }
}
