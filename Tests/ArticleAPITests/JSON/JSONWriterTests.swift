import ArticleAPI
import Testing

/// Writing JSON text.
struct JSONWriterTests {
    @Test func `strings escape only what they must`() {
        var writer = JSONWriter()
        writer.string("a\"b\\c/\u{8}\t\n\u{C}\r\u{1}\u{1F}\u{7F}é한😀\u{2028}")
        let expected = #""a\"b\\c/\b\t\n\f\r\u0001\u001f"# + "\u{7F}é한😀\u{2028}\""
        #expect(String(decoding: writer.bytes, as: UTF8.self) == expected)
    }

    @Test func `a character is escaped wherever it is in a long string`() {
        for scalar in (0..<0x80).map({ Unicode.Scalar(UInt8($0)) }) {
            var alone = JSONWriter()
            alone.string(String(scalar))
            for place in 0...24 {
                let padding = String(repeating: "~", count: place)
                var writer = JSONWriter()
                writer.string("\(padding)\(scalar)\(scalar)구\u{7F} ")
                let escaped = String(decoding: alone.bytes.dropFirst().dropLast(), as: UTF8.self)
                let text = String(decoding: writer.bytes, as: UTF8.self)
                #expect(text == "\"\(padding)\(escaped)\(escaped)구\u{7F} \"")
            }
        }
    }

    @Test func `commas are only written between values`() {
        var writer = JSONWriter()
        writer.object {
            $0.name("a")
            $0.array { _ in }
            $0.name("b")
            $0.array {
                $0.element()
                $0.integer(-5)
                $0.element()
                $0.object { _ in }
                $0.element()
                $0.null()
            }
            $0.name("c")
            $0.boolean(true)
        }
        let expected = #"{"a":[],"b":[-5,{},null],"c":true}"#
        #expect(String(decoding: writer.bytes, as: UTF8.self) == expected)
    }

    @Test func `encoding is deterministic and survives a round trip`() throws {
        let bytes = Samples.article.json()
        for _ in 0..<50 { #expect(Samples.article.json() == bytes) }
        #expect(try ResponseMapper<Article>().map(bytes) == Samples.article)
    }
}
