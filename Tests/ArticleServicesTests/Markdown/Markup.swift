import Testing

/// Parses HTML like a browser, as far as it could be harmful.
enum Markup {
    /// The elements that the renderer produces, and their attributes.
    private static let elements: [String: Set<String>] = [
        "p": [], "em": [], "strong": [], "del": [], "code": ["class"], "pre": ["lang"],
        "h1": [], "h2": [], "h3": [], "h4": [], "h5": [], "h6": [], "blockquote": [], "br": [],
        "hr": [], "ul": ["class"], "ol": ["start", "class"], "li": ["class", "id"],
        "a": ["href", "title"], "img": ["src", "alt", "title"],
        "input": ["type", "checked", "disabled"], "table": [], "thead": [], "tbody": [], "tr": [],
        "th": ["align"], "td": ["align"],
    ]

    /// The fault; `nil` if there are only these elements and no URL that could run scripts.
    static func fault(in html: String) -> String? {
        var rest = Array(html.utf8)[...]
        while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[(start + 1)...]
            if rest.starts(with: "!-- raw HTML omitted -->".utf8) { continue }
            guard let end = endOfTag(rest) else { return "a tag without an end" }
            if let fault = fault(inTag: String(decoding: rest[..<end], as: UTF8.self)) {
                return fault
            }
            rest = rest[(end + 1)...]
        }
        return nil
    }

    /// The position of the `>` outside of quotation marks.
    private static func endOfTag(_ bytes: ArraySlice<UInt8>) -> Int? {
        var isQuoted = false
        for (index, byte) in zip(bytes.indices, bytes) {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if byte == UInt8(ascii: ">"), !isQuoted { return index }
        }
        return nil
    }

    private static func fault(inTag tag: String) -> String? {
        guard let match = tag.wholeMatch(of: /\/?([a-z0-9]+)((?: [a-z]+="[^"]*")*)(?: \/)?/),
            let attributes = elements[String(match.output.1)]
        else { return "<\(tag)>" }
        for attribute in match.output.2.matches(of: /([a-z]+)="([^"]*)"/) {
            let (name, value) = (String(attribute.output.1), String(attribute.output.2))
            guard attributes.contains(name) else { return "\(name) in <\(tag)>" }
            if name == "href" || name == "src", !isHarmless(value) { return "<\(tag)>" }
        }
        return nil
    }

    private static func isHarmless(_ address: String) -> Bool {
        let scheme = address.prefix { $0 != ":" }
        // RFC 3986 §3.1: with any other character before the colon, it is not a scheme.
        let isLocal =
            scheme.count == address.count
            || !scheme.utf8.allSatisfy { byte in
                (97...122).contains(byte | 0x20) || (48...57).contains(byte)
                    || Array("+-.".utf8).contains(byte)
            }
        return isLocal
            || ["http", "https", "mailto", "tel", "sms", "xmpp"].contains(scheme.lowercased())
    }
}
