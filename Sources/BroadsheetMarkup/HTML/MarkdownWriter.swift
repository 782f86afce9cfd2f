/// Writes blocks as lines of Markdown.
struct MarkdownWriter {
    private(set) var text = ""
    /// True if there is more text than the limit; the rest is not written.
    private(set) var isFull = false
    private var bytes = 0
    private var prefixes: [Prefix] = []
    private let limitBytes: Int

    /// The prefix of the lines of a quote or of a list's item.
    private struct Prefix {
        /// Precedes the first line only.
        var first: String
        var others: String
        var isUsed = false
    }

    init(limitBytes: Int) { self.limitBytes = limitBytes }

    /// Writes blocks, set apart by blank lines unless `isTight`.
    mutating func write(_ blocks: [MarkdownBlock], isTight: Bool = false, inItem: Bool = false) {
        var previous: (isOrdered: Bool, isAlternate: Bool)?
        for (index, block) in blocks.enumerated() {
            if isFull || ReadingTime.isOver() { return }
            if index > 0, !isTight { line("") }
            var isAlternate = false
            if case .list(let list) = block {
                // Lists that follow each other would be one, if they had the same marker.
                let isOrdered = list.start != nil
                isAlternate = previous.map { $0 == (isOrdered, false) } ?? false
                previous = (isOrdered, isAlternate)
            } else {
                previous = nil
            }
            switch block {
            case .paragraph(let line):
                write(lines: line, mode: inItem && index == 0 ? .item : .paragraph)
            case .heading(let level, let line): heading(level, line)
            case .list(let list): write(list, isAlternate: isAlternate)
            case .quote(let blocks):
                prefixes.append(Prefix(first: "> ", others: "> "))
                write(blocks)
                prefixes.removeLast()
            case .code(let language, let text): code(language, text)
            case .table(let table): write(table)
            // As dashes, it could make the line before it a heading.
            case .rule: line("***")
            }
        }
    }

    // MARK: Lines

    private mutating func line(_ content: String) {
        if !text.isEmpty { text += "\n" }
        var line = ""
        for index in prefixes.indices {
            line += prefixes[index].isUsed ? prefixes[index].others : prefixes[index].first
            prefixes[index].isUsed = true
        }
        line += content
        if content.isEmpty { while line.last == " " { line.removeLast() } }
        bytes += line.utf8.count + 1
        if bytes > limitBytes { isFull = true } else { text += line }
    }

    private mutating func write(lines inlines: [MarkdownInline], mode: MarkdownInlineWriter.Mode) {
        var line = MarkdownInlineWriter(mode)
        line.write(inlines)
        for part in line.finished.split(separator: "\n", omittingEmptySubsequences: false) {
            self.line(String(part))
        }
    }

    private mutating func heading(_ level: Int, _ inlines: [MarkdownInline]) {
        var line = MarkdownInlineWriter(.paragraph)
        line.write(inlines)
        let text = line.finished
        if level <= 2, text.contains("\n") {
            write(lines: inlines, mode: .paragraph)
            self.line(level == 1 ? "===" : "---")
            return
        }
        line = MarkdownInlineWriter(.heading)
        line.write(inlines)
        self.line("\(String(repeating: "#", count: level)) \(line.finished)")
    }

    private mutating func code(_ language: String?, _ text: String) {
        let ticks = max(3, text.longestRun(of: "`") + 1)
        let fence = String(repeating: "`", count: ticks)
        line(fence + (language ?? ""))
        if !text.isEmpty {
            for part in text.split(separator: "\n", omittingEmptySubsequences: false) {
                line(String(part))
            }
        }
        line(fence)
    }

    // MARK: Lists

    private mutating func write(_ list: MarkdownList, isAlternate: Bool) {
        let isTight = !list.isLoose && list.items.allSatisfy(Self.canBeTight)
        for (index, item) in list.items.enumerated() {
            if isFull { return }
            if index > 0, !isTight { line("") }
            var marker = isAlternate ? "+ " : "- "
            if let start = list.start { marker = "\(start + index)\(isAlternate ? ")" : ".") " }
            let indent = String(repeating: " ", count: marker.utf8.count)
            prefixes.append(Prefix(first: marker, others: indent))
            if item.isEmpty { line("") } else { write(item, isTight: isTight, inItem: true) }
            prefixes.removeLast()
        }
    }

    /// Returns true if the blocks of an item can follow each other without blank lines.
    private static func canBeTight(_ item: [MarkdownBlock]) -> Bool {
        zip(item, item.dropFirst()).allSatisfy { block, next in
            switch (block, next) {
            case (.heading, _), (.code, _), (.rule, _): true
            case (.paragraph, .quote), (.paragraph, .code), (.paragraph, .rule): true
            case (.paragraph, .list(let list)):
                // Others do not interrupt a paragraph (CommonMark §5.3).
                list.start ?? 1 == 1 && list.items.first?.isEmpty == false
            default: false
            }
        }
    }

    // MARK: Tables

    private mutating func write(_ table: MarkdownTable) {
        row(table.header)
        line("| \(table.alignments.map(\.rawValue).joined(separator: " | ")) |")
        for cells in table.rows where !isFull { row(cells) }
    }

    private mutating func row(_ cells: [[MarkdownInline]]) {
        let texts = cells.map { cell in
            var line = MarkdownInlineWriter(.cell)
            line.write(cell)
            return line.finished
        }
        line("| \(texts.joined(separator: " | ")) |")
    }
}

extension String {
    /// The length of the longest run of a character.
    func longestRun(of character: Unicode.Scalar) -> Int {
        var longest = 0
        var current = 0
        for scalar in unicodeScalars {
            current = scalar == character ? current + 1 : 0
            longest = max(longest, current)
        }
        return longest
    }
}
