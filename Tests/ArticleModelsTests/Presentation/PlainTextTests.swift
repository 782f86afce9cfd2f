import Testing

@testable import ArticleModels

/// Texts without marks.
@Suite struct PlainTextTests {
    @Test(arguments: [
        ("<p>Flour &amp; <em>water</em>, <strong>mixed</strong>.</p>\n", "Flour & water, mixed."),
        ("<h1>Bread</h1>\n<p>One<br />two</p>", "Bread One two"),
        ("<ul>\n<li>a</li><li>b</li></ul>", "a b"),
        ("<p>1 &lt; 2 &gt; 0 &quot;x&quot; &#39;y&#x27; &nbsp;z</p>", "1 < 2 > 0 \"x\" 'y' z"),
        ("<p>see <a href=\"/?a=1&amp;b=2\" title=\"a > b\">this</a></p>", "see this"),
        (
            "<p>before</p><pre><code class=\"x\">let a = 1\n</code></pre><p>after</p>",
            "before after"
        ),
        ("<p>run <code>make</code> now</p>", "run make now"),
        ("<!-- raw <b>HTML</b> omitted -->text", "text"),
        ("<p>a<img src=\"x\" alt=\"picture\" />b</p>", "a b"),
        ("<table><tr><td>1</td></tr></table><p>2</p>", "2"),
        ("<script>alert(1)</script>text", "text"),
        ("<p>note<sup><a href=\"#1\">1</a></sup></p>", "note"),
        ("a < b &c &unknown; &#0; &#xD800; 100%", "a < b &c &unknown; &#0; &#xD800; 100%"),
        ("<p>밀가루와 <em>물</em></p>", "밀가루와 물"),
        ("<p>cut <a href=\"", "cut"),
        ("<p>cut <!-- x", "cut"),
        ("text <", "text <"),
        ("text &", "text &"),
        ("", ""),
    ])
    func `tags are removed and entities decoded`(html: String, text: String) {
        #expect(PlainText.ofHTML(html, limit: 1_000) == text)
    }

    @Test func `no more HTML is read than is needed`() {
        let html = String(repeating: "<p>빵 bread</p>", count: 100_000)
        #expect(PlainText.ofHTML(html, limit: 50).count < 100)
        let long = String(repeating: "a ", count: 100_000)
        #expect(PlainText.ofHTML(long, limit: 50).count < 2_000)
    }

    /// Any prefix of HTML, which may end within a tag, an entity or a character.
    @Test func `every prefix can be read`() {
        let html = Array("<p title='>'>빵 &amp; <!-- x --> <pre>a</pre> &#x27;b</p>".utf8)
        for end in 0...html.count {
            let text = PlainText.ofHTML(String(decoding: html[..<end], as: UTF8.self), limit: 99)
            #expect(!text.contains("title"))
        }
    }

    @Test(arguments: [
        ("Flour and *water*, **mixed**.", "Flour and water, mixed."),
        ("# Bread\n\nFlour\nand water.\n\nMore.", "Flour and water."),
        ("```swift\nlet a = 1\n\nlet b = 2\n```\nText", "Text"),
        ("A [*recipe*](https://a.example/b) and ![picture](x.png) this.", "A recipe and this."),
        (
            "2 * 3, snake_case, `code`, ~~old~~ __new__ _now_",
            "2 * 3, snake_case, code, old new now"
        ),
        ("> quoted\n\nText", "Text"),
        ("---\n\n- first\n- second", "first second"),
        ("An [open bracket and (more)", "An [open bracket and (more)"),
        ("# Only a heading", ""),
        ("", ""),
    ])
    func `a first paragraph loses its marks`(markdown: String, text: String) {
        #expect(PlainText.ofMarkdown(markdown) == text)
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
    func `a text is cut after a word`(text: String, limit: Int, cut: String) {
        #expect(PlainText.cut(text, to: limit) == cut)
        #expect(PlainText.cut(cut, to: limit) == cut)
        #expect(cut.count <= limit)
    }
}
