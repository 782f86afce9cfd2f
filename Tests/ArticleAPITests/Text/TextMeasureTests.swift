import ArticleAPI
import Testing

/// Counting words, and the minutes that they take.
struct TextMeasureTests {
    @Test(arguments: [
        ("", 0), (" \n# — !", 0), ("one", 1), ("Hello, world!", 2), ("don't re-read v1.2", 3),
        ("- a\n- b\n\n> c", 3), ("end. Next", 2), ("`let x = 5`", 3), ("a--b", 2),
        ("e\u{301}te\u{301}", 1), ("e\u{301}te\u{301}".inNFC, 1), ("a中b", 3),
        ("1,000.5 costs 3.14", 3), ("3.Next", 2), ("a,b 1;2", 3), ("snake_case _x_ ___", 2),
        ("l’eau l·l", 2), ("co\u{AD}op", 1), ("می\u{200C}خواهم بروم", 2), ("a\u{200B}b", 2),
        ("👩‍👩‍👧 ½ ② …", 0), ("Ⅷ ⓐ", 2), ("שלום עולם", 2),
    ])
    func `words end where Unicode specifies`(text: String, words: Int) {
        #expect(TextMeasure(text).words == words)
    }

    @Test(arguments: [
        ("안녕 세상은 넓다", 3), ("안녕하세요. 반갑습니다!", 2), ("3개의 사과와 iPhone을 샀다", 4),
        ("ㅋㅋㅋ 그래요~", 2), ("대한민국(大韓民國)은", 6),
        ("\u{1112}\u{1161}\u{11AB}\u{1100}\u{1173}\u{11AF}", 1),
        ("日本語です", 5), ("カメラー", 1), ("ソフトウェアを書く", 4), ("ｶﾒﾗ", 1), ("人々", 2),
        ("コーヒー・ブレイク", 2), ("東京は2026年です。", 7), ("中文 and English", 4),
        ("我有3个苹果，共1,000元。", 9), ("\u{20BB7}野家", 3), ("你好，世界！", 4),
    ])
    func `Korean, Japanese and Chinese words are counted`(
        text: String, words: Int
    ) {
        #expect(TextMeasure(text).words == words)
    }

    @Test func `minutes are rounded up, and empty text has none`() {
        func minutes(_ text: String) -> Int { TextMeasure(text).readingMinutes }
        #expect(minutes("") == 0)
        #expect(minutes("one") == 1)
        #expect(minutes(String(repeating: "word ", count: 220)) == 1)
        #expect(minutes(String(repeating: "word ", count: 221)) == 2)
        #expect(minutes(String(repeating: "字", count: 500)) == 1)
        #expect(minutes(String(repeating: "字", count: 501)) == 2)
        #expect(
            minutes(String(repeating: "字", count: 250) + String(repeating: " a", count: 110)) == 1)
        #expect(minutes(String(repeating: "안녕하세요 ", count: 441)) == 3)
        // One word of katakana takes as long as its characters.
        #expect(minutes(String(repeating: "ア", count: 501)) == 2)
    }
}
