import ArticleAPI
import BroadsheetTestSupport
import Testing

@testable import ArticleImportExport
@testable import ArticleServices

/// Articles as Markdown files, which parse to the same articles.
@Suite struct MarkdownFileTests {
    private static let time = Timestamp(milliseconds: 1_454_350_530_123)

    private static func article(_ change: (inout Article) -> Void = { _ in }) -> Article {
        var article = Article(
            id: Article.ID(at: time), slug: "a", title: "A", body: "Text.", language: "en",
            status: .published, createdAt: time, updatedAt: time, wordCount: 1, readingMinutes: 1)
        change(&article)
        return article
    }

    private static let articles = [
        article(),
        article { $0.body = "" },
        article {
            $0.slug = "안녕-세상"
            $0.title = #"He said: "no" \ 'yes' # - [x] {y}: null"#
            $0.summary = "~"
            $0.body = "---\ntitle: B\n---\n\n안녕\r\n\n"
            $0.language = "ko-KR"
            $0.authors = ["Mina", "Weber, Jonas", "null"].map {
                Author.Reference(id: Author.ID(at: time), name: $0)
            }
            $0.tags = ["C++", "a, b", "no", "123", "#"].map { ArticleTag(named: $0) }
            $0.heroImage = Article.HeroImage(
                url: "https://example.org/a.png?b=c&d=#e", alternativeText: "A \"picture\"")
            $0.status = .scheduled
            $0.publishedAt = time
            $0.source = Article.Source(name: "The Other Paper", url: "https://www.example.org/1")
        },
        article {
            $0.title = "a\u{2028}b\u{85}c\u{7F}d\u{FEFF}e\u{A0}f\u{1F600}g\u{200B}h\u{301}"
            $0.heroImage = Article.HeroImage(url: "http://example.org/")
            $0.source = Article.Source(name: "http://a/b")
            $0.status = .archived
            $0.comments = .moderated
        },
    ]

    @Test(arguments: articles)
    func `a file is parsed to the same article`(article: Article) throws {
        let file = MarkdownFile.bytes(of: article)
        let post = try MarkdownPost(file, name: "x.md")
        var expected = article.draft
        expected.authors = article.authors.map { .name($0.name) }
        var draft = post.draft
        draft.slug = post.frontMatter.slug
        draft.id = expected.id
        if article.title.contains("\u{2028}") {
            // The importer joins the lines of a title.
            draft.title = expected.title
        }
        #expect(draft == expected)
        #expect(post.frontMatter.notes.isEmpty)
    }

    @Test func `another by-line changes nothing else`() throws {
        let article = Self.articles[2]
        var renamed = article
        renamed.authors[1].name = #"Jonas "J" Weber"#
        let file = MarkdownFile.bytes(of: article)
        #expect(
            MarkdownFile.bytes(file, naming: renamed.authors.map(\.name))
                == MarkdownFile.bytes(of: renamed))
    }

    @Test(arguments: [
        "", "authors: [a]\n", "---\nauthors: [a]", "---\ntitle: a\n---\nauthors: [a]\n",
    ])
    func `a file without a by-line has none to change`(text: String) {
        #expect(MarkdownFile.bytes(Array(text.utf8), naming: ["b"]) == nil)
    }

    @Test func `an unknown policy for comments is left out`() throws {
        let article = Self.article { $0.comments = .unknown("a\nb: c") }
        let post = try MarkdownPost(MarkdownFile.bytes(of: article), name: "x.md")
        #expect(post.frontMatter.comments == nil)
    }

    @Test func `an unknown status is left out`() throws {
        let article = Self.article { $0.status = .unknown("a\nb: c") }
        let post = try MarkdownPost(MarkdownFile.bytes(of: article), name: "x.md")
        #expect(post.frontMatter.status == nil)
    }
}
