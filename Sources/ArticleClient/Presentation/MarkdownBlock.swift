/// A block of a Markdown text as a screen shows it: a paragraph, a heading, code, a row of a table.
///
/// The text is parsed by the system: on Apple's platforms, `MarkdownBlock.blocks(of:)` takes its
/// attributed string apart, and `ArticleBody` shows the blocks in SwiftUI.
///
/// ```swift
/// func headings(of article: Article) -> [AttributedString] {
///     var found: [AttributedString] = []
///     for block in MarkdownBlock.blocks(of: article.body ?? "") {
///         if case .heading = block.kind { found += block.contents }
///     }
///     return found
/// }
/// ```
public struct MarkdownBlock<Content: Sendable & Hashable>: Sendable, Hashable, Identifiable {
    public enum Kind: Sendable, Hashable {
        case paragraph
        /// 1 to 6.
        case heading(level: Int)
        /// Code, with its line breaks.
        case code(language: String?)
        case thematicBreak
        case tableRow(isHeader: Bool)
    }

    /// The place among the blocks of the text.
    public let id: Int
    public let kind: Kind
    /// The text; of a table's row, that of each column.
    public fileprivate(set) var contents: [Content]
    /// The number of quotes that the block is in.
    public let quoteDepth: Int
    /// The number of lists that the block is in.
    public let listDepth: Int
    /// `•` or `2.` for the first block of a list's item; `nil` for others.
    public let marker: String?
}

extension MarkdownBlock {
    /// A piece of a parsed text, with everything that it is in.
    package struct Run {
        package enum Kind: Sendable, Hashable {
            case paragraph, orderedList, unorderedList, quote, thematicBreak, table, tableHeader
            case tableRow
            case heading(Int)
            case item(Int)
            case code(String?)
            case cell(column: Int)
        }

        /// A part of the text's structure: its runs have the same identity.
        package struct Part: Sendable, Hashable {
            let kind: Kind
            let identity: Int

            package init(_ kind: Kind, _ identity: Int) {
                self.kind = kind
                self.identity = identity
            }
        }

        let content: Content
        /// The innermost first.
        let parts: [Part]

        package init(_ content: Content, in parts: [Part]) {
            self.content = content
            self.parts = parts
        }
    }

    /// Joins the runs of each block.
    ///
    /// - Parameters:
    ///   - runs: in the order of the text.
    ///   - empty: the content of a table's cell that has none.
    ///   - join: the content of two runs, one after the other.
    package static func blocks(
        of runs: [Run], empty: Content, _ join: (Content, Content) -> Content
    ) -> [MarkdownBlock] {
        var blocks: [MarkdownBlock] = []
        var last: (block: Int?, cell: Int?) = (nil, nil)
        var begun: Set<Int> = []
        for run in runs {
            let cell = run.column == nil ? nil : run.parts.first?.identity
            // Cells are in a row, and other runs in a block.
            let block = (cell == nil ? run.parts.first : run.parts.dropFirst().first)?.identity
            let isSame = !blocks.isEmpty && block == last.block
            if !isSame { blocks.append(run.block(blocks.count, &begun)) }
            let index = blocks.count - 1
            let isNew = !isSame || cell != last.cell
            if isNew, let column = run.column, blocks[index].contents.count < column {
                let missing = column - blocks[index].contents.count
                blocks[index].contents += Array(repeating: empty, count: missing)
            }
            if isNew {
                blocks[index].contents.append(run.content)
            } else {
                let place = blocks[index].contents.count - 1
                blocks[index].contents[place] = join(blocks[index].contents[place], run.content)
            }
            last = (block, cell)
        }
        return blocks
    }
}

extension MarkdownBlock.Run {
    /// The column of a table's cell; `nil` for other runs. A table has at most 100.
    fileprivate var column: Int? {
        if case .cell(let column)? = parts.first?.kind { min(max(0, column), 99) } else { nil }
    }

    private var blockKind: MarkdownBlock<Content>.Kind {
        for part in parts {
            switch part.kind {
            case .heading(let level): return .heading(level: level)
            case .code(let language): return .code(language: language)
            case .thematicBreak: return .thematicBreak
            case .tableHeader: return .tableRow(isHeader: true)
            case .tableRow: return .tableRow(isHeader: false)
            case .paragraph: return .paragraph
            case .orderedList, .unorderedList, .quote, .table, .item, .cell: continue
            }
        }
        return .paragraph
    }

    /// The block that begins with this run, without content.
    ///
    /// - Parameter begun: the items that have begun.
    fileprivate func block(_ id: Int, _ begun: inout Set<Int>) -> MarkdownBlock<Content> {
        var marker: String?
        for (index, part) in parts.enumerated() {
            guard case .item(let number) = part.kind, begun.insert(part.identity).inserted,
                marker == nil
            else { continue }
            let isOrdered = parts.dropFirst(index + 1).first?.kind == .orderedList
            marker = isOrdered ? "\(number)." : "•"
        }
        return MarkdownBlock(
            id: id, kind: blockKind, contents: [],
            quoteDepth: parts.count { $0.kind == .quote },
            listDepth: parts.count { [.orderedList, .unorderedList].contains($0.kind) },
            marker: marker)
    }
}
