/// Swift source, parted into code and comments, line by line.
///
/// Texts of literals and names in backticks are blanked out of the code, so that words and braces
/// in them mean nothing; code within interpolations is kept.
struct SwiftText {
    private(set) var code: [String] = []
    private(set) var comments: [String] = []

    private enum Mode {
        /// Code; within an interpolation, with the parentheses that are open.
        case code(parentheses: Int)
        case string(hashes: Int, isMultiline: Bool)
        case lineComment
        case blockComment(depth: Int)
        case backticks
    }

    private let text: [Character]
    private var position = 0
    private var modes: [Mode] = [.code(parentheses: 0)]
    private var codeLine = ""
    private var commentLine = ""

    init(_ file: SourceFile) {
        text = Array(file.lines.joined(separator: "\n"))
        while position < text.count { step() }
        endLine()
    }

    /// Invariant: everything before `position` stands in `code` and `comments`; the mode on top
    /// says what the character at `position` belongs to.
    private mutating func step() {
        if text[position] == "\n" {
            if case .lineComment = modes.last { modes.removeLast() }
            endLine()
            position += 1
            return
        }
        switch modes.last ?? .code(parentheses: 0) {
        case .code(let parentheses): stepCode(parentheses)
        case .string(let hashes, let isMultiline): stepString(hashes, isMultiline)
        case .lineComment:
            commentLine.append(text[position])
            position += 1
        case .blockComment(let depth): stepBlockComment(depth)
        case .backticks:
            if text[position] == "`" { modes.removeLast() }
            position += 1
        }
    }

    private mutating func stepCode(_ parentheses: Int) {
        if skip("//") { return modes.append(.lineComment) }
        if skip("/*") { return modes.append(.blockComment(depth: 1)) }
        if skip("`") {
            codeLine.append("_")
            return modes.append(.backticks)
        }
        let hashes = text[position...].prefix { $0 == "#" }.count
        if position + hashes < text.count, text[position + hashes] == "\"" {
            position += hashes
            let isMultiline = skip("\"\"\"")
            if !isMultiline { position += 1 }
            codeLine.append("\"\"")
            return modes.append(.string(hashes: hashes, isMultiline: isMultiline))
        }
        let character = text[position]
        position += 1
        let isInterpolation = modes.count > 1
        if isInterpolation, character == ")", parentheses == 1 {
            modes.removeLast()
            return
        }
        if character == "(" { modes[modes.count - 1] = .code(parentheses: parentheses + 1) }
        if character == ")" { modes[modes.count - 1] = .code(parentheses: parentheses - 1) }
        codeLine.append(character)
    }

    private mutating func stepString(_ hashes: Int, _ isMultiline: Bool) {
        let fence = String(repeating: "#", count: hashes)
        if skip("\\\(fence)(") { return modes.append(.code(parentheses: 1)) }
        if skip("\\\(fence)") {
            if position < text.count, text[position] != "\n" { position += 1 }
            return
        }
        if skip((isMultiline ? "\"\"\"" : "\"") + fence) {
            modes.removeLast()
            return
        }
        position += 1
    }

    private mutating func stepBlockComment(_ depth: Int) {
        if skip("/*") {
            modes[modes.count - 1] = .blockComment(depth: depth + 1)
        } else if skip("*/") {
            modes.removeLast()
            if depth > 1 { modes.append(.blockComment(depth: depth - 1)) }
        } else {
            commentLine.append(text[position])
            position += 1
        }
    }

    private mutating func skip(_ word: String) -> Bool {
        guard text[position...].starts(with: word) else { return false }
        position += word.count
        return true
    }

    private mutating func endLine() {
        code.append(codeLine)
        comments.append(commentLine)
        codeLine = ""
        commentLine = ""
    }
}
