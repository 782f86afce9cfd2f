import BroadsheetHTTP

/// Writes the inline parts of a paragraph, heading or cell, so that they render as given.
///
/// White space is collapsed (HTML §14.3.8, CSS Text §4.1.1): it moves out of the delimiters of
/// emphasis and links, where Markdown does not accept it. So do no-break and other spaces, which
/// are not collapsed.
struct MarkdownInlineWriter {
    enum Mode { case paragraph, item, heading, cell }

    private typealias Style = MarkdownInline.Style

    private let mode: Mode
    private var text = String.UnicodeScalarView()
    /// The index at which the last line begins.
    private var lineStart: String.UnicodeScalarView.Index
    /// White space that has not been written; it is at the end of a line or before more text.
    private var gap: [Blank] = []
    /// Beginnings that have not been written, as there is no text after them yet.
    private var pending: [Open] = []
    private var open: [Open] = []
    private var lastEnd: End?
    /// True if text other than white space or punctuation must not follow the end of a style.
    private var isFragile = false

    private enum Blank: Equatable {
        case space, lineFeed, lineBreak
        /// A space that is not collapsed.
        case fixed(Unicode.Scalar)

        var isFixed: Bool { if case .fixed = self { true } else { false } }
    }

    /// An open style with its delimiter, or an open link.
    private struct Open {
        var style: Style?
        var delimiter = ""
        /// The same style encloses it already, so that it has no delimiters.
        var isRepeated = false
        var start: String.UnicodeScalarView.Index?
    }

    /// The end of a style that was the last thing written.
    private struct End {
        var style: Style
        var delimiter: String
    }

    init(_ mode: Mode) {
        self.mode = mode
        lineStart = text.startIndex
    }

    /// The text without white space at its end. It is stream-safe, although two elements may each
    /// have marks where their texts meet.
    var finished: String { String(text).streamSafe }

    mutating func write(_ parts: [MarkdownInline]) {
        for part in parts {
            switch part {
            case .text(let text): write(text: text)
            case .code(let text): write(code: text)
            case .begin(let style): begin(style)
            case .end(let style): end(style)
            case .beginLink: pending.append(Open())
            case .endLink(let url, let title): endLink(url, title)
            case .image(let url, let title, let alternative):
                startContent(with: "!")
                append("![\(escapedAlternative(alternative))](\(destination(url, title)))")
            case .lineBreak: note(mode == .paragraph || mode == .item ? .lineBreak : .space)
            case .task(let isDone):
                if mode == .item, text.isEmpty, pending.isEmpty {
                    append(isDone ? "[x]" : "[ ]")
                    gap = [.space]
                }
            }
        }
        // A style that was never closed has no content after it.
        while let style = open.last?.style { end(style) }
        if let last = gap.lastIndex(where: \.isFixed) {
            gap.removeSubrange((last + 1)...)
            writeGap()
        }
    }
}

// MARK: Text

extension MarkdownInlineWriter {
    private mutating func write(text: String) {
        let scalars = Array(text.unicodeScalars)
        var index = 0
        // Invariant: scalars[..<index] are written, or noted as white space.
        while index < scalars.count {
            let scalar = scalars[index]
            if scalar.isASCIISpace {
                note(scalar == "\n" || scalar == "\r" ? .lineFeed : .space)
            } else if scalar.isSpace {
                note(.fixed(scalar))
            } else {
                let escaped = startContent(with: scalar)
                if !escaped { append(scalar, before: scalars[(index + 1)...]) }
            }
            index += 1
        }
    }

    private mutating func note(_ found: Blank) {
        let isLine = mode == .paragraph || mode == .item
        let found = found == .lineFeed && !isLine ? .space : found
        guard let last = gap.last, !last.isFixed, !found.isFixed else { return gap.append(found) }
        if found == .lineBreak || found == .lineFeed && last == .space {
            gap[gap.count - 1] = found
        }
    }

    private mutating func append(_ raw: String) {
        // `append(contentsOf:)` would copy the whole text.
        for scalar in raw.unicodeScalars { text.append(scalar) }
        lastEnd = nil
        if raw != "~~" { isFragile = false }
    }

    /// Appends a character of text, escaped if it would be markup.
    private mutating func append(_ scalar: Unicode.Scalar, before rest: ArraySlice<Unicode.Scalar>)
    {
        if needsEscape(scalar, before: rest) { text.append("\\") }
        text.append(scalar)
        lastEnd = nil
        isFragile = false
    }

    private func needsEscape(
        _ scalar: Unicode.Scalar, before rest: ArraySlice<Unicode.Scalar>
    ) -> Bool {
        let next = rest.first
        switch scalar {
        case "\\", "`", "*", "[", "~": return true
        case "]": return open.contains { $0.style == nil }
        case "|": return mode == .cell || text.endIndex == lineStart
        case "_":
            let isInWord = (text.last?.isWord ?? false) && (next?.isWord ?? false)
            return !isInWord
        case "<": return next.map { $0.isLetter || "/!?".unicodeScalars.contains($0) } ?? true
        case "&": return Self.beginsReference(rest, atEnd: true)
        case ":":
            if rest.starts(with: "//".unicodeScalars) { return true }
            return isAtLineStart && next == "-"
        case ".":
            return text.suffix(3).elementsEqual("www".unicodeScalars) || isAfterNumber
        case ")": return isAfterNumber
        case "#": return mode == .heading || isAtLineStart && next?.isWord != true
        case "-", "+": return isAtLineStart && next?.isWord != true
        case "=", ">": return isAtLineStart
        default: return false
        }
    }

    private var isAtLineStart: Bool {
        text.endIndex == lineStart && mode != .heading && mode != .cell
    }

    /// True if the line so far is a number that would begin a list's item.
    private var isAfterNumber: Bool {
        let line = text[lineStart...]
        return !line.isEmpty && line.allSatisfy { ("0"..."9").contains($0) }
            && mode != .heading && mode != .cell
    }

    /// Returns true if an ampersand before this begins a reference (CommonMark §2.5).
    ///
    /// - Parameter atEnd: The result if it depends on later text.
    private static func beginsReference(
        _ rest: ArraySlice<Unicode.Scalar>, atEnd: Bool
    ) -> Bool {
        guard let end = rest.firstIndex(where: { !$0.isLetterOrDigit && $0 != "#" }) else {
            return atEnd
        }
        return rest[end] == ";"
    }
}

// MARK: Styles

extension MarkdownInlineWriter {
    private mutating func begin(_ style: Style) {
        let isRepeated = (open + pending).contains { $0.style == style && !$0.isRepeated }
        pending.append(Open(style: style, isRepeated: isRepeated))
    }

    private mutating func end(_ style: Style) {
        // Without content, nothing has been written for it.
        if let last = pending.last {
            if last.style == style { pending.removeLast() }
            return
        }
        guard let last = open.last, last.style == style else { return }
        open.removeLast()
        guard !last.isRepeated else { return }
        let endsFragile = last.delimiter.first == "_" || lastBeforeTildes?.isPunctuation == true
        append(last.delimiter)
        lastEnd = End(style: style, delimiter: last.delimiter)
        if endsFragile { isFragile = true }
    }

    /// Writes white space and beginnings before content.
    ///
    /// - Parameter first: The first character of the content.
    /// - Returns: True if that character was written as a reference.
    @discardableResult
    private mutating func startContent(with first: Unicode.Scalar) -> Bool {
        writeGap()
        for index in pending.indices {
            write(beginning: index, content: first)
        }
        open += pending
        pending = []
        if isFragile, first.isOther {
            appendReference(first)
            return true
        }
        return false
    }

    private mutating func writeGap() {
        for blank in gap where blank.isFixed || !text.isEmpty {
            switch blank {
            case .space: append(" ")
            case .lineFeed: append("\n")
            case .lineBreak: append("\\\n")
            case .fixed(let space): append(String(space))
            }
            if blank == .lineFeed || blank == .lineBreak { lineStart = text.endIndex }
        }
        gap = []
    }

    private mutating func write(beginning index: Int, content first: Unicode.Scalar) {
        guard let style = pending[index].style else {
            // An exclamation mark would make an image of the link.
            if text.last == "!" {
                text.removeLast()
                append("\\!")
            }
            append("[")
            pending[index].start = text.endIndex
            return
        }
        guard !pending[index].isRepeated else { return }
        if let end = lastEnd, end.style == style {
            // Two of the same kind in a row are one.
            text.removeLast(end.delimiter.unicodeScalars.count)
            lastEnd = nil
            pending[index].delimiter = end.delimiter
            return
        }
        let inner = pending[(index + 1)...].filter { !$0.isRepeated }
        // The renderer examines the characters before and after the tildes.
        let next = inner.contains { $0.style != .deleted } ? "*" : first
        let delimiter = delimiter(of: style, before: inner.first?.style)
        if let last = lastBeforeTildes, last.isOther, next.isPunctuation || delimiter.first == "_" {
            let tildes = text.reversed().prefix { $0 == "~" }.count
            text.removeLast(tildes + 1)
            // It is no longer within a word.
            if text.last == "_", text.dropLast().last != "\\" {
                text.removeLast()
                append("\\_")
            }
            appendReference(last)
            append(String(repeating: "~", count: tildes))
        }
        append(delimiter)
        pending[index].delimiter = delimiter
    }

    private var lastBeforeTildes: Unicode.Scalar? { text.last { $0 != "~" } }

    /// Delimiters of the same character next to each other would be one.
    private func delimiter(of style: Style, before inner: Style?) -> String {
        if style == .deleted { return "~~" }
        let isUnderscore = text.last == "*" || text.last != "_" && inner == .strong
        let character = isUnderscore ? "_" : "*"
        return style == .strong ? character + character : character
    }

    private mutating func appendReference(_ scalar: Unicode.Scalar) {
        append("&#\(scalar.value);")
    }
}

// MARK: Links, images and code

extension MarkdownInlineWriter {
    private mutating func endLink(_ url: String, _ title: String?) {
        if let last = pending.last {
            if last.style == nil { pending.removeLast() }
            return
        }
        guard let last = open.last, last.style == nil, let start = last.start else { return }
        open.removeLast()
        // The shorter form, if it is the same.
        if title == nil,
            String(text[start...]).streamSafe.replacing(bytesOf: "\\:", with: ":") == url,
            ["http", "https"].contains(Reference.scheme(of: url)), mode != .cell,
            url.utf8.allSatisfy({ (0x21..<0x7F).contains($0) && !"<>\\&".utf8.contains($0) })
        {
            text.removeSubrange(text.index(before: start)...)
            append("<\(url)>")
        } else {
            append("](\(destination(url, title)))")
        }
    }

    private mutating func write(code: String) {
        let content = String(
            code.map { $0.isNewline ? " " : $0 })
        guard !content.isEmpty else { return }
        // A backslash before a bar cannot be written in the code of a table.
        guard mode != .cell || !content.contains(bytesOf: "\\|") else {
            return write(text: content)
        }
        startContent(with: "`")
        let runs = content.runs(of: "`")
        let ticks = String(repeating: "`", count: (1...).first { !runs.contains($0) } ?? 1)
        let isPadded =
            content.hasPrefix("`") || content.hasSuffix("`")
            || content.hasPrefix(" ") && content.hasSuffix(" ") && content.contains { $0 != " " }
        let pad = isPadded ? " " : ""
        append(
            ticks + pad + (mode == .cell ? content.replacing(bytesOf: "|", with: "\\|") : content))
        append(pad + ticks)
    }

    private func destination(_ url: String, _ title: String?) -> String {
        var text = ""
        let scalars = Array(url.unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            switch scalar {
            case "\u{0}"..."\u{20}", "\u{7F}", "<", ">": text += Reference.encoded("\(scalar)")
            case "\\", "(", ")", "`": text += "\\\(scalar)"
            // References are resolved before escapes here.
            case "&" where Self.beginsReference(scalars[(index + 1)...], atEnd: false):
                text += "&amp;"
            case "|" where mode == .cell: text += "\\|"
            default: text.unicodeScalars.append(scalar)
            }
        }
        guard let title, title.contains(where: { !$0.isWhitespace }) else { return text }
        return "\(text) \"\(escapedAlternative(title))\""
    }

    /// Text on one line, escaped so that it is not markup wherever it stands.
    private func escapedAlternative(_ text: String) -> String {
        var escaped = ""
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for scalar in words.unicodeScalars {
            // In titles, references are resolved first, and an escaped backslash may still escape.
            if scalar == "&" || scalar == "\\" {
                escaped += scalar == "&" ? "&amp;" : "&#92;"
                continue
            }
            if scalar.isASCIIPunctuation, scalar != ",", scalar != "'",
                scalar != "." || mode == .cell
            {
                escaped += "\\"
            }
            escaped.unicodeScalars.append(scalar)
        }
        return escaped
    }
}

extension String {
    /// The lengths of the runs of a character.
    fileprivate func runs(of character: Unicode.Scalar) -> Set<Int> {
        var lengths: Set<Int> = []
        var current = 0
        for scalar in unicodeScalars {
            if scalar == character {
                current += 1
            } else if current > 0 {
                lengths.insert(current)
                current = 0
            }
        }
        lengths.insert(current)
        return lengths
    }
}
