/// WordPress' texts as HTML: paragraphs are blank lines in the classic editor, and plugins write
/// shortcodes in brackets.
enum WordPressText {
    /// - Returns: the HTML, and the number of galleries that were left out.
    static func html(of content: String) -> (html: String, galleries: Int) {
        let text = content.replacing("\r\n", with: "\n")
        var galleries = 0
        let unwrapped = shortcodes(in: text, &galleries)
        // Blocks of the newer editor are HTML already.
        return (text.contains("<!-- wp:") ? unwrapped : paragraphs(in: unwrapped), galleries)
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
        // Invariant: `html` has what precedes `rest`, which does not begin within a `pre`.
        while let start = rest.firstRange(of: "<pre") {
            html += flowing(rest[..<start.lowerBound])
            let end = rest[start.lowerBound...].firstRange(of: "</pre>")?.upperBound
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

    /// Whether a line begins with the start or end of a block.
    private static func isBlock(_ line: Substring) -> Bool {
        guard line.hasPrefix("<") else { return false }
        let name = line.dropFirst(line.hasPrefix("</") ? 2 : 1).prefix {
            $0.isLetter || $0.isNumber
        }
        return blocks.contains(name.lowercased()[...])
    }

    // MARK: Shortcodes

    /// Known shortcodes as HTML; others stay as text.
    private static func shortcodes(in text: String, _ galleries: inout Int) -> String {
        var html = ""
        var rest = text[...]
        // Invariant: `html` has what precedes `rest`.
        while let open = rest.firstIndex(of: "[") {
            html += rest[..<open]
            let tail = rest[rest.index(after: open)...]
            let name = tail.prefix { $0.isLetter }
            guard !name.isEmpty, let close = tail.prefix(2_000).firstIndex(of: "]") else {
                html += "["
                rest = tail
                continue
            }
            let attributes = tail[name.endIndex..<close]
            let after = tail[tail.index(after: close)...]
            if let (replacement, next) = replacement(String(name), attributes, after) {
                html += replacement
                rest = next
            } else if name == "gallery" {
                galleries += 1
                rest = after
            } else {
                html += "["
                rest = tail
            }
        }
        return html + rest
    }

    private static func replacement(
        _ name: String, _ attributes: Substring, _ after: Substring
    ) -> (String, Substring)? {
        switch name {
        case "audio", "video":
            guard let url = value(of: "src", in: attributes) ?? value(of: "mp4", in: attributes)
            else { return nil }
            return ("<p><a href=\"\(url)\">\(url)</a></p>", after)
        case "caption", "code", "sourcecode", "embed":
            guard let end = after.firstRange(of: "[/\(name)]") else { return nil }
            let content = after[..<end.lowerBound]
            let rest = after[end.upperBound...]
            switch name {
            case "caption": return (figure(content), rest)
            case "embed":
                let url = escaped(content.trimmingSpaces)
                return ("<p><a href=\"\(url)\">\(url)</a></p>", rest)
            default:
                let language =
                    value(of: "lang", in: attributes) ?? value(of: "language", in: attributes)
                let type = language.map { " class=\"language-\($0)\"" } ?? ""
                // The editor may have escaped it already.
                let code =
                    content.contains("&lt;") || content.contains("&amp;")
                    ? String(content) : escaped(content)
                return ("<pre\(type)>\(code)</pre>", rest)
            }
        default: return nil
        }
    }

    /// The text after the image, or after the link around it, is the caption.
    private static func figure(_ content: Substring) -> String {
        let end = ["</a>", "/>", ">"].lazy.compactMap { content.firstRange(of: $0) }.first
        guard let end else { return String(content) }
        let caption = content[end.upperBound...].trimmingSpaces
        return "<figure>\(content[..<end.upperBound])<figcaption>\(caption)</figcaption></figure>"
    }

    /// The value of an attribute in quotation marks, if it contains nothing that needs escapes.
    private static func value(of name: String, in attributes: Substring) -> String? {
        for mark in ["\"", "'"] {
            guard let start = attributes.firstRange(of: " \(name)=\(mark)") else { continue }
            let value = attributes[start.upperBound...].prefix { $0 != Character(mark) }
            if !value.contains(where: { "\"<>".contains($0) }) { return String(value) }
        }
        return nil
    }

    private static func escaped(_ text: Substring) -> String {
        String(text).replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            .replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
    }
}
