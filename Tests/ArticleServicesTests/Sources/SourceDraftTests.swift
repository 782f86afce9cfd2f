import ArticleAPI
import ArticleAdminAPI
import BroadsheetHTTP
import BroadsheetTestSupport
import Testing

@testable import ArticleServices

/// The import of entries that do not fit articles.
@Suite struct SourceDraftTests {
    private func run(_ body: (SourceFixture) async throws -> Void) async throws {
        try await TestBackend.run(samples: false) { server in try await body(SourceFixture(server))
        }
    }

    private static func rss(_ items: String...) -> String {
        let media = "http://search.yahoo.com/mrss/"
        return """
            <rss version="2.0" xmlns:a10="http://www.w3.org/2005/Atom" xmlns:media="\(media)"
             xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>Blog</title>
            <link>https://example.org/</link>\(items.map { "<item>\($0)</item>" }.joined())
            </channel></rss>
            """
    }

    @Test func `entries without titles are taken over, and keep their slugs when they change`()
        async throws
    {
        try await run { fixture in
            fixture.serve(
                Self.rss(
                    "<guid>1</guid><description>Baked a loaf today.</description>",
                    "<guid>2</guid><enclosure url='https://a.example/Loaf%201.jpg'/>",
                    "<guid>3</guid><category>bread</category>"))
            let id = try fixture.add().id
            let source = try await fixture.poll(id)
            #expect(source.skippedCount == 1 && source.skippedReason?.contains("$.title") == true)
            let articles = try fixture.articles()
            #expect(Set(articles.map(\.title)) == ["Baked a loaf today.", "Loaf 1.jpg"])
            let loaf = try #require(articles.first { $0.title.hasPrefix("Baked") })
            #expect(loaf.slug == "baked-a-loaf-today" && loaf.body == "Baked a loaf today.")
            fixture.serve(Self.rss("<guid>1</guid><description>Baked two today.</description>"))
            try await fixture.poll(id)
            let changed = try #require(try fixture.articles().first { $0.id == loaf.id })
            #expect(changed.title == "Baked two today." && changed.slug == loaf.slug)
            #expect(changed.revision == 2)
            try await fixture.poll(id)
            #expect(try fixture.articles().first { $0.id == loaf.id }?.revision == 2)
        }
    }

    @Test func `entries of all formats may be without titles`() async throws {
        let text = "Only a note."
        let documents = [
            SourcePollTests.atom(SourcePollTests.entry("1", "", "<p>\(text)</p>")),
            #"{"version":"https://jsonfeed.org/version/1.1","title":"F","items":[{"id":"1","#
                + #""content_html":"<p>\#(text)</p>"}]}"#,
            "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" "
                + "xmlns=\"http://purl.org/rss/1.0/\"><channel><title>F</title></channel>"
                + "<item rdf:about=\"urn:1\"><description>\(text)</description></item></rdf:RDF>",
        ]
        for document in documents {
            try await run { fixture in
                fixture.serve(document)
                try await fixture.poll(fixture.add().id)
                #expect(try fixture.articles().map(\.title) == [text])
            }
        }
    }

    @Test func `names and titles that are too long are cut`() async throws {
        try await run { fixture in
            let name = (1...40).map { "Name\($0), A." }.joined(separator: ", ")
            let title = String(repeating: "word ", count: 80)
            let tag = String(repeating: "t", count: 65)
            fixture.serve(
                Self.rss(
                    "<guid>1</guid><title>\(title)</title><dc:creator>\(name)</dc:creator>"
                        + "<dc:creator>Ada &lt;ada@example.org&gt;</dc:creator>"
                        + "<category>\(tag)</category><category>rye</category>"))
            let source = try await fixture.poll(fixture.add().id)
            let article = try #require(try fixture.articles().first)
            #expect(article.authors.map(\.name.unicodeScalars.count) == [200, 3])
            #expect(article.authors[0].name.hasPrefix("Name1, A., Name2"))
            #expect(article.authors[0].name.hasSuffix("…") && article.authors[1].name == "Ada")
            #expect(article.title.unicodeScalars.count == 300 && article.title.hasSuffix("…"))
            let cut = String(repeating: "t", count: 63) + "…"
            #expect(article.tags.map(\.name) == [cut, "rye"])
            #expect(source.skippedCount == 0)
            #expect(source.skippedReason?.contains("its title was cut to 300") == true)
        }
    }

    @Test func `a link that cannot be used is reported, and the entry is taken over`() async throws
    {
        try await run { fixture in
            fixture.serve(
                Self.rss(
                    "<guid>1</guid><title>Rye</title><link>https://käse.example/a[1]|b 100%</link>",
                    "<guid>2</guid><title>Oats</title><link>mailto:ada@example.org</link>",
                    "<guid>3</guid><title>Wheat</title><link>https://u:p@example.org/</link>"))
            let id = try fixture.add().id
            for _ in 1...2 {
                let source = try await fixture.poll(id)
                #expect(source.skippedCount == 0)
                #expect(
                    source.skippedReason
                        == "\"Oats\": its link mailto:ada@example.org is not an http(s) URL and "
                        + "was omitted")
            }
            let links = try fixture.articles().map { "\($0.title) \($0.source?.url ?? "")" }
            #expect(
                Set(links) == [
                    "Rye https://xn--kse-qla.example/a%5B1%5D%7Cb%20100%25", "Oats ", "Wheat ",
                ])
        }
    }

    @Test func `a reason to skip an entry comes before a note`() async throws {
        try await run { fixture in
            fixture.serve(
                Self.rss(
                    "<guid>1</guid><title>Oats</title><link>mailto:ada@example.org</link>",
                    "<guid>2</guid><category>x</category>"))
            let source = try await fixture.poll(fixture.add().id)
            #expect(source.skippedCount == 1 && source.skippedReason?.contains("$.title") == true)
        }
    }

    @Test func `times and contents of other formats reach the article`() async throws {
        try await run { fixture in
            fixture.serve(
                Self.rss(
                    "<guid>1</guid><title>A</title>"
                        + "<pubDate>mar., 01 déc. 2026 9:10 PM EST</pubDate>"
                        + "<a10:author><a10:name>Ada</a10:name></a10:author>"
                        + "<a10:content type='html'>&lt;p&gt;Whole&lt;/p&gt;</a10:content>",
                    "<guid>2</guid><title>B</title><pubDate>Tue, 01 Dec 2026 9:10 QST</pubDate>"
                        + "<media:group><media:description>Told</media:description></media:group>"
                ))
            try await fixture.poll(fixture.add().id)
            let articles = try fixture.articles(as: .editor)
            let first = try #require(articles.first { $0.title == "A" })
            #expect(first.publishedAt == Timestamp("2026-12-02T02:10:00Z"))
            #expect(first.body == "Whole" && first.authors.map(\.name) == ["Ada"])
            let second = try #require(articles.first { $0.title == "B" })
            #expect(second.publishedAt == fixture.server.now && second.body == "Told")
        }
    }
}
