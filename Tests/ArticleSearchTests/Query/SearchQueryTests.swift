import ArticleAPI
import ArticleSearch
import Testing

@Suite struct SearchQueryTests {
    private let bread = SearchDocument.sample(
        title: "Rye bread for beginners",
        summary: "A dense loaf with a sour crust.",
        body: "Mix rye flour, water and salt. The dough is **sticky**; that's normal.\n\n"
            + "Bake it at 230.5 degrees. It's C++-free, and written in UTF-8.",
        tags: ["Baking"], authors: ["Ana Duarte"])
    private let korean = SearchDocument.sample(
        title: "구조체와 클래스의 차이", body: "구조체를 값으로 전달하는 뷰 컨트롤러. 자료 구조가 다른 체계.")

    @Test(arguments: [
        "rye", "RYE", "rye bread", "beginner", "crusts", "doughs", "b", "ba", "bak",
        "\"rye bread\"", "“rye flour”", "\"flour water\"", "230.5", "230", "utf8", "utf-8", "UTF 8",
        "c++", "bread -wheat", "bread -\"wheat flour\"", "duarte", "rye AND bread", "\"rye",
        "rye *", "bread(", "stick", "it's", "its", "bread -", "a", "ana d",
    ])
    func `a query finds what it names`(query: String) {
        #expect(finds(query, bread))
    }

    @Test(arguments: [
        "loaves", "wheat", "bread --wheat", "bread -rye", "\"bread rye\"", "bread -\"rye flour\"",
        "-rye", "NEAR(", "c#", "c",
        "230.6", "s", "\"rye brea\"", "", " ", "*", "\"\"", "\"", "-", "🍞", "\0", "...",
        "bread -utf8",
    ])
    func `and not what it does not`(query: String) {
        #expect(!finds(query, bread))
    }

    @Test(arguments: [
        "구조", "구조체", "구조체를", "뷰컨트롤러", "뷰 컨트롤러", "컨트롤", "클래스 차이", "구", "체", "구조ㅊ", "뷰컨트로",
        "뷰컨트", "값으로", "\"자료 구조\"", "자료구조", "구조체\u{3000}클래스", "구조체".decomposed, "차이 ㄱ",
    ])
    func `Korean is found in parts and with other spaces`(query: String) {
        #expect(finds(query, korean))
    }

    @Test(arguments: ["체조", "구조가체", "구조다", "클래스차이점", "구조체 -클래스", "ㄱ", "\"구조 클래스\""])
    func `Korean that is not there is not found`(query: String) {
        #expect(!finds(query, korean))
    }

    /// Both spellings are the same word, whichever is typed.
    @Test(arguments: [
        ("ユーザー", "ﾕｰｻﾞｰ"), ("ポスト", "ﾎﾟｽﾄ"), ("ヴァイオリン", "ｳﾞｧｲｵﾘﾝ"), ("ガ", "ｶ\u{3099}"), ("ＡＢＣ", "abc"),
        ("C＋＋", "Ｃ++"), ("utf8", "ＵＴＦ－８"), ("5.9", "５．９"),
        ("محمد", "مُحَمَّد"), ("كتاب", "كـــتاب"), ("احمد", "أحمد"), ("الان", "الآن"),
        ("مدرسه", "مدرسة"),
        ("علي", "على"), ("مسوول", "مسؤول"), ("فارسي", "فارسی"), ("كتاب", "کتاب"),
        ("لا", "\u{FEFB}"),
        ("سلام", "\u{FEB3}\u{FEFC}\u{FEE1}"), ("2024", "٢٠٢٤"),
        ("שלום", "שָׁלוֹם"), ("ירושלים", "יְרוּשָׁלַיִם"), ("שלום", "\u{FB2A}לום"),
        ("जरूर", "ज़रूर"), ("फिल्म", "फ़िल्म"), ("पढना", "पढ़ना"), ("নড", "নড়"), ("ਖਬਰ", "ਖ਼ਬਰ"), ("२०", "20"),
        ("oeuvre", "Œuvre"), ("aether", "Æther"), ("smorrebrod", "smørrebrød"),
        ("strasse", "Straße"),
        ("thor", "Þór"), ("ijssel", "Ĳssel"), ("dzep", "ǅep"), ("find", "ﬁnd"), ("offen", "oﬀen"),
        ("m2", "m²"), ("co2", "CO₂"),
        ("x10", "x¹⁰"),
        ("mme", "Mᵐᵉ"), ("vii", "Ⅶ"), ("hello", "𝐇𝐞𝐥𝐥𝐨"), ("istanbul", "İstanbul"),
    ])
    func `forms of letters are found by each other`(one: String, other: String) {
        #expect(finds(one + " ", .sample(body: other.inNFC)))
        #expect(finds(other + " ", .sample(body: one.inNFC)))
    }

    @Test(arguments: [
        ("কা", "কি"), ("कि", "की"), ("ते", "तो"), ("ハ", "バ"), ("كتاب", "كاتب"), ("m2", "m3"),
        ("क्य", "कय"),
    ])
    func `but letters and vowel signs that are others are not`(one: String, other: String) {
        #expect(!finds(one + " ", .sample(body: other)))
    }

    @Test func `two words find the one that they are, and it finds them`() {
        let name = SearchDocument.sample(body: "We sell in the App Store.")
        let word = SearchDocument.sample(body: "the AppStore's rules")
        for query in ["appstore", "AppStore", "appsto", "App Store", "app-store", "appstore sell"] {
            #expect(finds(query, name), "\(query)")
        }
        for query in ["app store", "App Store", "app sto", "App  Store ", "the app store rules"] {
            #expect(finds(query, word), "\(query)")
        }
        #expect(!finds("app -x store", word))
        #expect(!finds("\"app store\"", word))
        #expect(!finds("bread -appstore", .sample(body: "bread of the App Store")))
        #expect(finds("icecream", .sample(title: "My ice cream")))
        #expect(!finds("icecream", .sample(title: "ice, cream")))
        let eighths = SearchQuery("app store").required.map { $0.alternatives.map(\.eighths) }
        #expect(eighths == [[8, 7, 6, 4], [8, 7, 4, 6, 4]])
    }

    @Test func `a word of three syllables is checked in the text`() {
        let scattered = SearchDocument.sample(body: "구조 조체 체조")
        #expect(SearchQuery("구조체").needsText)
        #expect(!finds("구조체", SearchDocument.sample(body: "구조, 조체")))
        #expect(!finds("체구조", scattered))
        #expect(!SearchQuery("구조").needsText)
        #expect(finds("swift -구조체", .sample(body: "swift 구조, 조체")))
        #expect(!finds("swift -구조체", .sample(body: "swift 구조체를")))
    }

    @Test func `only the last word is a prefix, and only while it is typed`() {
        #expect(finds("rye bre", bread))
        #expect(!finds("bre rye", bread))
        #expect(!finds("rye bre ", bread))
        #expect(finds("r", bread))
        #expect(!finds("q", bread))
    }

    @Test func `there are at most ten words and 200 characters`() {
        let words = SearchQuery((1...30).map { "w\($0)x" }.joined(separator: " "))
        #expect(words.required.count == 10)
        let long = SearchQuery(String(repeating: "x ", count: 10_000))
        #expect(long.text.unicodeScalars.count == 200)
        #expect(long.required.count <= 2)
        let pieces = SearchQuery(String(repeating: "a1", count: 100))
        #expect(pieces.required.allSatisfy { $0.alternatives.allSatisfy { $0.ranges.count <= 8 } })
        let syllables = SearchQuery(String(repeating: "구조", count: 100))
        #expect(syllables.required[0].alternatives[0].ranges.count <= 16)
    }

    @Test func `alternatives weigh less than the word itself`() {
        let eighths = SearchQuery("box").required[0].alternatives.map(\.eighths)
        #expect(eighths == [8, 7, 4])
        let pieces = SearchQuery("utf8 x").required[0].alternatives.map(\.eighths)
        #expect(pieces == [8, 5])
    }

    @Test func `weights are integers of logarithms`() {
        #expect(SearchScoring.weight(documents: 100_000, frequency: 1) == 66)
        #expect(SearchScoring.weight(documents: 100_000, frequency: 100_000) == 1)
        #expect(SearchScoring.weight(documents: 1, frequency: 1) == 4)
        #expect(SearchScoring.weight(documents: 99, frequency: 50) == 4)
        #expect(SearchScoring.weight(documents: 99, frequency: 51) == 3)
        #expect(SearchScoring.weight(documents: 2_000_000_000, frequency: 1) == 123)
        #expect(SearchScoring.impact(101, eighths: 7) == 88)
    }

    @Test func `weights are those of numbers of 128 bits`() {
        func power4(_ count: Int) -> UInt128 {
            (0..<4).reduce(1) { power, _ in power * UInt128(count) }
        }
        var counts: Set<Int> = []
        for shift in 1..<31 { counts.formUnion([1 << shift - 1, 1 << shift, 1 << shift + 1]) }
        for shift in 0..<30 { counts.insert(3 << shift) }
        for documents in counts {
            for frequency in counts {
                let quotient = power4(documents + 1) / power4(frequency)
                #expect(
                    SearchScoring.weight(documents: documents, frequency: frequency)
                        == max(1, 127 - quotient.leadingZeroBitCount))
            }
        }
    }

    @Test func `a mistyped word is corrected where it is`() {
        let query = SearchQuery("Swfit \"rye bread\" 구조체")
        #expect(query.required.map { $0.correctable != nil } == [true, false, false])
        #expect(query.correcting(0, to: Array("swift".utf8)).text == "swift \"rye bread\" 구조체")
    }

    @Test func `spelling errors are counted by letters`() {
        func distance(_ word: String, _ candidate: String) -> Int? {
            Spelling.distance(from: Array(word.utf8), to: Array(candidate.utf8))
        }
        #expect(distance("swfit", "swift") == 1)
        #expect(distance("swit", "swift") == 1)
        #expect(distance("swiift", "swift") == 1)
        #expect(distance("swaft", "swift") == 1)
        #expect(distance("wsift", "swift") == nil)
        #expect(distance("swift", "swift") == nil)
        #expect(distance("swfti", "swift") == nil)
        #expect(distance("concurency", "concurrency") == 1)
        #expect(distance("concurancy", "concurrency") == 2)
        #expect(distance("привт", "привет") == 1)
        #expect(distance("구조체", "구조") == nil)
        #expect(SearchQuery("ab").required[0].correctable == nil)
        #expect(
            Spelling.range(for: Array("привт".utf8)) == TermRange(prefix: TermKey(.word, "п".utf8)))
    }
}

extension String {
    /// The text with Hangul syllables as their letters.
    fileprivate var decomposed: String {
        var letters = UnicodeScalarView()
        for scalar in unicodeScalars {
            let index = scalar.value &- 0xAC00
            guard index < 11_172 else { continue }
            let parts = [0x1100 + index / 588, 0x1161 + index % 588 / 28, 0x11A7 + index % 28]
            for part in parts where part != 0x11A7 {
                if let letter = Unicode.Scalar(part) { letters.append(letter) }
            }
        }
        return String(letters)
    }
}
