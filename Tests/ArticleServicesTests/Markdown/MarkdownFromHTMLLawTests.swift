import BroadsheetMarkup
import BroadsheetPlatform
import BroadsheetResources
import BroadsheetTestSupport
import Testing

@testable import ArticleImportExport
@testable import ArticleServiceCore
@testable import ArticleServices

/// Markdown made of HTML renders as the same HTML.
@Suite struct MarkdownFromHTMLLawTests {
    private static let renderer = MarkdownRenderer(system: .real)

    /// The HTML of the Markdown that the HTML becomes.
    private static func again(_ html: String) throws -> String {
        try renderer.renderNow(MarkdownFromHTML().convert(html).markdown).html
    }

    /// The HTML with white space collapsed where browsers do.
    private static func collapsed(_ html: String) -> String {
        var collapsed = ""
        var isCode = false
        for part in html.split(separator: "<", omittingEmptySubsequences: false) {
            if part.hasPrefix("pre>") || part.hasPrefix("code") { isCode = true }
            if part.hasPrefix("/pre>") || part.hasPrefix("/code>") { isCode = false }
            let lines = part.split(separator: "\n", omittingEmptySubsequences: false)
            let words = lines.map { $0.split(separator: " ").joined(separator: " ") }
            collapsed += "<" + (isCode ? String(part) : words.joined(separator: "\n"))
        }
        return collapsed
    }

    @Test func `the samples are the same after a round trip`() throws {
        let table = broadsheet_samples()
        for sample in UnsafeBufferPointer(start: table.first, count: table.count) {
            let bytes = [UInt8](UnsafeBufferPointer(start: sample.bytes, count: sample.size))
            let post = try MarkdownPost(bytes, name: String(cString: sample.name))
            let html = try Self.renderer.renderNow(post.body).html
            #expect(try Self.again(html) == html, "\(String(cString: sample.name))")
        }
    }

    @Test(arguments: 0..<8)
    func `generated documents are the same after a round trip`(seed: Int) throws {
        var document = GeneratedHTML(seed: UInt64(seed))
        for _ in 0..<60 {
            let html = document.next()
            let again = try Self.again(html)
            #expect(Self.collapsed(again) == Self.collapsed(html))
        }
    }

    /// The HTML with the spaces that move out of elements outside of them.
    private static func moved(_ html: String) -> String {
        var html = html
        let spaces = GeneratedHTML.spaces
        // Invariant: each round moves a space by one tag, and there are finitely many.
        while true {
            var next = html
            for name in ["em", "strong", "del"] {
                next = next.replacing("<\(name)></\(name)>", with: "")
                    .replacing("</\(name)><\(name)>", with: "")
                for space in spaces {
                    next = next.replacing("<\(name)>\(space)", with: "\(space)<\(name)>")
                    next = next.replacing("\(space)</\(name)>", with: "</\(name)>\(space)")
                }
            }
            if next == html { return html }
            html = next
        }
    }

    @Test(arguments: 0..<8)
    func `spaces of any kind beside emphasis stay, outside of it`(seed: Int) throws {
        var generator = GeneratedHTML(seed: UInt64(seed))
        for _ in 0..<30 {
            let html = "<p>\(generator.spaced(depth: 3))</p>\n"
            let again = try Self.again(html)
            #expect(Self.moved(again) == Self.moved(html), "\(html)")
        }
    }

    @Test func `a second conversion changes nothing`() throws {
        for html in [
            "mail a@b.org and <b>c@d.org</b>", "<p>a<table><tr><td>b<p>c</table>d",
            "<li>a<p>b</p><ol><li></ol>", "<b><p>a</p></b><i>b<ul><li>c</i></ul>",
        ] {
            let once = try Self.again(html)
            #expect(try Self.again(once) == once)
        }
    }
}

/// Makes HTML as the renderer writes it, of parts that are easily mistaken for markup.
private struct GeneratedHTML {
    private var random: SplitMix64
    private static let words = [
        "a", "b c", "*", "_", "x_y", "[z]", "(p)", "<", ">", "&", "\"q\"", "it's", "\\", "`", "~",
        "#", "+", "-", "=", "|", ".", "!", "1.", "2)", "http://e.org/a_b", "www.x.org", "한글", "은",
        "—", "&amp;", "1", "```", "~~~", "---", "***", ":-", "![i]", "<b>", "é.", "$", "€",
    ]
    private static let code = ["a", "`", "``x`", " y ", "a|b", "<t>", "*s*"]
    private static let addresses = [
        "http://e.org/", "/x_y*z*", "?a=1&copy=2&lt;=3", "http://e.org/(a)b_c",
    ]

    static let spaces = ["\u{A0}", "\u{3000}", "\u{2009}", "\u{202F}", "\u{1680}"]

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// A line with spaces other than of ASCII anywhere.
    mutating func spaced(depth: Int, in outer: [String] = []) -> String {
        var line = "x"
        for _ in count(2...5) {
            line +=
                pick(Self.spaces + ["", ""])
                + pick(["a", "\u{200B}", ".", "(", "\u{2028}", "é", "”"])
            let names = ["em", "strong", "del"].filter { !outer.contains($0) }
            guard depth > 0, let name = names.randomElement(using: &random) else { continue }
            let (start, end) = (pick(Self.spaces + ["", ""]), pick(Self.spaces + ["", ""]))
            let content = spaced(depth: depth - 1, in: outer + [name])
            line += "<\(name)>\(start)\(content)\(end)</\(name)>"
        }
        return line + "x"
    }

    mutating func next() -> String { blocks(depth: 2) }

    private mutating func chance(_ part: Double) -> Bool {
        Double.random(in: 0..<1, using: &random) < part
    }

    private mutating func pick(_ texts: [String]) -> String {
        texts.randomElement(using: &random) ?? ""
    }

    private mutating func count(_ range: ClosedRange<Int>) -> Range<Int> {
        0..<Int.random(in: range, using: &random)
    }

    private mutating func text() -> String {
        var text = ""
        for index in count(1...4) {
            if index > 0, chance(0.5) { text += " " }
            text += pick(Self.words)
        }
        return Self.escaped(text)
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            .replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
    }

    /// - Parameter outer: the elements around the line.
    private mutating func line(depth: Int, isCell: Bool = false, in outer: [String] = []) -> String
    {
        var line = ""
        var last = ""
        let kinds = ["t", "t", "t", "em", "strong", "del", "code", "a", "img", "br", "nl"]
        for index in count(1...4) {
            var kind = pick(kinds)
            let isBreak = kind == "br" || kind == "nl"
            if kind == last || outer.contains(kind)
                || depth <= 0 && ["em", "strong", "del"].contains(kind)
                || isBreak && (isCell || index == 0 || last == "br" || last == "nl")
            {
                kind = "t"
            }
            if last == "t", kind == "t" { line += " " }
            line += part(kind, depth: depth, isCell: isCell, in: outer)
            last = kind
        }
        while line.hasSuffix("\n") {
            line.removeLast()
            if line.hasSuffix("<br />") { line.removeLast(6) }
        }
        return line
    }

    private mutating func part(
        _ kind: String, depth: Int, isCell: Bool, in outer: [String]
    ) -> String {
        switch kind {
        case "t": return text()
        case "code": return "<code>\(Self.escaped(pick(Self.code)))</code>"
        case "br": return "<br />\n"
        case "nl": return "\n"
        case "img": return "<img src=\"/i_1.png\" alt=\"\(text())\" />"
        case "a":
            let title = chance(0.5) ? " title=\"\(text())\"" : ""
            let content = line(depth: depth - 1, isCell: isCell, in: outer + [kind])
            return "<a href=\"\(Self.escaped(pick(Self.addresses)))\"\(title)>\(content)</a>"
        default:
            return
                "<\(kind)>\(line(depth: depth - 1, isCell: isCell, in: outer + [kind]))</\(kind)>"
        }
    }

    private mutating func blocks(depth: Int) -> String {
        count(1...3).map { _ in block(depth: depth) }.joined()
    }

    private mutating func paragraph() -> String { "<p>\(line(depth: 2))</p>\n" }

    private mutating func block(depth: Int) -> String {
        switch Int.random(in: depth > 0 ? 0..<9 : 0..<6, using: &random) {
        case 0, 1: return paragraph()
        case 2:
            let level = Int.random(in: 1...6, using: &random)
            return "<h\(level)>\(line(depth: 2, isCell: true))</h\(level)>\n"
        case 3: return "<hr />\n"
        case 4:
            let language = chance(0.5) ? " class=\"language-swift\"" : ""
            let text = Self.escaped(pick(["x", "a\n\n  b", "```", "\tt", "~~~\n`"]))
            return "<pre><code\(language)>\(text)\n</code></pre>\n"
        case 5: return table()
        case 6: return "<blockquote>\n\(blocks(depth: depth - 1))</blockquote>\n"
        default: return list(depth: depth)
        }
    }

    private mutating func list(depth: Int) -> String {
        let name = pick(["ul", "ol"])
        let start = name == "ol" && chance(0.5) ? " start=\"7\"" : ""
        let isLoose = chance(0.4)
        let items = count(2...3).map { _ in
            if isLoose {
                let more = chance(0.4) ? blocks(depth: depth - 1) : ""
                return "<li>\n\(paragraph())\(more)</li>\n"
            }
            let more = chance(0.3) ? "\n<ul>\n<li>\(line(depth: 1))</li>\n</ul>\n" : ""
            return "<li>\(line(depth: 2))\(more)</li>\n"
        }
        return "<\(name)\(start)>\n\(items.joined())</\(name)>\n"
    }

    private mutating func table() -> String {
        let alignments = count(1...3).map { _ in
            pick(["", " align=\"left\"", " align=\"center\"", " align=\"right\""])
        }
        func row(_ name: String, _ random: inout Self) -> String {
            let cells = alignments.map { alignment in
                let text = random.chance(0.5) ? random.line(depth: 1, isCell: true) : ""
                return "<\(name)\(alignment)>\(text)</\(name)>\n"
            }
            return "<tr>\n\(cells.joined())</tr>\n"
        }
        let head = "<table>\n<thead>\n\(row("th", &self))</thead>\n"
        let rows = count(0...2).map { _ in row("td", &self) }.joined()
        return head + (rows.isEmpty ? "" : "<tbody>\n\(rows)</tbody>\n") + "</table>\n"
    }
}
