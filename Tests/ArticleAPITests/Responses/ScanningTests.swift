import ArticleAPI
import BroadsheetTestSupport
import Testing

/// Answers are read straight from the text where all is as it should be; that must not be told
/// from reading them value by value, which another order of attributes asks for.
struct ScanningTests {
    private func outcome<Item: ResponseItem>(
        _ bytes: [UInt8], _: Item.Type
    ) -> Result<Item, ResponseMapperError> {
        Result { () throws(ResponseMapperError) in try ResponseMapper<Item>().map(bytes) }
    }

    private func backwards(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let items): .array(items.map(backwards))
        case .object(let members):
            .object(members.reversed().map { .init(name: $0.name, value: backwards($0.value)) })
        default: value
        }
    }

    /// Both ways to the same outcome; the error's own words are those of the second way.
    private func expectSame<Item: ResponseItem & Equatable>(_ bytes: [UInt8], _ type: Item.Type) {
        guard let value = try? JSONParser.parse(bytes) else {
            #expect((try? outcome(bytes, type).get()) == nil)
            return
        }
        var writer = JSONWriter()
        backwards(value).write(to: &writer)
        let slow = try? outcome(writer.bytes, type).get()
        #expect(
            (try? outcome(bytes, type).get()) == slow, "\(String(decoding: bytes, as: UTF8.self))")
    }

    @Test func `a response decodes the same in any order of its attributes`() {
        for article in [Samples.article, Samples.bare] {
            expectSame(article.json(), Article.self)
            #expect(outcome(article.json(), Article.self) == .success(article))
            let page = Page(items: [article, Samples.article], next: "c")
            expectSame(page.json(), Page<Article>.self)
            #expect(outcome(page.json(), Page<Article>.self) == .success(page))
        }
        expectSame(Samples.author.json(), Author.self)
        expectSame(Samples.searchPage.json(), SearchPage<Article>.self)
        #expect(
            outcome(Samples.searchPage.json(), SearchPage<Article>.self)
                == .success(Samples.searchPage))
    }

    @Test func `both decoders agree on any changed byte`() {
        var random = SplitMix64(seed: 20_261_121)
        let texts = [Samples.article.json(), Samples.bare.json()]
        let bytes = Array("\"\\{}[],:0129-+.eE nulltrfs\u{0}é\u{212A}TZz".utf8)
        for _ in 0..<4_000 {
            var text = texts.randomElement(using: &random) ?? []
            for _ in 0...Int.random(in: 0...1, using: &random) {
                let place = Int.random(in: 0..<text.count, using: &random)
                let byte = bytes.randomElement(using: &random) ?? 0
                switch Int.random(in: 0...2, using: &random) {
                case 0: text[place] = byte
                case 1: text.insert(byte, at: place)
                default: text.remove(at: place)
                }
            }
            expectSame(text, Article.self)
        }
    }

    @Test(arguments: [
        ("\"title\":\"X\"", "\"title\":\"X\",\"title\":\"X\""),
        ("\"title\":\"X\"", "\"new\":{\"a\":1,\"a\":2},\"title\":\"X\""),
        ("\"title\":\"X\"", "\"new\":1,\"title\":\"X\",\"new\":2"),
        ("\"title\":\"X\"", "\"t\\u0069tle\":\"X\""),
        ("\"title\":\"X\"", "\"title\":\"X\",\"t\\u0069tle\":\"X\""),
        ("\"title\":\"X\"", "\"title\":null"),
        ("\"revision\":1", "\"revision\":1.0"), ("\"revision\":1", "\"revision\":01"),
        ("\"revision\":1", "\"revision\":-0"), ("\"revision\":1", "\"revision\":1e0"),
        ("\"revision\":1", "\"revision\":9223372036854775807"),
        ("\"revision\":1", "\"revision\":9223372036854775808"),
        ("\"status\":\"draft\"", "\"status\":\"draft\",\"heroImage\":null"),
        (
            "\"status\":\"draft\"",
            "\"status\":\"draft\",\"publishedAt\":\"2026-02-30T00:00:00.000Z\""
        ),
        (
            "\"status\":\"draft\"",
            "\"status\":\"draft\",\"publishedAt\":\"2026-02-03t00:00:00+01:00\""
        ),
        ("\"readingMinutes\":0}", "\"readingMinutes\":0,}"),
        ("\"readingMinutes\":0}", "\"readingMinutes\":0} x"),
        ("\"readingMinutes\":0}", "\"readingMinutes\":0,\"z\":[[]],\"y\":\"\\ud800\"}"),
    ])
    func `both decoders agree on unusual texts`(_ part: String, _ odd: String) {
        let text = String(decoding: Samples.bare.json(), as: UTF8.self)
        #expect(text.contains(part))
        expectSame(Array(text.replacing(part, with: odd).utf8), Article.self)
    }

    @Test func `white space in a response is ignored`() throws {
        let text = String(decoding: Samples.article.json(), as: UTF8.self)
        let wide = text.replacing(",\"", with: " ,\n\t\"").replacing("\":", with: "\": \r\n")
        #expect(outcome(Array(" \(wide) ".utf8), Article.self) == .success(Samples.article))
    }
}
