#if canImport(FoundationEssentials)
    // Without Foundation, there is no parser of Markdown.
#else
    public import Foundation

    extension MarkdownBlock where Content == AttributedString {
        /// The blocks of a Markdown text. What cannot be parsed is shown as it is.
        ///
        /// Links and emphasis are attributes of the contents; a `Text` of SwiftUI shows them. Long
        /// texts take their time: call it once for each text, and not in a view's `body`.
        public static func blocks(of markdown: String) -> [MarkdownBlock] {
            let options = AttributedString.MarkdownParsingOptions(
                interpretedSyntax: .full, failurePolicy: .returnPartiallyParsedIfPossible)
            let text =
                (try? AttributedString(markdown: markdown, options: options))
                ?? AttributedString(markdown)
            let runs = text.runs.map { run in
                var content = AttributedString(text[run.range])
                content.presentationIntent = nil
                let parts = run.presentationIntent?.components ?? []
                return Run(content, in: parts.map { Run.Part(Run.Kind($0.kind), $0.identity) })
            }
            return blocks(of: runs, empty: AttributedString(), +)
        }
    }

    extension MarkdownBlock.Run.Kind {
        fileprivate init(_ kind: PresentationIntent.Kind) {
            switch kind {
            case .header(let level): self = .heading(level)
            case .orderedList: self = .orderedList
            case .unorderedList: self = .unorderedList
            case .listItem(let ordinal): self = .item(ordinal)
            case .codeBlock(let language): self = .code(language)
            case .blockQuote: self = .quote
            case .thematicBreak: self = .thematicBreak
            case .table: self = .table
            case .tableHeaderRow: self = .tableHeader
            case .tableRow: self = .tableRow
            case .tableCell(let column): self = .cell(column: column)
            // Kinds of newer systems are read as text, too.
            default: self = .paragraph
            }
        }
    }
#endif

#if canImport(SwiftUI)
    public import SwiftUI

    /// The body of an article in SwiftUI, block by block.
    ///
    /// ```swift
    /// struct ArticleText: View {
    ///     let article: Article
    ///
    ///     var body: some View {
    ///         ScrollView { ArticleBody(article.body ?? "") }
    ///     }
    /// }
    /// ```
    ///
    /// Pictures within the text are shown as their descriptions.
    public struct ArticleBody: View {
        private let markdown: String
        @State private var blocks: [MarkdownBlock<AttributedString>] = []

        /// - Parameter markdown: the text, which is parsed when the view appears or changes.
        public init(_ markdown: String) { self.markdown = markdown }

        public var body: some View {
            LazyVStack(alignment: .leading, spacing: 12) {
                ForEach(blocks) { BlockView(block: $0) }
            }
            .task(id: markdown) { blocks = await Self.parsed(markdown) }
        }

        /// Parses away from the main actor.
        @concurrent private static func parsed(
            _ markdown: String
        ) async -> [MarkdownBlock<AttributedString>] {
            MarkdownBlock.blocks(of: markdown)
        }
    }

    private struct BlockView: View {
        let block: MarkdownBlock<AttributedString>

        var body: some View {
            HStack(alignment: .firstTextBaseline, spacing: 8) {
                if let marker = block.marker { Text(marker) }
                content
            }
            .padding(.leading, CGFloat(16 * (block.quoteDepth + max(0, block.listDepth - 1))))
        }

        @ViewBuilder private var content: some View {
            switch block.kind {
            case .thematicBreak: Divider()
            case .heading(let level): text.font(Self.font(level)).accessibilityAddTraits(.isHeader)
            case .code: text.font(.system(.body, design: .monospaced))
            case .tableRow(let isHeader): row.font(isHeader ? .headline : .body)
            case .paragraph: text
            }
        }

        private var text: Text { Text(block.contents.first ?? AttributedString()) }

        private var row: some View {
            HStack(alignment: .firstTextBaseline, spacing: 8) {
                ForEach(Array(block.contents.enumerated()), id: \.offset) { cell in
                    Text(cell.element).frame(maxWidth: .infinity, alignment: .leading)
                }
            }
        }

        private static func font(_ level: Int) -> Font {
            switch level {
            case 1: .title
            case 2: .title2
            case 3: .title3
            default: .headline
            }
        }
    }
#endif
