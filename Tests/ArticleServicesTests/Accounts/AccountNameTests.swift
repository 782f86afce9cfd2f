import Testing

@testable import ArticleAccounts
@testable import ArticleServiceCore
@testable import ArticleServices

@Suite struct AccountNameTests {
    @Test(arguments: [
        ("mina", "mina"), ("Mina.Kim-2_x", "mina.kim-2_x"), ("김민아", "김민아"), ("007", "007"),
        ("...a", "...a"), (String(repeating: "x", count: 32), String(repeating: "x", count: 32)),
        // Full case folding: ß and ẞ are ss, and the final sigma is a sigma.
        ("Straße", "strasse"), ("STRASSE", "strasse"), ("STRAẞE", "strasse"),
        ("Σίσυφος", "σίσυφοσ"), ("ΣΊΣΥΦΟΣ", "σίσυφοσ"),
        // A capital I is an i everywhere; a dotless ı is a letter of its own.
        ("ISIK", "isik"), ("İSİK", "isik"), ("isik", "isik"), ("i\u{307}sik", "isik"),
        ("ışık", "ışık"),
        // Full-width forms, and Kelvin and Angstrom signs.
        ("Ａｌｉｃｅ＿１", "alice_1"), ("\u{212A}im", "kim"), ("\u{212B}sa", "åsa"),
        // Composed and decomposed, and ligatures that case folding resolves.
        ("Rene\u{301}", "ren\u{E9}"), ("REN\u{C9}", "ren\u{E9}"), ("ﬁona", "fiona"),
        // Marks are part of words in many scripts; the Thai AM is decomposed by NFKC.
        ("नमस्ते", "नमस्ते"), ("น้ำใจ", "น\u{E49}\u{E4D}าใจ"), ("Ꮳꮃꭹ", "ꮳꮃꭹ"),
    ])
    func `a name has a key, which is the same for all its forms`(text: String, key: String)
        throws
    {
        let name = try AccountName(text)
        #expect(name.text == text)
        #expect(name.key == key)
        #expect(Array(name.key.utf8) == Array(key.utf8))
        // The key of a key is itself.
        #expect(try AccountName(key).key == key)
    }

    @Test(arguments: [("ısık", "isik"), ("mina", "mіna"), ("o0o", "000"), ("a.b", "a-b")])
    func `similar names are distinct`(one: String, other: String) throws {
        let (one, other) = (try AccountName(one), try AccountName(other))
        #expect(one.key != other.key)
    }

    @Test(arguments: [
        ("", "is shorter than 3 characters"), ("ab", "is shorter than 3 characters"),
        ("e\u{301}e\u{301}", "is shorter than 3 characters"),
        (String(repeating: "x", count: 33), "is longer than 32 characters"),
        (String(repeating: "e\u{301}", count: 33), "is longer than 32 characters"),
        (String(repeating: "x", count: 1_000_000), "is longer than 32 characters"),
    ])
    func `a name of another length is rejected`(text: String, fault: String) {
        let error = #expect(throws: ServiceError.self) { _ = try AccountName(text) }
        #expect(details(error) == ["/name \(fault)"])
    }

    @Test(arguments: [
        "mina kim", "mina@example", "mina/kim", "mina\n", "\u{0}mina", "mina\u{200B}", "mi\u{AD}na",
        "mi\u{200D}na", "\u{202E}anim", "mina\u{FE0F}", "\u{FEFF}mina", "mi\u{3164}na",
        "mi\u{115F}na", "mina\u{E0041}", "mina😀", "mina！", "＠mina", "min\u{2024}a", "x²y", "Ⅷabc",
        "ⓜina", "\u{301}mina", "mina.\u{301}x", "mina\u{20DD}", "mina\u{A0}", "mina\u{E000}",
        "mina\u{378}", "mi\u{34F}na",
    ])
    func `other characters are rejected, above all invisible ones`(text: String) {
        let error = #expect(throws: ServiceError.self) { _ = try AccountName(text) }
        #expect(details(error) == ["/name may contain only letters, digits, and . _ -"])
    }

    @Test(arguments: ["...", "-_-", "＿＿＿"])
    func `a name has a letter or a digit`(text: String) {
        let error = #expect(throws: ServiceError.self) { _ = try AccountName(text) }
        #expect(details(error) == ["/name must contain a letter or a digit"])
    }

    @Test(arguments: ["ｱﾘｽ", "ㅋㅋㅋ", "𝓶𝓲𝓷𝓪", "minaʰ", "ǆabc", "ĳsbeer", "\u{FE8D}\u{FE8E}\u{FE8F}"])
    func `compatibility forms without a mapping are rejected`(text: String) {
        let error = #expect(throws: ServiceError.self) { _ = try AccountName(text) }
        let fault = "contains a variant of a letter, such as a ligature or a superscript"
        #expect(details(error) == ["/name \(fault)"])
    }

    @Test func `the key of every letter is stable, or the letter is rejected`() {
        var accepted = 0
        // Without ideographs and Hangul syllables, which all have the same properties.
        for value in UInt32(0x80)...0x1FFFF
        where !(0x3400..<0xA000).contains(value) && !(0xAC00..<0xD7A4).contains(value) {
            guard let scalar = Unicode.Scalar(value), let name = try? AccountName("ab\(scalar)")
            else { continue }
            accepted += 1
            let again = try? AccountName(name.key)
            #expect(again?.key == name.key, "U+\(String(value, radix: 16))")
            for variant in [name.text.uppercased(), name.text.lowercased()] {
                // Upper case of ı is I, and that of some letters is a form of its own.
                guard value != 0x131, let other = try? AccountName(variant) else { continue }
                #expect(other.key == name.key, "U+\(String(value, radix: 16))")
            }
        }
        #expect(accepted > 10_000)
    }
}
