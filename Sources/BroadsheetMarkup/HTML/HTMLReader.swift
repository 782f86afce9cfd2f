import CBroadsheetXML

/// Walks the tree of an HTML document, and returns its content as far as Markdown can express it.
struct HTMLReader {
    private let base: String?
    private var counts: [OmittedMarkup.Kind: Int] = [:]
    /// Elements with blocks inside of them.
    private var containers: Set<xmlNodePtr> = []
    private var isInLink = false
    private var nesting = 0

    /// Maximum nesting of lists and quotes; the content of deeper ones is kept.
    static let limitNesting = 16
    /// Maximum number of cells of a table, and of its columns.
    static let limitCells = 20_000
    static let limitColumns = 100

    init(base: String?) { self.base = base }

    var leftOut: [OmittedMarkup] {
        OmittedMarkup.Kind.allCases.compactMap { kind in
            counts[kind].map { OmittedMarkup(kind: kind, count: $0) }
        }
    }

    mutating func leaveOut(_ kind: OmittedMarkup.Kind) { counts[kind, default: 0] += 1 }

    mutating func blocks(ofDocument root: xmlNodePtr) -> [MarkdownBlock] {
        findContainers(in: root)
        return blocks(in: root)
    }

    // MARK: Blocks

    /// Marks the ancestors of each block.
    private mutating func findContainers(in node: xmlNodePtr) {
        for child in node.children {
            if child.isElement {
                findContainers(in: child)
                if HTMLNames.blocks.contains(child.name) || containers.contains(child) {
                    containers.insert(node)
                }
            }
        }
    }

    /// The children as blocks: text and inline elements between blocks are paragraphs.
    private mutating func blocks(in node: xmlNodePtr) -> [MarkdownBlock] {
        var blocks: [MarkdownBlock] = []
        var line: [MarkdownInline] = []
        for child in node.children {
            if ReadingTime.isOver() { break }
            if child.isElement, isBlock(child) {
                blocks.append(paragraph: &line)
                blocks += self.blocks(of: child)
            } else {
                line += inlines(of: child)
            }
        }
        blocks.append(paragraph: &line)
        return blocks
    }

    private func isBlock(_ node: xmlNodePtr) -> Bool {
        HTMLNames.blocks.contains(node.name) || containers.contains(node) && node.name != "a"
    }

    private mutating func blocks(of node: xmlNodePtr) -> [MarkdownBlock] {
        switch node.name {
        case "h1", "h2", "h3", "h4", "h5", "h6":
            let level = node.name.utf8.last.map { Int($0) - 0x30 } ?? 1
            return line(of: node).map { [.heading(level: level, $0)] } ?? []
        case "ul", "ol", "menu", "dir": return list(node)
        case "li":
            // Outside of a list.
            return [.list(MarkdownList(isLoose: false, items: [item(node)]))]
        case "dl": return definitions(node)
        case "blockquote":
            let content = nested { $0.blocks(in: node) }
            guard let content else { return blocks(in: node) }
            return content.isEmpty ? [] : [.quote(content)]
        case "pre", "listing", "xmp": return [code(node)]
        case "table": return table(node)
        case "hr": return [.rule]
        case "figcaption", "caption", "dt", "summary", "legend":
            let style: MarkdownInline.Style =
                ["dt", "summary"].contains(node.name) ? .strong : .emphasis
            return line(of: node).map { [.paragraph([.begin(style)] + $0 + [.end(style)])] } ?? []
        case _ where HTMLNames.frames.contains(node.name):
            if let link = frameLink(node) { return [.paragraph(link)] }
            let content = blocks(in: node)
            if content.isEmpty { leaveOut(.frame) }
            return content
        default: return blocks(in: node)
        }
    }

    /// The content as one line; `nil` if there is none.
    private mutating func line(of node: xmlNodePtr) -> [MarkdownInline]? {
        let line = inlines(in: node)
        return line.hasContent ? line : nil
    }

    /// Runs the body one level deeper; `nil` if that is too deep.
    private mutating func nested<Value>(_ body: (inout Self) -> Value) -> Value? {
        guard nesting < Self.limitNesting else {
            leaveOut(.tooDeep)
            return nil
        }
        nesting += 1
        defer { nesting -= 1 }
        return body(&self)
    }

    private mutating func list(_ node: xmlNodePtr) -> [MarkdownBlock] {
        let read = nested { reader -> MarkdownList in
            var list = MarkdownList(isLoose: false, items: [])
            if node.name == "ol" {
                let start = node["start"].flatMap { Int($0) } ?? 1
                list.start = (0...99_999_999).contains(start) ? start : 1
            }
            for child in node.children where child.isElement {
                if child.name == "li" {
                    list.items.append(reader.item(child))
                    if child.children.contains(where: { $0.isElement && $0.name == "p" }) {
                        list.isLoose = true
                    }
                } else {
                    // A node outside of items belongs to the item before it, as in a browser.
                    let blocks = reader.isBlock(child) ? reader.blocks(of: child) : []
                    if list.items.isEmpty { list.items.append([]) }
                    list.items[list.items.count - 1] += blocks
                }
            }
            return list
        }
        guard let read else { return blocks(in: node) }
        return read.items.isEmpty ? [] : [.list(read)]
    }

    private mutating func item(_ node: xmlNodePtr) -> [MarkdownBlock] { blocks(in: node) }

    private mutating func definitions(_ node: xmlNodePtr) -> [MarkdownBlock] {
        var blocks: [MarkdownBlock] = []
        for child in node.children where child.isElement {
            switch child.name {
            case "dd":
                guard let content = nested({ $0.blocks(in: child) }) else {
                    blocks += self.blocks(in: child)
                    continue
                }
                if case .list(var list)? = blocks.last, list.start == nil {
                    list.items.append(content)
                    blocks[blocks.count - 1] = .list(list)
                } else {
                    blocks.append(.list(MarkdownList(isLoose: false, items: [content])))
                }
            case "div": blocks += definitions(child)
            default: blocks += self.blocks(of: child)
            }
        }
        return blocks
    }

    private func code(_ node: xmlNodePtr) -> MarkdownBlock {
        let inner = node.children.first { $0.isElement && $0.name == "code" }
        let language = inner?.codeLanguage ?? node.codeLanguage
        return .code(language: language, codeText(node))
    }

    // Within `code(_:)`, it makes the optimizer of Swift 6.3.1 fail.
    private func codeText(_ node: xmlNodePtr) -> String {
        var text = node.text
        // HTML §13.2.6.4.7: a line feed after the start tag is not part of the text.
        if node.first?.isText == true, text.hasPrefix("\n") { text.removeFirst() }
        if text.hasSuffix("\n") { text.removeLast() }
        return text
    }

    // MARK: Tables

    private mutating func table(_ node: xmlNodePtr) -> [MarkdownBlock] {
        var rows: [xmlNodePtr] = []
        var others: [MarkdownBlock] = []
        for child in node.children where child.isElement {
            switch child.name {
            case "tr": rows.append(child)
            case "thead", "tbody", "tfoot":
                rows += child.children.filter { $0.isElement && $0.name == "tr" }
            case "caption": others += blocks(of: child)
            default: break
            }
        }
        guard let table = table(of: rows) else {
            return others
                + rows.flatMap { row in
                    row.children.filter(\.isElement).flatMap { blocks(in: $0) }
                }
        }
        return others + [.table(table)]
    }

    /// `nil` if the cells contain more than lines, or if the table only lays out its content.
    private mutating func table(of rows: [xmlNodePtr]) -> MarkdownTable? {
        let cells = rows.map { row in
            row.children.filter { $0.isElement && ["td", "th"].contains($0.name) }
        }
        let hasHeader = cells.first?.allSatisfy { $0.name == "th" } == true
        let columns = cells.map { $0.reduce(0) { $0 + $1.columns } }.max() ?? 0
        guard columns > (hasHeader ? 0 : 1) else { return nil }
        let isSimple = cells.joined().allSatisfy { cell in
            !containers.contains(cell) || holdsOneLine(cell)
        }
        guard isSimple, columns <= Self.limitColumns, columns * rows.count <= Self.limitCells
        else {
            leaveOut(.table)
            return nil
        }
        var lines = cells.map { row -> [[MarkdownInline]] in
            var line: [[MarkdownInline]] = []
            for cell in row {
                line.append(inlines(in: cell))
                line += Array(repeating: [], count: cell.columns - 1)
            }
            return line + Array(repeating: [], count: columns - line.count)
        }
        let alignments = (0..<columns).map { column in
            cells.first { $0.count > column }.map { $0[column].alignment } ?? .none
        }
        let header =
            hasHeader ? lines.removeFirst() : Array(repeating: [], count: columns)
        return MarkdownTable(alignments: alignments, header: header, rows: lines)
    }

    /// Returns true if the blocks in a cell are only paragraphs or the like.
    private func holdsOneLine(_ node: xmlNodePtr) -> Bool {
        node.children.allSatisfy { child in
            guard child.isElement else { return true }
            if HTMLNames.blocks.contains(child.name) {
                guard ["p", "div", "center"].contains(child.name) else { return false }
            }
            return !containers.contains(child) || holdsOneLine(child)
        }
    }

    // MARK: Inline elements

    private mutating func inlines(in node: xmlNodePtr) -> [MarkdownInline] {
        var line: [MarkdownInline] = []
        for child in node.children {
            if ReadingTime.isOver() { break }
            let isBlock = child.isElement && HTMLNames.blocks.contains(child.name)
            if isBlock { line.append(.text(" ")) }
            line += inlines(of: child)
            if isBlock { line.append(.text(" ")) }
        }
        return line
    }

    private mutating func inlines(of node: xmlNodePtr) -> [MarkdownInline] {
        if node.isText { return [.text(node.text)] }
        guard node.isElement else { return [] }
        switch node.name {
        case "br": return [.lineBreak]
        case "em", "i", "cite", "dfn", "var": return styled(.emphasis, node)
        case "strong", "b": return styled(.strong, node)
        case "del", "s", "strike": return styled(.deleted, node)
        case "code", "kbd", "samp", "tt": return [.code(node.text)]
        case "q": return [.text("“")] + inlines(in: node) + [.text("”")]
        case "a": return link(node)
        case "img": return image(node)
        case "picture":
            let line = inlines(in: node)
            return line.hasContent ? line : image(node)
        case _ where HTMLNames.frames.contains(node.name): return frame(node)
        case "input" where node["type"]?.lowercased() == "checkbox":
            return [.task(isDone: node["checked"] != nil)]
        default: break
        }
        if HTMLNames.silent.contains(node.name) {
            for child in node.children { HTMLNames.leftOut[child.name].map { leaveOut($0) } }
            return []
        }
        guard let kind = HTMLNames.leftOut[node.name] else { return inlines(in: node) }
        leaveOut(kind)
        return []
    }

    private mutating func styled(
        _ style: MarkdownInline.Style, _ node: xmlNodePtr
    ) -> [MarkdownInline] {
        [.begin(style)] + inlines(in: node) + [.end(style)]
    }

    private mutating func link(_ node: xmlNodePtr) -> [MarkdownInline] {
        guard !isInLink, let written = node["href"] else { return inlines(in: node) }
        isInLink = true
        let line = inlines(in: node)
        isInLink = false
        guard let url = address(written) else {
            leaveOut(.address)
            return line
        }
        guard line.hasContent, !url.isEmpty else { return line }
        return [.beginLink] + line + [.endLink(url: url, title: node["title"])]
    }

    private mutating func image(_ node: xmlNodePtr) -> [MarkdownInline] {
        let alternative = node["alt"] ?? ""
        let sources = imageSources(node)
        let urls = sources.compactMap { address($0, allowing: LinkSchemes.images) }
        guard let url = urls.first(where: { !$0.isEmpty }) else {
            if !sources.isEmpty { leaveOut(.address) }
            return [.text(alternative)]
        }
        return [.image(url: url, title: node["title"], alternative: alternative)]
    }

    /// The addresses of an image, the preferred one first.
    private func imageSources(_ node: xmlNodePtr) -> [String] {
        // Pages that load images late have a placeholder in `src`.
        let own = ["src", "data-src", "data-lazy-src", "data-original"].compactMap { node[$0] }
        var picture: xmlNodePtr? = node
        if node.name != "picture" { picture = node.pointee.parent }
        let others = picture?.name == "picture" ? picture?.children ?? [] : []
        let sets = ([node] + others.filter { $0.isElement && $0.name == "source" }).flatMap {
            node in
            ["srcset", "data-srcset"].compactMap { node[$0] }
        }
        return own + sets.compactMap { xmlNodePtr.largestImage(in: $0) }
    }

    private mutating func frame(_ node: xmlNodePtr) -> [MarkdownInline] {
        if let link = frameLink(node) { return link }
        let content = inlines(in: node)
        if !content.hasContent { leaveOut(.frame) }
        return content
    }

    /// Returns a link to the resource that a page embeds.
    private func frameLink(_ node: xmlNodePtr) -> [MarkdownInline]? {
        let sources = node.children.filter { $0.isElement && $0.name == "source" }
        let written =
            ["src", "data", "data-src"].compactMap { node[$0] } + sources.compactMap { $0["src"] }
        guard !isInLink,
            let url = written.compactMap({ address($0) }).first(where: { !$0.isEmpty })
        else { return nil }
        let title = node["title"].map { $0.isEmpty ? url : $0 } ?? url
        return [.text(" "), .beginLink, .text(title), .endLink(url: url, title: nil), .text(" ")]
    }

    /// The address of a link or an image, resolved; `nil` if it has a scheme that is not allowed.
    private func address(
        _ written: String, allowing schemes: [String] = LinkSchemes.links
    ) -> String? {
        // As browsers do (WHATWG URL §4.4).
        var text = String(written.unicodeScalars.filter { !["\t", "\n", "\r"].contains($0) })
        text = String(text.drop { $0 == " " })
        while text.last == " " { text.removeLast() }
        if !text.isEmpty { text = Reference.resolve(text, against: base) ?? text }
        guard let scheme = Reference.scheme(of: text) else { return text }
        return schemes.contains(scheme) ? text : nil
    }
}

extension [MarkdownBlock] {
    /// Appends the line as a paragraph, unless it is blank, and empties it.
    fileprivate mutating func append(paragraph line: inout [MarkdownInline]) {
        if line.hasContent { append(.paragraph(line)) }
        line = []
    }
}

extension [MarkdownInline] {
    /// True if there is more than white space.
    var hasContent: Bool {
        contains { part in
            switch part {
            case .text(let text): !text.allSatisfy(\.isWhitespace)
            case .code(let text): !text.isEmpty
            case .image, .task: true
            case .begin, .end, .beginLink, .endLink, .lineBreak: false
            }
        }
    }
}
