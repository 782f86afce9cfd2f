import Testing

@testable import ArticleAPI

@Suite struct DisplayNameTests {
    @Test(arguments: [
        "Mina", "Mina K.", "김미나", "O\u{2019}Brien", "e\u{301}", "Ada 👩🏽‍🚀", "👨‍👩‍👧", "❤️‍🔥 Jo",
        "1️⃣", "☎︎", "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F} Fan",
        "葛\u{E0100}城", "神\u{FE00}", "\u{1F1F0}\u{1F1F7}",
    ])
    func `names with letters, symbols and emoji are accepted`(name: String) {
        #expect(DisplayName.fault(name) == nil)
    }

    @Test(arguments: [
        0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2066, 0x2067, 0x2068, 0x2069, 0x200E, 0x200F,
        0x61C, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0xAD, 0x34F, 0x115F, 0x3164, 0xFFA0, 0xFE0F,
        0xE0041, 0xE007F, 0xE0100,
    ])
    func `invisible characters and controls of direction are rejected`(value: UInt32) throws {
        let scalar = try #require(Unicode.Scalar(value))
        for name in ["\(scalar)", "Mi\(scalar)na", "\(scalar)Mina", "Mina\(scalar)", "7\(scalar)"] {
            #expect(DisplayName.fault(name) == "contains an invisible character")
        }
    }

    @Test(arguments: [
        "😀\u{200D}", "😀\u{200D}a", "a\u{200D}😀", "😀\u{200D}\u{200D}😀", "😀\u{FE0F}\u{FE0F}",
        "🏴\u{E0067}", "🏴\u{E0067}\u{E0062}\u{E007F}\u{E0041}",
        "😀\u{E0067}\u{E0062}\u{E007F}", "a\u{FE0F}\u{20E3}\u{200D}",
    ])
    func `what is not a whole emoji is rejected`(name: String) {
        #expect(DisplayName.fault(name) == "contains an invisible character")
    }

    @Test(arguments: [" ", "\u{3000}", "\u{2800}", "\u{2800} \u{2800}"])
    func `a blank name is rejected`(name: String) {
        #expect(DisplayName.fault(name) == "is blank")
    }

    @Test func `other faults are reported as for any line of text`() {
        #expect(DisplayName.fault("") == "is empty")
        #expect(DisplayName.fault(String(repeating: "a", count: 101)) != nil)
        #expect(DisplayName.fault("a\nb") != nil)
    }
}
