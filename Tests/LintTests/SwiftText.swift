/// Swift source, separated into code and comments, line by line.
///
/// The code has blanks for string literals and names in backticks, so that words and braces in them
/// are ignored; code within interpolations is kept.
struct SwiftText {
    private(set) var code: [String] = []
    private(set) var comments: [String] = []

    private enum Mode {
        /// Code; within an interpolation, with the number of open parentheses.
        case code(parentheses: Int)
        case string(hashes: Int, isMultiline: Bool)
        case lineComment
        case blockComment(depth: Int)
        case backticks
    }

    private let text: [UInt8]
    private var position = 0
    private var modes: [Mode] = [.code(parentheses: 0)]
    private var codeLine: [UInt8] = []
    private var commentLine: [UInt8] = []

    init(_ file: SourceFile) {
        text = Array(file.lines.joined(separator: "\n").utf8)
        while position < text.count { step() }
        endLine()
    }

    /// Invariant: everything before `position` is in `code` and `comments`; the mode on top of the
    /// stack determines what the byte at `position` belongs to.
    private mutating func step() {
        if text[position] == UInt8(ascii: "\n") {
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
            if text[position] == UInt8(ascii: "`") { modes.removeLast() }
            position += 1
        }
    }

    private mutating func stepCode(_ parentheses: Int) {
        let byte = text[position]
        switch byte {
        case UInt8(ascii: "/"):
            if skip("//") { return modes.append(.lineComment) }
            if skip("/*") { return modes.append(.blockComment(depth: 1)) }
        case UInt8(ascii: "`"):
            position += 1
            codeLine.append(UInt8(ascii: "_"))
            return modes.append(.backticks)
        case UInt8(ascii: "#"), UInt8(ascii: "\""):
            let hashes = text[position...].prefix { $0 == UInt8(ascii: "#") }.count
            guard position + hashes < text.count, text[position + hashes] == UInt8(ascii: "\"")
            else { break }
            position += hashes
            let isMultiline = skip("\"\"\"")
            if !isMultiline { position += 1 }
            codeLine += "\"\"".utf8
            return modes.append(.string(hashes: hashes, isMultiline: isMultiline))
        default: break
        }
        position += 1
        if byte == UInt8(ascii: "(") {
            modes[modes.count - 1] = .code(parentheses: parentheses + 1)
        } else if byte == UInt8(ascii: ")") {
            if modes.count > 1, parentheses == 1 {
                modes.removeLast()
                return
            }
            modes[modes.count - 1] = .code(parentheses: parentheses - 1)
        }
        codeLine.append(byte)
    }

    private mutating func stepString(_ hashes: Int, _ isMultiline: Bool) {
        guard text[position] == UInt8(ascii: "\\") || text[position] == UInt8(ascii: "\"") else {
            position += 1
            return
        }
        let fence = String(repeating: "#", count: hashes)
        if skip("\\\(fence)(") { return modes.append(.code(parentheses: 1)) }
        if skip("\\\(fence)") {
            if position < text.count, text[position] != UInt8(ascii: "\n") { position += 1 }
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
        let word = word.utf8
        guard text[position] == word.first, text[position...].starts(with: word) else {
            return false
        }
        position += word.count
        return true
    }

    private mutating func endLine() {
        code.append(String(decoding: codeLine, as: UTF8.self))
        comments.append(String(decoding: commentLine, as: UTF8.self))
        codeLine = []
        commentLine = []
    }
}
