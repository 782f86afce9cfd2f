import ArticleAPI
import BroadsheetTestSupport

/// Texts that are expensive to render, from a seeded generator.
struct MarkdownCorpus {
    private var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// Input that Markdown parsers have had problems with: unclosed openers, deep nesting, tables,
    /// references, links for the autolinker.
    private static let pieces = [
        ">", "> ", "* ", "- ", "1. ", "   - ", "`", "```\n", "~~", "*", "**", "_", "__", "[", "![",
        "](", "](<", "[a](", "[a]: b\n", "[a]", "[^a]", "<", "<!--", "<![CDATA[", "<?", "</", "<a ",
        "&", "&#", "&amp;", "\\", "\n", "\n\n", " ", "\t", "    ", "|", "a|", "-|", "|-|\n", ":-:|",
        "www.", "http://", "a@b.c ", "@", "_.", "(", ")", "\"", "'", "~", "#", "###### ", "---\n",
        "===\n", "- [ ] ", "한", "漢", "\u{301}", "a", "b\n", "x <y ",
        "\u{338}", "&#824;", "\u{323}", " onclick=\"x\" ", "javascript:", "](javascript:a)",
    ]

    mutating func next() -> String {
        var text = ""
        let limit = 1 << Int(random.next() % 15 + 4)
        while text.utf8.count < limit {
            let part = (0...random.next() % 4).map { _ in piece() }.joined()
            let room = max((limit - text.utf8.count) / part.utf8.count, 1)
            let count = random.next() % 2 == 0 ? 1 : Int(random.next() % UInt64(room)) + 1
            text += String(repeating: part, count: count)
        }
        return text
    }

    private mutating func piece() -> String {
        Self.pieces[Int(random.next() % UInt64(Self.pieces.count))]
    }
}
