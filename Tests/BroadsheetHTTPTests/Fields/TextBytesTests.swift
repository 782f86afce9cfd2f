import BroadsheetHTTP
import Testing

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
}
