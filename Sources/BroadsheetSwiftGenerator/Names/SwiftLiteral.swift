/// Untrusted text as a string literal of Swift, on one line.
enum SwiftLiteral {
    /// The maximum width of a literal in columns, so that it fits on a line of its own.
    static let limitColumns = 70

    /// The literal with its quotation marks. Characters that are not printed, or that change the
    /// direction of text, are escaped; so are combining marks, which could join the quotation mark.
    static func of(_ text: String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": literal += "\\\""
            case "\\": literal += "\\\\"
            case "\n": literal += "\\n"
            case "\r": literal += "\\r"
            case "\t": literal += "\\t"
            default:
                if isPlain(scalar) {
                    literal.unicodeScalars.append(scalar)
                } else {
                    literal += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
                }
            }
        }
        return literal + "\""
    }

    /// The literal; `nil` if it is wider than the limit.
    static func fitting(_ text: String, columns: Int = limitColumns) -> String? {
        guard text.utf8.count <= 4 * columns else { return nil }
        let literal = of(text)
        return columns >= literal.unicodeScalars.count ? literal : nil
    }

    /// Returns true if a character can be seen, and stands alone.
    static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return (0x20..<0x7F).contains(scalar.value) }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .decimalNumber, .letterNumber, .otherNumber, .currencySymbol, .mathSymbol,
            .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
            .finalPunctuation, .otherPunctuation:
            return true
        case .otherSymbol: return !scalar.properties.isEmojiModifier
        default: return false
        }
    }
}

/// Untrusted text as lines of a comment.
enum CommentText {
    /// Lines of at most `columns` columns, without characters that end a line or change its
    /// direction. Words that are longer than a line are cut.
    ///
    /// - Parameters:
    ///   - text: Markdown or plain text.
    ///   - columns: at least 20.
    ///   - limitLines: the maximum number of lines.
    static func lines(_ text: String, columns: Int, limitLines: Int = 12) -> [String] {
        var lines: [String] = []
        var line = ""
        var width = 0
        for word in words(text, columns: columns) {
            if width > 0, width + 1 + word.width > columns {
                lines.append(line)
                (line, width) = ("", 0)
                if lines.count == limitLines { break }
            }
            line += width > 0 ? " " + word.text : word.text
            width += (width > 0 ? 1 : 0) + word.width
        }
        if !line.isEmpty, lines.count < limitLines { lines.append(line) }
        return lines
    }

    private static func words(_ text: String, columns: Int) -> [(text: String, width: Int)] {
        var words: [(text: String, width: Int)] = []
        var word = ""
        var width = 0
        func isBreak(_ scalar: Unicode.Scalar) -> Bool {
            scalar.properties.isWhitespace || scalar.value < 0x20
        }
        for scalar in text.unicodeScalars.prefix(4_000) {
            let isOver = width == columns
            if isBreak(scalar) || isOver {
                if width > 0 { words.append((word, width)) }
                (word, width) = ("", 0)
            }
            guard !isBreak(scalar) else { continue }
            word.unicodeScalars.append(SwiftLiteral.isPlain(scalar) ? scalar : "\u{B7}")
            width += 1
        }
        if width > 0 { words.append((word, width)) }
        return words
    }
}
