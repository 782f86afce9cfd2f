import ArticleAPI
import ArticleSearch
import Testing

@Suite struct SearchMarksTests {
    /// The pieces as text, matches in brackets.
    private func shown(_ pieces: [SearchPiece]) -> String {
        pieces.map { $0.isMatch ? "[\($0.text)]" : $0.text }.joined()
    }

    private func title(_ query: String, _ title: String) -> String {
        shown(SearchMarks(SearchQuery(query)).title(of: SearchText(.sample(title: title))))
    }

    private func excerpt(_ query: String, summary: String = "", body: String = "") -> String {
        shown(
            SearchMarks(SearchQuery(query)).excerpt(
                of: SearchText(.sample(summary: summary, body: body))))
    }

    @Test(arguments: [
        ("rye", "Rye bread", "[Rye] bread"), ("brea", "Rye bread", "Rye [bread]"),
        ("utf8", "UTF-8 in C++", "[UTF-8] in C++"), ("c++", "C++20", "[C++]20"),
        ("cafe", "Das Café, <b>laut</b>", "Das [Café], <b>laut</b>"),
        ("구조", "구조체를", "[구조]체를"), ("구", "구조체", "[구]조체"),
        ("뷰컨트롤러", "뷰 컨트롤러의 수명", "[뷰 컨트롤러]의 수명"), ("5.9", "Swift 5.9.2", "Swift [5.9.2]"),
        ("\"rye bread\"", "bread, rye bread", "bread, [rye bread]"), ("x", "", ""),
        ("appstore", "The App Store", "The [App Store]"),
        ("app", "The App Store", "The [App] Store"),
        ("apps", "The App Store", "The [App Store]"), ("s", "App Store", "App [Store]"),
        ("a", "App Store", "[App] Store"), ("app store", "AppStore, Store", "[AppStore], [Store]"),
        ("ユーザー", "新しいﾕｰｻﾞｰです", "新しい[ﾕｰｻﾞｰ]です"), ("ザ", "ﾕｰｻﾞｰ", "ﾕｰ[ｻﾞ]ｰ"),
        ("محمد", "قال مُحَمَّدٌ", "قال [مُحَمَّدٌ]"), ("oeuvre", "L’œuvre", "L’[œuvre]"),
        ("c++", "Ｃ＋＋20", "[Ｃ＋＋]20"), ("fin", "ﬁn de l’été", "[ﬁn] de l’été"),
        ("r", "Rye bread", "[Rye] bread"), ("rye -wheat", "Rye, wheat", "[Rye], wheat"),
    ])
    func `matches are marked in the title as it was written`(
        query: String, original: String, expected: String
    ) {
        #expect(title(query, original) == expected)
    }

    @Test func `an excerpt is around the matches, cut at words`() {
        let filler = Array(repeating: "lorem ipsum", count: 40).joined(separator: " ")
        let body = "rye \(filler) the *rye* and its [flour](https://a.example) \(filler)"
        let text = excerpt("rye flour", body: body)
        #expect(text.contains("the [rye] and its [flour] lorem"))
        #expect(text.hasPrefix("…lorem ") || text.hasPrefix("…ipsum "))
        #expect(text.hasSuffix(" lorem…") || text.hasSuffix(" ipsum…"))
        #expect((120...180).contains(text.count))
    }

    @Test func `the summary is shown unless more words match in the body`() {
        #expect(excerpt("rye", summary: "Rye bread", body: "rye") == "[Rye] bread")
        #expect(excerpt("rye flour", summary: "Rye", body: "rye, flour") == "[rye], [flour]")
        #expect(excerpt("salt", summary: "Rye", body: "flour") == "Rye")
        #expect(excerpt("salt", body: "# Flour\n\nand *water*") == "Flour and water")
        #expect(excerpt("salt") == "")
    }

    @Test func `text without spaces is cut between syllables`() {
        let body = String(repeating: "漢字", count: 300) + "検索" + String(repeating: "仮名", count: 300)
        let text = excerpt("検索", body: body)
        #expect(text.contains("漢字[検索]仮名"))
        #expect((150...170).contains(text.count))
        #expect(excerpt("x", body: String(repeating: "x", count: 5_000)).count <= 325)
    }
}
