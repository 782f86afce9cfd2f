import ArticleAPI
import ArticleDatabase
import ArticleStore
import BroadsheetTestSupport
import Glibc
import Testing

@testable import ArticleImportExport
@testable import ArticleServices

@Suite struct MarkdownImportTests {
    @Test func `a folder of posts is imported once, and a second run changes nothing`() async throws
    {
        try await ImportFixture.with { fixture in
            try fixture.write(
                "blog/2016-1-29-Hello_World.md",
                """
                ---
                title: "Hello: world"
                author: [mina, Jonas Weber]
                category: Tools
                description: In short
                original_url: https://www.example.org/hello
                ---
                Some words.

                """)
            try fixture.write("blog/later/undated.markdown", "# Later\n\ntext")
            try fixture.write("blog/draft.md", "---\npublished: false\ntitle: Not yet\n---\n")
            let first = try await fixture.run("blog", at: 5)
            #expect(first.counts == ["created": 3])
            let post = try await fixture.article("hello-world")
            #expect(post.title == "Hello: world" && post.summary == "In short")
            #expect(post.body == "Some words.\n" && post.wordCount == 2)
            #expect(post.authors.map(\.name) == ["mina", "Jonas Weber"])
            #expect(post.tags == [ArticleTag(key: "tools", name: "Tools")])
            #expect(post.source?.name == "example.org")
            #expect(post.status == .published && post.language == "en")
            #expect(post.publishedAt?.description == "2016-01-29T00:00:00.000Z")
            let later = try await fixture.article("later")
            #expect(later.publishedAt == ImportFixture.time(5) && later.status == .published)
            let draft = try await fixture.article("not-yet")
            #expect(draft.status == .draft && draft.publishedAt == nil)

            let sequence = try await fixture.store.changeSequence()
            #expect(try await fixture.run("blog/", at: 9).counts == ["unchanged": 3])
            #expect(try await fixture.store.changeSequence() == sequence)
        }
    }

    @Test func `a post with a date in the future is scheduled`() async throws {
        try await ImportFixture.with { fixture in
            for status in ["published", "scheduled"] {
                for (name, seconds) in [("past", -9), ("future", 9)] as [(String, Int64)] {
                    try fixture.write(
                        "\(status)-\(name).md",
                        "---\nstatus: \(status)\ndate: \(ImportFixture.time(seconds))\n---\ntext")
                }
            }
            let names = [
                "published-past", "published-future", "scheduled-past", "scheduled-future",
            ]
            for name in names {
                #expect(try await fixture.run("\(name).md").counts == ["created": 1])
            }
            var found: [Article.Status] = []
            for name in names { found.append(try await fixture.article(name).status) }
            #expect(found == [.published, .scheduled, .published, .scheduled])
        }
    }

    @Test func `a changed file updates its article, and an edited article is kept`() async throws {
        try await ImportFixture.with { fixture in
            try fixture.write("blog/a.md", "---\ntitle: First\nauthor: Ann\n---\none")
            try fixture.write("blog/b.md", "two")
            _ = try await fixture.run("blog")
            try fixture.write("blog/a.md", "---\ntitle: Second\nauthor: Ann\n---\none, again")
            #expect(try await fixture.run("blog", at: 1).counts == ["updated": 1, "unchanged": 1])
            let article = try await fixture.article("first")
            #expect(article.title == "Second" && article.slug == "first" && article.revision == 2)
            #expect(article.publishedAt == ImportFixture.time(0))

            try await fixture.store.deleteArticle(
                article.id, expecting: .anything,
                by: Edit(at: ImportFixture.time(2), by: .key(id: "Eve")))
            try fixture.write("blog/a.md", "third")
            let report = try await fixture.run("blog", at: 3)
            #expect(report.counts == ["deletedHere": 1, "unchanged": 1])
            #expect(try await fixture.articles().map(\.slug) == ["b"])
        }
    }

    @Test func `a post has the same identity for any way to name it`() async throws {
        try await ImportFixture.with { fixture in
            try fixture.write("one/blog/a.md", "text")
            #expect(try await fixture.run("one/blog").counts == ["created": 1])
            for name in ["one/blog/", "one/blog/.", "one/blog/../blog", "one/blog/a.md"] {
                #expect(try await fixture.run(name).counts == ["unchanged": 1], "\(name)")
            }
            let both = try await fixture.run("one/blog", "one/blog/a.md")
            #expect(both.counts == ["unchanged": 1])
            // A different working directory with a folder of the same name.
            rename(fixture.path("one"), fixture.path("two"))
            #expect(try await fixture.run("two/blog").counts == ["unchanged": 1])
            // So is a folder with a different name.
            rename(fixture.path("two/blog"), fixture.path("two/moved"))
            #expect(try await fixture.run("two/moved").counts == ["unchanged": 1])
        }
    }

    @Test func `two files cannot have the same identity`() async throws {
        try await ImportFixture.with { fixture in
            try fixture.write("one/blog/a.md", "text")
            try fixture.write("two/blog/a.md", "other text")
            let report = try await fixture.run("one/blog", "two/blog")
            #expect(report.counts == ["created": 1, "failed": 1])
            #expect(
                report.failures.map(\.description) == [
                    "\(fixture.path("two/blog/a.md")): has the same name as "
                        + "\(fixture.path("one/blog/a.md")): import them separately"
                ])
        }
    }

    @Test func `a faulty file is reported with its line, and the others are imported`() async throws
    {
        try await ImportFixture.with { fixture in
            let long = String(repeating: "x", count: 301)
            try fixture.write("blog/1.md", "---\ntitle: A\ndate: never\n---\n")
            try fixture.write("blog/2.md", "fine")
            try fixture.write("blog/3.md", Array("a\nb\n".utf8) + [0xFF])
            try fixture.write("blog/4.md", "---\nauthor: A\ntitle: \(long)\n---\n")
            try fixture.write("blog/5.md", "---\na: 1\n---\nx\u{0}")
            try fixture.write("blog/6.md", [UInt8](repeating: 0x61, count: 2_162_689))
            symlink("nowhere", fixture.path("blog/7\n.md"))
            symlink("8.md", fixture.path("blog/8.md"))
            try fixture.write("blog/9.md", "---\nimage: /a.png\n---\nfine too")
            let report = try await fixture.run("blog", "missing")
            #expect(report.counts == ["created": 4, "failed": 6])
            let blog = fixture.path("blog")
            #expect(
                report.failures.map(\.description) == [
                    "\(blog)/7 .md: No such file or directory",
                    "\(blog)/8.md: Too many levels of symbolic links",
                    "\(fixture.path("missing")): No such file or directory",
                    "\(blog)/3.md:3: not valid UTF-8",
                    "\(blog)/5.md:4: is not a text: it contains the control character U+0000",
                    "\(blog)/6.md: is larger than 2162688 bytes",
                ])
            #expect(
                report.omissions.map(\.description) == [
                    "\(blog)/1.md:3: date is not a date, so it became a draft",
                    "\(blog)/4.md:3: title was cut to 300 characters",
                    "\(blog)/9.md:2: image is not an absolute http(s) URL and was omitted",
                ])
            #expect(try await fixture.article("a").status == .draft)
            // Unchanged files are not reported again.
            #expect(try await fixture.run("blog").leftOut == 0)
        }
    }

    @Test func `posts in folders are imported in the order of their names`() async throws {
        try await ImportFixture.with { fixture in
            for name in ["b.md", "a/z.MD", "a.md", "B.md", "c.txt", "README", ".d.md", ".e/f.md"] {
                try fixture.write("blog/\(name)", "text of \(name)")
            }
            try fixture.write("elsewhere/g.md", "text")
            symlink("..", fixture.path("blog/circle"))
            symlink("../elsewhere", fixture.path("blog/link"))
            symlink("../elsewhere/g.md", fixture.path("blog/g.md"))
            mkfifo(fixture.path("blog/pipe.md"), 0o600)
            let files = ImportFiles([fixture.path("blog")])
            #expect(files.faults == [])
            #expect(
                files.notes.map(\.description) == [
                    "\(fixture.path("blog/c.txt")): is not Markdown (.md) and was skipped",
                    "\(fixture.path("blog")): other files were skipped: 1",
                ])
            #expect(
                files.files.map(\.identity) == [
                    "blog/B.md", "blog/a/z.MD", "blog/a.md", "blog/b.md", "blog/g.md",
                ])
        }
    }

    @Test func `a dry run reports what would happen, and writes nothing`() async throws {
        try await ImportFixture.with { fixture in
            for number in 0..<450 { try fixture.write("blog/\(number).md", "text \(number)") }
            try fixture.write("blog/bad.md", "---\n")
            let dry = try await fixture.run("blog", isDryRun: true)
            #expect(dry.counts == ["created": 450, "failed": 1])
            #expect(try await fixture.store.changeSequence() == 0)
            #expect(try await fixture.run("blog").counts == dry.counts)
            #expect(try await fixture.store.articleCount() == 450)
            try fixture.write("blog/7.md", "changed")
            let again = try await fixture.run("blog", isDryRun: true)
            #expect(again.counts == ["updated": 1, "unchanged": 449, "failed": 1])
            #expect(try await fixture.article("7").revision == 1)
        }
    }

    @Test func `the option sets the language of posts that do not specify one`() async throws {
        try await ImportFixture.with { fixture in
            try fixture.write("blog/a.md", "text")
            try fixture.write("blog/b.md", "---\nlang: en_GB\n---\ntext")
            _ = try await fixture.run("blog", language: "ko")
            #expect(try await fixture.article("a").language == "ko")
            #expect(try await fixture.article("b").language == "en-GB")
            let report = try await fixture.run("blog", language: "en")
            #expect(report.counts == ["updated": 1, "unchanged": 1])
        }
    }

    @Test func `text is stored in NFC, and slugs in any script`() async throws {
        try await ImportFixture.with { fixture in
            let decomposed = "\u{1112}\u{1161}\u{11AB}\u{1100}\u{1173}\u{11AF}"
            try fixture.write("blog/2020-01-02-\(decomposed).md", "\u{FEFF}\(decomposed)\r\n")
            #expect(try await fixture.run("blog").counts == ["created": 1])
            let article = try await fixture.article("한글")
            #expect(Array((article.body ?? "").utf8) == Array("한글\r\n".utf8))
            #expect(Array(article.title.utf8) == Array("한글".utf8))
            try fixture.write("blog/!!!.md", "---\ntitle: '?!'\n---\n")
            #expect(try await fixture.run("blog").counts == ["created": 1, "unchanged": 1])
            let other = try #require(try await fixture.articles().first { $0.id != article.id })
            #expect(other.slug == other.id.description)
        }
    }

    @Test func `a slug that is taken gets a number`() async throws {
        try await ImportFixture.with { fixture in
            try fixture.write("blog/2016-01-01-news.md", "one")
            try fixture.write("blog/2017-01-01-news.md", "two")
            try fixture.write("blog/x.md", "---\npermalink: /2018/News.html\n---\nthree")
            #expect(try await fixture.run("blog").counts == ["created": 3])
            // Articles with the same time are in the order of their files.
            #expect(try await fixture.articles().map(\.slug) == ["news", "news-2", "news-3"])
            #expect(try await fixture.articles().map(\.body) == ["one", "two", "three"])
        }
    }

    @Test func `the samples are imported once`() async throws {
        try await ImportFixture.with { fixture in
            let importer = Importer(
                store: fixture.store, language: try #require(LanguageTag("en")),
                system: .clock { ImportFixture.time(0) })
            let report = try await importer.runSamples()
            #expect(report.created >= 12 && report.counts == ["created": report.created])
            #expect(try await importer.runSamples().counts == ["unchanged": report.created])
        }
    }
}
