import BroadsheetTestSupport

/// Makes documents of parts that are easily mistaken for others.
struct GeneratedXML {
    private var random: SplitMix64
    private static let texts = [
        "a", " ", "\n", "&lt;", "&amp;", "&#65;", "&#x1F600;", "]]", ">", "]", "é", "한", "\"", "'",
        "=", "/", "-", "--", "?>", "nbsp;", "#", "\u{85}", "\u{FFFD}",
    ]
    private static let values = [
        "", "a", "&lt;", "&quot;", ">", "/>", "/", "=", "]]>", "<!--", "\n",
    ]
    private static let faults = [
        "&", "<", ">", "\"", "'", "&nbsp;", "&#1;", "\u{1}", "\u{0}", "]]>", "-->", "<!--", "--",
        "<![CDATA[", "<?xml version='1.0'?>", "<?x", "?>", "</a>", "<br>", "<br/>", "<rss>", " b=c",
        "<!DOCTYPE x [<!ENTITY y 'z'>", "]>", "&y;", "=", "/", "\u{FFFE}", "&#xD83D;&#xDE00;",
    ]

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    private mutating func pick(_ texts: [String]) -> String {
        texts.randomElement(using: &random) ?? ""
    }

    private mutating func many(_ limit: Int, _ part: (inout Self) -> String) -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0...limit, using: &random) { text += part(&self) }
        return text
    }

    mutating func document() -> [UInt8] {
        let start = pick(["", "<?xml version=\"1.0\"?>", "<?xml version='1.0' encoding='UTF-8' ?>"])
        let before = many(2) { $0.pick(["\n", "<!-- a -->", "<?b c?>"]) }
        let after = many(2) { $0.pick(["\n", "<!-- &a; -->", "<?b &?>"]) }
        return Array((start + before + element(depth: 3) + after).utf8)
    }

    private mutating func element(depth: Int) -> String {
        let name = pick(["a", "rss", "b:c", "br", "é", "_d.e-f"])
        var number = 0
        let attributes = many(3) { generator in
            number += 1
            let value = generator.many(3) { $0.pick(Self.values) }.replacing("<!--", with: "&lt;")
            let (space, sign) = (generator.pick([" ", "\n "]), generator.pick(["=", " = "]))
            return generator.pick(["\"", "'"]) == "'"
                ? "\(space)x\(number)\(sign)'\(value)'" : "\(space)x\(number)\(sign)\"\(value)\""
        }
        guard depth > 0 else { return "<\(name)\(attributes)/>" }
        let content = many(4) { $0.content(depth: depth) }
        return "<\(name)\(attributes)>\(content)</\(name)\(pick(["", " "]))>"
    }

    private mutating func content(depth: Int) -> String {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return element(depth: depth - 1)
        case 1:
            let text = many(4) { $0.pick(Self.texts + ["<a>", "&", "<?xml ?>"]) }
            return "<![CDATA[\(text.replacing("]]>", with: "]] >"))]]>"
        case 2: return "<!-- \(many(3) { $0.pick(["&", "<a>", "]]>", " - ", "<?xml ?>"]) })-->"
        case 3: return "<?p \(many(2) { $0.pick(["&", "<a>", "?", " "]) })?>"
        default: return many(4) { $0.pick(Self.texts) }.replacing("]]>", with: "]] >")
        }
    }

    /// The document with some faults.
    mutating func broken(_ document: [UInt8]) -> [UInt8] {
        var document = document
        for _ in 0...Int.random(in: 0...3, using: &random) {
            let place = Int.random(in: 0...document.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: document.removeSubrange(place...)
            case 1: document.insert(UInt8.random(in: 0...255, using: &random), at: place)
            default: document.insert(contentsOf: pick(Self.faults).utf8, at: place)
            }
        }
        return document
    }
}
