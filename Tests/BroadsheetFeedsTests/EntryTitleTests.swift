import ArticleAPI
import Testing

@testable import BroadsheetFeeds

/// Titles of entries that have none.
@Suite struct EntryTitleTests {
    private func title(_ change: (inout FeedEntry) -> Void) -> String? {
        var entry = FeedEntry(id: "1", title: "")
        change(&entry)
        return entry.derivedTitle(at: "https://feeds.example:8443/rss?x")
    }

    @Test(arguments: [
        ("<p>Just &amp; <b>baked</b>.</p><p>More.</p>", "Just & baked."),
        ("One<br>two", "One"), ("<p>in\n two lines</p>", "in two lines"),
        ("<h1> </h1><p>…</p><div>한국어</div>", "한국어"), ("<script>x()</script>a", "a"),
    ])
    func `HTML without a title has its first block as its title`(html: String, title: String) {
        #expect(self.title { $0.contentHTML = html } == title)
    }

    @Test func `text without a title has its first paragraph, and a summary comes first`() {
        #expect(title { $0.contentText = "\n One\n  two \n\nthree" } == "One two")
        let both = title {
            $0.contentHTML = "<p>Whole</p>"
            $0.summary = "Short"
        }
        #expect(both == "Short")
    }

    @Test func `a long text is cut behind a sentence or a word`() {
        let words = String(repeating: "word ", count: 40)
        let cut = title { $0.contentText = words }
        #expect(cut == String(repeating: "word ", count: 15) + "word…")
        let sentence = "This is the first sentence of all. "
        #expect(title { $0.contentText = sentence + words } == String(sentence.dropLast()))
        // "Mr." is too short for a sentence.
        #expect(title { $0.contentText = "Mr. " + words }?.hasSuffix("word…") == true)
        #expect(title { $0.contentText = "Version 1.2 " + words }?.hasSuffix("word…") == true)
        let korean = title { $0.contentText = String(repeating: "글", count: 200) }
        #expect(korean == String(repeating: "글", count: 79) + "…")
        let japanese = String(repeating: "文", count: 30) + "。"
        #expect(title { $0.contentText = japanese + japanese + japanese } == japanese + japanese)
    }

    @Test func `an entry without any words has the name of its file, or the end of its link`() {
        #expect(
            title { $0.attachment = "https://a.example/x/Folge%2012.mp3?y=/z" } == "Folge 12.mp3")
        let photo = title {
            $0.contentHTML = "<img src='x.png' alt=''>"
            $0.url = "https://a.example/photos/17/"
        }
        #expect(photo == "17")
    }

    @Test func `an entry with nothing else has a host and a day`() {
        let linked = title {
            $0.url = "https://a.example/"
            $0.publishedAt = Timestamp("2026-11-24T19:10:43Z")
        }
        #expect(linked == "a.example, 2026-11-24")
        #expect(title { $0.contentHTML = "<hr>" } == "feeds.example")
        #expect(title { $0.unusableLink = "mailto:x" } == "feeds.example")
        #expect(title { $0.tags = ["x"] } == nil)
    }
}
