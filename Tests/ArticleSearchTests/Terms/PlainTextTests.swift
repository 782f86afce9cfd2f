import ArticleAPI
import ArticleSearch
import Testing

@Suite struct PlainTextTests {
    /// The body as an excerpt shows it.
    private func plain(_ body: String) -> String {
        let text = SearchText(.sample(body: body))
        return SearchMarks(SearchQuery("")).excerpt(of: text).map(\.text).joined()
    }

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
    ])
    func `marks are left out`(markdown: String, expected: String) {
        #expect(plain(markdown).trimmed == expected)
    }

    @Test func `link targets and information of fences are not searched`() {
        let document = SearchDocument.sample(
            body:
                "[here](https://target.example)\n\n```rust\ncode\n```\n\n[r]: https://ref.example"
        )
        for word in ["target", "rust", "ref"] { #expect(!finds("\"\(word)\"", document)) }
        for word in ["here", "code"] { #expect(finds("\"\(word)\"", document)) }
    }
}

extension String {
    fileprivate var trimmed: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        while text.first == " " { text.removeFirst() }
        return String(text)
    }
}
