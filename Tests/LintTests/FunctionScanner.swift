/// Finds the bodies of functions by matching braces.
enum FunctionScanner {
    /// From the line of the declaration to that of the closing brace, both counted from 0.
    static func functions(in code: [String]) -> [ClosedRange<Int>] {
        var found: [ClosedRange<Int>] = []
        /// For each open brace: the line of its declaration if that is a function.
        var braces: [Int?] = []
        var parentheses = 0
        /// The line of a declaration whose body has not begun.
        var pending: Int?
        for (number, line) in code.enumerated() {
            for token in tokens(of: line) {
                switch token {
                case "func", "init", "deinit", "subscript", "var":
                    if parentheses == 0 { pending = number }
                case "struct", "class", "enum", "extension", "protocol", "actor":
                    if parentheses == 0 { pending = nil }
                case "(", "[": parentheses += 1
                case ")", "]": parentheses -= 1
                case "{":
                    // A closure among arguments is part of the surrounding function.
                    braces.append(parentheses == 0 ? pending : nil)
                    if parentheses == 0 { pending = nil }
                case "}":
                    if let start = braces.popLast() ?? nil { found.append(start...number) }
                    if parentheses == 0 { pending = nil }
                default: break
                }
            }
        }
        return found
    }

    /// Words and brackets; a word after a dot (`.init`) declares nothing and is skipped.
    private static func tokens(of line: String) -> [Substring] {
        var tokens: [Substring] = []
        var rest = line[...].utf8
        var isMember = false
        while let byte = rest.first {
            let word = rest.prefix(while: isWord)
            if word.isEmpty {
                if "(){}[]".utf8.contains(byte) { tokens.append(Substring(rest.prefix(1))) }
                isMember = byte == UInt8(ascii: ".")
                rest = rest.dropFirst()
            } else {
                if !isMember { tokens.append(Substring(word)) }
                isMember = false
                rest = rest[word.endIndex...]
            }
        }
        return tokens
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }
}
