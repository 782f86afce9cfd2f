import ArticleAPI
import ArticleSearch
import Testing

@Suite struct AnalyzedDocumentTests {
    private func terms(_ body: String) -> [String] {
        AnalyzedDocument(.sample(body: body)).terms()
    }

    @Test func `letters are folded in case, width and diacritics`() {
        #expect(
            terms("crème ＢＲÛＬÉＥ straße Ёлка άλφα ﾊﾟﾝ") == [
                "brulee", "creme", "strasse", "αλφα", "елка", "パン", "ン",
            ])
        #expect(terms("e\u{301}te\u{301}") == terms("été"))
        #expect(terms("soft\u{AD}hyphen") == ["softhyphen"])
    }

    @Test func `link targets and the languages of code blocks are not indexed`() {
        let body =
            "[here](https://target.example)\n\n```rust\ncode\n```\n\n[r]: https://ref.example"
        #expect(terms(body) == ["code", "here"])
    }

    @Test func `the table of base letters has all canonical compositions`() {
        let letters = "abcdefghijklmnoprstuvwxyzαεηιορυωагезийкоуічыэ"
        for letter in letters.unicodeScalars {
            for mark in 0x300...0x345 as ClosedRange<UInt32> {
                guard let mark = Unicode.Scalar(mark) else { continue }
                let composed = (String(letter) + String(mark)).inNFC
                let expected = letter == "й" ? "и" : letter == "і" ? "і" : String(letter)
                if composed.unicodeScalars.count == 1 { #expect(terms(composed) == [expected]) }
            }
        }
    }

    @Test func `full-width marks are those of ASCII`() {
        #expect(terms("ＵＴＦ－８") == terms("UTF-8"))
        #expect(terms("５．９．１") == terms("5.9.1"))
        #expect(terms("Ｃ＋＋ ｆ＃ a＃b") == ["a", "b", "c++", "f#"])
        #expect(terms("ａｄａ＇ｓ ｄｏｎ＇ｔ") == ["ada", "don", "dont", "t"])
    }

    @Test func `two words are also one in headings, and in names`() {
        #expect(
            terms("the App Store in app stores") == [
                "app", "appstore", "in", "store", "stores", "the",
            ])
        #expect(
            terms("Visual  Studio\nCode") == [
                "code", "studio", "studiocode", "visual", "visualstudio",
            ])
        #expect(terms("App, Store") == ["app", "store"])
        #expect(terms("Face\n\nTime") == ["face", "time"])
        #expect(terms("Ελλάδα Νέα") == ["ελλαδα", "ελλαδανεα", "νεα"])
        let document = SearchDocument.sample(
            title: "ice cream", summary: "so cold", tags: ["home office"], authors: ["ann lee"])
        #expect(
            AnalyzedDocument(document).terms() == [
                "ann", "annlee", "cold", "cream", "home", "homeoffice", "ice", "icecream", "lee",
                "office", "so",
            ])
        let long = String(repeating: "A", count: 40)
        #expect(terms("\(long) \(long)") == [long.lowercased()])
    }

    @Test func `words that touch are also one`() {
        #expect(terms("utf8") == ["8", "utf", "utf8"])
        #expect(terms("UTF-8") == ["8", "utf", "utf8"])
        #expect(terms("don't") == ["don", "dont", "t"])
        #expect(terms("Ada's cafe’s") == ["ada", "cafe"])
        #expect(terms("a - b") == ["a", "b"])
    }

    @Test func `versions are found whole and by their beginnings and parts`() {
        #expect(terms("5.9.1") == ["1", "5", "5.9", "5.9.1", "9"])
        #expect(terms("Swift5.9.") == ["5", "5.9", "9", "swift", "swift5.9"])
        #expect(terms("1..2") == ["1", "2"])
    }

    @Test func `languages keep their signs`() {
        #expect(terms("C++ c# F#은 i+ a#b c++20") == ["20", "a", "b", "c#", "c++", "f#", "i", "은"])
        #expect(terms("notepad++") == ["notepad"])
    }

    @Test func `syllables are pairs, also across white space`() {
        #expect(terms("구조체") == ["구조", "조체", "체"])
        #expect(terms("뷰 컨트롤") == ["롤", "뷰", "뷰컨", "컨트", "트롤"])
        #expect(terms("서울, 부산") == ["부산", "산", "서울", "울"])
        #expect(terms("하나\n\n둘셋") == ["나", "둘셋", "셋", "하나"])
        #expect(terms("Swift는 3월") == ["3", "swift", "는", "월"])
    }

    @Test func `a long word is cut at a character`() {
        let long = terms(String(repeating: "a", count: 63) + "ⴰⴰ")
        #expect(long == [String(repeating: "a", count: 63)])
    }

    @Test func `headings have their first letters`() {
        let document = SearchDocument.sample(
            title: "Baking 9 loaves", summary: "Quick", tags: ["요리", "Rye"], authors: ["Zoë"])
        let analyzed = AnalyzedDocument(document)
        #expect(analyzed.terms(.heading) == ["9", "b", "l", "r", "z"])
    }

    @Test func `filters are keys of impact 0`() {
        var document = SearchDocument.sample(tags: ["Rye"], authors: ["Zoë"], language: "ko")
        document.source = "Example"
        let analyzed = AnalyzedDocument(document)
        var filter = SearchFilter()
        filter.tags = ["rye"]
        filter.author = document.authors[0].id
        filter.language = "ko"
        filter.source = "Example"
        #expect(filter.ranges.count == 4)
        for range in filter.ranges {
            let found = (0..<analyzed.count).filter { range.contains(analyzed.key(at: $0)) }
            #expect(found.count == 1)
            #expect(found.allSatisfy { analyzed.impact(at: $0) == 0 })
        }
        #expect(filter.matches(document))
        filter.language = "en"
        #expect(!filter.matches(document))
    }

    @Test func `impacts follow the formula`() {
        let body = "flour water " + Array(repeating: "filler", count: 98).joined(separator: " ")
        let analyzed = AnalyzedDocument(
            .sample(title: "Flour, by hand", summary: "water", body: body, tags: ["Salt"]))
        // 128 + ⌊64 / 3⌋ + ⌊640,000 / (10,000 + 3,000 + 1,800)⌋
        #expect(analyzed.impact(of: "flour") == 128 + 21 + 43)
        #expect(analyzed.impact(of: "water") == 31 + 43)
        #expect(analyzed.impact(of: "salt") == 31)
        #expect(analyzed.impact(of: "hand") == 128 + 21)
        // ⌊640,000 · 98 / (980,000 + 4,800)⌋
        #expect(analyzed.impact(of: "filler") == 63)
    }

    @Test func `keys ascend, each once`() {
        let analyzed = AnalyzedDocument(
            .sample(
                title: "구조체 swift swift", summary: "Swift 5.9 swiftly",
                body: "swift swiftlonger swiftlongest 구조 구조체", tags: ["swift"]))
        let keys = (0..<analyzed.count).map { Array(analyzed.key(at: $0)) }
        #expect(zip(keys, keys.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) })
    }

    @Test func `the digest is that of the keys in any order`() {
        let analyzed = AnalyzedDocument(.sample(title: "One two", body: "three two"))
        let terms = (0..<analyzed.count).map { index in
            (
                key: TermKey(
                    TermKey.Class(
                        rawValue: analyzed.key(at: index)[analyzed.bounds(at: index).lowerBound])
                        ?? .word, analyzed.key(at: index).dropFirst()),
                impact: analyzed.impact(at: index)
            )
        }
        let again = AnalyzedDocument(
            id: analyzed.id, revision: 1, published: 0, terms: terms.reversed())
        #expect(again.digest == analyzed.digest)
        let other = AnalyzedDocument(
            id: analyzed.id, revision: 1, published: 0, terms: terms.dropLast())
        #expect(other.digest != analyzed.digest)
    }
}
