import ArticleAPI
import ArticleClient
import BroadsheetTestSupport
import Testing

/// Articles as readers are shown them.
@Suite struct ArticlePresentationTests {
    private func presented(
        _ article: Article, in language: PresentationLanguage = .english,
        now: String = "2026-03-02T12:00:00Z", length: Int = 160
    ) throws -> ArticlePresentation {
        ArticlePresentation(article, in: language, now: try time(now), excerptLength: length) { _ in
            0
        }
    }

    @Test(
        arguments: [
            ([], nil, nil),
            (["Ada"], "By Ada", "글 Ada"),
            (["Ada", "Bo"], "By Ada and Bo", "글 Ada, Bo"),
            (["Ada", "Bo", "Cy"], "By Ada, Bo and Cy", "글 Ada, Bo, Cy"),
            (["Ada", "Bo", "Cy", "Di"], "By Ada, Bo and 2 others", "글 Ada, Bo 외 2명"),
        ] as [([String], String?, String?)])
    func `a by-line has at most three names`(
        names: [String], english: String?, korean: String?
    ) throws {
        #expect(try presented(article(1, authors: names)).bylineText == english)
        #expect(try presented(article(1, authors: names), in: .korean).bylineText == korean)
    }

    @Test func `a picture has its address and is described`() throws {
        var shown = article(1)
        #expect(try presented(shown).imageURL == nil)
        #expect(try presented(shown).spokenImageText == nil)
        shown.heroImage = Article.HeroImage(
            url: "https://example.org/a.jpg", alternativeText: " A loaf\nof rye ")
        let row = try presented(shown)
        #expect(row.imageURL == "https://example.org/a.jpg")
        #expect(row.spokenImageText == "A loaf of rye")
        shown.heroImage?.alternativeText = "  "
        #expect(try presented(shown).spokenImageText == nil)
        #expect(try presented(shown) != row)
    }

    @Test func `a search hit shows where it matches`() throws {
        let found = article(1, title: "Rye bread", authors: ["Ada"])
        let title = [SearchPiece(text: "Rye", isMatch: true), SearchPiece(text: " bread")]
        let excerpt = [SearchPiece(text: "… of "), SearchPiece(text: "rye", isMatch: true)]
        let hit = SearchHit(article: found, title: title, excerpt: excerpt)
        let row = ArticlePresentation(hit, in: .english, now: try time("2026-03-02T12:00:00Z")) {
            _ in 0
        }
        #expect(row.titlePieces == title && row.excerptPieces == excerpt)
        #expect(row.titleText == "Rye bread" && row.excerptText == "… of rye")
        #expect(row.bylineText == "By Ada" && row.id == found.id)
        let plain = try presented(found)
        #expect(plain != row && plain.titlePieces == [SearchPiece(text: "Rye bread")])
        #expect(plain.excerptPieces == (plain.excerptText.map { [SearchPiece(text: $0)] } ?? []))
        let partial = try PartialArticle(mapping: found.json(["title"]))
        let other = ArticlePresentation(
            SearchHit(article: partial, title: [], excerpt: []), in: .english,
            now: try time("2026-03-02T12:00:00Z")
        ) { _ in 0 }
        #expect(other.titlePieces == [SearchPiece(text: "Untitled")])
        #expect(other.excerptPieces.isEmpty && other.excerptText == nil)
    }

    @Test func `a screen reader is given all names`() throws {
        let article = article(1, authors: ["Ada", "Bo", "Cy", "Di"])
        #expect(try presented(article).spokenBylineText == "By Ada, Bo, Cy and Di")
        #expect(try presented(article, in: .korean).spokenBylineText == "글쓴이 Ada, Bo, Cy, Di")
    }

    @Test func `an accessibility label says all of it`() throws {
        let article = article(
            1, title: "Rye", authors: ["Ada"], at: try time("2026-03-02T11:55:00Z"))
        #expect(
            try presented(article).accessibilityLabel
                == "Rye, By Ada, 5 minutes ago, 1 minute to read")
        #expect(
            try presented(article, in: .korean).accessibilityLabel
                == "Rye, 글쓴이 Ada, 5분 전, 읽는 데 1분")
    }

    @Test func `what is published is never in the future`() throws {
        let future = try time("2026-03-02T12:05:00Z")
        #expect(try presented(article(1, at: future)).dateText == "Just now")
        #expect(try presented(article(1, status: .scheduled, at: future)).dateText == "In 5 min")
    }

    @Test func `an article without publication has the date of its last edit`() throws {
        var draft = article(1, status: .draft)
        draft.updatedAt = try time("2026-03-01T12:00:00Z")
        #expect(try presented(draft).dateText == "Yesterday")
    }

    @Test func `an empty title has a text instead`() throws {
        #expect(try presented(article(1, title: " ")).titleText == "Untitled")
        #expect(try presented(article(1, title: ""), in: .korean).titleText == "제목 없음")
    }

    @Test func `reading time is absent where there is nothing to read`() throws {
        var article = article(1)
        #expect(try presented(article).readingTimeText == "1 min read")
        #expect(try presented(article, in: .korean).readingTimeText == "읽는 데 1분")
        article.readingMinutes = 0
        #expect(try presented(article).readingTimeText == nil)
    }

    @Test func `the excerpt is from the summary, else from the HTML, else from the body`() throws {
        var article = article(
            1, summary: "A summary\nof it.", body: "The *body*.", bodyHTML: "<p>The HTML.</p>")
        #expect(try presented(article).excerptText == "A summary of it.")
        #expect(try presented(article, length: 10).excerptText == "A summary…")
        article.summary = ""
        #expect(try presented(article).excerptText == "The HTML.")
        article.bodyHTML = nil
        #expect(try presented(article).excerptText == "The body.")
        article.body = nil
        #expect(try presented(article).excerptText == nil)
    }

    @Test(arguments: [
        ("one two three", 13, "one two three"),
        ("one two three", 12, "one two…"),
        ("one two, three", 9, "one two…"),
        ("one two three", 8, "one two…"),
        ("one two three", 7, "one…"),
        ("밀가루와물과소금", 5, "밀가루와…"),
        ("a verylongwordthatdoesnotend", 10, "a verylon…"),
        ("one", 0, ""),
        ("", 5, ""),
    ])
    func `an excerpt is cut after a word`(text: String, limit: Int, cut: String) throws {
        let excerpt = try presented(article(1, summary: text), length: limit).excerptText ?? ""
        #expect(excerpt == cut)
        #expect(excerpt.count <= limit)
    }

    @Test func `attributes that were not selected are not shown`() throws {
        let article = try PartialArticle(mapping: article(1, authors: ["Ada"]).json())
        var bare = article
        (bare.title, bare.authors, bare.publishedAt, bare.updatedAt) = (nil, nil, nil, nil)
        bare.readingMinutes = nil
        let now = try time("2026-03-02T12:00:00Z")
        let whole = ArticlePresentation(article, in: .english, now: now) { _ in 0 }
        #expect(whole.bylineText == "By Ada" && whole.titleText == "Article 1")
        let part = ArticlePresentation(bare, in: .english, now: now) { _ in 0 }
        #expect(part.titleText == "Untitled" && part.bylineText == nil && part.dateText == nil)
        #expect(part.readingTimeText == nil && part.accessibilityLabel == "Untitled")
    }

    @Test func `two are equal if they look the same`() throws {
        let article = article(1, at: try time("2026-03-02T11:00:30Z"))
        let first = try presented(article, now: "2026-03-02T11:05:31Z")
        #expect(try presented(article, now: "2026-03-02T11:06:29Z") == first)
        #expect(try presented(article, now: "2026-03-02T11:06:30Z") != first)
        var edited = article
        edited.revision += 1
        #expect(try presented(edited, now: "2026-03-02T11:05:31Z") == first)
    }

    @Test func `types of an app use the default texts`() {
        struct Card: BylinePresentable, ExcerptPresentable {
            let language = PresentationLanguage.english
            let authorNames = ["Ada"]
            let plainText = String(repeating: "word ", count: 99)
        }
        #expect(Card().bylineText == "By Ada")
        #expect(Card().excerptText?.count == 160)
    }
}
