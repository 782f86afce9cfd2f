import BroadsheetMarkup
import Testing

struct XMLCharactersTests {
    @Test func `characters that XML forbids are left out`() {
        let text = "a\u{0}b\u{8}\t\n\r\u{1F}\u{FFFE}\u{FFFF}c\u{D7FF}\u{E000}\u{FFFD}😀"
        #expect(XMLCharacters.allowed(in: text) == "ab\t\n\rc\u{D7FF}\u{E000}\u{FFFD}😀")
    }

    @Test func `text without such characters stays the same`() {
        #expect(XMLCharacters.allowed(in: "구조체 <&>") == "구조체 <&>")
    }
}
