import ArticleAPI
import BroadsheetTestSupport
import Testing

@testable import ArticleImportExport
@testable import ArticleServices

@Suite struct MarkdownPostTests {
    @Test func `a Jekyll post is parsed with its body byte for byte`() throws {
        let text = """
            ---
            layout: post
            title:  "Hello: world"
            date: 2016-1-29
            author: [mina, "Jonas Weber"]
            category: "Developer Tools"
            tags: seoul travel
            published: false
            description: >
              One line
              and another.
            lang: ko_KR
            permalink: /2016/01/hello-world.html
            ---

            Body\twith  trailing \u{1112}\u{1161}\u{11AB}\u{20}
            """
        let post = try MarkdownPost(Array(text.utf8), name: "a.md")
        #expect(post.title == "Hello: world")
        #expect(post.frontMatter.date?.description == "2016-01-29T00:00:00.000Z")
        #expect(post.frontMatter.authors == ["mina", "Jonas Weber"])
        #expect(post.frontMatter.tags == ["Developer Tools", "seoul", "travel"])
        #expect(post.frontMatter.status == .draft)
        #expect(post.frontMatter.summary == "One line and another.")
        #expect(post.frontMatter.language == "ko-KR")
        #expect(post.frontMatter.slug == "hello-world")
        #expect(Array(post.body.utf8) == Array(text.utf8.suffix(post.body.utf8.count)))
        #expect(post.body.hasPrefix("Body\t"))
        #expect(post.bodyLine == 16)
    }

    @Test(arguments: [
        ("---\ntitle: A\n---\n\n \t\r\n\n    code\n\ntext\n", "    code\n\ntext\n", 7),
        ("---\ntitle: A\n---\ntext", "text", 4),
        ("---\ntitle: A\n---\n\n\n", "", 6),
        ("---\ntitle: A\n---\n\n  ", "", 6),
        ("---\ntitle: A\n---", "", 4),
        ("\n\ntext", "\n\ntext", 1),
    ])
    func `blank lines after the front matter are not part of the body`(
        text: String, body: String, line: Int
    ) throws {
        let post = try MarkdownPost(Array(text.utf8), name: "a.md")
        #expect(post.body == body)
        #expect(post.bodyLine == line)
    }

    @Test func `a byte order mark and CRLF line breaks are accepted`() throws {
        let text = "\u{FEFF}---\r\ntitle: A\r\ntags: [x, y]\r\n---\r\nBody\r\n\r\nEnd"
        let post = try MarkdownPost(Array(text.utf8), name: "a.md")
        #expect(post.title == "A")
        #expect(post.frontMatter.tags == ["x", "y"])
        #expect(Array(post.body.utf8) == Array("Body\r\n\r\nEnd".utf8))
        #expect(post.bodyLine == 5)
    }

    @Test(arguments: [
        ("```\n# code\n```\n## Small\n# The heading ##\n", "x.md", "The heading"),
        ("no heading", "2016-1-29-hello-new_world.md", "hello new world"),
        ("---\ntitle: ~\n---\n# In the body", "x.md", "In the body"),
        ("---\ntitle: '~'\n---\n", "x.md", "~"),
        ("---\ntitle: 2024\n---\n", "x.md", "2024"),
        ("", ".md", ".md"),
        ("---\n---", "안녕-세상.md", "안녕 세상"),
        ("Words\n\nTwo\nlines\n====\n# Later", "x.md", "Two lines"),
        ("    code\n===\n> quote\n=\n\n===\n\n- item\n===\n\nWords\n---", "x.md", "x"),
    ])
    func `a title is found in the front matter, a heading or the name`(
        text: String, name: String, title: String
    ) throws {
        #expect(try MarkdownPost(Array(text.utf8), name: name).title == title)
    }

    @Test func `a date in the file name is the default for the front matter's`() throws {
        let dated = try MarkdownPost(Array("a".utf8), name: "2016-1-05-swift-2.2.md")
        #expect(dated.frontMatter.date?.description == "2016-01-05T00:00:00.000Z")
        #expect(dated.title == "swift 2.2")
        let both = try MarkdownPost(
            Array("---\ndate: 2020-2-3\n---\n".utf8), name: "2016-1-05-a.md")
        #expect(both.frontMatter.date?.description == "2020-02-03T00:00:00.000Z")
        let none = try MarkdownPost(Array("a".utf8), name: "2016-13-05-a.md")
        #expect(none.frontMatter.date == nil)
        let worded = try MarkdownPost(Array("a".utf8), name: "jan-3-2020-news.md")
        #expect(worded.frontMatter.date == nil && worded.title == "jan 3 2020 news")
    }

    @Test func `a file without front matter is all body`() throws {
        let text = "Hello\n---\ntitle: no\n---\n"
        let post = try MarkdownPost(Array(text.utf8), name: "a.md")
        #expect(post.body == text)
        #expect(post.bodyLine == 1)
        #expect(post.frontMatter == FrontMatter())
    }

    @Test func `invalid UTF-8 is reported with its line`() {
        let bytes = Array("---\ntitle: A\n---\nfine\n".utf8) + [0xC3, 0x28, 0x0A]
        #expect(throws: FrontMatterError(line: 5, reason: .invalidUTF8)) {
            try MarkdownPost(bytes, name: "a.md")
        }
    }

    @Test func `unclosed and oversized front matter is rejected`() {
        #expect(throws: FrontMatterError(line: 1, reason: .unclosed("---"))) {
            try MarkdownPost(Array("---\ntitle: A\nBody".utf8), name: "a.md")
        }
        let line = "#" + String(repeating: "x", count: 1022) + "\n"
        let fits = "---\n" + String(repeating: line, count: 64) + "---\n"
        #expect(throws: Never.self) { try MarkdownPost(Array(fits.utf8), name: "a.md") }
        let large = "---\n" + String(repeating: line, count: 64) + "a: 1\n---\n"
        #expect(throws: FrontMatterError(line: 66, reason: .tooLarge)) {
            try MarkdownPost(Array(large.utf8), name: "a.md")
        }
    }

    @Test func `a list of authors may contain mappings`() throws {
        let text = "---\nauthors:\n  - name: Mina\n    role: editor\n  - Jonas\n  - Mina\n---\n"
        let post = try MarkdownPost(Array(text.utf8), name: "a.md")
        #expect(post.frontMatter.authors == ["Mina", "Jonas"])
    }

    @Test func `images and sources need absolute URLs, and omissions are reported`() throws {
        let text = """
            ---
            featured-image:
              url: 'https://example.org/a.png'
              alt: A view
            original_url: "because"
            source: https://www.Example.org:8080/post?x
            ---
            """
        let front = try MarkdownPost(Array(text.utf8), name: "a.md").frontMatter
        #expect(
            front.heroImage == .init(url: "https://example.org/a.png", alternativeText: "A view"))
        #expect(
            front.source == .init(name: "example.org", url: "https://www.Example.org:8080/post?x"))
        let omission = "is not an absolute http(s) URL and was omitted"
        #expect(front.notes == [.init(line: 5, text: "original_url \(omission)")])
        let relative = try MarkdownPost(Array("---\nimage: /a.png\n---\n".utf8), name: "a.md")
        #expect(relative.frontMatter.heroImage == nil)
        #expect(relative.frontMatter.notes == [.init(line: 2, text: "image \(omission)")])
        let named = try MarkdownPost(
            Array("---\nsource: {name: The Paper, url: 'https://example.org/'}\n---\n".utf8),
            name: "a.md")
        #expect(named.frontMatter.source == .init(name: "The Paper", url: "https://example.org/"))
    }

    /// The seed is fixed, so failures are reproducible.
    @Test func `ten thousand damaged posts neither trap nor loop`() {
        var random = SplitMix64(seed: 0x5EED)
        let seeds = [
            "---\ntitle: A\ndate: 2016-1-29 8:00 +0900\ntags: [a, b]\n---\nBody\n",
            "---\nauthor:\n  - name: \"x\\u0041\"\n? [k]\n: &a *b\nc: |\n  text\n...\n",
        ].map { Array($0.utf8) }
        let pieces = Array("---\n:[]{},&*!|>'\"%@`#?- \r\t\u{0}\u{FEFF}é가".utf8)
        var rejected = 0
        for _ in 0..<10_000 {
            var bytes = seeds[Int(random.next() % 2)]
            for _ in 0...random.next() % 6 {
                let place = Int(random.next() % UInt64(bytes.count))
                let piece = pieces[Int(random.next() % UInt64(pieces.count))]
                if random.next() % 2 == 0 {
                    bytes[place] = piece
                } else {
                    bytes.insert(piece, at: place)
                }
            }
            do throws(FrontMatterError) {
                _ = try MarkdownPost(bytes, name: "a.md")
            } catch {
                rejected += 1
                #expect((1...bytes.count { $0 == 0x0A || $0 == 0x0D } + 1).contains(error.line))
            }
        }
        #expect((1000..<10_000).contains(rejected))
    }
}
