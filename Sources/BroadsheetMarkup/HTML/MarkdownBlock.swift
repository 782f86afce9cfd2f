/// A part of a document that Markdown can express as lines of its own.
indirect enum MarkdownBlock {
    case paragraph([MarkdownInline])
    case heading(level: Int, [MarkdownInline])
    case list(MarkdownList)
    case quote([MarkdownBlock])
    case code(language: String?, String)
    case table(MarkdownTable)
    case rule
}

/// A list; `start` is the first number of an ordered one.
struct MarkdownList {
    var start: Int?
    /// True if the paragraphs of the items are set apart (`<li><p>`).
    var isLoose: Bool
    var items: [[MarkdownBlock]]
}

/// A table whose rows all have as many cells as its header.
struct MarkdownTable {
    enum Alignment: String {
        case none = "---"
        case left = ":--"
        case center = ":-:"
        case right = "--:"
    }

    var alignments: [Alignment]
    var header: [[MarkdownInline]]
    var rows: [[[MarkdownInline]]]
}

/// A part of a line. A part that encloses others has a beginning and an end, in the order of the
/// text.
enum MarkdownInline {
    enum Style: Hashable { case emphasis, strong, deleted }

    /// White space in it is still to be collapsed.
    case text(String)
    case code(String)
    case begin(Style)
    case end(Style)
    case beginLink
    case endLink(url: String, title: String?)
    case image(url: String, title: String?, alternative: String)
    case lineBreak
    /// `[ ]` or `[x]`.
    case task(isDone: Bool)
}
