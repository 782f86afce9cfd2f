import ArticleAPI
import Testing

/// Slugs out of titles.
struct SlugTests {
    @Test(arguments: [
        ("Hello, World!", "hello-world"), ("  A  --  B  ", "a-b"), ("Über uns", "über-uns"),
        ("안녕, 세상! 2부", "안녕-세상-2부"), ("日本語のタイトル", "日本語のタイトル"),
        ("Don’t panic, it's C++", "dont-panic-its-c"), ("Cafe\u{301}", "caf\u{E9}"),
        ("\u{1112}\u{1161}\u{11AB}", "한"), ("¿Qué?", "qué"), ("हिन्दी लेख", "हिन्दी-लेख"),
        ("100%", "100"), ("a_b/c.d", "a-b-c-d"), ("İstanbul", "istanbul"),
        ("İzmir’de İyi", "izmirde-iyi"), ("i\u{307}stanbul", "istanbul"),
        ("Ｈｅｌｌｏ　Ｗｏｒｌｄ！", "hello-world"),
        ("ﾕｰｻﾞｰの ﾎﾟｽﾄ", "ユーザーの-ポスト"), ("ﬁne oﬃce", "fine-office"), ("２０２４年", "2024年"), ("CO₂", "co2"),
        ("Ĳssel", "ijssel"),
        ("Final Ⅶ", "final-vii"), ("𝐇𝐞𝐥𝐥𝐨", "hello"), ("\u{FEFB}", "لا"),
    ])
    func `a title of any script gives a slug`(title: String, slug: String) {
        #expect(
            Slug(title: title)?.text.unicodeScalars.map(\.value) == slug.unicodeScalars.map(\.value)
        )
        #expect(Slug.fault(slug) == nil)
    }

    @Test(arguments: ["", "!!!", "—", "😀🎉", "01890A5D-AC96-774B-BCCE-B302099A8057", "\u{301}"])
    func `a title without letters or like an id gives no slug`(title: String) {
        #expect(Slug(title: title) == nil)
    }

    /// Each shows nothing of itself.
    private static let invisible: [Unicode.Scalar] = [
        "\u{AD}", "\u{34F}", "\u{115F}", "\u{1160}", "\u{180B}", "\u{200B}", "\u{200D}", "\u{2060}",
        "\u{3164}", "\u{FE0F}", "\u{FEFF}", "\u{FFA0}", "\u{E0061}", "\u{E0100}",
    ]

    @Test(arguments: invisible)
    func `invisible characters do not change slugs or tags`(scalar: Unicode.Scalar) {
        for text in ["hello\(scalar)", "he\(scalar)llo", "\(scalar)hello"] {
            #expect(Slug(title: text)?.text == "hello")
            #expect(Slug.fault(text) != nil)
            #expect(Slug.fault(text, isServed: true) == nil, "older versions gave it")
            #expect(Array(ArticleTag(named: text).key.utf8) == Array("hello".utf8))
            #expect(ArticleTag(named: text).name == text)
        }
        #expect(Slug(title: "\(scalar)") == nil)
        let draft = Article.Draft(title: "T", tags: ["\(scalar)"])
        #expect(draft.faults.map(\.message) == ["is invisible"])
    }

    @Test func `long titles are cut at a word, long words anywhere`() {
        let words = Slug(title: String(repeating: "세상의 ", count: 60))?.text
        #expect(words == (0..<25).map { _ in "세상의" }.joined(separator: "-"))
        #expect(words?.unicodeScalars.count == 99)
        let word = Slug(title: String(repeating: "x", count: 300))?.text
        #expect(word?.utf8.count == 100)
    }

    @Test(arguments: [
        "", "A", "a b", "a/b", "a%20b", "a?b", "-", "--", String(repeating: "a", count: 101),
        "01890a5d-ac96-474b-bcce-b302099a8057", "\u{301}", "a\u{0}",
    ])
    func `an invalid slug is rejected with a reason`(text: String) {
        #expect(Slug.fault(text)?.isEmpty == false)
    }

    @Test(arguments: [
        ("Swift", "swift"), ("STRASSE", "strasse"), ("Straße", "strasse"), ("ΣΑΣ", "σασ"),
        ("σας", "σασ"), ("E\u{301}", "\u{E9}"), ("한국어", "한국어"), ("Ǆ", "ǆ"),
    ])
    func `a tag's key folds case`(name: String, key: String) {
        let tag = ArticleTag(named: name)
        #expect(Array(tag.key.utf8) == Array(key.utf8))
        #expect(ArticleTag(named: tag.key).key == tag.key)
        #expect(tag.name == name)
    }
}
