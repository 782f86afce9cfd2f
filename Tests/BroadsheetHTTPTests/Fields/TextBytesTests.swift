import Testing

@testable import BroadsheetHTTP

/// Search by bytes.
@Suite struct TextBytesTests {
    @Test(arguments: [
        ("a<b", "<", "a&lt;b"), ("<", "<", "&lt;"), ("", "<", ""), ("abc", "<", "abc"),
        // A character for the library, which finds no `<` there.
        ("<\u{301}b>", "<", "&lt;\u{301}b>"), ("\r\n", "\n", "\r&lt;"),
        ("aab aab", "aab", "&lt; &lt;"), ("aaab", "aab", "a&lt;"), ("aaaa", "aa", "&lt;&lt;"),
        ("é", "e", "é"), ("e\u{301}", "e", "&lt;\u{301}"), ("🇩🇪🇩🇪", "🇪🇩", "🇩&lt;🇪"),
    ])
    func `places are replaced from left to right`(text: String, part: String, result: String) {
        #expect(Array(text.replacing(bytesOf: part, with: "&lt;").utf8) == Array(result.utf8))
        #expect(text.contains(bytesOf: part) == (text.utf8.elementsEqual(result.utf8) == false))
        let place = text.firstRange(bytesOf: part)
        #expect(place.map { Array(text.utf8[$0]) } ?? Array(part.utf8) == Array(part.utf8))
        #expect(text.dropFirst(0).firstRange(bytesOf: part) == place)
    }

    /// Bytes around the borders of what UTF-8 allows, and U+FFFD itself.
    @Test func `text is made of valid bytes only, on older systems, too`() {
        let pieces: [[UInt8]] = [
            [], [0x00], [0x61], [0x7F], [0x80], [0xBF], [0xC1, 0xBF], [0xC2, 0x80], [0xC3],
            [0xE0, 0x9F, 0xBF], [0xE0, 0xA0, 0x80], [0xED, 0x9F, 0xBF], [0xED, 0xA0, 0x80],
            [0xEF, 0xBF, 0xBD], [0xEF, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x8D, 0x9E],
            [0xF4, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xFF],
        ]
        for first in pieces {
            for second in pieces {
                let bytes = first + second
                let text = String(validating: bytes, as: UTF8.self)
                #expect(String(validUTF8: bytes) == text)
                let older = bytes.withUnsafeBufferPointer { String(unrepaired: $0) }
                #expect(older == text, "\(bytes)")
            }
        }
    }
}
