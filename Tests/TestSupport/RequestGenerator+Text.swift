import ArticleAPI
import BroadsheetHTTP

extension RequestGenerator {
    /// A text of the schema, as it appears in a path, a query, a header or a JSON string.
    mutating func text(_ schema: JSONSchema?) -> String {
        switch schema?.unnamed {
        case .integer(let range): "\(Int.random(in: range, using: &random))"
        case .choice(let names): names.randomElement(using: &random) ?? ""
        case .text(let text): self.text(text)
        default: ""
        }
    }

    private mutating func text(_ schema: TextSchema) -> String {
        switch schema.form {
        case .line: words(schema.length, " +&=%/?#\"\\<>'~/ä한e\u{301}😀")
        case .lines: words(schema.length, " \n\t\r\u{7}+&\"\\ß글e\u{301}👩‍👩‍👧")
        case .anything: words(schema.length, "\0\u{1B}\u{2028} \n&\"\\글e\u{301}")
        // A SHA-256 digest is the only token of this length.
        case .token where schema.length == 64...64:
            String((0..<64).map { _ in pick("0123456789abcdefABCDEF") })
        case .token: String((0..<12).map { _ in pick("aZ09-_.~+/=%&") })
        case .identifier: identifier()
        case .articleKey: Bool.random(using: &random) ? identifier() : slug()
        case .slug: slug()
        case .timestamp: timestamp()
        case .language: one("en", "ko", "zh-Hant-TW", "de-1996", "EN-us", "sl-rozaj-biske", "x-a")
        case .webAddress:
            one("http://a.example", "https://b.example:8443/p%20q?x=1#y", "HTTP://[::1]/~z")
        case .fieldNames(let names):
            names.filter { _ in Bool.random(using: &random) }.shuffled(using: &random)
                .reduce(into: names[0]) { $0 += ",\($1)" }
        case .entityTags: one("*", "\"3-ab\"", "W/\"x\", \"y,z\"", "\"\"")
        }
    }

    private mutating func identifier() -> String {
        let time = Timestamp(milliseconds: Int64.random(in: 0..<(1 << 47), using: &random))
        let id = Article.ID(at: time, using: &random).description
        return Bool.random(using: &random) ? id : id.uppercased()
    }

    private mutating func timestamp() -> String {
        let second = Int64.random(in: -60_000_000_000...250_000_000_000, using: &random)
        let time = Timestamp(milliseconds: second * 1000 + 7).description
        let zone = one("Z", "z", "+09:00", "-00:30")
        return time.dropLast() + one("", "123456") + zone
    }

    private mutating func slug() -> String {
        one("a", "hello-world", "안녕-세상", "über-uns-2", "x1-y2-z3", "日本語")
    }

    /// Text that is neither blank nor at its limit, of letters and the given characters.
    private mutating func words(_ length: ClosedRange<Int>, _ marks: String) -> String {
        let most = min(length.upperBound / 4, 30)
        let count = Int.random(in: 0...most, using: &random)
        let first = length.lowerBound > 0 || count > 0 ? "a" : ""
        return first + String((0..<count).map { _ in pick("bcdeXYZ" + marks) })
    }

    private mutating func pick(_ text: String) -> Character {
        text.randomElement(using: &random) ?? "a"
    }

    private mutating func one(_ texts: String...) -> String {
        texts.randomElement(using: &random) ?? ""
    }
}
