import BroadsheetHTTP

/// WordPress' texts as HTML: paragraphs are blank lines in the classic editor, and plugins write
/// shortcodes in brackets.
enum WordPressText {
    /// - Returns: the HTML, and the number of galleries that were left out.
    static func html(of content: String) -> (html: String, galleries: Int) {
        let text = content.replacing(bytesOf: "\r\n", with: "\n")
        var codes = WordPressShortcodes(text)
        let unwrapped = codes.html()
        // Blocks of the newer editor are HTML already.
        let html = text.contains(bytesOf: "<!-- wp:") ? unwrapped : paragraphs(in: unwrapped)
        return (html, codes.galleries)
    }

    // MARK: Paragraphs

    private static let blocks: Set<Substring> = [
        "address", "article", "aside", "blockquote", "div", "dl", "dd", "dt", "figure",
        "figcaption", "form", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "iframe", "li", "ol", "p",
        "pre", "section", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
    ]

    /// Blank lines separate paragraphs, and lines within them are kept, except in `pre`.
    private static func paragraphs(in text: String) -> String {
        var html = ""
        var rest = text[...]
        // Invariant: `html` has the text before `rest`, which does not begin within a `pre`.
        while let start = rest.firstRange(bytesOf: "<pre") {
            html += flowing(rest[..<start.lowerBound])
            let end = rest[start.lowerBound...].firstRange(bytesOf: "</pre>")?.upperBound
            html += rest[start.lowerBound..<(end ?? rest.endIndex)]
            rest = rest[(end ?? rest.endIndex)...]
        }
        return html + flowing(rest)
    }

    private static func flowing(_ text: Substring) -> String {
        var html = ""
        var paragraph: [Substring] = []
        func flush() {
            if paragraph.isEmpty { return }
            let lines = paragraph.joined(separator: "<br>\n")
            html += isBlock(paragraph[0]) ? paragraph.joined(separator: "\n") : "<p>\(lines)</p>"
            html += "\n"
            paragraph = []
        }
        let text = withoutLineFeedsInTags(text)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let line = line.trimmingSpaces
            if line.isEmpty {
                flush()
            } else {
                if let last = paragraph.last, isBlock(line) || isBlock(last) { flush() }
                paragraph.append(line)
            }
        }
        flush()
        return html
    }

    /// The text with a space for each line feed between the brackets of a tag.
    private static func withoutLineFeedsInTags(_ text: Substring) -> String {
        var bytes = Array(text.utf8)
        var start: Int?
        // Invariant: `start` is the last `<` before `index`, unless a `>` follows it.
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: "<"): start = index
            case UInt8(ascii: ">"):
                if let start, isTagStart(bytes[start + 1]) {
                    for place in start..<index where bytes[place] == 0x0A { bytes[place] = 0x20 }
                }
                start = nil
            default: break
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns true if a tag or a comment has this byte after its bracket.
    private static func isTagStart(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || "/!".utf8.contains(byte)
    }

    /// Returns true if a line begins with the start or end of a block.
    private static func isBlock(_ line: Substring) -> Bool {
        guard line.hasPrefix("<") else { return false }
        let name = line.dropFirst(line.hasPrefix("</") ? 2 : 1).prefix {
            $0.isLetter || $0.isNumber
        }
        return blocks.contains(name.lowercased()[...])
    }
}
