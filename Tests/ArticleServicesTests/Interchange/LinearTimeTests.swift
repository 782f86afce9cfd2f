import ArticleAPI
import ArticleAdminAPI
import ArticleSearch
import ArticleStore
import BroadsheetFeeds
import BroadsheetHTTP
import BroadsheetMarkup
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@testable import ArticleAccounts
@testable import ArticleConnectors
@testable import ArticleImportExport
@testable import ArticleServiceCore
@testable import ArticleServices

/// Text from outside, made to cost more time than its length explains.
@Suite(.timeLimit(.minutes(Patience.minutes))) struct LinearTimeTests {
    /// The parts of which texts consist, again and again.
    static let shapes =
        marks + [
            // Sequences that are one character, however long, or that are read backwards.
            "👩\u{200D}", "🇩🇪", "\u{1100}", "\u{1161}", "क्", "\u{FE0F}", "\u{600}", "\u{20E3}",
            "\r\n", "\r", " ", "\t", "\u{A0}", "\u{200B}", "ﷺ", "İ", "ß",
            "<", "</", "<a ", "<!--", "<b>", "<p>x", "<br>", "&", "&amp", "&#768", "]]>",
            "[", "](", "![", "*a ", "_", "`", "~~", "|", "> ", "- ", "1) ", "\\", "#", "\"", "'",
            "%CC%80", "../", ":", "www.", "http://a", "a@b.c ", ",", ";", "7", "-", "\u{202E}",
        ]

    /// Marks out of their canonical order, in one piece and in pieces that meet once the markup
    /// between them is gone.
    static let marks: [String] = {
        let run = "\u{315}\u{300}\u{5AE}\u{344}"
        let pieces = String(repeating: run, count: 7)
        return [
            run, "\u{338}\u{323}", "\u{F71}\u{F74}\u{F73}", "\u{302A}\u{5B0}", "&#x315;&#x300;",
            "&#824;&#803;", "<i>\(pieces)</i>", "<span>\(pieces)</span>", "\(pieces)<!-- x -->",
            "\(pieces)[gallery]", "\(pieces)__GHOST_URL__", "\\\(run)",
        ]
    }()

    struct Converter: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let run: @Sendable (String) throws -> Void

        init(_ name: String, _ run: @escaping @Sendable (String) throws -> Void) {
            testDescription = name
            self.run = run
        }
    }

    // MARK: Converters

    static func escaped(_ text: String) -> String {
        var escaped: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "<"): escaped += "&lt;".utf8
            case UInt8(ascii: "&"): escaped += "&amp;".utf8
            case UInt8(ascii: ">"): escaped += "&gt;".utf8
            case UInt8(ascii: "\""): escaped += "&quot;".utf8
            default: escaped.append(byte)
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    /// The drafts that a poll would make of a feed.
    @discardableResult
    static func drafts(_ feed: String) throws -> [Article.Draft] {
        let feed = try FeedParser.parse(
            Array(feed.utf8), contentType: nil, address: "https://example.org/feed")
        let source = ContentSource(
            id: ContentSource.ID(at: ImportFixture.time(0)), url: "https://example.org/feed",
            createdAt: ImportFixture.time(0), updatedAt: ImportFixture.time(0))
        return feed.entries.map { SourceDraft($0, of: feed, in: source) }
            .compactMap { try? $0.content().get() }
    }

    static func atom(_ content: String, _ more: String = "") -> String {
        "<feed xmlns=\"http://www.w3.org/2005/Atom\"><id>urn:f</id><title>F</title><entry>"
            + "<id>urn:1</id><title>T</title>\(content)\(more)</entry></feed>"
    }

    private static func json(_ text: String) -> String { YAMLText.quoted(text) }

    /// Each takes the text of one article, and gives the drafts that are made of it.
    static let makers: [(name: String, make: @Sendable (String) throws -> [Article.Draft])] = [
        ("the text of a feed", { try drafts(atom("<content>\(escaped($0))</content>")) }),
        (
            "the HTML of a feed",
            { try drafts(atom("<content type=\"html\">\(escaped($0))</content>")) }
        ),
        (
            "the XHTML of a feed",
            {
                let name = "xmlns=\"http://www.w3.org/1999/xhtml\""
                return try drafts(
                    atom("<content type=\"xhtml\"><div \(name)>\($0)</div></content>"))
            }
        ),
        (
            "RSS",
            {
                try drafts(
                    "<rss><channel><title>F</title><item><guid>1</guid>"
                        + "<description>\(escaped($0))</description></item></channel></rss>")
            }
        ),
        (
            "a JSON feed",
            {
                let text = json($0)
                return try drafts(
                    #"{"version": "https://jsonfeed.org/version/1.1", "title": \#(text), "#
                        + #""items": [{"id": "1", "title": "T", "content_html": \#(text)},"#
                        + #"{"id": "2", "content_text": \#(text), "tags": [\#(text)]}]}"#)
            }
        ),
        (
            "an export of WordPress",
            {
                let item = WordPressImportTests.item(
                    1, "n", content: $0.replacing("]]>", with: "]] >"))
                return BlogExportReader(wordPress: Array(WordPressImportTests.export(item).utf8))
                    .drafts
            }
        ),
        (
            "an export of Ghost",
            {
                let text = json($0)
                return BlogExportReader(
                    ghost: Array(
                        (#"{"db": [{"meta": {}, "data": {"posts": [{"id": "p", "title": \#(text), "#
                            + #""html": \#(text)}, {"id": "q", "title": "Q", "markdown": \#(text)}"#
                            + "]}}]}").utf8)
                ).drafts
            }
        ),
    ]

    private static let markdown = MarkdownRenderer(
        limits: {
            var limits = MarkdownLimits()
            limits.patienceSeconds = Patience.seconds
            return limits
        }(), system: .real)

    static let others: [Converter] = [
        Converter("names in a feed") { text in
            let text = escaped(text)
            let names = "<author><name>\(text)</name></author><category term=\"\(text)\"/>"
            try drafts(
                atom("<title>\(text)</title><summary>\(text)</summary><link href=\"\(text)\"/>")
                    + atom(names, "<updated>\(text)</updated>"))
        },
        Converter("names of elements") { text in try drafts("<feed><\(text)/></feed>") },
        Converter("HTML") { _ = try MarkdownFromHTML().convert($0) },
        Converter("links in HTML") { text in
            _ = try MarkdownFromHTML(base: "https://e.org/").convert(
                "<a href=\"\(text)\">\(text)</a><img src=\"\(text)\" alt=\"\(text)\"><pre>\(text)")
        },
        Converter("the text of HTML") { _ = HTMLFragment($0)?.text },
        Converter("addresses in HTML") { text in
            _ = HTMLFragment("<a href=\"\(text)\" srcset=\"\(text)\">")?
                .resolvingAddresses(against: "https://e.org/")
        },
        Converter("Markdown") { _ = try markdown.renderNow($0) },
        Converter("rendered HTML") { _ = RenderedBody(written: Array("<p>\($0)</p>".utf8)) },
        Converter("a Markdown file") {
            _ = try MarkdownPost(Array("# \($0)\n\n\($0)".utf8), name: "x.md")
        },
        Converter("YAML") {
            _ = try MarkdownPost(
                Array("---\ntitle: \(json($0))\ntags: [\(json($0))]\n---\n".utf8), name: "x.md")
        },
        Converter("TOML") {
            _ = try MarkdownPost(
                Array("+++\ntitle = \(json($0))\n\(json($0)) = \"x\"\n+++\n".utf8), name: "x.md")
        },
        Converter("JSON") { text in
            let draft = Article.Draft(
                slug: text, title: text, summary: text, body: text, authors: [.name(text)],
                tags: [text])
            _ = draft.faults
            _ = try Article.Draft(mapping: draft.json())
        },
        Converter("members of JSON") { _ = try JSONParser.parse(Array("{\(json($0)): 1}".utf8)) },
        Converter("a query") { text in
            _ = SearchPlan(SearchQuery(text))
            _ = try QueryItems(parsing: "q=\(PercentEncoding.encodeSegment(text))".utf8)
        },
        Converter("terms") { text in
            let text = text.inNFC
            _ = AnalyzedDocument(
                SearchDocument(
                    id: Article.ID(at: ImportFixture.time(0)), revision: 1,
                    publishedAt: ImportFixture.time(0), title: "T", summary: "", body: text))
        },
        Converter("a slug") { text in
            _ = Slug(title: text)
            _ = Slug.fault(text)
        },
        Converter("a tag and a name") { text in
            _ = ArticleTag(named: text).key
            _ = try? AccountName(text)
            _ = try? Password(presented: text)
            _ = ArticleFitter.names([text])
        },
        Converter("a date") { text in
            _ = FeedDate.parse(text)
            _ = Timestamp(frontMatter: text)
            _ = Timestamp(text)
        },
        Converter("a URL") { text in
            _ = Reference.resolve("https://\(text)/\(text)", against: nil)
            _ = Reference.resolve(text, against: "https://example.org/a/b")
            _ = WebAddress.fault("https://example.org/\(text)")
        },
        Converter("a header field") { text in
            _ = MediaType("text/html; a=\"\(text)\"")
            var fields = HTTPFields()
            fields.append(.link, "<\(text)>; rel=\"\(text)\"")
            _ = fields.combined(.link)
        },
    ]

    static let converters =
        makers.map { maker in Converter(maker.name) { _ = try maker.make($0) } } + others

    /// All shapes, or a third of the marks and a tenth of the others, which differ from converter
    /// to converter.
    private static func shapes(for converter: Converter) -> [String] {
        if Thoroughness.isFull { return shapes }
        let number = converters.firstIndex { $0.testDescription == converter.testDescription } ?? 0
        return stride(from: number % 3, to: marks.count, by: 3).map { shapes[$0] }
            + stride(from: marks.count + number % 10, to: shapes.count, by: 10).map { shapes[$0] }
    }

    /// The bytes of the shorter text.
    private static let size = Thoroughness.isFull ? 16_384 : 2_048

    @Test(arguments: converters)
    func `no text takes more time than its length explains`(converter: Converter) async {
        await mayBlock {
            for shape in Self.shapes(for: converter) {
                let text = String(repeating: shape, count: Self.size / shape.utf8.count)
                let growth = growth(
                    from: "a" + text, to: "a" + String(repeating: text, count: 8), below: 24
                ) { try? converter.run($0) }
                #expect(growth < 24, "\(shape.unicodeScalars.map(\.value))")
            }
        }
    }

    // MARK: Runs of marks

    private static func longestRun(_ text: String) -> Int {
        var (run, longest) = (0, 0)
        for scalar in text.unicodeScalars {
            let isMark = scalar.properties.canonicalCombiningClass != .notReordered
            run = isMark ? run + 1 : 0
            longest = max(longest, run)
        }
        return longest
    }

    @Test(arguments: marks)
    func `articles of other programs have no long runs of marks`(shape: String) throws {
        let text = "a" + String(repeating: shape, count: 40)
        for (name, make) in Self.makers {
            for draft in try make("<p>\(text)</p>") {
                #expect(Self.longestRun(draft.body) <= 30, "\(name)")
                #expect(Self.longestRun(draft.title) <= 30, "\(name)")
            }
        }
    }

    /// Thirty marks on a letter, and text of scripts that write with marks.
    @Test(arguments: [
        "Z" + String(repeating: "\u{300}\u{316}", count: 15) + "algo",
        "བོད་ཡིག་གི་ཨཱོཾ་", "ภาษาไทยที่ดี", "שָׁלוֹם עֲלֵיכֶם", "السَّلَامُ عَلَيْكُمْ", "क्षत्रिय ज़िंदगी",
        "👩‍👩‍👧‍👦 🏳️‍🌈 🇰🇷 👍🏽 1️⃣", "각 ᄒᆞᆫ글", "Việt Nam, Zoë", "𝄞 ꙮ ‏שלום‏",
    ])
    func `ordinary text of any script stays as it is`(text: String) throws {
        let text = text.inNFC
        for (name, make) in Self.makers {
            let bodies = try make("<p>\(text)</p>").map(\.body)
            #expect(bodies.contains { $0.utf8.contains(text.utf8) }, "\(name): \(bodies)")
        }
    }
}
