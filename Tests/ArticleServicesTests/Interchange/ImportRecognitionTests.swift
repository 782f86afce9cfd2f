import ArticleAPI
import ArticleDatabase
import ArticleStore
import Testing

@testable import ArticleImportExport
@testable import ArticleServices

/// Files that were imported before, from another folder or by the API.
@Suite struct ImportRecognitionTests {
    @Test(
        arguments: [
            ("x/a.md", ["s/a.md"], .path("s/a.md")),
            ("x/2019/a.md", ["s/2018/a.md", "s/2019/a.md"], .path("s/2019/a.md")),
            ("x/a.md", ["s/2018/a.md", "s/2019/a.md"], .unclear(["s/2018/a.md", "s/2019/a.md"])),
            ("own/a.md", ["own/b/a.md"], .new),
            ("own/a.md", ["own/b/a.md", "s/a.md"], .path("s/a.md")),
            ("x/b.xml#post:1", ["own/b.xml#post:1"], .new),
        ] as [(String, [String], FormerPathMatcher.Origin)])
    func `the origin is the path with the longest common end`(
        path: String, known: [String], origin: FormerPathMatcher.Origin
    ) {
        let files = ["own/b/a.md", "own/b.xml"].map {
            ImportFile(path: $0, identity: $0, sizeBytes: 1, format: .markdown)
        }
        #expect(FormerPathMatcher(files).origin(of: path, among: known) == origin)
    }

    private func writeBundles(_ folder: String, to fixture: ImportFixture) throws {
        for number in 1...50 {
            try fixture.write(
                "\(folder)/walk-\(number)/index.md",
                "---\ntitle: Walk number \(number)\ndate: 2020-01-01\n---\nStep \(number)")
        }
    }

    @Test func `bundles that are imported from another folder stay the same articles`()
        async throws
    {
        try await ImportFixture.with { fixture in
            try writeBundles("site/content/posts", to: fixture)
            try writeBundles("copy/walks", to: fixture)
            #expect(try await fixture.run("site").counts == ["created": 50])
            for isDryRun in [true, false, false] {
                let report = try await fixture.run("copy", at: 1, isDryRun: isDryRun)
                #expect(report.counts == ["unchanged": 50])
            }
            try fixture.write("copy/walks/walk-7/index.md", "---\ntitle: Renamed\n---\nStep 7")
            #expect(try await fixture.run("copy", at: 2).counts == ["updated": 1, "unchanged": 49])
            // The slug is still that of the former title.
            #expect(try await fixture.run("site", at: 3).counts == ["updated": 1, "unchanged": 49])
            #expect(try await fixture.store.articleCount() == 50)
        }
    }

    @Test func `files of one import are different articles, whatever they are called`()
        async throws
    {
        try await ImportFixture.with { fixture in
            for year in [2018, 2019] {
                try fixture.write("site/\(year)/about.md", "---\ntitle: About\n---\nIn \(year)")
            }
            #expect(try await fixture.run("site").counts == ["created": 2])
            try fixture.write("site/2020/about.md", "---\ntitle: About\n---\nIn 2020")
            #expect(try await fixture.run("site").counts == ["created": 1, "unchanged": 2])
            // The folders say which is which.
            try fixture.write("copy/2019/about.md", "---\ntitle: About\n---\nIn 2019, later")
            #expect(try await fixture.run("copy", at: 1).counts == ["updated": 1])
            try fixture.write("other/about.md", "---\ntitle: About\n---\nWhen?")
            let report = try await fixture.run("other")
            #expect(report.counts == ["failed": 1])
            let reason = try #require(report.failures.first?.reason)
            for path in ["site/2018/about.md", "copy/2019/about.md", "site/2020/about.md"] {
                #expect(reason.contains(path), "\(reason)")
            }
            #expect(try await fixture.store.articleCount() == 3)
        }
    }

    @Test func `two sites with equal names and different titles stay two sites`() async throws {
        try await ImportFixture.with { fixture in
            for site in ["a", "b"] {
                for name in ["2020-01-01-hello.md", "about/index.md", "posts/one.md"] {
                    try fixture.write("\(site)/\(name)", "---\ntitle: \(name) of \(site)\n---\nx")
                }
            }
            for site in ["a", "b"] {
                #expect(try await fixture.run(site).counts == ["created": 3])
            }
            for site in ["a", "b"] {
                #expect(try await fixture.run(site).counts == ["unchanged": 3])
            }
        }
    }

    @Test func `a slug in the front matter is as good as the title`() async throws {
        try await ImportFixture.with { fixture in
            try fixture.write("a/x.md", "---\ntitle: First\nslug: stays\n---\nx")
            try fixture.write("b/x.md", "---\ntitle: Second\nslug: stays\n---\nx")
            #expect(try await fixture.run("a").counts == ["created": 1])
            #expect(try await fixture.run("b", at: 1).counts == ["updated": 1])
            #expect(try await fixture.article("stays").title == "Second")
        }
    }

    @Test func `posts of blogs and lines are recognized, too`() async throws {
        try await ImportFixture.with { fixture in
            typealias Blog = WordPressImportTests
            let blog = Blog.export(Blog.item(1, "a") + Blog.item(2, "b"))
            let lines = #"{"title":"One"}"# + "\n" + #"{"title":"Two","slug":"two"}"#
            for folder in ["old", "new"] {
                try fixture.write("\(folder)/blog.xml", blog)
                try fixture.write("\(folder)/lines.ndjson", lines)
            }
            #expect(try await fixture.run("old").counts == ["created": 4])
            #expect(try await fixture.run("new").counts == ["unchanged": 4])
            // Another blog whose export is called the same.
            let other = Blog.export(Blog.item(1, "c") + Blog.item(2, "d"))
            try fixture.write("other/blog.xml", other)
            #expect(try await fixture.run("other").counts == ["created": 2])
        }
    }

    @Test func `new files are imported, however many of them have one name and one title`()
        async throws
    {
        try await ImportFixture.with { fixture in
            for number in 0..<150 {
                try fixture.write("a/\(number)/post.md", "---\ntitle: Same\n---\n\(number)")
            }
            #expect(try await fixture.run("a").counts == ["created": 150])
            #expect(try await fixture.run("a").counts == ["unchanged": 150])
        }
    }
}
