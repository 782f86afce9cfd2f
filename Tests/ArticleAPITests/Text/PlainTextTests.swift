import ArticleAPI
import Testing

/// Markdown and HTML as plain text.
@Suite struct PlainTextTests {
    @Test(arguments: [
        ("# One\ntwo", "One two"),
        ("> - [x] done\n> 1. first", "done first"),
        ("**bold** _soft_ snake_case 2 * 3 ~~gone~~", "bold soft snake_case 2 * 3 gone"),
        ("[text](https://a.example/b(c) \"t\") end", "text end"),
        ("![picture](a.png) and [![x](y)](z)", "picture and x"),
        ("[named][ref] array[0]\n\n[ref]: https://a.example", "named array[0]"),
        ("[^1]: A note", "A note"),
        ("<https://a.example/b> <b>bold</b> 1 < 2", "https://a.example/b bold 1 < 2"),
        ("`Array<Int>` ``a`b`` `open", "Array<Int> a`b open"),
        ("```swift\nlet *x* = [1](2)\n```\nafter", "let *x* = [1](2) after"),
        ("| a | b |\n|---|---|\n| c | d |", "a b c d"),
        ("Title\n=====\ntext\n\n---", "Title text"),
        ("R&amp;D &lt;x&gt; \\*star\\* a & b", "R&D <x> *star* a & b"),
        ("!", "!"), ("[", "["), ("](", "]("), ("<", "<"), ("[](", "[]("), ("\\", "\\"),
        ("#hash", "#hash"), ("1) one\n- two", "one two"), ("a\0b", "a b"),
        ("so&nbsp;on &mdash; &#9679; &#x41;&hellip; &#0;&none;", "so on — ● A… &#0;&none;"),
    ])
    func `marks of Markdown are left out`(markdown: String, expected: String) {
        let bytes = PlainText.bytes(ofMarkdown: markdown)
        #expect(PlainText.collapsed(String(decoding: bytes, as: UTF8.self)) == expected)
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
        ("Bread\n=====\nFlour", "Flour"),
        (
            "![picture](x.png)\n\nA [long\nlink](https://a.example) *over\nlines*\n\nMore",
            "A long link over lines"
        ),
        ("", ""),
    ])
    func `a first paragraph loses its marks`(markdown: String, text: String) {
        #expect(PlainText.firstParagraph(ofMarkdown: markdown) == text)
    }

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
        #expect(PlainText.text(ofHTML: html, limitBytes: 1_000) == text)
    }

    @Test func `no more HTML is read than is needed`() {
        let html = String(repeating: "<p>빵 bread</p>", count: 100_000)
        #expect(PlainText.text(ofHTML: html, limitBytes: 50).count < 100)
        let long = String(repeating: "a ", count: 100_000)
        #expect(PlainText.text(ofHTML: long, limitBytes: 50).count < 2_000)
    }

    /// Any prefix of HTML, which may end within a tag, an entity or a character.
    @Test func `every prefix can be read`() {
        let html = Array("<p title='>'>빵 &amp; <!-- x --> <pre>a</pre> &#x27;b</p>".utf8)
        for end in 0...html.count {
            let prefix = String(decoding: html[..<end], as: UTF8.self)
            let text = PlainText.text(ofHTML: prefix, limitBytes: 99)
            #expect(!text.contains("title"))
        }
    }
}
