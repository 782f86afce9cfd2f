import ArticleAPI
import Testing

/// Counting words, and the minutes that they take.
struct TextMeasureTests {
    @Test(arguments: [
        ("", 0), (" \n# — !", 0), ("one", 1), ("Hello, world!", 2), ("don't re-read v1.2", 3),
        ("- a\n- b\n\n> c", 3), ("end. Next", 2), ("`let x = 5`", 3), ("안녕 세상은 넓다", 3),
        ("日本語です", 5), ("中文 and English", 4), ("e\u{301}te\u{301}", 1), ("a--b", 2),
        ("カメラー", 4), ("\u{20BB7}野家", 3), ("a中b", 3),
    ])
    func `words are counted as their script writes them`(text: String, words: Int) {
        #expect(TextMeasure(text).words == words)
    }

    @Test func `minutes are rounded up, none for nothing`() {
        func minutes(_ text: String) -> Int { TextMeasure(text).readingMinutes }
        #expect(minutes("") == 0)
        #expect(minutes("one") == 1)
        #expect(minutes(String(repeating: "word ", count: 220)) == 1)
        #expect(minutes(String(repeating: "word ", count: 221)) == 2)
        #expect(minutes(String(repeating: "字", count: 500)) == 1)
        #expect(minutes(String(repeating: "字", count: 501)) == 2)
        #expect(
            minutes(String(repeating: "字", count: 250) + String(repeating: " a", count: 110)) == 1)
    }
}
