import BroadsheetPlatform
import Testing

struct StringBytesTests {
    @Test func `texts have the same bytes or not, however they are stored`() {
        let texts = ["", "a", "short", "a text that is too long to be stored in its value", "구조"]
        for text in texts {
            for other in texts {
                #expect(text.hasBytes(of: other) == (text == other))
            }
            #expect(text.hasBytes(of: String(decoding: Array(text.utf8), as: UTF8.self)))
        }
    }

    @Test func `canonically equivalent texts have other bytes`() {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        #expect(composed == decomposed)
        #expect(!composed.hasBytes(of: decomposed))
    }
}
