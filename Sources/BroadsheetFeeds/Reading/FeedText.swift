import BroadsheetMarkup

/// The common treatment of plain texts in feeds: their limits, and the HTML in them.
enum FeedText {
    /// The maximum Unicode scalars of a title, a name or a tag; further ones are left out.
    static let limitLineBytes = 1_000
    /// Unicode scalars of a summary.
    static let limitSummaryBytes = 10_000
    /// Bytes of HTML that are read for a line or a summary.
    private static let limitHTMLBytes = 256 << 10

    /// The text as one line: without white space around it, and with a space for each line break
    /// and the indentation that follows it.
    static func line(_ text: String) -> String {
        var line = String.UnicodeScalarView()
        var space: [Unicode.Scalar] = []
        var count = 0
        // Invariant: `line` has the text before `space`, which is the white space before `scalar`.
        for scalar in text.unicodeScalars {
            guard count < limitLineBytes else { break }
            if scalar.isXMLSpace {
                if !line.isEmpty { space.append(scalar) }
                continue
            }
            let gap = space.allSatisfy({ $0 == " " }) ? space : [" "]
            line.append(contentsOf: gap)
            line.append(scalar)
            count += gap.count + 1
            space.removeAll(keepingCapacity: true)
        }
        return String(line)
    }

    /// The text in its lines, without white space around it.
    static func lines(_ text: String) -> String {
        String(text.unicodeScalars.prefix(limitSummaryBytes)).trimmed
    }

    /// The words of HTML.
    static func plain(html: String) -> String {
        let head =
            html.utf8.count > limitHTMLBytes
            ? String(html.unicodeScalars.prefix(limitHTMLBytes / 4)) : html
        return HTMLFragment(head)?.text ?? ""
    }

    /// The plain text of an element whose format leaves open if it contains HTML: RSS.
    static func plain(perhapsHTML text: String) -> String {
        looksLikeHTML(text) ? plain(html: text) : text
    }

    /// Returns true if a text has a tag, or a reference to a character, near its beginning.
    static func looksLikeHTML(_ text: String) -> Bool {
        let bytes = Array(text.utf8.prefix(64 << 10))
        let lastClose = bytes.lastIndex(of: UInt8(ascii: ">")) ?? 0
        return bytes.indices.contains { index in
            switch bytes[index] {
            case UInt8(ascii: "<"): index < lastClose && beginsTag(bytes[(index + 1)...])
            case UInt8(ascii: "&"): beginsReference(bytes[(index + 1)...].prefix(34))
            default: false
            }
        }
    }

    /// Returns true if the name of a tag, or a comment, follows the `<`.
    private static func beginsTag(_ rest: ArraySlice<UInt8>) -> Bool {
        if rest.starts(with: "!--".utf8) { return true }
        let name = rest.first == UInt8(ascii: "/") ? rest.dropFirst() : rest
        guard let first = name.first, isLetter(first) else { return false }
        let next = name.prefix(20).first { !isLetter($0) && !(48...57).contains($0) }
        return next == UInt8(ascii: ">") || next == UInt8(ascii: "/") || next == 0x20
            || next == 0x0A
    }

    /// Returns true if the name or number of a character and a semicolon follow the `&`.
    private static func beginsReference(_ rest: ArraySlice<UInt8>) -> Bool {
        let name = rest.prefix {
            isLetter($0) || (48...57).contains($0) || $0 == UInt8(ascii: "#")
        }
        return name.count > 1 && rest[name.endIndex...].first == UInt8(ascii: ";")
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 0x20) }
}

extension Unicode.Scalar {
    /// Space, tab, line feed or carriage return (XML 1.0, production `S`).
    var isXMLSpace: Bool { self == " " || self == "\t" || self == "\n" || self == "\r" }
}

extension String {
    /// Without the white space of XML around it.
    var trimmed: String {
        let scalars = unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.isXMLSpace }),
            let last = scalars.lastIndex(where: { !$0.isXMLSpace })
        else { return "" }
        return String(scalars[first...last])
    }
}

extension FeedText {
    /// Tags or names of one entry.
    static let limitNames = 100

    /// Tags or names as lines, without empty ones and repetitions.
    static func names(_ texts: [String]) -> [String] {
        var seen: Set<String> = []
        return texts.prefix(limitNames).map { line($0) }.filter {
            !$0.isEmpty && seen.insert($0).inserted
        }
    }
}
