import BroadsheetMarkup
import Testing

@Suite struct HTMLFragmentTests {
    private static let base = "https://example.org/a/b?c"

    @Test(arguments: [
        ("Salt &amp; <b>pepper</b>", "Salt & pepper"), ("", ""), ("a<br>b<p>c</p>d", "a\nb\ncd"),
        ("<script>x()</script>a<style>b{}</style><!-- c -->", "a"), ("1 < 2 & 3", "1 < 2 & 3"),
        ("&eacute;&#8217;&#x1F469;&nbsp;&unknown;", "é’👩\u{A0}&unknown;"), ("a</div>b", "ab"),
        ("<b><i>x</b></i>", "x"), ("a\u{0}b", "ab"), ("한국어 <i>글</i>", "한국어 글"),
    ])
    func `text is what readers see`(html: String, text: String) {
        #expect(HTMLFragment(html)?.text == text)
    }

    @Test func `a tag with too many attributes is not read`() {
        // libxml2 compares each attribute with all others.
        let attributes = (0..<100_000).map { " a\($0)" }.joined()
        #expect(HTMLFragment("<p\(attributes)>text</p>")?.text == nil)
    }

    @Test func `relative URLs become absolute`() {
        let table = [
            (#"<a href="x">x</a>"#, #"<a href="https://example.org/a/x">x</a>"#),
            (#"<img src="/i.png" alt="">"#, #"<img src="https://example.org/i.png" alt="">"#),
            (##"<p><a href="#n">n</a>"##, ##"<p><a href="https://example.org/a/b?c#n">n</a></p>"##),
            (#"<a href="//other.org">n</a>"#, #"<a href="https://other.org">n</a>"#),
            (#"<a href=" x y ">n</a>"#, #"<a href="https://example.org/a/x%20y">n</a>"#),
            (
                #"text <a href="x">é</a></div> after"#,
                #"text <a href="https://example.org/a/x">é</a> after"#
            ),
            (
                #"<img srcset="a.png 1x, /b.png 2x">"#,
                #"<img srcset="https://example.org/a/a.png 1x, https://example.org/b.png 2x">"#
            ),
        ]
        for (html, expected) in table {
            #expect(HTMLFragment(html)?.resolvingAddresses(against: Self.base) == expected)
        }
    }

    @Test(arguments: [
        "", "plain", #"<a href="https://example.org/x">x</a>"#, #"<a href="mailto:a@b">x</a>"#,
        #"<img src="data:image/png;base64,AAAA">"#, #"<a href="javascript:x">x</a>"#,
    ])
    func `what has no relative URL is left as it is`(html: String) {
        #expect(HTMLFragment(html)?.resolvingAddresses(against: Self.base) == nil)
    }

    @Test func `deep and broken HTML is survived`() {
        let deep = String(repeating: "<div>", count: 100_000)
        _ = HTMLFragment(deep)?.text
        _ = HTMLFragment(String(repeating: "<a href='x'>", count: 20_000))?
            .resolvingAddresses(against: Self.base)
        _ = HTMLFragment("<![CDATA[<!DOCTYPE x [<!ENTITY a 'b'>]>&a;<?php ?><\u{0}")?.text
    }
}
