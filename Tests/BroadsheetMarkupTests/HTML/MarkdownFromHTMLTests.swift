import BroadsheetMarkup
import Testing

@Suite struct MarkdownFromHTMLTests {
    private static func markdown(_ html: String, base: String? = nil) throws -> String {
        try MarkdownFromHTML(base: base).convert(html).markdown
    }

    @Test(arguments: [
        ("", ""), ("  \n ", ""), ("a", "a"), ("<p>a</p><p>b</p>", "a\n\nb"),
        ("a<p>b</p>c", "a\n\nb\n\nc"), ("<p>a  b\n  c</p>", "a b\nc"),
        ("<p>&nbsp;</p><p>a</p>", "a"), ("<p>a<br>b<br/></p>", "a\\\nb"),
        ("<h1>a</h1><h6>b</h6><h2></h2>", "# a\n\n###### b"), ("a<hr>b", "a\n\n***\n\nb"),
        ("<h2>a<br>b</h2>", "a\\\nb\n---"), ("<h3>a<br>b</h3>", "### a b"),
        ("<blockquote>a<blockquote>b</blockquote></blockquote>", "> a\n>\n> > b"),
        ("<div><section><p>a</p></section>b</div>", "a\n\nb"),
        ("<span><div>a</div></span>", "a"), ("a<!-- b --><!-- wp:paragraph -->c", "ac"),
        ("<html><head><title>t</title></head><body>a</body></html>", "a"),
    ])
    func `blocks become blocks`(html: String, markdown: String) throws {
        #expect(try Self.markdown(html) == markdown)
    }

    @Test(arguments: [
        ("<b>a</b> <i>b</i> <del>c</del>", "**a** *b* ~~c~~"),
        ("<b> a </b>b", "**a** b"), ("a<b> </b>b", "a b"), ("<b></b>a", "a"),
        ("<b><i>a</i></b>", "**_a_**"), ("<i><b>a</b></i>", "_**a**_"),
        ("<b>a</b><b>b</b>", "**ab**"), ("<b>a<b>b</b></b>", "**ab**"),
        ("<b>(a)</b>b", "**(a)**&#98;"), ("a<b>(b)</b>", "&#97;**(b)**"),
        ("<strong>\"한글\"</strong>은", "**\"한글\"**&#51008;"),
        ("<code>a`b</code> <code>` </code>", "``a`b`` `` `  ``"),
        ("x<sup>2</sup><sub>i</sub>", "x2i"), ("<q>a</q>", "“a”"),
        ("<u>a</u> <mark>b</mark> <abbr title='x'>c</abbr>", "a b c"),
    ])
    func `styles become delimiters that count as such`(html: String, markdown: String) throws {
        #expect(try Self.markdown(html) == markdown)
    }

    @Test(arguments: [
        ("<b>a:&nbsp;</b>b <b>&nbsp;c</b>", "**a:**\u{A0}b \u{A0}**c**"),
        ("<i>&#12288;a&#8201;</i>b", "\u{3000}*a*\u{2009}b"),
        ("<b><i>&#8239;a </i>&nbsp;</b>b", "\u{202F}**_a_** \u{A0}b"),
        ("a<b>&nbsp;</b>b", "a\u{A0}b"), ("<del>a&nbsp;</del>", "~~a~~\u{A0}"),
        ("<a href='/x'>&nbsp;a&nbsp;</a>b", "\u{A0}[a](/x)\u{A0}b"),
        ("a &nbsp; b<br>&nbsp;c", "a \u{A0} b\\\n\u{A0}c"),
        ("<p>&nbsp;# a</p>", "\u{A0}# a"), ("<b>a\u{200B}</b>b", "**a\u{200B}**b"),
        ("<b>(a)\u{2028}</b>b", "**(a)\u{2028}**b"),
        ("<b>a.&nbsp;</b><b>b</b>", "**a.**\u{A0}**b**"),
    ])
    func `spaces of any kind move out of delimiters`(html: String, markdown: String) throws {
        #expect(try Self.markdown(html) == markdown)
    }

    @Test(arguments: [
        ("<p>a<picture><source srcset='/a.webp'><img src='/a.png'></picture>b", "a![](/a.png)b"),
        (
            "<video controls><source src='/v.mp4'><track src='/t.vtt'><p>x</p></video>",
            "[/v.mp4](/v.mp4)"
        ),
        ("<audio><source src='javascript:x'><source src='/a.ogg'>x</audio>", "[/a.ogg](/a.ogg)"),
        ("a<wbr>b<wbr/>c<embed src='/e'>d", "abc [/e](/e) d"),
        (
            "<picture><source srcset='/a.webp 1x, /b.webp 2x'><img alt='x'></picture>",
            "![x](/b.webp)"
        ),
        ("<picture><source data-srcset='/a.webp'><source srcset=''></picture>", "![](/a.webp)"),
        ("<img src='' srcset='/a,b.png 300w,/c.png 900w, /d.png 600w'>", "![](/c.png)"),
        ("<object data='/o.pdf'><p>x</p></object>", "[/o.pdf](/o.pdf)"),
        ("<video><p>x</p><p>y</p></video>", "x\n\ny"),
        ("<SOURCE src='x>y'>a<source src=b/>c", "ac"),
    ])
    func `void elements have no content`(html: String, markdown: String) throws {
        #expect(try Self.markdown(html) == markdown)
    }

    @Test func `many void elements do not nest`() throws {
        let result = try MarkdownFromHTML().convert(String(repeating: "a<wbr>", count: 1_000))
        #expect(result.markdown == String(repeating: "a", count: 1_000) && result.leftOut.isEmpty)
    }

    @Test(arguments: [
        ("a<![CDATA[b]]>c", "ac"), ("a<!ELEMENT b>c<!>d", "acd"), ("a<!-- <!x> -->b<!--->c", "abc"),
        ("<p title='<!x>'>a</p><pre>&lt;!b></pre>", "a\n\n```\n<!b>\n```"),
        ("<!DOCTYPE html><p>a", "a"), ("a <! b", "a \\<! b"),
        ("<script>'<!x'</script>a<style>b<!c></style>", "a"),
    ])
    func `bogus comments are not text`(html: String, markdown: String) throws {
        #expect(try Self.markdown(html) == markdown)
    }

    @Test(arguments: [
        ("*a* _b_ [c](d) `e` ~f~ \\", "\\*a\\* \\_b\\_ \\[c](d) \\`e\\` \\~f\\~ \\\\"),
        ("snake_case", "snake_case"), ("&lt;b&gt; a &lt; b", "\\<b> a < b"),
        ("&amp;amp; &amp; AT&amp;T it", "\\&amp; & AT&T it"),
        ("<p># a</p><p>#a</p>", "\\# a\n\n#a"),
        ("<p>- a</p><p>+ a</p><p>-1</p>", "\\- a\n\n\\+ a\n\n-1"),
        ("<p>1. a</p><p>2) a</p><p>v1.2</p>", "1\\. a\n\n2\\) a\n\nv1.2"),
        ("<p>a<br>===</p>", "a\\\n\\==="), ("<p>a\n---</p>", "a\n\\---"),
        ("<p>&gt; a</p><p>| a |</p>", "\\> a\n\n\\| a |"),
        ("http://a.b www.a.b", "http\\://a.b www\\.a.b"), ("![a]", "!\\[a]"),
    ])
    func `text stays text`(html: String, markdown: String) throws {
        #expect(try Self.markdown(html) == markdown)
    }

    @Test(arguments: [
        ("<ul><li>a</li><li>b</li></ul>", "- a\n- b"),
        ("<ul><li><p>a</p></li><li>b</li></ul>", "- a\n\n- b"),
        ("<ol start='3'><li>a</li><li>b</li></ol>", "3. a\n4. b"),
        ("<ol start='-3'><li>a</li></ol>", "1. a"),
        ("<ul><li>a<ul><li>b</li></ul></li></ul>", "- a\n  - b"),
        ("<ul><li>a<ol start='2'><li>b</li></ol></li></ul>", "- a\n\n  2. b"),
        ("<ul><li>a</li></ul><ul><li>b</li></ul>", "- a\n\n+ b"),
        ("<ul><li>a</li><ul><li>b</li></ul></ul>", "- a\n  - b"),
        ("<ul><li><input type=checkbox checked> a</li></ul>", "- [x] a"),
        ("<ul><li></li><li>a</li></ul>", "-\n- a"),
        ("<dl><dt>a</dt><dd>b</dd><dd>c</dd></dl>", "**a**\n\n- b\n- c"), ("<li>a</li>", "- a"),
    ])
    func `lists keep their form`(html: String, markdown: String) throws {
        #expect(try Self.markdown(html) == markdown)
    }

    @Test(arguments: [
        ("<pre>a\n  b\n</pre>", "```\na\n  b\n```"), ("<pre>\na</pre>", "```\na\n```"),
        ("<pre><code class='language-swift'>a</code></pre>", "```swift\na\n```"),
        ("<pre class='brush: js; gutter: false'>a</pre>", "```js\na\n```"),
        ("<pre class='lang-c'>```</pre>", "````c\n```\n````"),
        ("<pre class='language-a`b'>x<b>y</b><br>z</pre>", "```\nxy\nz\n```"),
        ("<ul><li>a<pre>b\n\nc</pre></li></ul>", "- a\n  ```\n  b\n\n  c\n  ```"),
    ])
    func `code keeps its text and language`(html: String, markdown: String) throws {
        #expect(try Self.markdown(html) == markdown)
    }

    @Test(arguments: [
        ("<a href='/b?c=d&amp;e' title='t \"u\"'>a</a>", "[a](/b?c=d&e \"t \\\"u\\\"\")"),
        ("<a href='http://a.b/c'>http://a.b/c</a>", "<http://a.b/c>"),
        ("<a href='/a (b)'> c </a>d", "[c](/a%20\\(b\\)) d"), ("<a name='x'>a</a>", "a"),
        ("<a href='javascript:alert(1)'>a</a>", "a"), ("<a href=' JaVa\nScript:x'>a</a>", "a"),
        ("<a href='data:text/html,x'>a</a>", "a"), ("<a href='/x'></a>", ""),
        ("<a href='&#x69;ntent://a'>a</a>", "a"), ("<a href='webcal://a.b/c'>a</a>", "a"),
        ("<a href='TEL:+15550100'>a</a>", "[a](TEL:+15550100)"), ("<img alt=a src=tel:1>", "a"),
        ("<img src='/a.png' alt='b [c]' title='d'>", "![b \\[c\\]](/a.png \"d\")"),
        ("<img src='data:image/gif;base64,x' data-src='/a.png'>", "![](/a.png)"),
        ("<img src='data:image/gif;base64,x' alt='b'>", "b"), ("!<a href='/b'>a</a>", "\\![a](/b)"),
        ("<a href='/b'><img src='/c'></a>", "[![](/c)](/b)"),
        ("<iframe src='https://v.org/1' title='V'></iframe>", "[V](https://v.org/1)"),
        ("<video><source src='/v.mp4'>x</video>", "[/v.mp4](/v.mp4)"),
        (
            "<figure><img src='/a'><figcaption>b</figcaption></figure>", "![](/a)\n\n*b*"
        ),
    ])
    func `links and images keep safe addresses`(html: String, markdown: String) throws {
        #expect(try Self.markdown(html) == markdown)
    }

    @Test func `relative addresses are resolved against the base`() throws {
        let html =
            "<a href='../b?c'>a</a> <img src='/d e.png'> <a href='//f.g/'>h</a> <a href='#i'>j</a>"
        #expect(
            try Self.markdown(html, base: "https://example.org/x/y/z") == """
                [a](https://example.org/x/b?c) ![](https://example.org/d%20e.png) \
                [h](https://f.g/) [j](https://example.org/x/y/z#i)
                """)
    }

    @Test(arguments: [
        (
            "<table><tr><th>a<th align=right>b</tr><tr><td>c|d</table>",
            "| a | b |\n| --- | --: |\n| c\\|d |  |"
        ),
        (
            "<table><tr><td>a<td>b</tr></table>",
            "|  |  |\n| --- | --- |\n| a | b |"
        ),
        (
            "<table><tr><th colspan=2>a</th></tr><tr><td><p>b<br>c</p><td><code>|</code></table>",
            "| a |  |\n| --- | --- |\n| b c | `\\|` |"
        ),
        ("<table><tr><td>a<p>b</p></td></tr></table>", "a\n\nb"),
        ("<table><tr><td>a<ul><li>b</li></ul></td><td>c</td></tr></table>", "a\n\n- b\n\nc"),
    ])
    func `tables keep their form unless cells contain blocks`(
        html: String, markdown: String
    ) throws {
        #expect(try Self.markdown(html) == markdown)
    }

    @Test func `what is left out is counted`() throws {
        let result = try MarkdownFromHTML().convert(
            """
            <script>a</script><style>b</style><script>c</script><noscript>d</noscript>
            <a href='javascript:e'>f</a><svg><path/></svg><textarea>g</textarea><iframe></iframe>
            <table><tr><td>h<pre>i</pre></td><td>j</td></tr></table>
            """)
        #expect(result.markdown == "f\n\nh\n\n```\ni\n```\n\nj")
        #expect(
            result.leftOut == [
                OmittedMarkup(kind: .script, count: 2), OmittedMarkup(kind: .style, count: 1),
                OmittedMarkup(kind: .form, count: 1), OmittedMarkup(kind: .drawing, count: 1),
                OmittedMarkup(kind: .frame, count: 1), OmittedMarkup(kind: .address, count: 1),
                OmittedMarkup(kind: .table, count: 1),
            ])
    }

    @Test func `a long document with many attributes is read`() throws {
        let html = String(repeating: "<p>A <a href=\"/x\">link</a> and text.</p>", count: 8_000)
        let markdown = try MarkdownFromHTML(base: "https://example.org/").convert(html).markdown
        #expect(markdown.split(separator: "\n").count == 8_000)
    }

    @Test func `limits hold, and nothing takes long`() throws {
        func error(_ html: String, _ limits: HTMLLimits = HTMLLimits()) -> HTMLError? {
            #expect(throws: HTMLError.self) { try MarkdownFromHTML(limits: limits).convert(html) }
        }
        var limits = HTMLLimits()
        limits.inputBytes = 10
        #expect(error("<p>1234567890", limits) == .inputTooLarge(limitBytes: 10))
        limits = HTMLLimits()
        limits.outputBytes = 10
        #expect(error("<p>12345678901", limits) == .outputTooLarge(limitBytes: 10))
        #expect(
            error(String(repeating: "<br>", count: 200_001)) == .tooManyElements(limit: 200_000))
        let attributes = (0..<400_000).map { " a\($0)" }.joined()
        #expect(error("<p" + attributes + ">") == .tooManyAttributes)
        #expect(error("<p x=\"<\"" + attributes) == .tooManyAttributes)
        for start in ["</", "<?"] {
            let tags = String(repeating: start, count: 500_000)
            #expect(error("<p>\(tags)</p>") == .tooManyUnfinishedTags)
            #expect(try Self.markdown("x" + tags.prefix(2_000) + "</p>y").hasPrefix("x"))
        }
        for part in ["<!", "<!x>", "<!--", "<source ", "<script>", "<a b='", "<source x='>'"] {
            _ = try? Self.markdown(String(repeating: part, count: 20_000))
        }
        let images = String(repeating: "a.png 1x,", count: 10_000)
        #expect(try Self.markdown("<img srcset='\(images)'>") == "![](a.png)")
        let ticks = (1...1_500).map { String(repeating: "`", count: $0) }.joined(separator: " ")
        let code = try Self.markdown("<code>\(ticks)</code>")
        let fence = String(repeating: "`", count: 1_501)
        #expect(code == "\(fence) \(ticks) \(fence)")
        let picture = String(repeating: "a/+", count: 200_000)
        #expect(try Self.markdown("<img alt=b src='data:image/png;base64,\(picture)'>") == "b")
    }

    @Test func `elements that nest too deeply are reported`() throws {
        for element in ["div", "b", "blockquote", "ul><li"] {
            let html = String(repeating: "<\(element)>", count: 10_000) + "x"
            let result = try MarkdownFromHTML().convert("<p>y</p>" + html)
            #expect(result.markdown.hasPrefix("y"))
            #expect(result.leftOut.contains { $0.kind == .tooDeep }, "\(element)")
        }
        let quotes = String(repeating: "<blockquote>", count: 100) + "x"
        let result = try MarkdownFromHTML().convert(quotes)
        #expect(result.markdown == String(repeating: "> ", count: 16) + "x")
    }
}
