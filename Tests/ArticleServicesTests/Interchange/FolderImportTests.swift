import ArticleAPI
import ArticleStore
import Testing

@testable import ArticleImportExport
@testable import ArticleServices

/// Other files in the folders of sites and repositories.
@Suite struct FolderImportTests {
    private static let post = "---\ntitle: A\n---\nText."

    @Test func `drafts by their folder or name are drafts, however they are named`() async throws {
        try await ImportFixture.with { fixture in
            for name in [
                "site/_drafts/deep/a.md", "site/_recipes/b.md", "site/_c.md", "site/Drafts/f.md",
            ] {
                try fixture.write(name, "Text.")
            }
            try fixture.write("site/_posts/2020-01-01-d.md", "Text.")
            let report = try await fixture.run("site")
            #expect(report.counts == ["created": 5] && report.leftOut == 4)
            for slug in ["a", "b", "c", "f"] {
                #expect(try await fixture.article(slug).status == .draft)
            }
            #expect(try await fixture.article("d").status == .published)
            try fixture.write("site/_drafts/deep/e.md", "Text.")
            let deep = try await fixture.run("site/_drafts/deep")
            #expect(deep.counts == ["created": 1, "unchanged": 1])
            #expect(try await fixture.article("e").status == .draft)
            let reasons = report.omissions.map(\.reason)
            #expect(reasons.contains("_drafts kept it from the public, so it became a draft"))
        }
    }

    @Test func `a post that moves to a folder of drafts becomes a draft`() async throws {
        try await ImportFixture.with { fixture in
            try fixture.write("site/a.md", "---\ntitle: A\n---\nText.")
            #expect(try await fixture.run("site").counts == ["created": 1])
            try fixture.write("site/_index.md", "---\ncascade:\n  draft: true\n---\n")
            #expect(try await fixture.run("site/a.md").counts == ["updated": 1])
            #expect(try await fixture.article("a").status == .draft)
        }
    }

    @Test func `a text file is rejected by its name, also with lines of JSON`() async throws {
        try await ImportFixture.with { fixture in
            try fixture.write("a.txt", #"{"title":"A","status":"published"}"#)
            #expect(try await fixture.run("a.txt").counts == ["failed": 1])
        }
    }

    @Test func `section pages are skipped, and their cascades hide what is below`() async throws {
        try await ImportFixture.with { fixture in
            try fixture.write("site/_index.md", "+++\ntitle = 'Section'\n+++\n")
            try fixture.write("site/open.md", "Text.")
            try fixture.write("site/shut/_index.ko.md", "---\ncascade:\n  draft: true\n---\n")
            try fixture.write("site/shut/deep/a.md", "---\ntitle: Below\n---\n")
            try fixture.write("site/broken/_index.md", "+++\n")
            try fixture.write("site/broken/b.md", "---\ntitle: Unknown\n---\n")
            let report = try await fixture.run("site")
            #expect(report.counts == ["created": 3] && report.leftOut == 5)
            #expect(try await fixture.article("open").status == .published)
            #expect(try await fixture.article("below").status == .draft)
            #expect(try await fixture.article("unknown").status == .draft)
            #expect(try await fixture.run("site/_index.md").counts == ["failed": 1])
        }
    }

    @Test func `pages about a folder are skipped unless they are named or have front matter`()
        async throws
    {
        try await ImportFixture.with { fixture in
            let names = ["README.md", "readme.ko.md", "License.md", "code-of-conduct.md"]
            for name in names { try fixture.write("site/\(name)", "# About \(name)\n") }
            try fixture.write("site/CHANGELOG.md", Self.post)
            try fixture.write("site/reading.md", "Text.")
            try fixture.write("site/node_modules/x/guide.md", "Text.")
            let report = try await fixture.run("site")
            #expect(report.counts == ["created": 2] && report.leftOut == 4)
            #expect(
                report.omissions.map(\.reason)
                    == [String](
                        repeating: "has no front matter and is about its folder: it was skipped",
                        count: 4))
            #expect(try await fixture.run("site/README.md").counts == ["created": 1])
        }
    }

    @Test func `documents of other kinds are named, other files are counted`() async throws {
        try await ImportFixture.with { fixture in
            try fixture.write("site/2020-03-03-post.html", "---\ntitle: A\n---\n<p>A</p>")
            for name in ["a.TXT", "b.docx", "c.css", "d.png", "e/f.js", "Gemfile"] {
                try fixture.write("site/\(name)", "Text.")
            }
            let report = try await fixture.run("site")
            #expect(report.counts == [:])
            let site = fixture.path("site")
            #expect(
                report.omissions.map(\.description) == [
                    "\(site)/2020-03-03-post.html: is not Markdown (.md) and was skipped",
                    "\(site)/a.TXT: is not Markdown (.md) and was skipped",
                    "\(site)/b.docx: is not Markdown (.md) and was skipped",
                    "\(site): other files were skipped: 4",
                ])
            for name in ["2020-03-03-post.html", "a.TXT", "b.docx", "c.css"] {
                let named = try await fixture.run("site/\(name)")
                #expect(named.counts == ["failed": 1])
                #expect(
                    named.failures[0].reason
                        == "is neither Markdown (.md) nor JSON lines (.ndjson) nor an export")
            }
        }
    }

    @Test(arguments: [
        ("PK\u{3}\u{4}\u{14}\u{0}", "is not a text: it contains the control character U+0003"),
        ("Text\n\u{1B}[31mred", "is not a text: it contains the control character U+001b"),
        ("\n <!DOCTYPE HTML>\n<p>A</p>", "is HTML, not Markdown"),
        ("{\\rtf1 A}", "is RTF, not Markdown"),
    ])
    func `documents of other kinds are rejected, whatever their name is`(
        text: String, reason: String
    ) async throws {
        try await ImportFixture.with { fixture in
            try fixture.write("site/a.md", text)
            for name in ["site", "site/a.md"] {
                let report = try await fixture.run(name)
                #expect(report.counts == ["failed": 1])
                #expect(report.failures.map(\.reason) == [reason])
            }
        }
    }

    @Test func `an export is recognized by its content, whatever its extension is`() async throws {
        try await ImportFixture.with { fixture in
            let item = WordPressImportTests.item(1, "a", content: "Text")
            try fixture.write("blog.wxr", WordPressImportTests.export(item))
            #expect(try await fixture.run("blog.wxr").counts == ["created": 1])
        }
    }

    @Test func `a bundle of Hugo is named by its folder`() async throws {
        try await ImportFixture.with { fixture in
            try fixture.write("posts/2020-01-02-sour-bread/index.md", "Text.")
            try fixture.write("posts/salt/index.ko.md", "+++\ndraft = false\n+++\nText.")
            try fixture.write("posts/water/index.md", Self.post)
            #expect(try await fixture.run("posts").counts == ["created": 3])
            let bread = try await fixture.article("sour-bread")
            #expect(bread.title == "sour bread")
            #expect(bread.publishedAt == Timestamp("2020-01-02T00:00:00Z"))
            #expect(try await fixture.article("salt").title == "salt")
            #expect(try await fixture.article("a").body == "Text.")
        }
    }

    @Test func `a post that is to be published later is scheduled`() async throws {
        try await ImportFixture.with { fixture in
            let later = ImportFixture.time(60)
            try fixture.write(
                "site/a.md", "+++\ntitle = 'A'\ndate = 2020-01-01\npublishDate = \(later)\n+++\n")
            try fixture.write("site/b.md", "---\ntitle: B\nexpiryDate: 2025-01-01\n---\n")
            #expect(try await fixture.run("site").counts == ["created": 2])
            let scheduled = try await fixture.article("a")
            #expect(scheduled.status == .scheduled && scheduled.publishedAt == later)
            #expect(try await fixture.article("b").status == .archived)
        }
    }
}
